//! How near somebody comes to the densities of a release: the score by which membership is guessed.

use std::sync::Arc;

use super::Uncertain;
use super::math::Space;
use crate::data::domain::Domain;
use crate::error::Result;
use crate::kind::Nearness;

/// Densities weighed at one person at most, for all that are scored in a moment.
const MOST_WEIGHED: usize = 1 << 25;

/// The likelihood of the density that fits a person best.
pub(super) struct NearestDensity<'r> {
    release: &'r Uncertain,
    space: Space,
    kept: Vec<usize>,
    domains: Vec<Arc<Domain>>,
}

impl<'r> NearestDensity<'r> {
    pub(super) fn new(release: &'r Uncertain, quasi: &[(String, Arc<Domain>)]) -> Result<Self> {
        let space = Space::of_release(quasi, &release.density)?;
        let position = |name: &String| quasi.iter().position(|(own, _)| own == name);
        let kept = release.density.kept.iter().filter_map(position).collect();
        Ok(Self { release, space, kept, domains: quasi.iter().map(|(_, domain)| domain.clone()).collect() })
    }

    fn agrees(&self, record: usize, person: &[u32]) -> bool {
        let mut columns = self.release.kept.iter().zip(&self.kept);
        columns.all(|(column, &at)| column.domain.value(column.codes[record]) == self.domains[at].value(person[at]))
    }
}

impl Nearness for NearestDensity<'_> {
    fn score(&self, person: &[u32]) -> f64 {
        let location = self.space.location_of(person, &self.domains);
        let all = self.release.fits();
        let records = (0..self.release.len()).filter(|&record| self.agrees(record, person));
        records.map(|record| all.log_fit(record, &location)).fold(f64::MIN, f64::max)
    }

    fn sample(&self) -> usize {
        (MOST_WEIGHED / self.release.len().max(1)).clamp(100, 20_000)
    }
}
