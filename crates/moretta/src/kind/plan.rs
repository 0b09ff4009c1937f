//! What a method yields, whatever its kind.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use super::{Capability, KindEntry};
use crate::data::cells::Cells;
use crate::data::domain::Domain;
use crate::error::Result;
use crate::hierarchy::Scale;
use crate::release::ShownRows;
use crate::release::TableSummary;
use crate::release::costs::Utility;
use crate::release::plan::{Buckets, Piece};
use crate::release::write::{Context, WrittenTables};
use crate::storage::Storage;

/// What is to be published. A plain value: it can be written down and applied elsewhere.
///
/// Whoever has called a certain method knows which plan it makes, and may look into it by its type.
pub trait Plan: Any + Debug + Send + Sync {
    /// The kind of release that it makes.
    fn kind(&self) -> &'static KindEntry;

    /// The people who are published.
    fn people(&self) -> u64;

    /// What a steward should know about how it was found.
    fn notes(&self) -> &[String];

    /// Writes the tables of the release, and beside them in private what only the steward may know.
    fn write(&self, context: &Context<'_>, release: &Storage, private: Option<&Storage>) -> Result<WrittenTables>;

    /// What the release costs: adds to the cost of its groups, which were read back, what this kind knows of its values.
    /// Who of the `original` is not in the plan was suppressed.
    fn costs(&self, of_groups: Utility, scales: &[Scale], original: &TableSummary) -> Utility;

    /// Who stands in which group, where people may be left out, to be renumbered when the plan was made from some of the cells.
    fn pieces_mut(&mut self) -> Capability<&mut [Piece]>;

    /// What each group will show of its people's quasi-identifiers, whose values are these.
    fn shown(&self, cells: &Cells, quasi: &[Arc<Domain>]) -> Capability<Vec<ShownRows>>;

    /// Who stands in which group, without a word on what the groups publish.
    fn into_buckets(self: Box<Self>) -> Capability<Buckets>;
}
