//! The plan of a counted release.

use std::sync::Arc;

use crate::data::cells::Cells;
use crate::data::domain::Domain;
use crate::error::Result;
use crate::hierarchy::Scale;
use crate::kind::{Capability, KindEntry, Lacks, Plan, capability};
use crate::release::ShownRows;
use crate::release::TableSummary;
use crate::release::costs::Utility;
use crate::release::plan::{Buckets, Piece};
use crate::release::write::{Context, WrittenTables};
use crate::storage::Storage;

/// How many people there are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Headcount {
    pub(super) people: u64,
}

impl Plan for Headcount {
    fn kind(&self) -> &'static KindEntry {
        &super::ENTRY
    }

    fn people(&self) -> u64 {
        self.people
    }

    fn notes(&self) -> &[String] {
        &[]
    }

    fn write(&self, context: &Context<'_>, release: &Storage, _: Option<&Storage>) -> Result<WrittenTables> {
        super::write::write(*self, context, release)
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
        Err(Lacks("it forms no groups"))
    }
}
