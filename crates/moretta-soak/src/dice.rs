//! Chance, as the generators use it.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A source of random choices that is the same for the same seed.
#[derive(Clone, Debug)]
pub struct Dice(ChaCha8Rng);

impl Dice {
    /// The dice of a seed.
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A number below `end`; 0 where `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { self.0.random_range(0..end) }
    }

    /// A number from `first` to `last`, both included.
    pub fn between(&mut self, first: i64, last: i64) -> i64 {
        self.0.random_range(first..=last.max(first))
    }

    /// Whether something of a chance in a hundred happens.
    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    /// One of some things.
    pub fn pick<'a, T>(&mut self, things: &'a [T]) -> &'a T {
        &things[self.below(things.len())]
    }

    /// A number below `end`, small ones far more often.
    pub fn skewed(&mut self, end: usize) -> usize {
        let first = self.below(end);
        let second = self.below(first + 1);
        self.below(second + 1)
    }

    /// A random number of 64 bits.
    pub fn number(&mut self) -> u64 {
        self.0.random()
    }
}
