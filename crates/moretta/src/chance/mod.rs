//! Where chance comes from.

mod stream;

use std::fmt;
use std::str::FromStr;

use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng;
use sha2::{Digest, Sha256};
pub use stream::{Branches, Stream};

use crate::error::{Error, Fault, Result};

/// What chance starts from. Whoever knows it and the table can redo every draw, so it stays private.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Seed(pub u128);

impl Seed {
    /// A seed of 128 bits from the system's randomness.
    pub fn from_system() -> Result<Self> {
        let mut bytes = [0; 16];
        let filled = getrandom::fill(&mut bytes);
        filled.map_err(|e| Error::new(Fault::Machine, format!("the system gives no randomness: {e}")))?;
        Ok(Self(u128::from_le_bytes(bytes)))
    }

    /// The seed of everything that is drawn about one table: another table, or another way to publish it, has draws of its own.
    ///
    /// Without this, who guesses the seed would redo the draws on a table of her own and take them away from a release. With it she
    /// must know the whole table first.
    #[must_use]
    pub fn for_table(self, digest: &[u8; 32]) -> Self {
        let mut key = Sha256::new();
        key.update(b"seed of a table");
        key.update(self.0.to_le_bytes());
        key.update(digest);
        Self(first_half(&key.finalize().into()))
    }

    /// The lower half of the seed, which is the whole of a number of 64 bits.
    pub fn low(self) -> u64 {
        self.0 as u64
    }

    /// A generator of its own for each use and each part of the work, so that the order in which parts
    /// are worked on does not matter.
    pub fn stream(self, purpose: &str, number: u64) -> ChaCha12Rng {
        let mut generator = ChaCha12Rng::from_seed(self.key(purpose));
        generator.set_stream(number);
        generator
    }

    /// Numbers that nobody without the seed can tell from random ones: one for each text.
    pub(crate) fn keyed_hash(self, purpose: &str) -> KeyedHash {
        KeyedHash { key: self.key(purpose) }
    }

    fn key(self, purpose: &str) -> [u8; 32] {
        let mut key = Sha256::new();
        key.update(self.0.to_le_bytes());
        key.update(purpose.as_bytes());
        key.finalize().into()
    }
}

impl From<u64> for Seed {
    fn from(number: u64) -> Self {
        Self(number.into())
    }
}

/// In hexadecimal, as it is stored.
impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#034x}", self.0)
    }
}

impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Seed({self})")
    }
}

/// A number, or up to 128 bits in hexadecimal after `0x`.
impl FromStr for Seed {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let parsed = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            // A sign is no digit.
            Some(digits) if digits.bytes().all(|digit| digit.is_ascii_hexdigit()) => u128::from_str_radix(digits, 16),
            _ if text.bytes().all(|digit| digit.is_ascii_digit()) => text.parse(),
            _ => "".parse(),
        };
        parsed.map(Self).map_err(|_| {
            Error::input(format!("{text:?} is no seed"))
                .help("a whole number, or 0x and up to 32 hexadecimal digits; without a seed, the system draws one")
        })
    }
}

/// A keyed hash.
#[derive(Clone, Debug)]
pub(crate) struct KeyedHash {
    key: [u8; 32],
}

impl KeyedHash {
    /// The number of a text that comes in parts; the parts tell by themselves where they end.
    pub(crate) fn of<'a>(&self, parts: impl IntoIterator<Item = &'a [u8]>) -> u128 {
        let mut inner = Sha256::new();
        inner.update(self.key);
        parts.into_iter().for_each(|part| inner.update(part));
        // Hashed twice, so that nobody can lengthen a text whose number is known.
        let mut outer = Sha256::new();
        outer.update(self.key);
        outer.update(inner.finalize());
        first_half(&outer.finalize().into())
    }
}

