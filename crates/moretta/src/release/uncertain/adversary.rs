//! What an adversary learns from densities.

use std::sync::Arc;

use super::Uncertain;
use crate::data::domain::Domain;
use crate::release::answers::Adversary;
use crate::uncertain::Space;

/// The logarithm of a weight beside the best that changes nothing: 10⁻¹².
const NEGLIGIBLE: f64 = -27.631;

/// An adversary who holds the public records: weighs every record by its density at the person's place (equation 3).
#[derive(Debug)]
pub(super) struct Reader<'r> {
    pub(super) release: &'r Uncertain,
    /// Kept attributes: where a person has them, and the released code of each code.
    pub(super) kept: Vec<(usize, Vec<Option<u32>>)>,
    pub(super) space: Space,
    pub(super) domains: Vec<Arc<Domain>>,
}

impl Reader<'_> {
    fn weights(&self, person: &[u32]) -> Vec<(usize, f64)> {
        let place = self.space.place_of(person, &self.domains);
        let known: Option<Vec<u32>> = self.kept.iter().map(|(at, codes)| codes[person[*at] as usize]).collect();
        let Some(known) = known else { return Vec::new() };
        let agrees =
            |record: usize| self.release.kept.iter().zip(&known).all(|(column, &code)| column.codes[record] == code);
        let fits_of = self.release.fits();
        let fits: Vec<(usize, f64)> = (0..self.release.len())
            .filter(|&record| agrees(record))
            .map(|record| (record, fits_of.log_fit(record, &place)))
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

impl Adversary for Reader<'_> {
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
