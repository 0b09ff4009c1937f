//! Who stands in which group: what the plans of several kinds share.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::PartitionTree;
use crate::data::merge_counts;

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
        merge_counts(&mut pieces, |a, b| (a.group, a.cell) == (b.group, b.cell), |piece| &mut piece.people);
        pieces
    }
}
