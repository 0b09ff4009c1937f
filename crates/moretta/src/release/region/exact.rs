//! What rows that publish a value exactly show about the values that other labels of the column stand for.

use super::{Known, Region};
use crate::condition::ValueSet;
use crate::data::value::Value;

/// Values that some rows of a column publish exactly, in order, with the people of those rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ExactValues {
    values: Vec<(Value, f64)>,
    people: f64,
}

/// So many people are added to those who were seen, with values spread evenly over what a label stands for: nothing that a
/// label stands for is impossible because nobody showed it, and where nobody was seen all of it is as likely.
const ADDED: f64 = 1.0;

impl ExactValues {
    /// The values that regions of a column stand for alone, each region being published by so many people.
    pub(super) fn exact(regions: &[Region], people: &[u64]) -> Self {
        let alone = |(region, &people): (&Region, &u64)| Some((region.only()?, people as f64));
        let mut values: Vec<(Value, f64)> = regions.iter().zip(people).filter_map(alone).collect();
        values.sort_by(|a, b| a.0.cmp(&b.0));
        values.dedup_by(|next, first| {
            let same = next.0 == first.0;
            first.1 += if same { next.1 } else { 0.0 };
            same
        });
        Self::of(values)
    }

    fn of(values: Vec<(Value, f64)>) -> Self {
        let people = values.iter().map(|(_, people)| people).sum();
        Self { values, people }
    }

    /// Those that a region stands for too. Nobody asks an interval for more than its missing values.
    pub(super) fn inside(&self, region: &Region) -> Self {
        let find = |value: &Value| {
            let index = self.values.binary_search_by(|(seen, _)| seen.cmp(value)).ok()?;
            Some(self.values[index].clone())
        };
        match &region.known {
            Known::Values(listed) => {
                let missing = region.or_missing.then_some(Value::Missing);
                let mut found: Vec<(Value, f64)> = listed.iter().chain(&missing).filter_map(find).collect();
                found.sort_by(|a, b| a.0.cmp(&b.0));
                Self::of(found)
            }
            Known::Anything(_) => self.clone(),
            Known::Whole(..) | Known::Days(..) | Known::Span { .. } if !region.or_missing => Self::default(),
            _ => Self::of(self.values.iter().filter(|(value, _)| region.contains(value)).cloned().collect()),
        }
    }

    /// The people who were seen with a value.
    pub(super) fn with(&self, value: &Value) -> f64 {
        self.values.binary_search_by(|(seen, _)| seen.cmp(value)).map_or(0.0, |index| self.values[index].1)
    }

    /// The people who were seen with a value in a set.
    fn in_set(&self, set: &ValueSet) -> f64 {
        self.values.iter().filter(|(value, _)| set.contains(value)).map(|(_, people)| people).sum()
    }

    /// The share of a set, of which `even` would lie in it if all values were as likely.
    pub(super) fn share(&self, set: &ValueSet, even: f64) -> f64 {
        self.blend(self.in_set(set), even)
    }

    /// The share of a value, which would be `even` if all values were as likely.
    pub(super) fn blend(&self, seen: f64, even: f64) -> f64 {
        (seen + ADDED * even) / (self.people + ADDED)
    }

    /// The numbers in a set that were seen, each with its people.
    pub(super) fn numbers<'s>(&'s self, set: &'s ValueSet) -> impl Iterator<Item = (f64, f64)> + 's {
        let number = |(value, people): &(Value, f64)| Some((value.as_number()?, *people));
        self.values.iter().filter(|(value, _)| set.contains(value)).filter_map(number)
    }

    /// What the people weigh who are added to those who were seen, by how many of them lie in a set.
    pub(super) fn added(even: f64) -> f64 {
        ADDED * even
    }
}
