//! Distances between the sensitive values of a group and those of the table.
//!
//! A histogram counts the people that have each code of one attribute. P is the group's, divided by its total N_P; Q is
//! the table's, divided by N_Q. The group need not be part of the table. At the edges, for every distance:
//!
//! - a group without people tells nothing: its distance is 0;
//! - people against a table without people, histograms of unequal length, and totals above 2^64, which no
//!   table of people reaches: infinitely far, so that no promise is made of them.
//!
//! A promise `distance ≤ t` on a rational distance is decided in fractions, see [`crate::numeric`]; on one with
//! logarithms, in floats, with the one tolerance [`crate::numeric::tolerance::LOGARITHM`].

pub mod divergence;
pub mod emd;
pub mod ground;
pub(crate) mod histogram;
pub mod kernel;
mod line;
mod prepared;
#[cfg(test)]
pub(crate) mod testing;
mod tree;

pub use ground::Ground;
pub use prepared::{PreparedDistance, Scratch};

/// The names by which a policy calls the distances.
pub const NAMES: [&str; 7] = ["ordered", "equal", "hierarchical", "js", "kl", "variational", "kernel-js"];

/// A distance as a policy asks for it, with what it must know of the attribute.
#[derive(Clone, Copy, Debug)]
pub enum GroundedDistance<'a> {
    /// The earth mover's distance: `ordered`, `equal` or `hierarchical`, as its ground distance says.
    Emd(Ground<'a>),
    /// `½ Σ |p − q|`.
    Variational,
    /// The Kullback–Leibler divergence of P from Q.
    Kl,
    /// The Jensen–Shannon divergence.
    Js,
    /// The Jensen–Shannon divergence of distributions smoothed over a ground distance.
    KernelJs {
        /// Values this far apart, or farther, do not smooth each other.
        bandwidth: f64,
        /// How far apart two values are: 0 to 1.
        ground: Ground<'a>,
    },
}

impl GroundedDistance<'_> {
    /// The name by which a policy calls it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Emd(Ground::Rank | Ground::Value(_)) => "ordered",
            Self::Emd(Ground::Equal) => "equal",
            Self::Emd(Ground::Tree { .. }) => "hierarchical",
            Self::Variational => "variational",
            Self::Kl => "kl",
            Self::Js => "js",
            Self::KernelJs { .. } => "kernel-js",
        }
    }
}
