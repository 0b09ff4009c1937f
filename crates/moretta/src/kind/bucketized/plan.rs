//! The plan of a bucketized release.

use std::sync::Arc;

use crate::data::cells::Cells;
use crate::data::domain::Domain;
use crate::error::Result;
use crate::hierarchy::Scale;
use crate::kind::{Capability, KindEntry, Plan};
use crate::release::ShownRows;
use crate::release::TableSummary;
use crate::release::costs::Utility;
use crate::release::plan::{Buckets, Piece};
use crate::release::shown_rows;
use crate::release::write::{Context, WrittenTables};
use crate::storage::Storage;

/// Groups that keep exact quasi-identifiers apart from their sensitive values.
#[derive(Clone, Debug)]
pub struct BucketizedPlan(pub Buckets);

impl Plan for BucketizedPlan {
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

    /// Exact quasi-identifiers lose nothing: what is lost is how they go together with sensitive values.
    fn costs(&self, of_groups: Utility, _: &[Scale], _: &TableSummary) -> Utility {
        of_groups
    }

    fn pieces_mut(&mut self) -> Capability<&mut [Piece]> {
        Ok(&mut self.0.pieces)
    }

    fn shown(&self, cells: &Cells, quasi: &[Arc<Domain>]) -> Capability<Vec<ShownRows>> {
        Ok(shown_rows::exact(&self.0.pieces, self.0.len, cells, quasi))
    }

    fn into_buckets(self: Box<Self>) -> Capability<Buckets> {
        Ok(self.0)
    }
}
