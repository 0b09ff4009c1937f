//! The kinds of release. Each is one folder: its plan, writer, reader, answers, adversary, costs, mathematics and words.
//!
//! A kind is an entry of the [`registry`], a [`Plan`] that methods yield, and a [`Release`] that is read back. Whoever works on
//! releases asks for capabilities, never for a kind: adding one means one folder and one line in the registry.

pub mod ambiguous;
pub mod bucketized;
mod capability;
pub mod condensed;
#[cfg(test)]
mod counted;
pub mod distribution;
pub mod generalized;
mod plan;
pub mod registry;
mod release;
pub mod sliced;
mod structure;
pub mod uncertain;

pub use capability::{Capability, Lacks, Nearness, RecordClasses, RecordFinder, StatedPresence};
pub use plan::Plan;
pub use registry::{ByKind, KindEntry, KindId};
pub use release::Release;
pub use structure::Structure;
