//! Records as probability densities: the mathematics of uncertain k-anonymity.
//!
//! Aggarwal, "On Unifying Privacy and Uncertain Data Models", ICDE 2008. Record i is published as a location Zᵢ,
//! drawn from a density centred at the true location Xᵢ, together with that density. It is k-anonymous in expectation when k
//! records are expected to fit Zᵢ at least as well as Xᵢ does.

pub mod anonymity;
pub mod assign;
mod blocks;
pub mod classes;
pub mod classify;
mod crowd;
pub mod density;
pub mod draw;
pub mod frame;
pub mod ladder;
pub mod mass;
pub mod normal;
pub mod points;
pub mod rank;
pub mod realized;
pub mod shape;
pub mod solve;
pub mod space;
#[cfg(test)]
mod testing;
pub mod tree;
mod weight;

pub use anonymity::{AskedPoint, Family, TraversalScratch};
pub use density::{Density, ScaleRule};
pub use frame::Frame;
pub use points::Coordinates;
pub use shape::Scaling;
pub use space::{Categorical, Located, Space};
pub use tree::KdTree;
