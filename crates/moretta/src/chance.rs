//! Where chance comes from.

use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng;
use sha2::{Digest, Sha256};

use crate::error::{Error, Fault, Result};

/// What chance starts from. Whoever knows it and the table can redo every draw, so it stays private.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(pub u64);

impl Seed {
    /// A seed from the system's randomness.
    pub fn from_system() -> Result<Self> {
        let number = getrandom::u64();
        number.map(Self).map_err(|e| Error::new(Fault::Machine, format!("the system gives no randomness: {e}")))
    }

    /// A generator of its own for each use and each part of the work, so that the order in which parts
    /// are worked on does not matter.
    pub fn stream(self, purpose: &str, number: u64) -> ChaCha12Rng {
        let mut key = Sha256::new();
        key.update(self.0.to_le_bytes());
        key.update(purpose.as_bytes());
        let mut generator = ChaCha12Rng::from_seed(key.finalize().into());
        generator.set_stream(number);
        generator
    }
}

/// The numbers below `len` in random order.
pub fn permutation(len: usize, generator: &mut ChaCha12Rng) -> Vec<u32> {
    use rand::seq::SliceRandom;
    let mut order: Vec<u32> = (0..len as u32).collect();
    order.shuffle(generator);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_seed_purpose_and_number_and_by_nothing_else() {
        let draw = |seed, purpose, number| permutation(20, &mut Seed(seed).stream(purpose, number));
        assert_eq!(draw(1, "a", 0), draw(1, "a", 0));
        assert_ne!(draw(1, "a", 0), draw(2, "a", 0));
        assert_ne!(draw(1, "a", 0), draw(1, "b", 0));
        assert_ne!(draw(1, "a", 0), draw(1, "a", 1));
    }
}
