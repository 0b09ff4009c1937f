//! How near somebody comes to the drawn records of a release: the score by which membership is guessed.

use std::sync::Arc;

use super::Condensed;
use crate::data::domain::Domain;
use crate::kind::Nearness;
use crate::kind::uncertain::math::space::number_of;
use crate::kind::uncertain::math::{Coordinates, KdTree};
use crate::numeric::tolerance;

/// The distance of the nearest drawn record, in deviations of each attribute.
pub(super) struct NearestRecord {
    tree: KdTree,
    units: Vec<f64>,
    domains: Vec<(usize, Arc<Domain>)>,
}

impl NearestRecord {
    pub(super) fn new(release: &Condensed, quasi: &[(String, Arc<Domain>)]) -> Self {
        let mut columns = Vec::new();
        let mut domains = Vec::new();
        for column in &release.table.quasi {
            if let Some(index) = quasi.iter().position(|(name, _)| *name == column.name) {
                let of_code: Vec<f64> = column.domain.values().iter().map(number_of).collect();
                columns.push(column.codes.iter().map(|&code| of_code[code as usize]).collect::<Vec<f64>>());
                domains.push((index, quasi[index].1.clone()));
            }
        }
        let mut points = Coordinates { columns, people: vec![1; release.table.rows()] };
        let units: Vec<f64> =
            points.moments().iter().map(|(_, deviation)| deviation.max(tolerance::LEAST_DEVIATION)).collect();
        points.columns.iter_mut().zip(&units).for_each(|(column, unit)| column.iter_mut().for_each(|x| *x /= unit));
        Self { tree: KdTree::new(&points), units, domains }
    }
}

impl Nearness for NearestRecord {
    fn score(&self, person: &[u32]) -> f64 {
        let coordinate =
            |((index, domain), unit): (&(usize, Arc<Domain>), &f64)| number_of(domain.value(person[*index])) / unit;
        let location: Vec<f64> = self.domains.iter().zip(&self.units).map(coordinate).collect();
        let mut found = Vec::new();
        self.tree.nearest(&location, 1, &mut found);
        found.first().map_or(f64::MIN, |&(distance, _)| -distance)
    }

    fn sample(&self) -> usize {
        20_000
    }
}
