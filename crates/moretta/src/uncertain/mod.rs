//! Records as probability densities: the mathematics of uncertain k-anonymity.
//!
//! Aggarwal, "On Unifying Privacy and Uncertain Data Models", ICDE 2008. Record i is published as a place Zᵢ,
//! drawn from a density centred at the true place Xᵢ, together with that density. It is k-anonymous in expectation when k
//! records are expected to fit Zᵢ at least as well as Xᵢ does.

pub mod anonymity;
pub mod classes;
pub mod frame;
pub mod normal;
pub mod points;
pub mod shape;
pub mod solve;
#[cfg(test)]
mod testing;
pub mod tree;

pub use anonymity::{Asked, Family, Scratch};
pub use frame::Frame;
pub use points::Points;
pub use tree::Tree;
