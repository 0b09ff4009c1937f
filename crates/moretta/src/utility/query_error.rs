//! How far off counts are: the second way to measure what analysts lose.

use super::evaluator::Asked;
use crate::condition::QueryBox;
use crate::error::Result;
use crate::progress::Progress;
use crate::query::{Truth, Workload};
use crate::release::{Analyst, Original, Populations};

/// Random count queries (Li 2010, section 5.3.2), each a population and some values of the sensitive attribute.
#[derive(Clone, Debug, Default)]
pub(super) struct Queries {
    populations: Populations,
    /// Which values of the sensitive attribute each query allows.
    allowed: Vec<Vec<bool>>,
    /// The true counts, all above 0: others are left out.
    exact: Vec<f64>,
}

impl Queries {
    /// The queries of a workload about an original with one sensitive attribute.
    pub(super) fn new(workload: &Workload, original: &Original<'_>, progress: &Progress) -> Result<Self> {
        let quasi = original.quasi.len();
        let values = original.sensitive[0].1.values();
        let mut queries = Self::default();
        queries.populations.token = progress.token().clone();
        for QueryBox { sides } in workload.make(original)? {
            let mut allowed = vec![true; values.len()];
            let mut members = Vec::new();
            for (index, set) in sides {
                if index < quasi {
                    members.push(queries.populations.conditions.len() as u32);
                    queries.populations.conditions.push((index, set));
                } else {
                    allowed = values.iter().map(|value| set.contains(value)).collect();
                }
            }
            queries.populations.members.push(members);
            queries.allowed.push(allowed);
        }
        let truth = Truth(original).histograms(&queries.populations, quasi)?;
        let exact: Vec<f64> =
            truth.iter().zip(&queries.allowed).map(|(people, allowed)| sum(people, allowed)).collect();
        let counts: Vec<bool> = exact.iter().map(|exact| *exact > 0.0).collect();
        queries.populations.members = chosen(queries.populations.members, &counts);
        queries.allowed = chosen(queries.allowed, &counts);
        queries.exact = chosen(exact, &counts);
        Ok(queries)
    }

    /// The mean over queries of |estimate − truth| / truth.
    pub(super) fn mean_error(&self, release: &dyn Analyst, asked: &Asked) -> Result<f64> {
        self.mean_error_of(|populations| asked.histograms(release, populations))
    }

    /// The same, of whoever estimates histograms.
    pub(super) fn mean_error_of(&self, ask: impl FnOnce(&Populations) -> Result<Vec<Vec<f64>>>) -> Result<f64> {
        let estimates = ask(&self.populations)?;
        let error =
            |((people, allowed), exact): ((&Vec<f64>, &Vec<bool>), &f64)| (sum(people, allowed) - exact).abs() / exact;
        let errors = estimates.iter().zip(&self.allowed).zip(&self.exact).map(error);
        Ok(errors.sum::<f64>() / self.exact.len().max(1) as f64)
    }
}

fn sum(people: &[f64], allowed: &[bool]) -> f64 {
    people.iter().zip(allowed).filter(|(_, allowed)| **allowed).map(|(people, _)| people).sum()
}

fn chosen<T>(items: Vec<T>, chosen: &[bool]) -> Vec<T> {
    items.into_iter().zip(chosen).filter(|(_, chosen)| **chosen).map(|(item, _)| item).collect()
}
