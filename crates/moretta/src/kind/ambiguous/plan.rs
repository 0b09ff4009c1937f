//! The plan of an ambiguous release.

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

/// Groups that publish the values of each attribute apart from all others.
#[derive(Clone, Debug)]
pub struct AmbiguousPlan(pub Buckets);

impl Plan for AmbiguousPlan {
    fn kind(&self) -> &'static KindEntry {
        &super::ENTRY
    }

    fn people(&self) -> u64 {
        self.0.people()
    }

    fn notes(&self) -> &[String] {
        &self.0.notes
    }

    fn write(&self, context: &Context<'_>, release: &Storage, private: Option<&Storage>) -> Result<WrittenTables> {
        super::write::write(&self.0, context, release, private)
    }

    fn costs(&self, of_groups: Utility, _: &[Scale], _: &TableSummary) -> Utility {
        of_groups
    }

    fn pieces_mut(&mut self) -> Capability<&mut [Piece]> {
        Ok(&mut self.0.pieces)
    }

    fn shown(&self, _: &Cells, _: &[Arc<Domain>]) -> Capability<Vec<ShownRows>> {
        Err(capability::NO_SHOWN)
    }

    fn into_buckets(self: Box<Self>) -> Capability<Buckets> {
        Err(Lacks("it does not form groups of rows"))
    }
}
