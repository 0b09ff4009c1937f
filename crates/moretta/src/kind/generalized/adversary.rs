//! How an adversary reads a generalized release: by the groups whose labels cover a person.

use std::sync::Arc;

use super::Generalized;
use super::label_weights::LabelWeights;
use crate::data::domain::Domain;
use crate::release::{Adversary, Coverage, Likelihood};

impl Generalized {
    /// Finds the groups that cover people described by codes into these domains.
    pub(super) fn reader<'r>(&'r self, quasi: &[(String, Arc<Domain>)]) -> GeneralizedAdversary<'r> {
        let sizes: Vec<usize> = quasi.iter().map(|(_, domain)| domain.len()).collect();
        let domains: Vec<Arc<Domain>> = quasi.iter().map(|(_, domain)| domain.clone()).collect();
        // For each attribute, the groups that publish each label.
        let of_label: Vec<Vec<Vec<u32>>> = self
            .table
            .quasi
            .iter()
            .map(|column| {
                let mut of_label = vec![Vec::new(); column.domain.len()];
                for group in 0..self.groups.len() {
                    of_label[column.codes[self.groups.first_row(group)] as usize].push(group as u32);
                }
                of_label
            })
            .collect();
        let regions = self.regions();
        let coverage = Coverage::new(self.groups.len(), &sizes, move |attribute, code, visit| {
            let value = domains[attribute].value(code);
            for (region, groups) in regions[attribute].iter().zip(&of_label[attribute]) {
                if region.contains(value) {
                    groups.iter().for_each(|&group| visit(group as usize));
                }
            }
        });
        let weights = quasi.iter().enumerate().map(|(a, (_, domain))| LabelWeights::new(self, a, domain)).collect();
        GeneralizedAdversary { release: self, coverage, weights }
    }
}

/// An adversary: finds the groups whose labels cover a person.
///
/// All pairs of an original that fits the files and a row of it that is the person's are weighed alike, as far as exact rows
/// do not tell that some values are more frequent. So a group counts by its people, and by how likely its labels
/// make the person's values: its people by its volume. These are the estimates of the release's own answers:
/// what is believed of a value is COUNT(person AND value) / COUNT(person).
#[derive(Debug)]
pub(super) struct GeneralizedAdversary<'r> {
    release: &'r Generalized,
    coverage: Coverage<'r>,
    weights: Vec<LabelWeights>,
}

/// Where a value on a line has to be weighed against others' exact ones, it counts as so much of all that its column shows.
const POINT_ON_A_LINE: f64 = 1.0 / (1 << 20) as f64;

/// No weight is so small that it vanishes: e to this power.
const LEAST_LN: f64 = -600.0;

impl GeneralizedAdversary<'_> {
    /// The groups that cover a person, and how likely each makes one of its people that person.
    fn covering(&self, person: &[u32]) -> Vec<(usize, Likelihood)> {
        let likelihood = |group: usize| {
            let factors = self.weights.iter().zip(person).map(|(weights, &code)| weights.of(group, code));
            factors.fold(Likelihood::default(), Likelihood::and)
        };
        self.coverage.of_person(person).into_iter().map(|group| (group, likelihood(group))).collect()
    }
}

impl Adversary for GeneralizedAdversary<'_> {
    /// The expected number of people like the person in each group.
    fn candidates(&self, person: &[u32]) -> Vec<(u64, f64)> {
        let expected = |(group, likelihood): (usize, Likelihood)| {
            let ln = likelihood.ln + f64::from(likelihood.order) * POINT_ON_A_LINE.ln();
            (group as u64, self.release.groups.people[group] as f64 * ln.max(LEAST_LN).exp())
        };
        self.covering(person).into_iter().map(expected).collect()
    }

    /// A person whom no group covers is not in the release; of one who is covered it does not tell.
    fn presence(&self, person: &[u32]) -> Option<f64> {
        self.coverage.of_person(person).is_empty().then_some(0.0)
    }

    fn posterior(&self, person: &[u32], attribute: usize) -> Option<Vec<f64>> {
        let groups = &self.release.groups;
        let mut belief = vec![0.0; groups.whole.sensitive.get(attribute)?.domain.len()];
        let covering = self.covering(person);
        let order = covering.iter().map(|(_, likelihood)| likelihood.order).min()?;
        let of_order = || covering.iter().filter(|(_, likelihood)| likelihood.order == order);
        // Only ratios matter, so that a product of many small factors does not vanish.
        let largest = of_order().map(|(_, likelihood)| likelihood.ln).fold(f64::NEG_INFINITY, f64::max);
        let mut total = 0.0;
        for &(group, likelihood) in of_order() {
            let weight = (likelihood.ln - largest).exp();
            total += weight * groups.people[group] as f64;
            let (codes, held) = groups.held(attribute, group);
            codes.iter().zip(held).for_each(|(&code, &held)| belief[code as usize] += weight * held as f64);
        }
        belief.iter_mut().for_each(|share| *share /= total);
        (total > 0.0).then_some(belief)
    }
}
