//! What a distribution release can be asked.

use std::sync::Arc;

use super::Distribution;
use crate::data::domain::Domain;
use crate::error::Result;
use crate::kind::{
    Capability, KindEntry, Lacks, Nearness, OpenRelease, RecordClasses, RecordFinder, StatedPresence, Structure,
    capability,
};
use crate::knowledge::Points;
use crate::progress::CancelToken;
use crate::release::ShownRows;
use crate::release::exact_rows::DistinctRows;
use crate::release::{Adversary, GroupMembers, Groups, Original, PartitionTree};

/// Why there is nothing to count.
const NO_VALUES: Lacks = Lacks("sensitive values are published as subdomains, not as they are");

impl OpenRelease for Distribution {
    fn kind(&self) -> &'static KindEntry {
        &super::ENTRY
    }

    fn adversary<'r>(&'r self, quasi: &[(String, Arc<Domain>)]) -> Result<Box<dyn Adversary + 'r>> {
        Ok(Box::new(self.reader(quasi)?))
    }

    fn records_weighed(&self) -> usize {
        1
    }

    fn groups(&self) -> Capability<&Groups> {
        Err(NO_VALUES)
    }

    fn groups_that_decide(&self) -> Capability<&Groups> {
        Err(NO_VALUES)
    }

    fn partition(&self) -> Option<&PartitionTree> {
        None
    }

    fn candidate_sizes(&self) -> Capability<Vec<u64>> {
        Ok(self.groups.iter().map(|group| group.people).collect())
    }

    fn records(&self) -> Capability<RecordClasses> {
        Ok(RecordClasses { sizes: DistinctRows::sizes(&self.qit), alike: DistinctRows::ALIKE.to_owned() })
    }

    fn record_finder<'r>(&'r self, quasi: &[(String, Arc<Domain>)]) -> Result<Capability<RecordFinder<'r>>> {
        let rows = DistinctRows::new(quasi, &self.qit)?;
        Ok(Ok(Box::new(move |person| rows.of(person).into_iter().collect())))
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
        Err(capability::NO_PRESENCE)
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Targets(self)
    }
}
