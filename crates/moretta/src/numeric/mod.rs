//! Exact numbers: fractions, and the decimals that people write.

pub(crate) mod decimal;
pub mod ratio;

pub use ratio::{Ratio, Threshold};
