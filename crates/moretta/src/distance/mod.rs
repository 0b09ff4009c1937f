//! Distances between the sensitive values of a group and those of the table.
//!
//! A histogram counts the people that have each code of one attribute. P is the group's, divided by its total N_P; Q is
//! the table's, divided by N_Q. The group need not be part of the table. At the edges, for every distance:
//!
//! - a group without people tells nothing: its distance is 0;
//! - people against a table without people, histograms of unequal length, and totals above 2^64, which no
//!   table of people reaches: infinitely far, so that no promise is made of them.

mod decimal;
pub mod divergence;
pub mod emd;
pub mod ground;
mod histogram;
pub mod kernel;
mod line;
pub mod ratio;
#[cfg(test)]
mod testing;
pub mod transport;
mod tree;

pub use ground::Ground;
pub use ratio::{Ratio, Threshold};
