//! Releases: what is given away, and nothing else.
//!
//! A release is files on a [`Shelf`] with a [`Manifest`]. Read back ([`Release`]) it answers the questions of
//! adversaries and analysts ([`Answers`]); each kind of release is one file here.

mod ambiguous;
mod answers;
mod bucketized;
mod combined;
mod condensed;
mod coverage;
pub(crate) mod distribution;
mod exact_rows;
mod files;
mod generalized;
#[cfg(test)]
mod generalized_bounds;
mod grouped_rows;
mod groups;
pub(crate) mod histograms;
mod kind;
pub mod manifest;
mod original;
mod partition;
mod region;
mod shelf;
mod shown;
mod sliced;
mod stage;
pub mod tally;
mod together;
mod uncertain;

pub use ambiguous::{Ambiguous, Auxiliary, at_name};
pub use answers::{Adversary, Answers, Askable, Estimate};
pub use bucketized::{Bucketized, GROUP, QIT, st_name};
pub use combined::{CombinedPresence, firsts};
pub use condensed::Condensed;
pub use coverage::{Coverage, for_each_bit};
pub use distribution::Distribution;
pub use files::{Files, helper, published_type};
pub use generalized::Generalized;
pub use groups::{Categories, Groups, Sensitive, Whole};
pub use histograms::Populations;
pub use kind::Release;
pub use manifest::{ColumnMeaning, Guarantee, Manifest, NodeMeaning, README, TableFile, ValueMeaning};
pub use original::{Original, Placement};
pub use partition::{Ancestor, PartitionTree};
pub use region::{Region, regions};
pub use shelf::{Fingerprint, Shelf, ShelfWriter, fingerprint};
pub use sliced::{BUCKET, People, SLICED, Sliced};
pub use stage::Stage;
pub use uncertain::{AXES, Fits, UNCERTAIN, Uncertain};