fn first_half(digest: &[u8; 32]) -> u128 {
    digest[..16].iter().fold(0, |number, &byte| number << 8 | u128::from(byte))
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
    use crate::testkit::chi_square;

    #[test]
    fn streams_differ_by_seed_table_purpose_and_number_and_by_nothing_else() {
        let draw = |seed: Seed, purpose, number| permutation(20, &mut seed.stream(purpose, number));
        let seed = Seed(1);
        assert_eq!(draw(seed, "a", 0), draw(seed, "a", 0));
        assert_ne!(draw(seed, "a", 0), draw(Seed(2), "a", 0));
        assert_ne!(draw(seed, "a", 0), draw(Seed(1 | 1 << 127), "a", 0), "all 128 bits count");
        assert_ne!(draw(seed, "a", 0), draw(seed, "b", 0));
        assert_ne!(draw(seed, "a", 0), draw(seed, "a", 1));
        let of_table = |digest: u8| seed.for_table(&[digest; 32]);
        assert_eq!(draw(of_table(1), "a", 0), draw(of_table(1), "a", 0));
        assert_ne!(draw(of_table(1), "a", 0), draw(of_table(2), "a", 0));
        assert_ne!(draw(of_table(1), "a", 0), draw(seed, "a", 0));
    }

    #[test]
    fn seeds_are_numbers_or_hexadecimal_and_come_back_as_they_are_stored() {
        let read = |text: &str| text.parse::<Seed>().ok();
        assert_eq!(read("7"), Some(Seed(7)));
        assert_eq!(read("0xfF"), Some(Seed(255)));
        assert_eq!(read(&format!("0x{}", "f".repeat(32))), Some(Seed(u128::MAX)));
        assert_eq!(read("340282366920938463463374607431768211455"), Some(Seed(u128::MAX)));
        for wrong in ["", "0x", "-1", "+1", "0x+1", "1.5", "seven", "0x1ffffffffffffffffffffffffffffffff"] {
            assert_eq!(read(wrong), None, "{wrong:?}");
        }
        for seed in [Seed(0), Seed(7), Seed(u128::MAX)] {
            assert_eq!(read(&seed.to_string()), Some(seed));
        }
        assert_eq!(Seed(7).to_string(), "0x00000000000000000000000000000007");
    }

    #[test]
    fn a_fresh_seed_has_both_of_its_halves() {
        let fresh: Vec<Seed> = (0..8).map(|_| Seed::from_system().unwrap()).collect();
        assert!(fresh.iter().any(|seed| seed.0 >> 64 != 0) && fresh.iter().any(|seed| seed.0 as u64 != 0));
        assert!(fresh.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn every_permutation_is_as_likely_as_every_other() {
        // All 24 orders of four things, in 24,000 streams.
        let mut counts = [0_u64; 24];
        for number in 0..24_000 {
            let order = permutation(4, &mut Seed(11).stream("permutations", number));
            let rank = order.iter().enumerate().fold(0, |rank, (at, &one)| {
                rank * (4 - at) + order[at + 1..].iter().filter(|&&later| later < one).count()
            });
            counts[rank] += 1;
        }
        assert!(chi_square::is_even(&counts), "{counts:?}");
    }

    #[test]
    fn every_place_gets_every_number_equally_often() {
        let mut counts = vec![0_u64; 400];
        for number in 0..8_000 {
            let order = permutation(20, &mut Seed(12).stream("places", number));
            order.iter().enumerate().for_each(|(at, &one)| counts[at * 20 + one as usize] += 1);
        }
        assert!(chi_square::is_even(&counts));
        // A shuffle that swaps with any place, a common mistake, is found out.
        let mut naive = vec![0_u64; 400];
        for number in 0..8_000 {
            use rand::Rng;
            let mut generator = Seed(12).stream("places", number);
            let mut order: Vec<usize> = (0..20).collect();
            (0..20).for_each(|at| order.swap(at, generator.random_range(0..20)));
            order.iter().enumerate().for_each(|(at, &one)| naive[at * 20 + one] += 1);
        }
        assert!(!chi_square::is_even(&naive));
    }

    #[test]
    fn keyed_hashes_depend_on_key_and_text_and_fall_evenly() {
        let hash = |seed: u128, text: &str| Seed(seed).keyed_hash("hashes").of([text.as_bytes()]);
        assert_eq!(hash(1, "a"), hash(1, "a"));
        assert_ne!(hash(1, "a"), hash(2, "a"));
        assert_ne!(hash(1, "a"), hash(1, "b"));
        let mut counts = [0_u64; 256];
        (0..25_600).for_each(|number| counts[(hash(1, &number.to_string()) >> 120) as usize] += 1);
        assert!(chi_square::is_even(&counts));
    }
}
