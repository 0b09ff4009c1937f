//! What a method draws: from a seed, or in every way in which draws can turn out.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rand::Rng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;

/// One draw after another.
///
/// Methods that form groups draw from it alone, so that an attack can follow all their branches by running the method itself.
#[derive(Debug)]
pub enum Stream<'a> {
    /// From a seed.
    Keyed(Box<ChaCha12Rng>),
    /// As the branch says that is under way.
    Branch(&'a Branches),
}

impl Stream<'_> {
    /// A number below `len`, which is not 0.
    pub fn below(&mut self, len: usize) -> usize {
        match self {
            Self::Keyed(generator) => generator.random_range(0..len),
            Self::Branch(branches) => branches.draw(&vec![1; len]),
        }
    }

    /// The index of one of several weights, each as likely as its share of their sum, which is not 0.
    pub fn weighted(&mut self, weights: &[u64]) -> usize {
        match self {
            Self::Keyed(generator) => {
                let mut left = generator.random_range(0..weights.iter().sum());
                let chosen = weights.iter().position(|&weight| {
                    let here = left < weight;
                    left = left.saturating_sub(weight);
                    here
                });
                chosen.unwrap_or(0)
            }
            Self::Branch(branches) => branches.draw(weights),
        }
    }

    /// Any order of some items, each as likely as every other.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        match self {
            Self::Keyed(generator) => items.shuffle(&mut **generator),
            Self::Branch(branches) => {
                (1..items.len()).rev().for_each(|last| items.swap(last, branches.draw(&vec![1; last + 1])));
            }
        }
    }
}

/// The ways in which draws can turn out, one after another.
///
/// Work that draws in the same order whenever draws turn out the same, as it does in one thread, is run once for each way.
#[derive(Debug, Default)]
pub struct Branches(Mutex<Path>);

/// The draws of one way, and how many of them have been made.
#[derive(Debug, Default)]
struct Path {
    forks: Vec<Fork>,
    made: usize,
}

/// A draw: what it could yield, each with its weight, and what it yields now.
#[derive(Debug)]
struct Fork {
    weights: Vec<u64>,
    chosen: usize,
}

impl Branches {
    /// Does some work in every way in which its draws can turn out; each result with its probability, as a fraction. Nothing if there are more than
    /// `most`, or if a probability needs more than 128 bits.
    pub fn each<R>(most: usize, mut work: impl FnMut(&Self) -> R) -> Option<Vec<((u128, u128), R)>> {
        let branches = Self::default();
        let mut found = Vec::new();
        loop {
            branches.path().made = 0;
            let result = work(&branches);
            found.push((branches.probability()?, result));
            if !branches.next() {
                return Some(found);
            }
            if found.len() >= most {
                return None;
            }
        }
    }

    fn path(&self) -> MutexGuard<'_, Path> {
        // A panic elsewhere leaves nothing half-done here.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn draw(&self, weights: &[u64]) -> usize {
        let mut path = self.path();
        let made = path.made;
        path.made += 1;
        if let Some(fork) = path.forks.get(made) {
            return fork.chosen;
        }
        let chosen = weights.iter().position(|&weight| weight > 0).unwrap_or(0);
        path.forks.push(Fork { weights: weights.to_vec(), chosen });
        chosen
    }

    fn probability(&self) -> Option<(u128, u128)> {
        self.path().forks.iter().try_fold((1_u128, 1_u128), |(num, den), fork| {
            let all = u128::from(fork.weights.iter().sum::<u64>());
            Some((num.checked_mul(fork.weights[fork.chosen].into())?, den.checked_mul(all)?))
        })
    }

    /// Goes to the next way: the last draw that can turn out otherwise does. Says whether there is one.
    fn next(&self) -> bool {
        let mut path = self.path();
        while let Some(Fork { weights, chosen }) = path.forks.last_mut() {
            let later = weights[*chosen + 1..].iter().position(|&weight| weight > 0);
            if let Some(step) = later {
                *chosen += step + 1;
                return true;
            }
            path.forks.pop();
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Seed;
    use crate::testkit::chi_square;

    #[test]
    fn all_branches_are_followed_with_their_probabilities() {
        let ways = Branches::each(100, |branches| {
            let mut stream = Stream::Branch(branches);
            let first = stream.weighted(&[0, 1, 3]);
            // How often is drawn depends on what was drawn.
            if first == 1 { (first, stream.below(2)) } else { (first, 9) }
        });
        let ways = ways.unwrap();
        assert_eq!(ways, [((1, 8), (1, 0)), ((1, 8), (1, 1)), ((3, 4), (2, 9))]);
        assert!(Branches::each(5, |branches| Stream::Branch(branches).shuffle(&mut [1, 2, 3])).is_none());
        let orders = Branches::each(24, |branches| {
            let mut items = [1, 2, 3, 4];
            Stream::Branch(branches).shuffle(&mut items);
            items
        });
        let mut orders = orders.unwrap();
        orders.sort_unstable_by_key(|&(_, order)| order);
        orders.dedup_by_key(|(_, order)| *order);
        assert!(orders.len() == 24 && orders.iter().all(|&(p, _)| p == (1, 24)));
        assert_eq!(Branches::each(1, |_| "nothing is drawn"), Some(vec![((1, 1), "nothing is drawn")]));
    }

    #[test]
    fn draws_from_a_seed_follow_their_weights() {
        let weights = [3_u64, 0, 5, 2];
        let mut stream = Stream::Keyed(Box::new(Seed(3).stream("weights", 0)));
        let mut counts = [0_u64; 10];
        for _ in 0..20_000 {
            let drawn = stream.weighted(&weights);
            assert_ne!(drawn, 1);
            // Each of the ten shares of one weight as often as every other.
            let before: u64 = weights[..drawn].iter().sum();
            counts[(before + stream.below(weights[drawn] as usize) as u64) as usize] += 1;
        }
        assert!(chi_square::is_even(&counts), "{counts:?}");
    }
}
