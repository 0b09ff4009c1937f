//! Probabilities as fractions.

/// A probability, exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Share {
    /// The numerator.
    pub(crate) num: u128,
    /// The denominator, not 0.
    pub(crate) den: u128,
}

impl Share {
    /// The nearest float.
    pub(crate) fn to_f64(self) -> f64 {
        self.num as f64 / self.den as f64
    }
}
