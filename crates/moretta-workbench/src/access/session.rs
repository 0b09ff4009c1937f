//! A secret that the address carries once and a cookie afterwards.

use std::fmt::{self, Write as _};

use axum::http::{HeaderMap, header};
use moretta::{Error, Fault, Result};

/// The two secrets of a run of the server: what the printed address holds, and what the cookie does.
pub(crate) struct Session {
    key: String,
    token: String,
    cookie: String,
}

impl Session {
    /// New secrets; the port keeps two servers on one machine apart, which share their cookies.
    pub(crate) fn new(port: u16) -> Result<Self> {
        Ok(Self { key: secret()?, token: secret()?, cookie: format!("moretta-{port}") })
    }

    /// What the printed address holds.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// Whether a request comes from somebody who was let in.
    pub(crate) fn is_known(&self, headers: &HeaderMap) -> bool {
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.any(|(name, value)| name == self.cookie && same(value.as_bytes(), self.token.as_bytes()))
    }

    /// The cookie for somebody who is let in: no script reads it, and no other site's page sends it.
    pub(crate) fn cookie(&self) -> String {
        format!("{}={}; Path=/; HttpOnly; SameSite=Strict", self.cookie, self.token)
    }
}

/// Nothing of it is ever shown.
impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

/// 128 bits that nobody guesses, in hexadecimal.
fn secret() -> Result<String> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes)
        .map_err(|e| Error::new(Fault::Machine, format!("the system has no randomness: {e}")))?;
    let mut text = String::with_capacity(32);
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text)
}

/// Whether two secrets are equal, in a time that does not tell where they differ.
pub(crate) fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_cookie_that_was_given_is_known() {
        let session = Session::new(4000).expect("randomness");
        let with = |cookie: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::COOKIE, cookie.parse().expect("a header"));
            session.is_known(&headers)
        };
        let given = session.cookie();
        let pair = given.split(';').next().expect("a pair");
        assert!(with(pair) && with(&format!("a=b; {pair}; c=d")));
        assert!(!with("moretta-4000=") && !with(&pair.replace("4000", "4001")) && !with(&format!("{pair}0")));
        assert!(!with(&format!("moretta-4000={}", session.key())), "the address is not the cookie");
        assert!(!session.is_known(&HeaderMap::new()));
    }
}
