//! How well others fit, in whole numbers: a lower bound of every chance that does not depend on who computes it, when,
//! or in which order. Sums of them decide who stands in a class; a plan and its check come to the same.

use super::Family;
use super::blocks::BLOCK;
use super::normal::upper_tail;
use crate::numeric::tolerance;

/// Certainty. Chances are whole multiples of one part of it, rounded down.
pub(crate) const ONE: u64 = 1 << 36;

/// Squared distances are told apart by their exponent and so many bits of their mantissa: a distance is rounded up by
/// less than 2⁻⁹ of itself.
const BITS: u32 = 8;

/// Squared distances below 2⁻⁶⁰ are rounded up to it.
const FIRST: u64 = (1023 - 60) << BITS;

/// Squared distances above 2⁶⁷ are rounded down to it: they count nothing anyhow.
const FARTHEST: f64 = (1_u128 << 67) as f64;
const NEAREST: f64 = 1.0 / (1_u64 << 60) as f64;

/// Bins of squared distances between these two, and more: a power of two, so that no bin needs a check.
const BINS: usize = 1 << 15;

/// Chances of fitting at least as well, by how far away somebody stands; at scale 1.
#[derive(Debug)]
pub(crate) struct Weights {
    pub(crate) family: Family,
    /// Gaussian: by bins of squared distances, falling; 0 from some distance on.
    falling: Box<[u64; BINS]>,
}

impl Weights {
    #[expect(clippy::large_stack_arrays, reason = "256 KiB that go to the heap at once")]
    pub(crate) fn new(family: Family, dims: usize) -> Self {
        let mut falling = Box::new([0; BINS]);
        if family == Family::Gaussian {
            let upper =
                |bin: usize| f64::from_bits((bin as u64 + 1 + FIRST) << (52 - BITS)) * (1.0 + tolerance::COORDINATES);
            let last = bin_of(4.0 * reach(dims));
            let chances = falling.iter_mut().enumerate().take(last);
            chances.for_each(|(bin, chance)| *chance = floor(upper_tail(upper(bin).sqrt() / 2.0)));
        }
        Self { family, falling }
    }

    /// The chance of somebody at a squared distance (Gaussian).
    #[inline]
    pub(crate) fn at(&self, square: f64) -> u64 {
        self.falling[bin_of(square) % BINS]
    }

    /// The chance of somebody so far away along every coordinate. It falls with each of them, as floating-point numbers do:
    /// who stands in a box has no more than its nearest place.
    #[inline]
    pub(crate) fn of(&self, gaps: impl Iterator<Item = f64>) -> u64 {
        match self.family {
            Family::Gaussian => self.at(gaps.fold(0.0, |sum, gap| sum + gap * gap)),
            Family::Uniform => share(gaps.fold(1.0, |share, gap| share * (1.0 - gap).max(0.0))),
        }
    }

    /// The chances of a block of people by the squares (Gaussian) or shares (uniform) that [`Weights::of`] starts from.
    #[inline]
    pub(crate) fn of_all(&self, measures: &[f64; BLOCK]) -> [u64; BLOCK] {
        match self.family {
            Family::Gaussian => measures.map(bin_of).map(|bin| self.falling[bin % BINS]),
            Family::Uniform => measures.map(share),
        }
    }

    /// What somebody counts for who stands at the very place.
    pub(crate) fn here(&self) -> u64 {
        self.of([0.0].into_iter())
    }
}

/// A share of the box as a chance (uniform).
#[inline]
#[expect(clippy::cast_sign_loss, reason = "a share")]
pub(crate) fn share(share: f64) -> u64 {
    (share * ((1.0 - tolerance::COORDINATES) * ONE as f64)) as u64
}

#[expect(clippy::cast_sign_loss, reason = "a chance")]
fn floor(chance: f64) -> u64 {
    (chance * (1.0 - tolerance::TAIL) * ONE as f64) as u64
}

/// An anonymity as a whole number, rounded up: what is asked for.
#[expect(clippy::cast_sign_loss, reason = "k is at least 1")]
pub(crate) fn ceil(k: f64) -> u64 {
    (k * ONE as f64).ceil() as u64
}

#[inline]
fn bin_of(square: f64) -> usize {
    let square = if square > NEAREST { square } else { NEAREST };
    let square = if square < FARTHEST { square } else { FARTHEST };
    ((square.to_bits() >> (52 - BITS)) - FIRST) as usize
}

/// Squares of δ/2σ beyond this count nothing. Where people stand evenly in space that leaves out about a fortieth of the
/// anonymity, or half a per cent of the scale: `x^d P(M ≥ x)` has the shape of a chi distribution with d + 1 degrees of freedom,
/// and this is its 97.5 % quantile (Wilson and Hilferty).
fn reach(dims: usize) -> f64 {
    let freedom = dims as f64 + 1.0;
    let part = 2.0 / (9.0 * freedom);
    freedom * (1.0 - part + 1.96 * part.sqrt()).powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_rounded_down_and_hardly() {
        for dims in [1, 5, 20] {
            let weights = Weights::new(Family::Gaussian, dims);
            let mut last = ONE;
            for i in 0..40_000_u32 {
                let far = f64::from(i) * 1e-3;
                let chance = weights.at(far * far);
                let truth = upper_tail(far / 2.0);
                assert!(chance as f64 <= truth * ONE as f64, "{far}");
                assert!(chance <= last);
                last = chance;
                if far * far / 4.0 < 0.99 * reach(dims) {
                    let farther = upper_tail(far * (1.0 + 1.0 / 500.0) / 2.0);
                    // At 0 the smallest distance that is told apart counts: less than a part in 10⁹ is lost.
                    assert!(chance as f64 + 64.0 >= farther * ONE as f64, "{far}");
                }
            }
            assert_eq!(last, 0);
            assert_eq!(weights.at(f64::INFINITY), 0);
        }
        let half = Weights::new(Family::Gaussian, 3).here() as f64;
        assert!((half / ONE as f64 - 0.5).abs() < 1e-9);
    }
}
