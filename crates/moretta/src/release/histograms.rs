//! Asking about many populations at once: how their people are distributed over the values of a sensitive attribute.
//!
//! Thousands of populations share conditions, and conditions share what they say about a published value. So each
//! condition is weighed once, and populations are walked in order: those that begin alike share the part of the
//! release that is left after their beginning.

use rayon::prelude::*;

use crate::condition::{QueryBox, ValueSet};
use crate::data::value::Value;
use crate::error::{Error, Result};
use crate::progress::CancelToken;
use crate::release::{Estimate, Groups};

/// Populations: conjunctions of conditions, each of which is stated once.
#[derive(Clone, Debug, Default)]
pub struct Populations {
    /// An attribute by its index, and what it may be.
    pub conditions: Vec<(usize, ValueSet)>,
    /// For each population its conditions, ascending; no attribute is restricted twice.
    pub members: Vec<Vec<u32>>,
    /// What stops whoever answers.
    pub token: CancelToken,
}

/// Populations that are worked on together: enough to share beginnings, few enough to spread over threads.
const POPULATIONS_PER_CHUNK: usize = 32;

impl Populations {
    /// The same populations where attributes stand at other indices: `indices` has the new index of each old one.
    #[must_use]
    pub fn moved(&self, indices: &[usize]) -> Self {
        let conditions = self.conditions.iter().map(|(index, set)| (indices[*index], set.clone())).collect();
        Self { conditions, members: self.members.clone(), token: self.token.clone() }
    }

    /// A population as a box.
    pub fn as_box(&self, population: usize) -> QueryBox {
        let sides = self.members[population].iter().map(|&condition| self.conditions[condition as usize].clone());
        let mut sides: Vec<(usize, ValueSet)> = sides.collect();
        sides.sort_unstable_by_key(|(index, _)| *index);
        QueryBox { sides }
    }

    /// Asks for every value of every population by itself: what any release can answer.
    pub(crate) fn one_by_one(
        &self,
        attribute: usize,
        values: &[Value],
        count: impl Fn(&[QueryBox]) -> Result<Estimate> + Sync,
    ) -> Result<Vec<Vec<f64>>> {
        let of_value = |whole: &QueryBox, value: &Value| match whole.restrict(attribute, &ValueSet::one(value.clone()))
        {
            None => Ok(0.0),
            Some(one) => count(&[one])?.estimate.ok_or_else(|| Error::bug("a count without an estimate")),
        };
        let of_population = |population: usize| {
            self.token.check()?;
            let whole = self.as_box(population);
            values.iter().map(|value| of_value(&whole, value)).collect()
        };
        (0..self.members.len()).into_par_iter().map(of_population).collect()
    }

    /// Walks the populations in order; `visit` gets what is left of `all` under the conditions of each, after `narrow` has
    /// taken one condition at a time into account.
    pub(crate) fn walk<T: Send + Sync>(
        &self,
        all: &T,
        narrow: impl Fn(&T, usize) -> T + Sync,
        visit: impl Fn(&T) -> Vec<f64> + Sync,
    ) -> Result<Vec<Vec<f64>>> {
        let mut order: Vec<usize> = (0..self.members.len()).collect();
        order.sort_by(|&a, &b| self.members[a].cmp(&self.members[b]));
        let found = order
            .par_chunks(POPULATIONS_PER_CHUNK)
            .map(|together| {
                let mut path: Vec<(u32, T)> = Vec::new();
                let mut found = Vec::with_capacity(together.len());
                for &population in together {
                    self.token.check()?;
                    let members = &self.members[population];
                    let shared = path.iter().zip(members).take_while(|((a, _), b)| a == *b).count();
                    path.truncate(shared);
                    for &condition in &members[shared..] {
                        let left = narrow(path.last().map_or(all, |(_, left)| left), condition as usize);
                        path.push((condition, left));
                    }
                    found.push((population, visit(path.last().map_or(all, |(_, left)| left))));
                }
                Ok(found)
            })
            .collect::<Result<Vec<Vec<(usize, Vec<f64>)>>>>()?;
        let mut histograms = vec![Vec::new(); self.members.len()];
        found.into_iter().flatten().for_each(|(population, histogram)| histograms[population] = histogram);
        Ok(histograms)
    }
}

