//! How near somebody comes to the drawn records of a release: the score by which membership is guessed.

use std::sync::Arc;

use super::Condensed;
use super::locator::Locator;
use crate::data::domain::Domain;
use crate::kind::Nearness;

/// The distance of the nearest drawn record, in deviations of each coordinate.
pub(super) struct NearestRecord(Locator);

impl NearestRecord {
    pub(super) fn new(release: &Condensed, quasi: &[(String, Arc<Domain>)]) -> Self {
        Self(Locator::new(release, quasi))
    }
}

impl Nearness for NearestRecord {
    fn score(&self, person: &[u32]) -> f64 {
        self.0.nearest(person).map_or(f64::MIN, |(distance, _)| -distance)
    }

    fn sample(&self) -> usize {
        20_000
    }
}
