//! What a method yields: one variant for each kind of release.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Condensate, Densities, Following, Grouping, Slices};
use crate::release::PartitionTree;

/// What is to be published. A plain value: it can be written down and applied elsewhere.
#[derive(Clone, Debug)]
pub enum Plan {
    /// Groups that publish the same generalized quasi-identifiers.
    Generalized(Grouping),
    /// Groups that keep exact quasi-identifiers apart from their sensitive values.
    Bucketized(Buckets),
    /// Groups that publish the values of each attribute apart from all others.
    Ambiguous(Buckets),
    /// Groups that keep exact quasi-identifiers, and sensitive values that follow a target.
    Distribution(Following),
    /// Records as probability densities.
    Uncertain(Densities),
    /// Records drawn anew from the moments of groups.
    Condensed(Condensate),
    /// Columns of attributes, each shuffled inside buckets of people.
    Sliced(Slices),
}

/// An assignment of people to groups, without a word on what the groups publish.
#[derive(Clone, Debug, Default)]
pub struct Buckets {
    /// Who stands in which group.
    pub pieces: Vec<Piece>,
    /// How many groups there are. Their order means nothing: they are renumbered before they are published.
    pub len: usize,
    /// The parts of the table that the groups were cut from, where a promise speaks of them.
    pub tree: Option<PartitionTree>,
    /// What a steward should know about how it was found.
    pub notes: Vec<String>,
}

impl Plan {
    /// The kind of release that it makes.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Generalized(_) => "generalized",
            Self::Bucketized(_) => "bucketized",
            Self::Ambiguous(_) => "ambiguous",
            Self::Distribution(_) => "distribution",
            Self::Uncertain(_) => "uncertain",
            Self::Condensed(_) => "condensed",
            Self::Sliced(_) => "sliced",
        }
    }

    /// The people who are published.
    pub fn people(&self) -> u64 {
        match self {
            Self::Generalized(grouping) => grouping.people(),
            Self::Bucketized(buckets) | Self::Ambiguous(buckets) => buckets.people(),
            Self::Distribution(following) => following.buckets.people(),
            Self::Uncertain(densities) => densities.people,
            Self::Condensed(condensate) => condensate.people(),
            Self::Sliced(slices) => slices.buckets.people(),
        }
    }

    /// What a steward should know about how it was found.
    pub fn notes(&self) -> &[String] {
        match self {
            Self::Generalized(grouping) => &grouping.notes,
            Self::Bucketized(buckets) | Self::Ambiguous(buckets) => &buckets.notes,
            Self::Distribution(following) => &following.buckets.notes,
            Self::Uncertain(densities) => &densities.notes,
            Self::Condensed(condensate) => &condensate.notes,
            Self::Sliced(slices) => &slices.buckets.notes,
        }
    }

    /// Its groups, if groups generalize.
    pub fn into_generalized(self) -> Option<Grouping> {
        match self {
            Self::Generalized(grouping) => Some(grouping),
            _ => None,
        }
    }
}

impl From<Grouping> for Plan {
    fn from(grouping: Grouping) -> Self {
        Self::Generalized(grouping)
    }
}

impl From<Grouping> for Buckets {
    /// Keeps who stands together, and forgets what they would have become.
    fn from(grouping: Grouping) -> Self {
        let len = grouping.len();
        Self { pieces: grouping.pieces, len, tree: grouping.tree, notes: grouping.notes }
    }
}

impl Buckets {
    /// The people who stand in a group.
    pub fn people(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.people).sum()
    }
}

/// Some people of a cell, in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// The group.
    pub group: u32,
    /// The cell.
    pub cell: u32,
    /// How many of the cell's people.
    pub people: u64,
}

impl Piece {
    /// Pieces in the order of groups and cells, with those of one cell in one group joined.
    pub(crate) fn joined(mut pieces: Vec<Self>) -> Vec<Self> {
        pieces.par_sort_unstable_by_key(|piece| (piece.group, piece.cell));
        pieces.dedup_by(|piece, before| {
            let same = (piece.group, piece.cell) == (before.group, before.cell);
            before.people += if same { piece.people } else { 0 };
            same
        });
        pieces
    }
}
