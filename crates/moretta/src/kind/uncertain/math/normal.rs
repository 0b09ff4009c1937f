//! The standard normal distribution: its upper tail, exactly and fast, and numbers drawn from it.

use std::f64::consts::{PI, SQRT_2};
use std::sync::LazyLock;

use rand::RngCore;

use crate::numeric::tolerance;

/// `P(M ≥ x)` for a standard normal M, to about 15 digits.
///
/// Near 0 a power series with only positive terms, further out a continued fraction. Not a library's `erfc`: published scales are
/// solved from it to the last digit, and the same seed gives the same bytes whatever version of a library is at hand.
pub fn upper_tail(x: f64) -> f64 {
    if x < 0.0 {
        return 1.0 - upper_tail(-x);
    }
    if x < 2.5 {
        let (mut term, mut sum, mut odd) = (x, x, 1.0);
        while term > sum * tolerance::SERIES {
            odd += 2.0;
            term *= x * x / odd;
            sum += term;
        }
        return 0.5 - density(x) * sum;
    }
    if x > 39.0 {
        return 0.0;
    }
    let mut fraction = x;
    for step in (1..120).rev() {
        fraction = x + f64::from(step) / fraction;
    }
    density(x) / fraction
}

/// `P(M ≤ x)`.
pub fn cumulative(x: f64) -> f64 {
    upper_tail(-x)
}

/// `P(a ≤ M ≤ b)`, without the cancellation of subtracting two numbers near 1.
pub fn between(a: f64, b: f64) -> f64 {
    let mass = if a > 0.0 { upper_tail(a) - upper_tail(b) } else { cumulative(b) - cumulative(a) };
    mass.max(0.0)
}

/// The density at x.
pub fn density(x: f64) -> f64 {
    (-0.5 * x * x).exp() / (SQRT_2 * PI.sqrt())
}

const STEPS_A_UNIT: f64 = 128.0;
const END: f64 = 8.0;

/// The upper tail from a table of cubics (Hermite interpolation): for the sums over thousands of neighbours.
#[derive(Debug)]
pub(crate) struct FastTail {
    cubics: Vec<[f64; 4]>,
}

static FAST: LazyLock<FastTail> = LazyLock::new(FastTail::new);

impl FastTail {
    /// The one table.
    pub(crate) fn get() -> &'static Self {
        &FAST
    }

    #[expect(clippy::cast_sign_loss, reason = "a number of steps")]
    fn new() -> Self {
        let step = 1.0 / STEPS_A_UNIT;
        let cubic = |knot: u32| {
            let (left, right) = (f64::from(knot) * step, f64::from(knot + 1) * step);
            let (f0, f1) = (upper_tail(left), upper_tail(right));
            let (d0, d1) = (-density(left) * step, -density(right) * step);
            [f0, d0, 3.0 * (f1 - f0) - 2.0 * d0 - d1, 2.0 * (f0 - f1) + d0 + d1]
        };
        Self { cubics: (0..(END * STEPS_A_UNIT) as u32).map(cubic).collect() }
    }

    /// `P(M ≥ x)` for x ≥ 0, off by at most [`tolerance::FAST_TAIL`].
    #[inline]
    #[expect(clippy::cast_sign_loss, reason = "x is not negative")]
    pub(crate) fn at(&self, x: f64) -> f64 {
        let knot = x * STEPS_A_UNIT;
        // Casts saturate, so an infinite x ends in the last branch.
        let cell = knot as usize;
        match self.cubics.get(cell) {
            Some(cubic) => {
                let part = knot - cell as f64;
                cubic[0] + part * (cubic[1] + part * (cubic[2] + part * cubic[3]))
            }
            None => 0.0,
        }
    }
}

/// A number in (0, 1).
pub fn draw_unit(rng: &mut impl RngCore) -> f64 {
    ((rng.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

/// A standard normal number (Marsaglia's polar method).
pub fn draw_normal(rng: &mut impl RngCore) -> f64 {
    loop {
        let (u, v) = (2.0 * draw_unit(rng) - 1.0, 2.0 * draw_unit(rng) - 1.0);
        let square = u * u + v * v;
        if square > 0.0 && square < 1.0 {
            return u * (-2.0 * square.ln() / square).sqrt();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn the_tail_has_its_known_values() {
        for (x, tail) in [
            (0.0, 0.5),
            (1.0, 0.158_655_253_931_457_05),
            (2.0, 0.022_750_131_948_179_21),
            (3.0, 0.001_349_898_031_630_094_6),
            (5.0, 2.866_515_718_791_939e-7),
            (8.0, 6.220_960_574_271_785e-16),
            (-1.0, 0.841_344_746_068_543),
        ] {
            assert!((upper_tail(x) - tail).abs() <= 1e-13 * tail.max(1e-6), "{x}: {}", upper_tail(x));
        }
    }

    #[test]
    fn the_fast_tail_stays_within_its_error() {
        for i in 0..200_000 {
            let x = f64::from(i) * 5e-5;
            assert!((FastTail::get().at(x) - upper_tail(x)).abs() < tolerance::FAST_TAIL, "{x}");
        }
        assert!(FastTail::get().at(f64::INFINITY) == 0.0);
    }

    #[test]
    fn draws_have_the_right_moments() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let draws: Vec<f64> = (0..200_000).map(|_| draw_normal(&mut rng)).collect();
        let mean = draws.iter().sum::<f64>() / 2e5;
        let square = draws.iter().map(|x| x * x).sum::<f64>() / 2e5;
        // Five standard errors: a false alarm in a million.
        assert!(mean.abs() < 5.0 / 2e5_f64.sqrt(), "{mean}");
        assert!((square - 1.0).abs() < 5.0 * (2.0 / 2e5_f64).sqrt(), "{square}");
    }
}
