//! Axes: from numbers to places, and the ticks that people read.

use crate::numeric::tolerance;

/// A range of numbers along a side of a plot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// The least number.
    pub low: f64,
    /// The greatest.
    pub high: f64,
}

impl Axis {
    /// From 0 to a round number above all of some numbers.
    pub fn from_zero(numbers: impl Iterator<Item = f64>) -> Self {
        let most = numbers.filter(|x| x.is_finite()).fold(0.0, f64::max);
        let high = ticks(0.0, if most > 0.0 { most } else { 1.0 }, 5).last().copied().unwrap_or(1.0);
        Self { low: 0.0, high }
    }

    /// Where a number lies, from 0 to 1.
    pub fn share(&self, x: f64) -> f64 {
        if self.high > self.low { ((x - self.low) / (self.high - self.low)).clamp(0.0, 1.0) } else { 0.0 }
    }
}

/// Round numbers, about `wanted` of them, that begin at or below `low` and end at or above `high`.
pub fn ticks(low: f64, high: f64, wanted: usize) -> Vec<f64> {
    if !(low.is_finite() && high.is_finite() && high > low) {
        return vec![low, low + 1.0];
    }
    let raw = (high - low) / wanted.max(1) as f64;
    let power = 10_f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0].map(|digit| digit * power).into_iter().find(|step| *step >= raw * 0.999);
    let step = step.unwrap_or(raw);
    let first = (low / step + tolerance::WHOLE).floor();
    let last = (high / step - tolerance::WHOLE).ceil();
    #[expect(clippy::cast_sign_loss, reason = "the last tick is not before the first")]
    let count = (last - first) as usize;
    (0..=count).map(|number| (first + number as f64) * step).map(clean).collect()
}

/// A number without the dust of its last digits.
fn clean(x: f64) -> f64 {
    format!("{x:.12}").parse().unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_cover_the_range() {
        assert_eq!(ticks(0.0, 0.69, 5), [0.0, 0.2, 0.4, 0.6, 0.8]);
        assert_eq!(ticks(0.0, 0.05, 5), [0.0, 0.01, 0.02, 0.03, 0.04, 0.05]);
        assert_eq!(ticks(0.0, 30_162.0, 4), [0.0, 10_000.0, 20_000.0, 30_000.0, 40_000.0]);
        assert_eq!(ticks(1.0, 1.0, 5).len(), 2);
        assert!(Axis::from_zero([].into_iter()).high > 0.0);
    }
}
