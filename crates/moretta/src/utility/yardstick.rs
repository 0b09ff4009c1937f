//! What analysts keep, whatever the kind of release: how attributes go together, and how far off counts are.
//!
//! Made from the original before its rows are forgotten, and then held against the release.

use std::sync::Arc;

use rayon::prelude::*;

use super::evaluator::{around, is_broken};
use super::parts::{mutual_information, parts};
use crate::chance::Seed;
use crate::condition::{QueryBox, ValueSet};
use crate::data::domain::Domain;
use crate::data::value::Type;
use crate::error::{Fault, Result};
use crate::numeric::tolerance;
use crate::progress::Progress;
use crate::query::{RelativeError, Truth, Workload};
use crate::release::costs::{AssociationKept, ColumnCost, QueryErrorCost, Utility};
use crate::release::{Analyst, Original, Populations};

/// The counts that are asked: conditions on two quasi-identifiers, or on the one there is, and on a sensitive attribute, of about
/// a tenth of all people. The seed is the same for every table, so that releases of one table are asked the same.
const WORKLOAD: Workload = Workload { dimension: 3, selectivity: 0.1, queries: 100, seed: Seed(1) };

/// Nothing is asked about more people: it would take as long as publishing.
const MOST_PEOPLE: u64 = 500_000;

/// So many pairs of a quasi-identifier and a sensitive attribute are measured: of tables that have more, the first sensitive attributes.
/// A thousand of each would be a million.
const MOST_PAIRS: usize = 20_000;

/// What the original says, to be compared with what a release lets expect.
#[derive(Debug)]
pub struct Yardstick {
    quasi: Vec<(String, Type)>,
    /// The names of all sensitive attributes.
    sensitive: Vec<String>,
    /// Those whose pairs with quasi-identifiers are measured: the first ones.
    measured: Vec<SensitiveParts>,
    /// A population for each part of each quasi-identifier.
    populations: Populations,
    /// Counts over quasi-identifiers and then sensitive attributes, and the truth about each, which is not 0.
    counts: Vec<(QueryBox, f64)>,
}

#[derive(Debug)]
struct SensitiveParts {
    name: String,
    parts: Vec<ValueSet>,
    /// The mutual information with each quasi-identifier.
    information: Vec<f64>,
}

impl Yardstick {
    /// Measures the original; nothing where there is nothing sensitive, or too many people.
    pub fn of(original: &Original<'_>, progress: &Progress) -> Result<Option<Self>> {
        if original.sensitive.is_empty() || original.quasi.is_empty() || original.cells.total() > MOST_PEOPLE {
            return Ok(None);
        }
        let quasi = original.quasi.len();
        let truth = Truth(original);
        let in_parts = |index: usize| {
            let domain = original.quasi.iter().chain(&original.sensitive).nth(index).map(|(_, domain)| domain);
            domain.map_or_else(Vec::new, |domain| {
                let mut people = vec![0; domain.len()];
                let column = original.cells.columns[index].iter().zip(&original.cells.people);
                column.for_each(|(&code, more)| people[code as usize] += more);
                parts(domain, &people)
            })
        };
        let mut populations = Populations { token: progress.token().clone(), ..Populations::default() };
        for index in 0..quasi {
            progress.check()?;
            for part in in_parts(index) {
                populations.members.push(vec![populations.conditions.len() as u32]);
                populations.conditions.push((index, part));
            }
        }
        let mut measured = Vec::new();
        for (place, (name, _)) in original.sensitive.iter().enumerate().take((MOST_PAIRS / quasi).max(1)) {
            progress.check()?;
            let mut one =
                SensitiveParts { name: name.clone(), parts: in_parts(quasi + place), information: Vec::new() };
            one.information = one.informed(&truth, &populations, &populations, quasi, quasi + place)?;
            measured.push(one);
        }
        let workload = Workload { dimension: WORKLOAD.dimension.min(quasi + 1), ..WORKLOAD };
        let ask = |count: QueryBox| {
            progress.check()?;
            let people = truth.count(std::slice::from_ref(&count))?.estimate.unwrap_or(0.0);
            Ok((count, people))
        };
        let counts = workload.make(original)?.into_par_iter().map(ask).collect::<Result<Vec<_>>>()?;
        let counts = counts.into_iter().filter(|(_, people)| *people > 0.0).collect();
        let typed = |(name, domain): &(String, Arc<Domain>)| (name.clone(), domain.kind());
        let sensitive = original.sensitive.iter().map(|(name, _)| name.clone()).collect();
        Ok(Some(Self { quasi: original.quasi.iter().map(typed).collect(), sensitive, measured, populations, counts }))
    }

