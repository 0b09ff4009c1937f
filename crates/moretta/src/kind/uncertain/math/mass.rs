//! How much of a density lies where (equations 17 to 21).

use super::Family;
use super::normal::{between, density};
use crate::numeric::tolerance;

/// The density of one coordinate: centre and scale.
#[derive(Clone, Copy, Debug)]
pub struct Marginal {
    /// The family.
    pub family: Family,
    /// The centre.
    pub center: f64,
    /// The standard deviation, or the length of the side.
    pub scale: f64,
}

impl Marginal {
    /// The part of it between two places.
    pub fn mass(&self, low: f64, high: f64) -> f64 {
        if high <= low {
            return 0.0;
        }
        match self.family {
            Family::Gaussian => between((low - self.center) / self.scale, (high - self.center) / self.scale),
            Family::Uniform => {
                let (start, end) = (self.center - self.scale / 2.0, self.center + self.scale / 2.0);
                (high.min(end) - low.max(start)).max(0.0) / self.scale
            }
        }
    }

    /// The part of it in disjoint intervals, of what lies in a range that is known to hold everything (equation 21).
    ///
    /// Where nothing of it lies in the range, whole intervals of the range are all that is known.
    pub fn share(&self, intervals: &[(f64, f64)], range: (f64, f64)) -> f64 {
        let inside = intervals.iter().map(|&(low, high)| (low.max(range.0), high.min(range.1)));
        let all = self.mass(range.0, range.1);
        if all > tolerance::NO_MASS {
            return (inside.map(|(low, high)| self.mass(low, high)).sum::<f64>() / all).clamp(0.0, 1.0);
        }
        // All of it lies beyond an end: its record lies at that end.
        let end = if self.center < range.0 { range.0 } else { range.1 };
        f64::from(u8::from(intervals.iter().any(|&(low, high)| low <= end && end <= high)))
    }

    /// The logarithm of the density at a place.
    pub fn log_density(&self, x: f64) -> f64 {
        let w = (x - self.center) / self.scale;
        match self.family {
            Family::Gaussian => density(0.0).ln() - 0.5 * w * w - self.scale.ln(),
            Family::Uniform if w.abs() <= 0.5 => -self.scale.ln(),
            Family::Uniform => f64::NEG_INFINITY,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn shares_are_what_numeric_integration_gives(
            center in -2.0..2.0_f64,
            scale in 0.2..3.0_f64,
            cuts in proptest::collection::vec(-3.0..3.0_f64, 4),
            uniform in any::<bool>(),
        ) {
            let line = Marginal { family: if uniform { Family::Uniform } else { Family::Gaussian }, center, scale };
            let mut cuts = cuts;
            cuts.sort_unstable_by(f64::total_cmp);
            let range = (-2.5, 2.8);
            let steps = 60_000;
            let step = (range.1 - range.0) / f64::from(steps);
            let (mut inside, mut all) = (0.0, 0.0);
            for i in 0..steps {
                let x = range.0 + (f64::from(i) + 0.5) * step;
                let height = line.log_density(x).exp() * step;
                all += height;
                let within = (cuts[0] <= x && x <= cuts[1]) || (cuts[2] <= x && x <= cuts[3]);
                inside += if within { height } else { 0.0 };
            }
            let share = line.share(&[(cuts[0], cuts[1]), (cuts[2], cuts[3])], range);
            prop_assert!((share - inside / all).abs() < 5e-3, "{} {}", share, inside / all);
        }
    }
}
