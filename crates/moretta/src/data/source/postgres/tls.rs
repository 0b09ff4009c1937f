//! TLS as `sslmode` has it: `require` hides what is sent, `verify-ca` also asks who signed the server's certificate, and `verify-full`
//! whether it is that of the host.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::str::FromStr;
use std::sync::Arc;
use std::task::{Context, Poll};

use postgres::Socket;
use postgres::config::SslMode;
use postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::{TlsConnector, client};

use crate::error::{Code, Error, Result};

/// What an address says of encryption.
#[derive(Debug, Default)]
pub(super) struct Encryption {
    pub(super) mode: Mode,
    /// The certificates that are trusted; `system` for those of the system.
    pub(super) roots: Option<PathBuf>,
}

/// How far a server is asked to prove itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Mode {
    Disable,
    #[default]
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

const MODES: [(&str, Mode); 5] = [
    ("disable", Mode::Disable),
    ("prefer", Mode::Prefer),
    ("require", Mode::Require),
    ("verify-ca", Mode::VerifyCa),
    ("verify-full", Mode::VerifyFull),
];

impl FromStr for Mode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = MODES.iter().find(|(name, _)| *name == text).map(|&(_, mode)| mode);
        found.ok_or_else(|| format!("sslmode is {text:?}, and must be {}", MODES.map(|(name, _)| name).join(", ")))
    }
}

impl Mode {
    pub(super) fn negotiated(self) -> SslMode {
        match self {
            Self::Disable => SslMode::Disable,
            Self::Prefer => SslMode::Prefer,
            Self::Require | Self::VerifyCa | Self::VerifyFull => SslMode::Require,
        }
    }
}

/// Makes connections that are encrypted.
#[derive(Clone)]
pub(super) struct Tls(Arc<ClientConfig>);

impl Tls {
    pub(super) fn new(encryption: &Encryption, address: &Path) -> Result<Self> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier: Arc<dyn ServerCertVerifier> = match encryption.mode {
            Mode::Disable | Mode::Prefer | Mode::Require => {
                Arc::new(Lenient { provider: provider.clone(), signer: None })
            }
            Mode::VerifyCa => {
                let signer = Some(trusting(encryption, &provider, address)?);
                Arc::new(Lenient { provider: provider.clone(), signer })
            }
            Mode::VerifyFull => trusting(encryption, &provider, address)?,
        };
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|e| Error::bug(format!("TLS without versions: {e}")))?
            .dangerous()
            .with_custom_certificate_verifier(verifier)
            .with_no_client_auth();
        Ok(Self(Arc::new(config)))
    }
}

/// Trusts those whose certificates are stated, or stand where other programs of PostgreSQL look for them, or are the system's.
fn trusting(
    encryption: &Encryption,
    provider: &Arc<CryptoProvider>,
    address: &Path,
) -> Result<Arc<WebPkiServerVerifier>> {
    let usual = std::env::home_dir().map(|home| home.join(".postgresql/root.crt")).filter(|file| file.exists());
    let file = encryption.roots.clone().or(usual).filter(|file| file != Path::new("system"));
    let wrong = |file: &Path, e: &dyn Display| {
        Error::input(format!("the certificates that are trusted can't be read: {e}"))
            .coded(Code::WrongParameter)
            .at_file(file)
            .help("sslrootcert names a file of certificates in PEM form, or is system")
    };
    let mut roots = RootCertStore::empty();
    match &file {
        None => {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
        Some(file) => {
            for certificate in CertificateDer::pem_file_iter(file).map_err(|e| wrong(file, &e))? {
                let certificate = certificate.map_err(|e| wrong(file, &e))?;
                roots.add(certificate).map_err(|e| wrong(file, &e))?;
            }
        }
    }
    WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone())
        .build()
        .map_err(|e| wrong(file.as_deref().unwrap_or(address), &e))
}

/// Asks less of a server than TLS usually does, but always that it holds the key of the certificate that it shows.
#[derive(Debug)]
struct Lenient {
    provider: Arc<CryptoProvider>,
    /// Who must have signed the certificate, for whatever host; nobody where it is enough that others can't listen.
    signer: Option<Arc<WebPkiServerVerifier>>,
}

impl ServerCertVerifier for Lenient {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        host: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let Some(signer) = &self.signer else { return Ok(ServerCertVerified::assertion()) };
        // Whose certificate it is, is asked last: all else was found right.
        match signer.verify_server_cert(certificate, between, host, ocsp, now) {
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            judged => judged,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        rustls::crypto::verify_tls12_signature(
            message,
            certificate,
            signed,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        rustls::crypto::verify_tls13_signature(
            message,
            certificate,
            signed,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

impl MakeTlsConnect<Socket> for Tls {
    type Stream = Encrypted;
    type TlsConnect = ToHost;
    type Error = rustls::pki_types::InvalidDnsNameError;

    fn make_tls_connect(&mut self, host: &str) -> Result<ToHost, Self::Error> {
        Ok(ToHost(TlsConnector::from(self.0.clone()), ServerName::try_from(host.to_owned())?))
    }
}

/// A connection that is about to be encrypted, to a host.
pub(super) struct ToHost(TlsConnector, ServerName<'static>);

impl TlsConnect<Socket> for ToHost {
    type Stream = Encrypted;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted>> + Send>>;

    fn connect(self, socket: Socket) -> Self::Future {
        let Self(connector, host) = self;
        Box::pin(async move { connector.connect(host, socket).await.map(|stream| Encrypted(Box::new(stream))) })
    }
}

/// An encrypted connection.
pub(super) struct Encrypted(Box<client::TlsStream<Socket>>);

impl TlsStream for Encrypted {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl AsyncRead for Encrypted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Encrypted {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