    /// Adds what a release keeps to what it costs. A release that can't be asked so is not measured.
    pub fn measure(&self, release: &dyn Analyst, utility: Utility, progress: &Progress) -> Result<Utility> {
        match self.kept(release, &utility, progress) {
            Err(error) if matches!(error.fault(), Fault::Machine | Fault::Bug | Fault::Cancelled) => Err(error),
            Ok(Some(found)) => Ok(found),
            Ok(None) | Err(_) => Ok(utility),
        }
    }

    fn kept(&self, release: &dyn Analyst, utility: &Utility, progress: &Progress) -> Result<Option<Utility>> {
        let askable = release.attributes();
        let names = self.quasi.iter().map(|(name, _)| name).chain(&self.sensitive);
        let indices: Option<Vec<usize>> =
            names.map(|name| askable.iter().position(|known| known.name == *name)).collect();
        let Some(indices) = indices else { return Ok(None) };
        release.prepare();
        let quasi = self.quasi.len();
        let there = |index: usize, set: &ValueSet| {
            let broken = self.quasi.get(index).is_some_and(|(_, own)| is_broken(*own, askable[indices[index]].kind));
            (indices[index], if broken { around(set) } else { set.clone() })
        };
        let mut populations = self.populations.clone();
        for (index, set) in &mut populations.conditions {
            (*index, *set) = there(*index, set);
        }
        let mut columns = self.columns(utility);
        for (one, &index) in self.measured.iter().zip(&indices[quasi..]) {
            progress.check()?;
            let found = one.informed(release, &populations, &self.populations, quasi, index)?;
            for ((column, &original), release) in columns.iter_mut().zip(&one.information).zip(found) {
                let kept = (original > tolerance::NO_MASS).then(|| (release / original).min(1.0));
                column.association.push(AssociationKept { sensitive: one.name.clone(), original, release, kept });
            }
        }
        let kept: Vec<f64> = columns.iter().flat_map(|c| c.association.iter().filter_map(|one| one.kept)).collect();
        let off = |(count, exact): &(QueryBox, f64)| {
            progress.check()?;
            let mut sides: Vec<(usize, ValueSet)> = count.sides.iter().map(|(index, set)| there(*index, set)).collect();
            sides.sort_unstable_by_key(|(index, _)| *index);
            let estimate = release.count(&[QueryBox { sides }])?.estimate.unwrap_or(0.0);
            Ok((estimate - exact).abs() / exact)
        };
        let errors = self.counts.par_iter().map(off).collect::<Result<Vec<f64>>>()?;
        let RelativeError { mean, median, queries, .. } = RelativeError::of(errors);
        Ok(Some(Utility {
            association: (!kept.is_empty()).then(|| kept.iter().sum::<f64>() / kept.len() as f64),
            query_error: (queries > 0).then_some(QueryErrorCost { mean, median, queries }),
            columns,
            ..utility.clone()
        }))
    }

    /// The columns that were measured before, or new ones.
    fn columns(&self, utility: &Utility) -> Vec<ColumnCost> {
        let of = |(name, _): &(String, Type)| {
            let known = utility.columns.iter().find(|column| column.name == *name).cloned();
            known.unwrap_or_else(|| ColumnCost { name: name.clone(), ..ColumnCost::default() })
        };
        self.quasi.iter().map(of).collect()
    }
}

impl SensitiveParts {
    /// The mutual information with each of the quasi-identifiers, as an analyst is told of it: `asked` are the populations with the
    /// analyst's own indices, and `own` with ours.
    fn informed(
        &self,
        analyst: &dyn Analyst,
        asked: &Populations,
        own: &Populations,
        quasi: usize,
        attribute: usize,
    ) -> Result<Vec<f64>> {
        let values = analyst.values_of(attribute)?;
        let part_of: Vec<Option<usize>> =
            values.iter().map(|value| self.parts.iter().position(|part| part.contains(value))).collect();
        let histograms = analyst.histograms(asked, attribute)?;
        let mut joint: Vec<Vec<Vec<f64>>> = vec![Vec::new(); quasi];
        for (histogram, (index, _)) in histograms.iter().zip(&own.conditions) {
            let mut row = vec![0.0; self.parts.len()];
            for (people, part) in histogram.iter().zip(&part_of) {
                if let Some(part) = *part {
                    row[part] += people.max(0.0);
                }
            }
            joint[*index].push(row);
        }
        Ok(joint.iter().map(|joint| mutual_information(joint)).collect())
    }
}
