//! What a bucketized release can be asked.

use std::sync::Arc;

use super::Bucketized;
use crate::data::domain::Domain;
use crate::error::Result;
use crate::kind::{
    Capability, KindEntry, Nearness, OpenRelease, RecordClasses, RecordFinder, StatedPresence, Structure, capability,
};
use crate::knowledge::Points;
use crate::progress::CancelToken;
use crate::release::ShownRows;
use crate::release::exact_rows::DistinctRows;
use crate::release::shown_rows;
use crate::release::{Adversary, GroupMembers, Groups, Original, PartitionTree};

impl OpenRelease for Bucketized {
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
        Ok(RecordClasses { sizes: DistinctRows::sizes(&self.qit), alike: DistinctRows::ALIKE.to_owned() })
    }

    fn record_finder<'r>(&'r self, quasi: &[(String, Arc<Domain>)]) -> Result<Capability<RecordFinder<'r>>> {
        let rows = DistinctRows::new(quasi, &self.qit)?;
        Ok(Ok(Box::new(move |person| rows.of(person).into_iter().collect())))
    }

    fn members(
        &self,
        original: &Original<'_>,
        points: &Points,
        _: &CancelToken,
    ) -> Result<Capability<Option<GroupMembers>>> {
        super::members::members(self, original, points).map(|members| Ok(Some(members)))
    }

    fn nearness<'r>(&'r self, _: &[(String, Arc<Domain>)]) -> Result<Capability<Box<dyn Nearness + 'r>>> {
        Ok(Err(capability::NO_NEARNESS))
    }

    fn shown(&self) -> Capability<Vec<ShownRows>> {
        let mut rows: Vec<ShownRows> = vec![Vec::new(); self.groups.len()];
        for (row, &group) in self.group_of_row.iter().enumerate() {
            let values = self.qit.quasi.iter().map(|column| column.domain.value(column.codes[row]).to_string());
            let people = self.qit.weights.as_ref().map_or(1, |weights| weights[row]);
            rows[group as usize].push((values.collect(), people));
        }
        Ok(rows.into_iter().map(shown_rows::in_order).collect())
    }

    fn stated_presence(&self) -> Capability<StatedPresence> {
        Err(capability::NO_PRESENCE)
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Plain
    }
}
