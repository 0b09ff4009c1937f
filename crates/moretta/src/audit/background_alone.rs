//! Background knowledge about each person alone, for releases whose files do not tell who stands in which group.

use super::background::Exposure;
use super::finding::{VICTIMS, worst_indices};
use super::input::OriginalTable;
use super::prior_of_some::prior_of_some;
use super::subjects::Subjects;
use crate::error::{Error, Result};
use crate::knowledge::Mining;
use crate::numeric::tolerance;
use crate::progress::Progress;

/// Values that the release leaves possible and the rules do not exclude, person by person.
pub(super) fn rules_alone(
    original_table: &OriginalTable,
    subjects: &Subjects,
    mining: &Mining,
    progress: &Progress,
) -> Result<Exposure> {
    let rules = original_table.known(progress.token()).rules(subjects.index, mining)?;
    let codes = codes_of(original_table, subjects);
    let left = |subject: usize, point: u32| {
        let barred = rules.incompatible.row(point as usize);
        let excluded = |code: u32| barred[code as usize / 64] >> (code % 64) & 1 == 1;
        let open = |(&share, code): (&f64, &Option<u32>)| share > tolerance::NO_BELIEF && !code.is_some_and(excluded);
        subjects.belief(subject).iter().zip(&codes).filter(|&(share, code)| open((share, code))).count()
    };
    let levels = of_subjects(subjects, |subject, point| match left(subject, point) {
        0 => Level::Contradicted,
        values => Level::Reached(values as f64),
    })?;
    Ok(exposure(subjects, &levels, |level| level < 2.0, |level| -level))
}

/// The posterior odds of each value times what the prior says of it beyond the overall distribution.
pub(super) fn prior_alone(
    original_table: &OriginalTable,
    subjects: &Subjects,
    bandwidths: &[f64],
    notable: f64,
    progress: &Progress,
) -> Result<Exposure> {
    let points = subjects.points.as_deref().unwrap_or_default();
    // Everybody is a group of her own here.
    let alone: Vec<Vec<u32>> = points.iter().map(|&point| vec![point]).collect();
    let known = original_table.known(progress.token());
    let (prior, chosen) = prior_of_some(&known, subjects.index, bandwidths, &alone)?;
    let codes = codes_of(original_table, subjects);
    let row_of = |subject: usize, point: u32| match &chosen {
        None => Some(point),
        Some(chosen) => chosen.groups.binary_search(&subject).ok().map(|_| chosen.row_of(point)),
    };
    let levels = of_subjects(subjects, |subject, point| {
        let Some(row) = row_of(subject, point) else { return Level::NotAsked };
        let before = prior.at(row as usize);
        let known = |code: &Option<u32>| code.map_or(0.0, |code| before[code as usize]);
        let updated: Vec<f64> = subjects
            .belief(subject)
            .iter()
            .zip(&subjects.prior)
            .zip(&codes)
            .map(|((&belief, &overall), code)| if overall > 0.0 { known(code) * belief / overall } else { 0.0 })
            .collect();
        let total: f64 = updated.iter().sum();
        let moved = updated.iter().zip(&codes).map(|(after, code)| (after / total - known(code)).max(0.0)).sum();
        if total > 0.0 { Level::Reached(moved) } else { Level::Contradicted }
    })?;
    let how = chosen.map(|chosen| chosen.how.replacen("groups", "combinations of quasi-identifiers", 1));
    Ok(Exposure { sampled: how, ..exposure(subjects, &levels, |level| level > notable, |level| level) })
}

/// The original's code of each value of the release.
fn codes_of(original_table: &OriginalTable, subjects: &Subjects) -> Vec<Option<u32>> {
    let domain = &original_table.counted.whole.sensitive[subjects.index].domain;
    subjects.values.iter().map(|value| domain.code(value)).collect()
}

/// What is concluded about somebody.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Level {
    Reached(f64),
    /// What is known contradicts the release.
    Contradicted,
    NotAsked,
}

impl Level {
    fn reached(self) -> Option<f64> {
        match self {
            Self::Reached(level) => Some(level),
            Self::Contradicted | Self::NotAsked => None,
        }
    }
}

fn of_subjects(subjects: &Subjects, level: impl Fn(usize, u32) -> Level) -> Result<Vec<(u32, Level)>> {
    let points = subjects.points.as_deref();
    let points = points.ok_or_else(|| Error::bug("somebody is attacked who is not of the original"))?;
    Ok(points.iter().enumerate().map(|(subject, &point)| (point, level(subject, point))).collect())
}

/// Sums up levels; `badness` grows as a level gets worse.
fn exposure(
    subjects: &Subjects,
    levels: &[(u32, Level)],
    hit: impl Fn(f64) -> bool,
    badness: impl Fn(f64) -> f64,
) -> Exposure {
    let counted = |wanted: &dyn Fn(Level) -> bool| {
        subjects.people.iter().zip(levels).filter(|(_, level)| wanted(level.1)).map(|(people, _)| people).sum()
    };
    let worst = worst_indices(levels.iter().map(|level| level.1.reached().map_or(f64::NAN, &badness)), VICTIMS);
    let worst_hit: Vec<(f64, u32)> =
        worst.iter().filter_map(|&subject| Some((levels[subject].1.reached()?, levels[subject].0))).collect();
    Exposure {
        people: counted(&|level| level != Level::NotAsked),
        vulnerable: counted(&|level| level.reached().is_some_and(&hit)),
        worst: worst_hit.first().map_or(0.0, |hit| hit.0),
        contradicted: counted(&|level| level == Level::Contradicted),
        worst_hit,
        sampled: None,
    }
}