/// A release taken apart: people who publish the same quasi-identifiers, and whose sensitive values follow one
/// profile. Inside a part the published values of attributes are independent of each other and of the sensitive ones.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    /// For each attribute, the code that each part publishes.
    pub(crate) columns: Vec<Vec<u32>>,
    /// The people in each part.
    pub(crate) people: Vec<f64>,
    /// The profile of each part. Parts of one profile should stand side by side.
    pub(crate) profile: Vec<u32>,
    /// The values of each profile with their shares.
    pub(crate) profiles: Profiles,
}

/// Distributions over the values of an attribute, of which only what occurs is listed.
#[derive(Debug)]
pub(crate) struct Profiles {
    starts: Vec<u32>,
    shares: Vec<(u32, f64)>,
}

impl Default for Profiles {
    fn default() -> Self {
        Self { starts: vec![0], shares: Vec::new() }
    }
}

impl Profiles {
    /// Adds a distribution.
    pub(crate) fn push(&mut self, shares: impl Iterator<Item = (u32, f64)>) {
        self.shares.extend(shares.filter(|(_, share)| *share > 0.0));
        self.starts.push(self.shares.len() as u32);
    }

    /// The profiles of groups.
    pub(crate) fn of_groups(groups: &Groups, attribute: usize) -> Self {
        let mut profiles = Self::default();
        for (group, &size) in groups.people.iter().enumerate() {
            let (codes, held) = groups.held(attribute, group);
            profiles.push(codes.iter().zip(held).map(|(&code, &held)| (code, held as f64 / size as f64)));
        }
        profiles
    }

    /// One profile a value: everybody has it.
    pub(crate) fn of_values(values: usize) -> Self {
        let mut profiles = Self::default();
        (0..values as u32).for_each(|value| profiles.push(std::iter::once((value, 1.0))));
        profiles
    }

    fn of(&self, profile: u32) -> &[(u32, f64)] {
        &self.shares[self.starts[profile as usize] as usize..self.starts[profile as usize + 1] as usize]
    }
}

impl Parts {
    /// The expected histograms of populations over `values` values; `weigh` gives the share of each code of an attribute
    /// that lies in a set.
    pub(crate) fn histograms(
        &self,
        populations: &Populations,
        values: usize,
        weigh: impl Fn(usize, &ValueSet) -> Vec<f64> + Sync,
    ) -> Result<Vec<Vec<f64>>> {
        let shares: Vec<Vec<f64>> = populations.conditions.par_iter().map(|(index, set)| weigh(*index, set)).collect();
        let all: Vec<(u32, f64)> = (0..).zip(self.people.iter().copied()).collect();
        let narrow = |left: &Vec<(u32, f64)>, condition: usize| -> Vec<(u32, f64)> {
            let column = &self.columns[populations.conditions[condition].0];
            let shares = &shares[condition];
            let kept = left.iter().map(|&(part, people)| (part, people * shares[column[part as usize] as usize]));
            kept.filter(|(_, people)| *people > 0.0).collect()
        };
        populations.walk(&all, narrow, |left| self.sum(left, values))
    }

    fn sum(&self, left: &[(u32, f64)], values: usize) -> Vec<f64> {
        let mut histogram = vec![0.0; values];
        for same in left.chunk_by(|a, b| self.profile[a.0 as usize] == self.profile[b.0 as usize]) {
            let people: f64 = same.iter().map(|(_, people)| people).sum();
            let profile = self.profiles.of(self.profile[same[0].0 as usize]);
            profile.iter().for_each(|&(value, share)| histogram[value as usize] += people * share);
        }
        histogram
    }
}

/// The share of each value of a list that lies in a set: 0 or 1.
pub(crate) fn in_set(values: &[Value], set: &ValueSet) -> Vec<f64> {
    values.iter().map(|value| f64::from(u8::from(set.contains(value)))).collect()
}
