//! How an adversary reads an ambiguous release: by the groups that list all values of a person.

use super::Ambiguous;
use crate::release::{Adversary, Coverage};

/// An adversary: finds the groups that cover a person.
#[derive(Debug)]
pub(super) struct AmbiguousAdversary<'r> {
    pub(super) release: &'r Ambiguous,
    pub(super) coverage: Coverage<'r>,
}

impl Adversary for AmbiguousAdversary<'_> {
    fn candidates(&self, person: &[u32]) -> Vec<(u64, f64)> {
        let covering = self.coverage.of_person(person);
        covering.into_iter().map(|group| (group as u64, self.release.presence_in(group))).collect()
    }

    /// 1 − ∏(1 − p) over the groups that cover the person.
    fn presence(&self, person: &[u32]) -> Option<f64> {
        let covering = self.coverage.of_person(person);
        Some(1.0 - covering.into_iter().map(|group| 1.0 - self.release.presence_in(group)).product::<f64>())
    }

    /// c / |G| in a group (Theorem 5.2); groups count as they are likely to hold the person.
    fn posterior(&self, person: &[u32], attribute: usize) -> Option<Vec<f64>> {
        let groups = &self.release.groups;
        let candidates = self.candidates(person);
        let total: f64 = candidates.iter().map(|(_, weight)| weight).sum();
        let mut belief = vec![0.0; groups.whole.sensitive.get(attribute)?.domain.len()];
        for (group, weight) in candidates {
            let group = group as usize;
            let (codes, held) = groups.held(attribute, group);
            let share = weight / total / groups.people[group] as f64;
            codes.iter().zip(held).for_each(|(&code, &held)| belief[code as usize] += share * held as f64);
        }
        (total > 0.0).then_some(belief)
    }
}
