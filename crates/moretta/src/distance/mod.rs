//! Distances between the sensitive values of a group and those of the table.

mod decimal;
pub mod ratio;

pub use ratio::{Ratio, Threshold};
