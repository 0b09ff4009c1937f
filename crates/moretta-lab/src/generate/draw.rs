//! Drawing values by weight, and shaping the weights.
//!
//! All of it is integer arithmetic: the same seed gives the same table on every machine, which no
//! floating-point exponential promises.

use rand::RngCore;

/// A random choice among `0..n` by weight, in constant time.
///
/// Vose, "A linear algorithm for generating random numbers with a given distribution", IEEE
/// Transactions on Software Engineering 17(9), 1991. Weights are integers, so no rounding can bring
/// back a choice of weight 0.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    /// For each slot: below which fraction (of 2³²) it stands for itself, and for whom otherwise.
    slots: Box<[(u32, u32)]>,
}

impl Choice {
    /// A choice with these weights, of which there is at least one; all 0 are as good as all equal.
    pub(super) fn new(weights: impl IntoIterator<Item = u64>) -> Self {
        let weights: Vec<u128> = weights.into_iter().map(u128::from).collect();
        debug_assert!(!weights.is_empty(), "something to choose from");
        let total: u128 = weights.iter().sum();
        let size = weights.len();
        // A slot is worth the total; in this unit all weights together fill them all.
        let mut share: Vec<u128> = weights.iter().map(|weight| weight * size as u128).collect();
        let mut slots: Vec<(u32, u32)> = (0..size as u32).map(|own| (u32::MAX, own)).collect();
        let (mut poor, mut rich): (Vec<usize>, Vec<usize>) = (0..size).partition(|&i| share[i] < total);
        while let (Some(small), Some(&large)) = (poor.pop(), rich.last()) {
            slots[small] = (((share[small] << 32) / total) as u32, large as u32);
            share[large] -= total - share[small];
            if share[large] < total {
                rich.pop();
                poor.push(large);
            }
        }
        Self { slots: slots.into() }
    }

    /// Draws one of them.
    pub(super) fn draw(&self, rng: &mut impl RngCore) -> u32 {
        // One 32-bit number serves both decisions: its product's upper half picks the slot, the lower one the side.
        let product = u64::from(rng.next_u32()) * self.slots.len() as u64;
        let slot = product >> 32;
        let (limit, other) = self.slots[slot as usize];
        if (product as u32) < limit { slot as u32 } else { other }
    }
}

/// The height at `x` of the line through `points`, which go from left to right; level outside them.
pub(super) fn along(points: &[(u64, u64)], x: u64) -> u64 {
    match points.partition_point(|&(left, _)| left <= x) {
        0 => points.first().map_or(0, |&(_, height)| height),
        n if n == points.len() => points[n - 1].1,
        n => {
            let ((x0, y0), (x1, y1)) = (points[n - 1], points[n]);
            (y0 * (x1 - x) + y1 * (x - x0)) / (x1 - x0)
        }
    }
}

/// A bell around 0: a million at its top, a quarter of that at `width`, with tails that stay above 0.
///
/// The tails matter: every value shall occur, if rarely.
pub(super) fn bell(distance: u64, width: u64) -> u64 {
    let (width, distance) = (width * width, distance * distance);
    1_000_000 * width * width / ((width + distance) * (width + distance))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn values_are_drawn_as_often_as_their_weights_say() {
        let weights = [0, 1, 20, 3, 0, 76];
        let choice = Choice::new(weights);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut seen = [0_u64; 6];
        for _ in 0..100_000 {
            seen[choice.draw(&mut rng) as usize] += 1;
        }
        for (&weight, &count) in weights.iter().zip(&seen) {
            // The standard deviation is at most 137; five of them are a false alarm in a million.
            assert!(count.abs_diff(weight * 1_000) <= 700 * weight.min(1), "weight {weight}: {count}");
        }
    }

    #[test]
    fn a_single_value_and_equal_values_need_no_luck() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        assert_eq!(Choice::new([5]).draw(&mut rng), 0);
        for weights in [[0; 3], [7; 3]] {
            assert!(Choice::new(weights).slots.iter().enumerate().all(|(i, &(_, other))| other == i as u32));
        }
    }

    #[test]
    fn lines_and_bells_have_their_shape() {
        let points = [(10, 100), (20, 200), (40, 0)];
        let heights = [0, 10, 15, 20, 30, 40, 99].map(|x| along(&points, x));
        assert_eq!(heights, [100, 100, 150, 200, 100, 0, 0]);
        assert_eq!([0, 3, 30].map(|x| bell(x, 3)), [1_000_000, 250_000, 98]);
    }
}
