//! What a counted release can be asked: an adversary learns nothing, and every capability is lacking, each for a reason.

use std::sync::Arc;

use super::Counted;
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

const NO_GROUPS: Lacks = Lacks("it counts everybody together and has no groups");
const NO_RECORDS: Lacks = Lacks("it has no records");

impl OpenRelease for Counted {
    fn kind(&self) -> &'static KindEntry {
        &super::ENTRY
    }

    fn adversary<'r>(&'r self, _: &[(String, Arc<Domain>)]) -> Result<Box<dyn Adversary + 'r>> {
        Ok(Box::new(Uninformed))
    }

    fn records_weighed(&self) -> usize {
        1
    }

    fn groups(&self) -> Capability<&Groups> {
        Err(NO_GROUPS)
    }

    fn groups_that_decide(&self) -> Capability<&Groups> {
        Err(NO_GROUPS)
    }

    fn partition(&self) -> Option<&PartitionTree> {
        None
    }

    fn candidate_sizes(&self) -> Capability<Vec<u64>> {
        Err(NO_RECORDS)
    }

    fn records(&self) -> Capability<RecordClasses> {
        Err(NO_RECORDS)
    }

    fn record_finder<'r>(&'r self, _: &[(String, Arc<Domain>)]) -> Result<Capability<RecordFinder<'r>>> {
        Ok(Err(NO_RECORDS))
    }

    fn members(&self, _: &Original<'_>, _: &Points, _: &CancelToken) -> Result<Capability<Option<GroupMembers>>> {
        Ok(Err(NO_GROUPS))
    }

    fn nearness<'r>(&'r self, _: &[(String, Arc<Domain>)]) -> Result<Capability<Box<dyn Nearness + 'r>>> {
        Ok(Err(NO_RECORDS))
    }

    fn shown(&self) -> Capability<Vec<ShownRows>> {
        Err(capability::NO_SHOWN)
    }

    fn stated_presence(&self) -> Capability<StatedPresence> {
        Err(capability::NO_PRESENCE)
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Plain
    }
}

/// An adversary whom the release tells nothing about anybody.
struct Uninformed;

impl Adversary for Uninformed {
    fn candidates(&self, _: &[u32]) -> Vec<(u64, f64)> {
        Vec::new()
    }

    fn presence(&self, _: &[u32]) -> Option<f64> {
        None
    }

    fn posterior(&self, _: &[u32], _: usize) -> Option<Vec<f64>> {
        None
    }
}
