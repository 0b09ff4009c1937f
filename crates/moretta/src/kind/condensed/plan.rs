//! The plan of a condensed release.

use std::sync::Arc;

use crate::data::cells::Cells;
use crate::data::domain::Domain;
use crate::error::Result;
use crate::hierarchy::Scale;
use crate::kind::uncertain::math::density::Dimension;
use crate::kind::{Capability, KindEntry, Lacks, Plan, capability};
use crate::release::ShownRows;
use crate::release::TableSummary;
use crate::release::costs::Utility;
use crate::release::plan::{Buckets, Piece};
use crate::release::write::{Context, WrittenTables};
use crate::storage::Storage;

/// Records drawn anew, as they are to be written.
#[derive(Clone, Debug)]
pub struct Condensate {
    /// The coordinates.
    pub dimensions: Vec<Dimension>,
    /// Who stands in which group, ordered by group.
    pub pieces: Vec<Piece>,
    /// How many groups there are.
    pub len: usize,
    /// The new records, in original numbers, person after person in the order of the pieces, coordinates together.
    pub records: Vec<f64>,
    /// What a steward should know.
    pub notes: Vec<String>,
}

impl Plan for Condensate {
    fn kind(&self) -> &'static KindEntry {
        &super::ENTRY
    }

    fn people(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.people).sum()
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }

    fn write(&self, context: &Context<'_>, release: &Storage, private: Option<&Storage>) -> Result<WrittenTables> {
        super::write::write(self, context, release, private)
    }

    fn costs(&self, of_groups: Utility, _: &[Scale], _: &TableSummary) -> Utility {
        of_groups
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
