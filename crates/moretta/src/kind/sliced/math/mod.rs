//! Sliced tables as mathematics: who matches which bucket, and what can be believed then.
//!
//! Slicing divides attributes into columns and people into buckets, and shuffles each column inside its bucket
//! (Li 2010, chapter 4). What an adversary learns from that is computed here, for the release that answers
//! questions, the model that judges it and the method that makes it alike.

mod index;
pub mod membership;
#[cfg(test)]
pub(crate) mod oracle;
mod posterior;
mod presence;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod published;

pub use index::{Positions, Secret, SlicedIndex};
pub use posterior::{SlicedPosterior, reaches};
pub use presence::chance_of_a_match;
