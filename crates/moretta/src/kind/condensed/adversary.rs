//! How an adversary reads a condensed release: by the drawn record that is nearest to a person.

use std::sync::Arc;

use super::Condensed;
use super::locator::Locator;
use crate::data::domain::Domain;
use crate::error::{Error, Result};
use crate::release::Adversary;

impl Condensed {
    /// Finds the records nearest to people described by codes into these domains.
    pub(super) fn reader<'r>(&'r self, quasi: &[(String, Arc<Domain>)]) -> Result<CondensedAdversary<'r>> {
        let group_of_row = match &self.table.group {
            Some(group) => group.codes.as_slice(),
            None => return Err(Error::bug("a condensed release without groups")),
        };
        Ok(CondensedAdversary { release: self, locator: Locator::new(self, quasi), group_of_row })
    }
}

/// An adversary who takes the nearest drawn record's group for the person's.
#[derive(Debug)]
pub(super) struct CondensedAdversary<'r> {
    release: &'r Condensed,
    locator: Locator,
    group_of_row: &'r [u32],
}

impl CondensedAdversary<'_> {
    fn group(&self, person: &[u32]) -> Option<usize> {
        self.locator.nearest(person).map(|(_, row)| self.group_of_row[row] as usize)
    }
}

impl Adversary for CondensedAdversary<'_> {
    fn candidates(&self, person: &[u32]) -> Vec<(u64, f64)> {
        self.group(person).into_iter().map(|group| (group as u64, 1.0)).collect()
    }

    /// Records are nobody's: the release does not tell.
    fn presence(&self, _: &[u32]) -> Option<f64> {
        None
    }

    fn posterior(&self, person: &[u32], attribute: usize) -> Option<Vec<f64>> {
        let groups = &self.release.groups;
        let group = self.group(person)?;
        let mut belief = vec![0.0; groups.whole.sensitive.get(attribute)?.domain.len()];
        let (codes, held) = groups.held(attribute, group);
        codes
            .iter()
            .zip(held)
            .for_each(|(&code, &held)| belief[code as usize] += held as f64 / groups.people[group] as f64);
        Some(belief)
    }
}
