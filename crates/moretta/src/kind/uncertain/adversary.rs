//! What an adversary learns from densities.

use std::sync::Arc;

use super::Uncertain;
use super::math::Space;
use crate::data::domain::Domain;
use crate::data::value::Value;
use crate::error::Result;
use crate::release::Adversary;

/// The logarithm of a weight beside the best that changes nothing: 10⁻¹².
const NEGLIGIBLE: f64 = -27.631;

impl Uncertain {
    /// Weighs the records for people described by codes into these domains.
    pub(super) fn reader<'r>(&'r self, quasi: &[(String, Arc<Domain>)]) -> Result<UncertainAdversary<'r>> {
        let space = Space::of_release(quasi, &self.density)?;
        let kept = space.kept.iter().zip(&self.kept).map(|(&index, column)| {
            let code = |value: &Value| column.domain.code(value);
            (index, quasi[index].1.values().iter().map(code).collect())
        });
        let kept = kept.collect();
        Ok(UncertainAdversary { release: self, kept, space, domains: quasi.iter().map(|q| q.1.clone()).collect() })
    }
}

/// An adversary who holds the public records: weighs every record by its density at the person's location (equation 3).
#[derive(Debug)]
pub(crate) struct UncertainAdversary<'r> {
    pub(crate) release: &'r Uncertain,
    /// Kept attributes: where a person has them, and the released code of each code.
    pub(crate) kept: Vec<(usize, Vec<Option<u32>>)>,
    pub(crate) space: Space,
    pub(crate) domains: Vec<Arc<Domain>>,
}

impl UncertainAdversary<'_> {
    fn weights(&self, person: &[u32]) -> Vec<(usize, f64)> {
        let location = self.space.location_of(person, &self.domains);
        let known: Option<Vec<u32>> = self.kept.iter().map(|(at, codes)| codes[person[*at] as usize]).collect();
        let Some(known) = known else { return Vec::new() };
        let agrees =
            |record: usize| self.release.kept.iter().zip(&known).all(|(column, &code)| column.codes[record] == code);
        let fits_of = self.release.fits();
        let fits: Vec<(usize, f64)> = (0..self.release.len())
            .filter(|&record| agrees(record))
            .map(|record| (record, fits_of.log_fit(record, &location)))
            .filter(|(_, fit)| *fit > f64::NEG_INFINITY)
            .collect();
        let best = fits.iter().map(|(_, fit)| *fit).fold(f64::NEG_INFINITY, f64::max);
        let weighed: Vec<(usize, f64)> = fits
            .into_iter()
            .filter(|(_, fit)| fit - best > NEGLIGIBLE)
            .map(|(record, fit)| (record, (fit - best).exp()))
            .collect();
        let total: f64 = weighed.iter().map(|(_, weight)| weight).sum();
        weighed.into_iter().map(|(record, weight)| (record, weight / total)).collect()
    }
}

impl Adversary for UncertainAdversary<'_> {
    fn candidates(&self, person: &[u32]) -> Vec<(u64, f64)> {
        self.weights(person).into_iter().map(|(record, weight)| (record as u64, weight)).collect()
    }

    /// A density is above 0 for people who are not there as well; only a record that nothing fits tells something.
    fn presence(&self, person: &[u32]) -> Option<f64> {
        self.weights(person).is_empty().then_some(0.0)
    }

    fn posterior(&self, person: &[u32], attribute: usize) -> Option<Vec<f64>> {
        let column = self.release.sensitive.get(attribute)?;
        let weights = self.weights(person);
        let mut belief = vec![0.0; column.domain.len()];
        weights.iter().for_each(|&(record, weight)| belief[column.codes[record] as usize] += weight);
        (!weights.is_empty()).then_some(belief)
    }
}
