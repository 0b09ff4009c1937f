//! The plan of a distribution release.

use std::sync::Arc;

use super::ladder::Ladder;
use super::share::Share;
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

/// What is published of groups that follow targets.
#[derive(Clone, Debug)]
pub struct DistributionPlan {
    /// Who stands in which group.
    pub buckets: Buckets,
    /// The sensitive attribute.
    pub(crate) ladder: Arc<Ladder>,
    /// What each group publishes.
    pub(crate) groups: Vec<PlannedGroup>,
    /// How far, at most, an effective target is from the one wished for.
    pub(crate) distance: f64,
    /// The most fakes, as a share of the people of each group.
    pub(crate) most_fakes: f64,
}

/// What a group publishes.
#[derive(Clone, Debug)]
pub(crate) struct PlannedGroup {
    /// Subdomains as runs of ranks, and how often each occurs.
    pub(crate) subdomains: Vec<(std::ops::Range<u32>, u64)>,
    /// The effective target, by rank.
    pub(crate) target: Arc<[Share]>,
    /// The fakes among the subdomains: ranks, and how many of each.
    pub(crate) fakes: Vec<(u32, u64)>,
}

impl Plan for DistributionPlan {
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

    /// Exact quasi-identifiers lose nothing: what is lost is how they go together with sensitive values.
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
