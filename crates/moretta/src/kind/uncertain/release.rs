//! What an uncertain release can be asked.

use std::sync::Arc;

use super::Uncertain;
use super::nearness::NearestDensity;
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

/// Why records have no classes.
const NO_CLASSES: Lacks = Lacks("every record is a density of its own: see uncertain-linkage");

impl OpenRelease for Uncertain {
    fn kind(&self) -> &'static KindEntry {
        &super::ENTRY
    }

    fn adversary<'r>(&'r self, quasi: &[(String, Arc<Domain>)]) -> Result<Box<dyn Adversary + 'r>> {
        Ok(Box::new(self.reader(quasi)?))
    }

    fn records_weighed(&self) -> usize {
        self.len()
    }

    fn groups(&self) -> Capability<&Groups> {
        Err(Lacks("the release shows no counted sensitive values"))
    }

    fn groups_that_decide(&self) -> Capability<&Groups> {
        Err(Lacks("the release shows no counted sensitive values"))
    }

    fn partition(&self) -> Option<&PartitionTree> {
        None
    }

    fn candidate_sizes(&self) -> Capability<Vec<u64>> {
        Err(Lacks("every record is a density of its own: see uncertain-linkage"))
    }

    fn records(&self) -> Capability<RecordClasses> {
        Err(NO_CLASSES)
    }

    fn record_finder<'r>(&'r self, _: &[(String, Arc<Domain>)]) -> Result<Capability<RecordFinder<'r>>> {
        Ok(Err(NO_CLASSES))
    }

    fn members(&self, _: &Original<'_>, _: &Points, _: &CancelToken) -> Result<Capability<Option<GroupMembers>>> {
        Ok(Err(capability::NO_MEMBERS))
    }

    fn nearness<'r>(&'r self, quasi: &[(String, Arc<Domain>)]) -> Result<Capability<Box<dyn Nearness + 'r>>> {
        Ok(Ok(Box::new(NearestDensity::new(self, quasi)?)))
    }

    fn shown(&self) -> Capability<Vec<ShownRows>> {
        Err(capability::NO_SHOWN)
    }

    fn stated_presence(&self) -> Capability<StatedPresence> {
        Err(capability::NO_PRESENCE)
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Densities(self)
    }
}
