//! How near people are to what a release of numbers shows: the score by which membership is guessed there.

use std::sync::Arc;

use super::input::OriginalTable;
use crate::data::domain::Domain;
use crate::error::Result;
use crate::numeric::tolerance;
use crate::release::{Condensed, Uncertain};
use crate::kind::Release;
use crate::kind::uncertain::math::space::number_of;
use crate::kind::uncertain::math::{Points, Space, Tree};

/// Scores of nearness to the records of a release.
pub(super) enum Nearness<'r> {
    Density { release: &'r Uncertain, space: Space, kept: Vec<usize>, domains: Vec<Arc<Domain>> },
    Record { tree: Tree, units: Vec<f64>, domains: Vec<(usize, Arc<Domain>)> },
}

impl<'r> Nearness<'r> {
    /// Nothing for releases whose own questions tell members from others.
    pub(super) fn new(
        release: &'r Release,
        original_table: &OriginalTable,
        quasi: &[(String, Arc<Domain>)],
    ) -> Result<Option<Self>> {
        let domains: Vec<Arc<Domain>> = quasi.iter().map(|(_, domain)| domain.clone()).collect();
        Ok(match release {
            Release::Uncertain(release) => {
                let space = Space::of_release(quasi, &release.density)?;
                let index = |name: &String| original_table.names.iter().position(|own| own == name);
                let kept = release.density.kept.iter().filter_map(index).collect();
                Some(Self::Density { release, space, kept, domains })
            }
            Release::Condensed(release) => Some(Self::of_records(release, quasi)),
            _ => None,
        })
    }

    fn of_records(release: &Condensed, quasi: &[(String, Arc<Domain>)]) -> Self {
        let mut columns = Vec::new();
        let mut domains = Vec::new();
        for column in &release.table.quasi {
            if let Some(index) = quasi.iter().position(|(name, _)| *name == column.name) {
                let of_code: Vec<f64> = column.domain.values().iter().map(number_of).collect();
                columns.push(column.codes.iter().map(|&code| of_code[code as usize]).collect::<Vec<f64>>());
                domains.push((index, quasi[index].1.clone()));
            }
        }
        let mut points = Points { columns, people: vec![1; release.table.rows()] };
        let units: Vec<f64> =
            points.moments().iter().map(|(_, deviation)| deviation.max(tolerance::LEAST_DEVIATION)).collect();
        points.columns.iter_mut().zip(&units).for_each(|(column, unit)| column.iter_mut().for_each(|x| *x /= unit));
        Self::Record { tree: Tree::new(&points), units, domains }
    }

    /// The larger, the nearer.
    pub(super) fn score(&self, person: &[u32]) -> f64 {
        match self {
            Self::Density { release, space, kept, domains } => {
                let index = space.place_of(person, domains);
                let agrees =
                    |record: usize| {
                        release.kept.iter().zip(kept).all(|(column, &at)| {
                            column.domain.value(column.codes[record]) == domains[at].value(person[at])
                        })
                    };
                let all = release.fits();
                let fits = (0..release.len()).filter(|&record| agrees(record)).map(|r| all.log_fit(r, &index));
                // Finite, so that people whom nothing fits compare too.
                fits.fold(f64::MIN, f64::max)
            }
            Self::Record { tree, units, domains } => {
                let coordinate = |((index, domain), unit): (&(usize, Arc<Domain>), &f64)| {
                    number_of(domain.value(person[*index])) / unit
                };
                let index: Vec<f64> = domains.iter().zip(units).map(coordinate).collect();
                let mut found = Vec::new();
                tree.nearest(&index, 1, &mut found);
                found.first().map_or(f64::MIN, |&(distance, _)| -distance)
            }
        }
    }

    /// How many people can be scored in a moment.
    pub(super) fn sample(&self) -> usize {
        match self {
            Self::Density { release, .. } => ((1 << 25) / release.len().max(1)).clamp(100, 20_000),
            Self::Record { .. } => 20_000,
        }
    }
}
