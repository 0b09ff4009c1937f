//! What rows that publish a value exactly show about the values that other labels of the column stand for.

use super::{Known, Region};
use crate::condition::ValueSet;
use crate::data::value::Value;

/// Values that some rows of a column publish exactly, in order, each with its weight: the square root of the people of those rows.
///
/// Methods generalize rare values first, so exact rows show frequent values more often than the rows that a label hides. The root lies between
/// their shares, which count rare values too seldom, and equal ones, which count them too often.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ExactValues {
    values: Vec<(Value, f64)>,
    total: f64,
}

/// A weight that is added to those that were seen, spread evenly over what a label stands for: no value that a label stands for is
/// impossible because no row showed it, and where none was seen all of them are equally likely.
const ADDED: f64 = 1.0;

impl ExactValues {
    /// The values that regions of a column stand for alone; each region is published by a number of people.
    pub(super) fn exact(regions: &[Region], people: &[u64]) -> Self {
        let alone = |(region, &people): (&Region, &u64)| Some((region.only()?, people as f64));
        let mut values: Vec<(Value, f64)> = regions.iter().zip(people).filter_map(alone).collect();
        values.sort_by(|a, b| a.0.cmp(&b.0));
        values.dedup_by(|next, first| {
            let same = next.0 == first.0;
            first.1 += if same { next.1 } else { 0.0 };
            same
        });
        values.iter_mut().for_each(|(_, people)| *people = people.sqrt());
        Self::of(values)
    }

    fn of(values: Vec<(Value, f64)>) -> Self {
        let total = values.iter().map(|(_, weight)| weight).sum();
        Self { values, total }
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

    /// The weight of a value.
    pub(super) fn with(&self, value: &Value) -> f64 {
        self.values.binary_search_by(|(seen, _)| seen.cmp(value)).map_or(0.0, |index| self.values[index].1)
    }

    /// The weight of the values in a set.
    fn in_set(&self, set: &ValueSet) -> f64 {
        self.values.iter().filter(|(value, _)| set.contains(value)).map(|(_, weight)| weight).sum()
    }

    /// The share of a set, of which `even` would lie in it if all values were equally likely.
    pub(super) fn share(&self, set: &ValueSet, even: f64) -> f64 {
        self.blend(self.in_set(set), even)
    }

    /// The share of a weight, which would be `even` if all values were equally likely.
    pub(super) fn blend(&self, seen: f64, even: f64) -> f64 {
        (seen + ADDED * even) / (self.total + ADDED)
    }

    /// The numbers in a set that were seen, each with its weight.
    pub(super) fn numbers<'s>(&'s self, set: &'s ValueSet) -> impl Iterator<Item = (f64, f64)> + 's {
        let number = |(value, weight): &(Value, f64)| Some((value.as_number()?, *weight));
        self.values.iter().filter(|(value, _)| set.contains(value)).filter_map(number)
    }

    /// What is added to the weights that were seen, by how much of it lies in a set.
    pub(super) fn added(even: f64) -> f64 {
        ADDED * even
    }
}
