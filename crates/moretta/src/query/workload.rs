//! Random count queries, and how far off a release's answers are.
//!
//! As in the experiments of Xiao and Tao (2006), Li (2010, section 2.4) and Wang: a query has conditions on some
//! quasi-identifiers and on a sensitive attribute, each so wide that about a given share of rows would pass all of
//! them if attributes were independent and uniform.

use std::sync::Arc;

use rand::Rng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;

use super::truth::Truth;
use crate::chance::Seed;
use crate::condition::{QueryBox, ValueSet};
use crate::data::domain::Domain;
use crate::error::{Code, Error, Result};
use crate::progress::Progress;
use crate::release::{Analyst, Original};

/// A set of random count queries.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// How many attributes a query restricts, a sensitive one among them.
    pub dimension: usize,
    /// The share of rows that it aims at.
    pub selectivity: f64,
    /// How many queries there are.
    pub queries: usize,
    /// What chance starts from.
    pub seed: Seed,
}

/// How far off answers are: |estimate − truth| / truth, over the queries whose true count is not 0.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RelativeError {
    /// The mean.
    pub mean: f64,
    /// Half of the queries are no farther off.
    pub median: f64,
    /// 95 % of the queries are no farther off.
    pub p95: f64,
    /// How many queries count.
    pub queries: usize,
}

impl Workload {
    /// The queries about an original, whose quasi-identifiers come before its sensitive attributes.
    pub fn make(&self, original: &Original<'_>) -> Result<Vec<QueryBox>> {
        let quasi = original.quasi.len();
        if self.dimension < 1 || self.dimension > quasi + 1 || original.sensitive.is_empty() {
            return Err(Error::input(format!("a query can't restrict {} attributes", self.dimension)).help(format!(
                "from 1 to {}: quasi-identifiers, and a sensitive attribute",
                quasi + usize::from(!original.sensitive.is_empty())
            )));
        }
        if !(self.selectivity > 0.0 && self.selectivity <= 1.0) {
            return Err(Error::input(format!("the selectivity is {}", self.selectivity)).help("above 0, at most 1"));
        }
        let make = |number: usize| {
            let mut generator = self.seed.stream("workload", number as u64);
            let mut indices: Vec<usize> = (0..quasi).collect();
            let (chosen, _) = indices.partial_shuffle(&mut generator, self.dimension - 1);
            let mut chosen = chosen.to_vec();
            chosen.push(quasi + generator.random_range(0..original.sensitive.len()));
            chosen.sort_unstable();
            let sides = chosen.into_iter().map(|index| {
                let all = original.quasi.iter().chain(&original.sensitive);
                let domain = all.map(|(_, domain)| domain).nth(index);
                (index, domain.map_or_else(ValueSet::nothing, |domain| self.side(domain, &mut generator)))
            });
            QueryBox { sides: sides.collect() }
        };
        Ok((0..self.queries).map(make).collect())
    }

    /// A condition on one attribute: a range of numbers, or some of the values.
    fn side(&self, domain: &Arc<Domain>, generator: &mut ChaCha12Rng) -> ValueSet {
        let share = self.selectivity.powf(1.0 / self.dimension as f64);
        #[expect(clippy::cast_sign_loss, reason = "a share is not negative")]
        let width = ((domain.len() as f64 * share).round() as usize).clamp(1, domain.len());
        if domain.kind().is_ordered() {
            let first = generator.random_range(0..=domain.len() - width);
            let [low, high] = [first, first + width - 1].map(|code| domain.value(code as u32).clone());
            ValueSet::above(low, true).intersect(&ValueSet::below(high, true))
        } else {
            let mut values = domain.values().to_vec();
            let (chosen, _) = values.partial_shuffle(generator, width);
            chosen.iter().fold(ValueSet::nothing(), |set, value| set.union(&ValueSet::one(value.clone())))
        }
    }

