//! The plan of a sliced release.

use std::sync::Arc;

use crate::data::cells::Cells;
use crate::data::domain::Domain;
use crate::error::Result;
use crate::hierarchy::Scale;
use crate::kind::generalized::Grouping;
use crate::kind::{Capability, KindEntry, Lacks, Plan, capability};
use crate::release::ShownRows;
use crate::release::TableSummary;
use crate::release::costs::{Utility, sum_of_squares};
use crate::release::plan::{Buckets, Piece};
use crate::release::write::{Context, WrittenTables};
use crate::storage::Storage;

/// What a sliced release publishes.
#[derive(Clone, Debug)]
pub struct Slices {
    /// The attributes of each column, as places among the quasi-identifiers and, after them, the sensitive attributes.
    pub columns: Vec<Vec<usize>>,
    /// For each column, what its quasi-identifiers became, if they were generalized.
    pub recoded: Vec<Option<Recoded>>,
    /// Who stands in which bucket.
    pub buckets: Buckets,
}

/// A column whose quasi-identifiers were generalized.
#[derive(Clone, Debug)]
pub struct Recoded {
    /// What each of them may become, and what each region publishes, in the order of the column.
    pub grouping: Grouping,
    /// How they generalize.
    pub scales: Vec<Scale>,
    /// The region of each cell.
    pub region_of_cell: Vec<u32>,
}

impl Plan for Slices {
    fn kind(&self) -> &'static KindEntry {
        &super::ENTRY
    }

    fn people(&self) -> u64 {
        self.buckets.people()
    }

    fn notes(&self) -> &[String] {
        &self.buckets.notes
    }

    fn write(&self, context: &Context<'_>, release: &Storage, private: Option<&Storage>) -> Result<WrittenTables> {
        super::write::write(self, context, release, private)
    }

    fn costs(&self, of_groups: Utility, _: &[Scale], _: &TableSummary) -> Utility {
        let mut sizes = vec![0; self.buckets.len];
        self.buckets.pieces.iter().for_each(|piece| sizes[piece.group as usize] += piece.people);
        Utility { dm: sum_of_squares(&sizes, 0), cavg: None, ..of_groups }
    }

    fn pieces_mut(&mut self) -> Capability<&mut [Piece]> {
        Err(Lacks("it leaves nobody out"))
    }

    fn shown(&self, _: &Cells, _: &[Arc<Domain>]) -> Capability<Vec<ShownRows>> {
        Err(capability::NO_SHOWN)
    }

    fn into_buckets(self: Box<Self>) -> Capability<Buckets> {
        Err(Lacks("it does not form groups of rows"))
    }
}
