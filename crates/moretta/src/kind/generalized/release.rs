//! What a generalized release can be asked.

use std::sync::Arc;

use super::Generalized;
use crate::data::domain::Domain;
use crate::error::Result;
use crate::kind::{
    Capability, KindEntry, Nearness, OpenRelease, RecordClasses, RecordFinder, StatedPresence, Structure, capability,
};
use crate::knowledge::Points;
use crate::progress::CancelToken;
use crate::release::ShownRows;
use crate::release::{Adversary, GroupMembers, Groups, Original, PartitionTree};

impl OpenRelease for Generalized {
    fn kind(&self) -> &'static KindEntry {
        &super::ENTRY
    }

    fn adversary<'r>(&'r self, quasi: &[(String, Arc<Domain>)]) -> Result<Box<dyn Adversary + 'r>> {
        Ok(Box::new(self.reader(quasi)))
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
        self.partition.as_ref()
    }

    fn candidate_sizes(&self) -> Capability<Vec<u64>> {
        Ok(self.groups.people.clone())
    }

    fn records(&self) -> Capability<RecordClasses> {
        Ok(RecordClasses { sizes: self.groups.people.clone(), alike: "published quasi-identifiers".to_owned() })
    }

    fn record_finder<'r>(&'r self, quasi: &[(String, Arc<Domain>)]) -> Result<Capability<RecordFinder<'r>>> {
        let adversary = self.adversary(quasi)?;
        Ok(Ok(Box::new(move |person| adversary.candidates(person))))
    }

    fn members(
        &self,
        original: &Original<'_>,
        points: &Points,
        token: &CancelToken,
    ) -> Result<Capability<Option<GroupMembers>>> {
        super::members::members(self, original, points, token).map(Ok)
    }

    fn nearness<'r>(&'r self, _: &[(String, Arc<Domain>)]) -> Result<Capability<Box<dyn Nearness + 'r>>> {
        Ok(Err(capability::NO_NEARNESS))
    }

    fn shown(&self) -> Capability<Vec<ShownRows>> {
        let rows = |group: usize| {
            let row = self.groups.first_row(group);
            let labels = self.table.quasi.iter().map(|column| column.domain.value(column.codes[row]).to_string());
            vec![(labels.collect(), self.groups.people[group])]
        };
        Ok((0..self.groups.len()).map(rows).collect())
    }

    fn stated_presence(&self) -> Capability<StatedPresence> {
        Err(capability::NO_PRESENCE)
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Labels(self)
    }
}
