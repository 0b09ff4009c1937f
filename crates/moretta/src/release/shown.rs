//! A published column as an analyst reads it: what its values weigh in a condition, and which numbers they stand for.

use super::region::Region;
use super::tally::{Expectation, ValueDistribution};
use crate::condition::ValueSet;
use crate::data::table::Column;
use crate::data::value::{Type, Value};
use crate::error::{Code, Error, Result};

/// An attribute that stands for more values than this is not grouped by.
const MOST_VALUES: usize = 10_000;

/// A published column, with what its values stand for where they do not stand for themselves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown<'r> {
    /// The column.
    pub(crate) column: &'r Column,
    /// The type of the original values.
    pub(crate) kind: Type,
    /// What each code stands for; nothing where values are published as they are.
    pub(crate) regions: Option<&'r [Region]>,
}

/// What of a published value lies in a set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weight {
    /// The share, by how likely each of the values is that it stands for.
    pub(crate) share: f64,
    /// Whether all of it does.
    pub(crate) inside: bool,
    /// Whether any of it does.
    pub(crate) meets: bool,
}

/// The numbers that a published value stands for inside a set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers {
    /// The smallest.
    pub(crate) low: f64,
    /// The largest.
    pub(crate) high: f64,
    /// How they are distributed, as an [`Expectation`] knows it.
    pub(crate) law: Option<u32>,
}

impl<'r> Shown<'r> {
    /// A column whose values stand for themselves.
    pub(crate) fn exact(column: &'r Column) -> Self {
        Self { column, kind: column.domain.kind(), regions: None }
    }

    /// How a set weighs on each code.
    pub(crate) fn weigh(&self, set: &ValueSet) -> Vec<Weight> {
        let exact = |value: &Value| {
            let inside = set.contains(value);
            Weight { share: f64::from(u8::from(inside)), inside, meets: inside }
        };
        let region = |region: &Region| Weight {
            share: region.share(set),
            inside: region.lies_in(set),
            meets: region.meets(set),
        };
        match self.regions {
            None => self.column.domain.values().iter().map(exact).collect(),
            Some(regions) => regions.iter().map(region).collect(),
        }
    }

    /// The numbers of a set that each code stands for; nothing where it stands for none.
    pub(crate) fn numbers(&self, set: &ValueSet, expected: &mut Expectation) -> Vec<Option<Numbers>> {
        match self.regions {
            None => {
                let number = |value: &Value| {
                    let x = value.as_number().filter(|_| set.contains(value))?;
                    Some(Numbers { low: x, high: x, law: expected.law(Some(ValueDistribution::point(x))) })
                };
                self.column.domain.values().iter().map(number).collect()
            }
            Some(regions) => {
                let numbers = |region: &Region| {
                    let (low, high, law) = region.numbers(set, self.kind)?;
                    Some(Numbers { low, high, law: expected.law(law) })
                };
                regions.iter().map(numbers).collect()
            }
        }
    }

    /// Whether each code stands for something in a set.
    pub(crate) fn meets(&self, set: &ValueSet) -> Vec<bool> {
        match self.regions {
            None => self.column.domain.values().iter().map(|value| set.contains(value)).collect(),
            Some(regions) => regions.iter().map(|region| region.meets(set)).collect(),
        }
    }

    /// The values by which it can be grouped.
    pub(crate) fn values(&self) -> Result<Vec<Value>> {
        let Some(regions) = self.regions else { return Ok(self.column.domain.values().to_vec()) };
        let too_many = || {
            Error::input(format!("{:?} stands for too many values to group by", self.column.name))
                .coded(Code::QueryUnsupported)
                .help("ask for ranges of it in WHERE, or group by LEVEL(attribute, 1) of its hierarchy")
        };
        let mut values = Vec::new();
        for region in regions {
            values.extend(region.values(MOST_VALUES).ok_or_else(too_many)?);
            values.sort_unstable();
            values.dedup();
            if values.len() > MOST_VALUES {
                return Err(too_many());
            }
        }
        Ok(values)
    }
}
