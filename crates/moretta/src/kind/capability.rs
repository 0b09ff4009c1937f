//! What some kinds of release have and others lack.

use std::fmt;

/// A capability of a release, or why its kind lacks it.
pub type Capability<T> = std::result::Result<T, Lacks>;

/// Why a kind of release lacks a capability: a clause that can follow "skipped: ".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lacks(pub &'static str);

impl fmt::Display for Lacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl From<Lacks> for String {
    fn from(lacks: Lacks) -> Self {
        lacks.0.to_owned()
    }
}

/// How near somebody comes to the records of a release.
pub trait Nearness: Send + Sync {
    /// The larger, the nearer; finite, so that people whom nothing is near compare too.
    fn score(&self, person: &[u32]) -> f64;

    /// How many people can be scored in a moment.
    fn sample(&self) -> usize;
}

/// Which beliefs in somebody's presence a release states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatedPresence {
    /// One from all records together.
    Combined,
    /// One from each group that covers the person, and one from all of them together.
    ByGroup,
}

/// Why most kinds lack what few of them have.
pub(super) const NO_NEARNESS: Lacks = Lacks("its own candidates tell members from others");
pub(super) const NO_PRESENCE: Lacks = Lacks("the release states no belief in presence");
pub(super) const NO_MEMBERS: Lacks = Lacks("the files do not tell who is in which group");
