//! What a sliced release can be asked.

use std::sync::Arc;

use super::Sliced;
use super::adversary::SlicedAdversary;
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

impl OpenRelease for Sliced {
    fn kind(&self) -> &'static KindEntry {
        &super::ENTRY
    }

    fn adversary<'r>(&'r self, quasi: &[(String, Arc<Domain>)]) -> Result<Box<dyn Adversary + 'r>> {
        Ok(Box::new(SlicedAdversary { release: self, translation: self.translate(quasi)? }))
    }

    fn records_weighed(&self) -> usize {
        1
    }

    fn groups(&self) -> Capability<&Groups> {
        self.groups.as_ref().ok_or(Lacks("the release shows no counted sensitive values"))
    }

    fn groups_that_decide(&self) -> Capability<&Groups> {
        Err(Lacks("what is believed of somebody hangs on all buckets that she matches"))
    }

    fn partition(&self) -> Option<&PartitionTree> {
        None
    }

    fn candidate_sizes(&self) -> Capability<Vec<u64>> {
        Ok(self.index().people().to_vec())
    }

    fn records(&self) -> Capability<RecordClasses> {
        let names = |indices: &[usize]| {
            indices.iter().map(|&index| self.table.quasi[index].name.as_str()).collect::<Vec<_>>().join(", ")
        };
        // The column in which the fewest share what it holds: who is found there is found.
        let riskiest =
            self.known.iter().min_by_key(|(_, cells)| (cells.people.iter().min(), u64::MAX - cells.len() as u64));
        let (indices, cells) = riskiest.ok_or(Lacks("no column holds a quasi-identifier"))?;
        Ok(RecordClasses { sizes: cells.people.clone(), alike: format!("what the column of {} holds", names(indices)) })
    }

    fn record_finder<'r>(&'r self, _: &[(String, Arc<Domain>)]) -> Result<Capability<RecordFinder<'r>>> {
        Ok(Err(Lacks("columns are found one by one, and what is known of a person stands in several")))
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
        Ok(StatedPresence::Combined)
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Slices(self)
    }
}
