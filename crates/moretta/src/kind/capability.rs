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

/// The released records, as somebody who knows quasi-identifiers can't tell them apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordClasses {
    /// The people whose records are alike, class by class.
    pub sizes: Vec<u64>,
    /// What the records of a class have in common: words that can follow "people who share".
    pub alike: String,
}

/// Finds the classes of records that can be those of a person, described by codes, each with its weight.
pub type RecordFinder<'r> = Box<dyn Fn(&[u32]) -> Vec<(u64, f64)> + Send + Sync + 'r>;

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
pub(super) const NO_SHOWN: Lacks =
    Lacks("what it publishes is drawn or mixed after groups are formed, and releases of this kind are not compared");
pub(super) const NO_MEMBERS: Lacks = Lacks("the files do not tell who is in which group");
