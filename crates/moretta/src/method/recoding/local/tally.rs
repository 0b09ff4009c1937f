//! What a group counts, and the judgement about it.

use super::{Field, FieldMember};
use crate::distance::Scratch;
use crate::model::{Group, Requirement};
use crate::release::Ancestor;

/// The people of a group and their sensitive values, kept up to date as people come and go.
#[derive(Clone, Debug, Default)]
pub(in crate::method) struct Tally {
    /// All of them.
    pub(in crate::method) people: u64,
    /// For each sensitive attribute, the people that have each value; empty where no model asks.
    pub(in crate::method) sensitive: Vec<Vec<u64>>,
}

/// Judges tallies. One for each thread.
#[derive(Debug)]
pub(in crate::method) struct Judge<'f> {
    field: &'f Field<'f>,
    requirement: &'f Requirement<'f>,
    whole: &'f Ancestor,
    least: u64,
    scratch: Scratch,
}

/// Where even so many chosen people do not hold, no number is any help.
const MAX_CHOSEN: u64 = 256;

impl Tally {
    /// The tally of a group without people.
    pub(in crate::method) fn new(field: &Field<'_>) -> Self {
        Self { people: 0, sensitive: field.empty_histograms() }
    }

    /// The tally of some people.
    pub(in crate::method) fn of(field: &Field<'_>, members: &[FieldMember]) -> Self {
        let mut tally = Self::new(field);
        members.iter().for_each(|member| tally.add(field, member.cell, member.people));
        tally
    }

    /// People of a cell join.
    pub(in crate::method) fn add(&mut self, field: &Field<'_>, cell: u32, people: u64) {
        self.people += people;
        for (histogram, codes) in self.sensitive.iter_mut().zip(&field.sensitive) {
            histogram[codes[cell as usize] as usize] += people;
        }
    }

    /// People of a cell leave.
    pub(in crate::method) fn remove(&mut self, field: &Field<'_>, cell: u32, people: u64) {
        self.people -= people;
        for (histogram, codes) in self.sensitive.iter_mut().zip(&field.sensitive) {
            histogram[codes[cell as usize] as usize] -= people;
        }
    }

    /// All people of another group join.
    pub(in crate::method) fn join(&mut self, other: &Self) {
        self.people += other.people;
        for (mine, theirs) in self.sensitive.iter_mut().zip(&other.sensitive) {
            mine.iter_mut().zip(theirs).for_each(|(sum, more)| *sum += more);
        }
    }
}

impl<'f> Judge<'f> {
    /// A judge by the requirement of a field.
    pub(in crate::method) fn new(field: &'f Field<'f>) -> Self {
        Self::by(field, field.task.requirement, &field.whole)
    }

    /// A judge by another requirement, of groups in another whole.
    pub(super) fn by(field: &'f Field<'f>, requirement: &'f Requirement<'f>, whole: &'f Ancestor) -> Self {
        Self { field, requirement, whole, least: requirement.least_people(), scratch: Scratch::default() }
    }

    /// The fewest people that a group needs.
    pub(in crate::method) fn least(&self) -> u64 {
        self.least
    }

    /// The fewest people that make a group that holds, when each is chosen for what it lacks most: an estimate of
    /// what it takes, by the same rule by which people are lent. At most [`MAX_CHOSEN`].
    pub(in crate::method) fn fewest_chosen(&mut self) -> u64 {
        if self.counts_only() {
            return self.least;
        }
        let mut examples: Vec<u32> = (0..self.field.kind_of_cell.len() as u32).collect();
        examples.sort_by_key(|&cell| self.field.kind_of_cell[cell as usize]);
        examples.dedup_by_key(|cell| self.field.kind_of_cell[*cell as usize]);
        let mut tally = Tally::new(self.field);
        while tally.people < MAX_CHOSEN && !self.holds(&tally) {
            let need = |&cell: &u32| self.field.need(&tally, cell);
            let Some(&cell) = examples.iter().max_by(|a, b| need(a).total_cmp(&need(b))) else { break };
            tally.add(self.field, cell, 1);
        }
        tally.people.max(self.least)
    }

    /// Whether only the size of a group matters.
    pub(in crate::method) fn counts_only(&self) -> bool {
        self.field.sensitive.is_empty()
    }

    /// Whether a group keeps every promise.
    pub(in crate::method) fn holds(&mut self, tally: &Tally) -> bool {
        let group = Group { people: tally.people, sensitive: &tally.sensitive, parent: Some(self.whole) };
        tally.people >= self.least && self.requirement.holds(&group, &mut self.scratch)
    }

    /// Whether a group keeps every promise when `people` of a cell join.
    pub(in crate::method) fn holds_with(&mut self, tally: &mut Tally, cell: u32, people: u64) -> bool {
        tally.add(self.field, cell, people);
        let holds = self.holds(tally);
        tally.remove(self.field, cell, people);
        holds
    }

    /// Whether a group keeps every promise when `people` of a cell leave.
    pub(in crate::method) fn holds_without(&mut self, tally: &mut Tally, cell: u32, people: u64) -> bool {
        tally.remove(self.field, cell, people);
        let holds = self.holds(tally);
        tally.add(self.field, cell, people);
        holds
    }
}
