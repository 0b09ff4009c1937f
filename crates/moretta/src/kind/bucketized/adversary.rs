//! How an adversary reads a bucketized release: by the rows with a person's values.

use std::sync::Arc;

use super::Bucketized;
use crate::data::domain::Domain;
use crate::error::Result;
use crate::release::exact_rows::ExactRows;
use crate::release::{Adversary, Groups};

impl Bucketized {
    /// Finds the rows of people described by codes into these domains.
    pub(super) fn reader<'r>(&'r self, quasi: &[(String, Arc<Domain>)]) -> Result<BucketizedAdversary<'r>> {
        let rows = ExactRows::new(quasi, &self.qit, &self.group_of_row, self.groups.len())?;
        Ok(BucketizedAdversary { groups: &self.groups, rows })
    }
}

/// An adversary: finds the rows with a person's values.
#[derive(Debug)]
pub(super) struct BucketizedAdversary<'r> {
    groups: &'r Groups,
    rows: ExactRows,
}

impl Adversary for BucketizedAdversary<'_> {
    fn candidates(&self, person: &[u32]) -> Vec<(u64, f64)> {
        self.rows.candidates(person)
    }

    fn presence(&self, person: &[u32]) -> Option<f64> {
        Some(self.rows.presence(person))
    }

    fn posterior(&self, person: &[u32], attribute: usize) -> Option<Vec<f64>> {
        let values = self.groups.whole.sensitive.get(attribute)?.domain.len();
        self.rows.believe(person, values, |group, weight, belief| {
            let weight = weight / self.groups.people[group] as f64;
            let (codes, held) = self.groups.held(attribute, group);
            codes.iter().zip(held).for_each(|(&code, &held)| belief[code as usize] += weight * held as f64);
        })
    }
}
