//! How an adversary reads a distribution release: by the rows with a person's values.

use std::sync::Arc;

use super::Distribution;
use crate::data::domain::Domain;
use crate::error::Result;
use crate::release::Adversary;
use crate::release::exact_rows::ExactRows;

impl Distribution {
    /// Finds the rows of people described by codes into these domains.
    pub(super) fn reader<'r>(&'r self, quasi: &[(String, Arc<Domain>)]) -> Result<DistributionAdversary<'r>> {
        let rows = ExactRows::new(quasi, &self.qit, &self.group_of_row, self.groups.len())?;
        Ok(DistributionAdversary { release: self, rows })
    }
}

/// An adversary: finds the rows with a person's values.
#[derive(Debug)]
pub(super) struct DistributionAdversary<'r> {
    release: &'r Distribution,
    rows: ExactRows,
}

impl Adversary for DistributionAdversary<'_> {
    fn candidates(&self, person: &[u32]) -> Vec<(u64, f64)> {
        self.rows.candidates(person)
    }

    fn presence(&self, person: &[u32]) -> Option<f64> {
        Some(self.rows.presence(person))
    }

    /// The target of the group: what the subdomains add up to.
    fn posterior(&self, person: &[u32], attribute: usize) -> Option<Vec<f64>> {
        let values = (attribute == 0).then_some(self.release.values.len())?;
        self.rows.believe(person, values, |group, weight, belief| {
            let target = &self.release.groups[group].target;
            belief.iter_mut().zip(target).for_each(|(belief, share)| *belief += weight * share.to_f64());
        })
    }
}
