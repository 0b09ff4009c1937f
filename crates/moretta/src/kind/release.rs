//! What every release can be asked, and what only some kinds have.

use std::any::Any;
use std::sync::Arc;

use super::{Capability, KindEntry, Nearness, RecordClasses, RecordFinder, StatedPresence, Structure};
use crate::data::domain::Domain;
use crate::error::Result;
use crate::knowledge::Points;
use crate::progress::CancelToken;
use crate::release::ShownRows;
use crate::release::{Adversary, Analyst, GroupMembers, Groups, Original, PartitionTree};

/// A release that was read from its files.
///
/// It answers analysts ([`Analyst`]) and adversaries. Everything below [`OpenRelease::adversary`] is a capability: a kind that
/// lacks one says why, and whoever asked for it passes the reason on. There are no defaults, so that a new kind can't be left
/// out of an attack or a promise in silence.
pub trait OpenRelease: Analyst + Any {
    /// Its kind.
    fn kind(&self) -> &'static KindEntry;

    /// An adversary who knows people's quasi-identifiers, as codes into these domains, in the order in which
    /// the release lists its quasi-identifiers.
    fn adversary<'r>(&'r self, quasi: &[(String, Arc<Domain>)]) -> Result<Box<dyn Adversary + 'r>>;

    /// How many records an adversary weighs to know one person: what attacks that ask for many people budget by.
    fn records_weighed(&self) -> usize;

    /// Groups of people with the sensitive values that they share.
    fn groups(&self) -> Capability<&Groups>;

    /// The same, where belonging to a group is all that decides what is believed about a member.
    fn groups_that_decide(&self) -> Capability<&Groups>;

    /// The parts of the table that groups were cut from, where a promise speaks of them.
    fn partition(&self) -> Option<&PartitionTree>;

    /// The people behind each candidate that [`Adversary::candidates`] can name.
    fn candidate_sizes(&self) -> Capability<Vec<u64>>;

    /// The records that are people's, in classes of those that can't be told apart by quasi-identifiers.
    fn records(&self) -> Capability<RecordClasses>;

    /// Finds the classes among [`OpenRelease::records`] that can be those of people described by codes into these domains.
    fn record_finder<'r>(&'r self, quasi: &[(String, Arc<Domain>)]) -> Result<Capability<RecordFinder<'r>>>;

    /// Who of the original stands in which of [`OpenRelease::groups`]; nothing where the files alone do not tell.
    fn members(
        &self,
        original: &Original<'_>,
        points: &Points,
        token: &CancelToken,
    ) -> Result<Capability<Option<GroupMembers>>>;

    /// How near people come to its records, where records are points and not values.
    fn nearness<'r>(&'r self, quasi: &[(String, Arc<Domain>)]) -> Result<Capability<Box<dyn Nearness + 'r>>>;

    /// What each of [`OpenRelease::groups`] shows of its people's quasi-identifiers.
    fn shown(&self) -> Capability<Vec<ShownRows>>;

    /// Which beliefs in somebody's presence it states.
    fn stated_presence(&self) -> Capability<StatedPresence>;

    /// What it has beyond the questions that every release answers.
    fn structure(&self) -> Structure<'_>;
}