    /// Other queries, as in the experiments of Wang (section 7): single groups of a GROUP BY over quasi-identifiers, with
    /// one sensitive value. Each is the group of a person drawn at random: of a few draws the one whose share of all people
    /// is nearest to the selectivity.
    pub fn make_groups(&self, original: &Original<'_>, progress: &Progress) -> Result<Vec<QueryBox>> {
        const DRAWS: usize = 8;
        // Refuses what can't be made.
        Self { queries: 0, ..*self }.make(original)?;
        let (truth, quasi, cells) = (Truth(original), original.quasi.len(), original.cells);
        let wanted = self.selectivity * cells.total() as f64;
        let make = |number: usize| {
            let mut generator = self.seed.stream("workload of groups", number as u64);
            let mut best: Option<(f64, QueryBox)> = None;
            for _ in 0..DRAWS {
                progress.check()?;
                let mut indices: Vec<usize> = (0..quasi).collect();
                let (chosen, _) = indices.partial_shuffle(&mut generator, self.dimension - 1);
                let mut chosen = chosen.to_vec();
                chosen.push(quasi + generator.random_range(0..original.sensitive.len()));
                chosen.sort_unstable();
                let cell = generator.random_range(0..cells.len());
                let side = |&index: &usize| {
                    let all = original.quasi.iter().chain(&original.sensitive);
                    let domain = all.map(|(_, domain)| domain).nth(index);
                    let value = domain.map(|domain| domain.value(cells.columns[index][cell]).clone());
                    (index, value.map_or_else(ValueSet::nothing, ValueSet::one))
                };
                let group = QueryBox { sides: chosen.iter().map(side).collect() };
                let people = truth.count(std::slice::from_ref(&group))?.estimate.unwrap_or(0.0);
                let off = (people - wanted).abs();
                if best.as_ref().is_none_or(|(known, _)| off < *known) {
                    best = Some((off, group));
                }
            }
            Ok(best.map(|(_, group)| group).unwrap_or_default())
        };
        (0..self.queries).into_par_iter().map(make).collect()
    }

    /// Asks a release and the original, and compares.
    pub fn compare(
        &self,
        release: &dyn Analyst,
        original: &Original<'_>,
        progress: &Progress,
    ) -> Result<RelativeError> {
        let errors = relative_errors(&self.make(original)?, release, original, progress)?;
        Ok(RelativeError::of(errors))
    }
}

/// How far off a release is in each of some count queries about the original whose true count is not 0.
pub fn relative_errors(
    queries: &[QueryBox],
    release: &dyn Analyst,
    original: &Original<'_>,
    progress: &Progress,
) -> Result<Vec<f64>> {
    let truth = Truth(original);
    let askable = release.attributes();
    let indices: Vec<Option<usize>> =
        truth.attributes().iter().map(|own| askable.iter().position(|other| other.name == own.name)).collect();
    progress.start("answering", queries.len() as u64);
    let ask = |query: &QueryBox| {
        progress.check()?;
        progress.advance(1);
        let exact = truth.count(std::slice::from_ref(query))?.estimate.unwrap_or(0.0);
        if exact <= 0.0 {
            return Ok(None);
        }
        let estimate = release.count(&[elsewhere(query, &indices, &truth)?])?.estimate.unwrap_or(0.0);
        Ok(Some((estimate - exact).abs() / exact))
    };
    let errors = queries.par_iter().map(ask).collect::<Result<Vec<Option<f64>>>>()?;
    Ok(errors.into_iter().flatten().collect())
}

/// A box about the original as a release counts its attributes.
fn elsewhere(query: &QueryBox, indices: &[Option<usize>], truth: &Truth<'_>) -> Result<QueryBox> {
    query.sides.iter().try_fold(QueryBox::default(), |found, (index, set)| {
        let there = indices[*index].ok_or_else(|| {
            let name = truth.attributes().swap_remove(*index).name;
            Error::input(format!("the release has no attribute {name:?}, which the original has"))
                .coded(Code::UnknownAttribute)
                .help("use the policy that the release was made with")
        })?;
        Ok(found.restrict(there, set).unwrap_or(found))
    })
}

impl RelativeError {
    /// What errors come to.
    pub fn of(mut errors: Vec<f64>) -> Self {
        errors.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| {
            #[expect(clippy::cast_sign_loss, reason = "a share is not negative")]
            let index = ((errors.len() as f64 * share).ceil() as usize).saturating_sub(1);
            errors.get(index).copied().unwrap_or(0.0)
        };
        let mean = errors.iter().sum::<f64>() / errors.len().max(1) as f64;
        Self { mean, median: at(0.5), p95: at(0.95), queries: errors.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_summed_up() {
        let errors = RelativeError::of((1..=20).map(f64::from).rev().collect());
        assert_eq!(errors, RelativeError { mean: 10.5, median: 10.0, p95: 19.0, queries: 20 });
        assert_eq!(RelativeError::of(Vec::new()), RelativeError::default());
    }
}
