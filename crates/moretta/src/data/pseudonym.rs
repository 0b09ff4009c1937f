//! Keyed pseudonyms: what stands for an identifier where rows of one release, or of several on purpose, are to be told apart or linked.

use std::fmt;
use std::io::Read as _;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::error::{Code, Error, Fault, Result};

/// The length of a block of SHA-256, to which HMAC fills its key up.
const BLOCK: usize = 64;

/// How many bytes of the 32 are published: two people get the same pseudonym once in 2¹²⁸ pairs.
const PUBLISHED: usize = 16;

/// The key of pseudonyms. Whoever has it can try every identifier, so it is the steward's alone.
#[derive(Clone)]
pub struct PseudonymKey([u8; 32]);

/// HMAC-SHA-256 (RFC 2104) under a key.
#[derive(Clone)]
struct Hmac {
    inner: Sha256,
    outer: Sha256,
}

impl fmt::Debug for PseudonymKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PseudonymKey(secret)")
    }
}

impl PseudonymKey {
    /// A new key of 256 bits from the system. It does not follow from the seed: one that somebody has chosen could be guessed, and the people
    /// with it.
    pub fn from_system() -> Result<Self> {
        let mut key = [0; 32];
        getrandom::fill(&mut key)
            .map_err(|e| Error::new(Fault::Machine, format!("the system gives no randomness: {e}")))?;
        Ok(Self(key))
    }

    /// The key in a file that only its owner can read: 64 hexadecimal digits, as publishing writes them.
    pub fn read(file: &Path) -> Result<Self> {
        let mut text = String::new();
        let opened = std::fs::File::open(file).map_err(|e| Error::machine("read the key", file, e))?;
        refuse_readable(&opened, file)?;
        opened.take(1 << 10).read_to_string(&mut text).map_err(|e| Error::machine("read the key", file, e))?;
        let digits = text.trim().as_bytes();
        let wrong = || {
            Error::input("this is no key of pseudonyms")
                .coded(Code::WrongParameter)
                .at_file(file)
                .help("64 hexadecimal digits, such as private/pseudonym.key of an earlier release")
        };
        let mut key = [0; 32];
        if digits.len() != 2 * key.len() {
            return Err(wrong());
        }
        for (byte, pair) in key.iter_mut().zip(digits.chunks_exact(2)) {
            let digit = |digit: u8| char::from(digit).to_digit(16).ok_or_else(wrong);
            *byte = (digit(pair[0])? * 16 + digit(pair[1])?) as u8;
        }
        Ok(Self(key))
    }

    /// As a file holds it.
    pub fn to_text(&self) -> String {
        format!("{}\n", hexadecimal(&self.0))
    }

    /// What makes pseudonyms with it.
    pub fn pseudonyms(&self) -> Pseudonyms {
        Pseudonyms(Hmac::new(&self.0))
    }
}

/// Makes pseudonyms.
#[derive(Clone)]
pub struct Pseudonyms(Hmac);

impl Pseudonyms {
    /// The pseudonym of an identifier: 32 hexadecimal digits of the HMAC of its text, as a CSV file spells it.
    pub fn of(&self, identifier: &str) -> Box<str> {
        hexadecimal(&self.0.of(identifier.as_bytes())[..PUBLISHED]).into()
    }
}

impl Hmac {
    /// Under a key that is no longer than a block.
    fn new(key: &[u8]) -> Self {
        let padded = |pad: u8| {
            let mut block = [pad; BLOCK];
            block.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
            let mut digest = Sha256::new();
            digest.update(block);
            digest
        };
        Self { inner: padded(0x36), outer: padded(0x5c) }
    }

    fn of(&self, text: &[u8]) -> [u8; 32] {
        let Self { mut inner, mut outer } = self.clone();
        inner.update(text);
        outer.update(inner.finalize());
        outer.finalize().into()
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(unix)]
fn refuse_readable(opened: &std::fs::File, file: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    const OTHERS: u32 = 0o077;
    let meta = opened.metadata().map_err(|e| Error::machine("read the key", file, e))?;
    if meta.permissions().mode() & OTHERS == 0 {
        return Ok(());
    }
    Err(Error::input("others can read the key of pseudonyms, and find everybody with it")
        .coded(Code::PermissionDenied)
        .at_file(file)
        .help(format!("chmod 600 {}", file.display())))
}

#[cfg(not(unix))]
fn refuse_readable(_: &std::fs::File, _: &Path) -> Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hmac_is_that_of_rfc_4231() {
        let of = |key: &[u8], text: &[u8]| hexadecimal(&Hmac::new(key).of(text));
        assert_eq!(
            of(b"Jefe", b"what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        assert_eq!(of(&[0x0b; 20], b"Hi There"), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    }

    #[cfg(unix)]
    #[test]
    fn a_key_comes_back_from_its_file_unless_others_can_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pseudonym.key");
        let key = PseudonymKey::from_system().unwrap();
        std::fs::write(&file, key.to_text()).unwrap();
        let mode = |mode| std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        mode(0o644);
        assert_eq!(PseudonymKey::read(&file).unwrap_err().code(), "permission-denied");
        mode(0o600);
        assert_eq!(PseudonymKey::read(&file).unwrap().0, key.0);
        assert!(!format!("{key:?}").contains(&key.to_text()[..8]));
        for wrong in ["", "ab", &"g".repeat(64), &"a".repeat(66)] {
            std::fs::write(&file, wrong).unwrap();
            assert_eq!(PseudonymKey::read(&file).unwrap_err().code(), "wrong-parameter", "{wrong}");
        }
    }
}
