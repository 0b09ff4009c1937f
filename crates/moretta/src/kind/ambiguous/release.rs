//! What an ambiguous release can be asked.

use std::sync::Arc;

use super::Ambiguous;
use super::adversary::AmbiguousAdversary;
use crate::data::domain::Domain;
use crate::error::Result;
use crate::kind::{
    Capability, KindEntry, Lacks, Nearness, OpenRelease, RecordClasses, RecordFinder, StatedPresence, Structure,
    capability,
};
use crate::knowledge::Points;
use crate::progress::CancelToken;
use crate::release::ShownRows;
use crate::release::{Adversary, GroupMembers, Groups, Original, PartitionTree};

/// Why nobody has a record.
const NO_ROWS: Lacks = Lacks("it publishes no rows: the values of each attribute are listed apart");

impl OpenRelease for Ambiguous {
    fn kind(&self) -> &'static KindEntry {
        &super::ENTRY
    }

    fn adversary<'r>(&'r self, quasi: &[(String, Arc<Domain>)]) -> Result<Box<dyn Adversary + 'r>> {
        Ok(Box::new(AmbiguousAdversary { release: self, coverage: self.coverage(quasi)? }))
    }

    fn records_weighed(&self) -> usize {
        1
    }

    fn groups(&self) -> Capability<&Groups> {
        Ok(&self.groups)
    }

    fn groups_that_decide(&self) -> Capability<&Groups> {
        Ok(&self.groups)
    }

    fn partition(&self) -> Option<&PartitionTree> {
        None
    }

    fn candidate_sizes(&self) -> Capability<Vec<u64>> {
        Ok(self.groups.people.clone())
    }

    fn records(&self) -> Capability<RecordClasses> {
        Err(NO_ROWS)
    }

    fn record_finder<'r>(&'r self, _: &[(String, Arc<Domain>)]) -> Result<Capability<RecordFinder<'r>>> {
        Ok(Err(NO_ROWS))
    }

    fn members(&self, _: &Original<'_>, _: &Points, _: &CancelToken) -> Result<Capability<Option<GroupMembers>>> {
        Ok(Err(capability::NO_MEMBERS))
    }

    fn nearness<'r>(&'r self, _: &[(String, Arc<Domain>)]) -> Result<Capability<Box<dyn Nearness + 'r>>> {
        Ok(Err(capability::NO_NEARNESS))
    }

    fn shown(&self) -> Capability<Vec<ShownRows>> {
        Err(capability::NO_SHOWN)
    }

    fn stated_presence(&self) -> Capability<StatedPresence> {
        Ok(StatedPresence::ByGroup)
    }

    fn structure(&self) -> Structure<'_> {
        Structure::AuxiliaryTables(self)
    }
}
