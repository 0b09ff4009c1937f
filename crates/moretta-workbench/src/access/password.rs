//! A password, kept as what argon2 makes of it.

use std::fmt;

use argon2::Argon2;
use moretta::{Error, Fault, Result};

use super::same;

/// The fewest characters of a password that others may try to guess.
const SHORTEST: usize = 12;

/// A password of which only its hash under a fresh salt is kept, by argon2id with its recommended cost.
pub struct Password {
    salt: [u8; 16],
    hash: [u8; 32],
}

impl Password {
    /// Takes a password; one that is soon guessed is refused.
    pub fn new(text: &str) -> Result<Self> {
        if text.chars().count() < SHORTEST {
            return Err(Error::input(format!("the password has fewer than {SHORTEST} characters"))
                .help("others can reach the server, and may try many: take a sentence"));
        }
        let mut salt = [0; 16];
        getrandom::fill(&mut salt).map_err(|e| Error::new(Fault::Machine, format!("no randomness: {e}")))?;
        Ok(Self { salt, hash: hashed(text, &salt)? })
    }

    /// Whether it is this one. It takes a while, on purpose.
    pub(crate) fn is(&self, text: &str) -> Result<bool> {
        Ok(same(&hashed(text, &self.salt)?, &self.hash))
    }
}

fn hashed(text: &str, salt: &[u8]) -> Result<[u8; 32]> {
    let mut hash = [0; 32];
    Argon2::default()
        .hash_password_into(text.as_bytes(), salt, &mut hash)
        .map_err(|e| Error::new(Fault::Machine, format!("the password can't be hashed: {e}")))?;
    Ok(hash)
}

/// Nothing of it is ever shown.
impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Password").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_itself_and_nothing_else() {
        let password = Password::new("a sentence of some length").expect("long enough");
        assert!(password.is("a sentence of some length").expect("hashed"));
        assert!(!password.is("a sentence of some lengtH").expect("hashed") && !password.is("").expect("hashed"));
        assert!(Password::new("short").is_err());
    }
}
