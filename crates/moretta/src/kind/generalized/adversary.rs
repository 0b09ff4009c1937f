//! How an adversary reads a generalized release: by the groups whose labels cover a person.

use std::sync::Arc;

use super::Generalized;
use crate::data::domain::Domain;
use crate::release::{Adversary, Coverage};

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
        GeneralizedAdversary { release: self, coverage }
    }
}

/// An adversary: finds the groups whose labels cover a person.
#[derive(Debug)]
pub(super) struct GeneralizedAdversary<'r> {
    release: &'r Generalized,
    coverage: Coverage<'r>,
}

impl Adversary for GeneralizedAdversary<'_> {
    fn candidates(&self, person: &[u32]) -> Vec<(u64, f64)> {
        let covering = self.coverage.of_person(person);
        covering.into_iter().map(|group| (group as u64, self.release.groups.people[group] as f64)).collect()
    }

    /// A person whom no group covers is not in the release; of one who is covered it does not tell.
    fn presence(&self, person: &[u32]) -> Option<f64> {
        self.coverage.of_person(person).is_empty().then_some(0.0)
    }

    fn posterior(&self, person: &[u32], attribute: usize) -> Option<Vec<f64>> {
        let groups = &self.release.groups;
        let covering = self.coverage.of_person(person);
        let people: u64 = covering.iter().map(|&group| groups.people[group]).sum();
        let mut belief = vec![0.0; groups.whole.sensitive.get(attribute)?.domain.len()];
        for group in covering {
            let (codes, held) = groups.held(attribute, group);
            codes.iter().zip(held).for_each(|(&code, &held)| belief[code as usize] += held as f64 / people as f64);
        }
        (people > 0).then_some(belief)
    }
}
