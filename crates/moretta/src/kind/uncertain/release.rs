//! What an uncertain release can be asked.

use std::sync::Arc;

use super::Uncertain;
use super::nearness::NearestDensity;
use crate::data::domain::Domain;
use crate::error::Result;
use crate::kind::ambiguous::Ambiguous;
use crate::kind::distribution::Distribution;
use crate::kind::generalized::Generalized;
use crate::kind::sliced::Sliced;
use crate::kind::{Capability, KindEntry, Lacks, Nearness, Release, StatedPresence, capability};
use crate::knowledge::Points;
use crate::release::{Adversary, GroupMembers, Groups, Original, PartitionTree};

impl Release for Uncertain {
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

    fn members(&self, _: &Original<'_>, _: &Points) -> Result<Capability<Option<GroupMembers>>> {
        Ok(Err(capability::NO_MEMBERS))
    }

    fn nearness<'r>(&'r self, quasi: &[(String, Arc<Domain>)]) -> Result<Capability<Box<dyn Nearness + 'r>>> {
        Ok(Ok(Box::new(NearestDensity::new(self, quasi)?)))
    }

    fn stated_presence(&self) -> Capability<StatedPresence> {
        Err(capability::NO_PRESENCE)
    }

    fn labels(&self) -> Capability<&Generalized> {
        Err(capability::NO_LABELS)
    }

    fn slices(&self) -> Capability<&Sliced> {
        Err(capability::NO_SLICES)
    }

    fn densities(&self) -> Capability<&Uncertain> {
        Ok(self)
    }

    fn auxiliary_tables(&self) -> Capability<&Ambiguous> {
        Err(capability::NO_AUXILIARY_TABLES)
    }

    fn targets(&self) -> Capability<&Distribution> {
        Err(capability::NO_TARGETS)
    }
}
