//! Membership: is this person in the data at all?
//!
//! The release is asked about people of the original and about people who are not in it: held-out people of a public table, or
//! else combinations of values that occur but that nobody has. The score that tells them apart best shows what an
//! adversary gains: advantage = true positive rate − false positive rate at the best threshold.

use std::sync::Arc;

use rand::Rng;
use rayon::prelude::*;

use super::finding::{Finding, Tested, VICTIMS, Victim, worst_indices};
use super::input::{OriginalTable, Population};
use super::{Attack, AuditInput};
use crate::data::cells::count_distinct;
use crate::data::domain::Domain;
use crate::data::table::{Column, Table};
use crate::error::{Error, Result};
use crate::kind::{Nearness, Release, StatedPresence};
use crate::model::Risk;
use crate::numeric::tolerance;
use crate::policy::Danger;
use crate::release::Adversary;
use crate::text::{rounded, short_percent};

pub(super) const ATTACK: Attack = Attack {
    name: "membership",
    adversary: "knows a person's quasi-identifiers, and does not know whether the person is in the data",
    run,
};

const ADVANTAGE: &str = "advantage";

fn run(scene: &AuditInput<'_>) -> Result<Tested> {
    let Some(original_table) = scene.original_table else {
        return Ok(Tested::Skipped(
            "who is in the data is only known beside the original: add --original POLICY".into(),
        ));
    };
    let release = &scene.audited.release;
    let adversary = release.adversary(&original_table.quasi())?;
    let mut findings = vec![advantage(scene, original_table)?];
    if let Ok(stated) = release.stated_presence() {
        findings.extend(presence(scene, original_table, &*adversary, stated)?);
    }
    Ok(Tested::Found(findings))
}

/// How sure the release makes somebody that a person is there.
enum Score<'r> {
    /// Its own probability or, where it states none, how much fits.
    Fit(Box<dyn Adversary + 'r>),
    /// How near its numbers come.
    Near(Box<dyn Nearness + 'r>),
}

impl<'r> Score<'r> {
    fn new(release: &'r dyn Release, quasi: &[(String, Arc<Domain>)]) -> Result<Self> {
        Ok(match release.nearness(quasi)? {
            Ok(nearness) => Self::Near(nearness),
            Err(_) => Self::Fit(release.adversary(quasi)?),
        })
    }

    fn of(&self, person: &[u32]) -> f64 {
        match self {
            Self::Near(nearness) => nearness.score(person),
            Self::Fit(adversary) => match adversary.presence(person) {
                Some(presence) => presence,
                None => adversary.candidates(person).iter().map(|candidate| candidate.1).sum(),
            },
        }
    }

    /// How many people on either side are looked at.
    fn sample(&self) -> usize {
        match self {
            Self::Near(nearness) => nearness.sample(),
            Self::Fit(_) => 20_000,
        }
    }
}

fn advantage(scene: &AuditInput<'_>, original_table: &OriginalTable) -> Result<Finding> {
    let score = Score::new(&*scene.audited.release, &original_table.quasi())?;
    let step = original_table.points.len().div_ceil(score.sample()).max(1);
    let members: Vec<f64> = (0..original_table.points.len())
        .into_par_iter()
        .step_by(step)
        .map(|point| score.of(&original_table.points.codes(point)))
        .collect();
    let (others, whom) = match scene.population {
        Some(Population::Table(register)) => {
            (held_out(scene, original_table, register)?, "people of the public table who are not in the original")
        }
        _ => (absent(scene, original_table, &score), "combinations of values of the original that nobody there has"),
    };
    if others.is_empty() {
        let finding = Finding::new(ADVANTAGE, 0.0, members.len() as u64);
        return Ok(finding.hitting(0, "nobody is absent to compare with").detail("others", 0));
    }
    let (advantage, threshold) = best_advantage(&members, &others);
    let (right, wrong) = (share_above(&members, threshold), share_above(&others, threshold));
    let recognized = members.iter().filter(|&&score| score > threshold).count() as u64;
    let worst = format!(
        "at the best threshold {} of those present are recognized, and {} of the others mistaken for present",
        short_percent(right),
        short_percent(wrong),
    );
    let sentence = format!(
        "somebody who knows quasi-identifiers takes {} of those present for present, and {} of the others",
        short_percent(right),
        short_percent(wrong)
    );
    let finding = Finding::new(ADVANTAGE, advantage, members.len() as u64)
        .hitting(recognized, "recognized as present at the best threshold")
        .graded(Danger::Membership, advantage, |line| if advantage >= line { recognized } else { 0 })
        .saying(sentence)
        .worst(Some(worst))
        .detail("true_positive_rate", right)
        .detail("false_positive_rate", wrong)
        .detail("others", others.len())
        .detail("who_the_others_are", whom);
    Ok(finding)
}

/// The scores of combinations that nobody has: each value drawn as often as it occurs, independently.
fn absent(scene: &AuditInput<'_>, original_table: &OriginalTable, score: &Score<'_>) -> Vec<f64> {
    let points = &original_table.points;
    let wanted = points.len().min(score.sample());
    let draw = |number: usize| {
        let mut chance = scene.seed.stream("absent people", number as u64);
        // Where nearly every combination occurs, there may be none to find.
        (0..20).find_map(|_| {
            let person: Vec<u32> =
                points.columns.iter().map(|column| column[chance.random_range(0..points.len())]).collect();
            points.find(&person).is_none().then(|| score.of(&person))
        })
    };
    (0..wanted).into_par_iter().filter_map(draw).collect()
}

/// The scores of people of the public table whom the original lacks.
fn held_out(scene: &AuditInput<'_>, original_table: &OriginalTable, register: &Table) -> Result<Vec<f64>> {
    let columns: Vec<_> = register.quasi.iter().map(Column::counted).collect();
    let persons = count_distinct(&columns, register.rows(), None);
    let quasi: Vec<_> = register.quasi.iter().map(|column| (column.name.clone(), column.domain.clone())).collect();
    let score = Score::new(&*scene.audited.release, &quasi)?;
    let own = |person: usize| -> Option<Vec<u32>> {
        let codes = persons.columns.iter().zip(&register.quasi).zip(&original_table.counted.table.quasi);
        codes.map(|((column, public), own)| own.domain.code(public.domain.value(column[person]))).collect()
    };
    let is_there = |person: usize| own(person).is_some_and(|codes| original_table.points.find(&codes).is_some());
    let step = persons.len().div_ceil(score.sample()).max(1);
    let scores = (0..persons.len()).into_par_iter().step_by(step).filter(|&person| !is_there(person)).map(|person| {
        let codes: Vec<u32> = persons.columns.iter().map(|column| column[person]).collect();
        score.of(&codes)
    });
    Ok(scores.collect())
}

fn share_above(scores: &[f64], threshold: f64) -> f64 {
    scores.iter().filter(|&&score| score > threshold).count() as f64 / scores.len().max(1) as f64
}

/// The largest difference of shares above a threshold, and that threshold.
fn best_advantage(members: &[f64], others: &[f64]) -> (f64, f64) {
    let (mut members, mut others) = (members.to_vec(), others.to_vec());
    members.sort_unstable_by(f64::total_cmp);
    others.sort_unstable_by(f64::total_cmp);
    if others.is_empty() || members.is_empty() {
        return (0.0, 0.0);
    }
    let above = |scores: &[f64], threshold: f64| {
        (scores.len() - scores.partition_point(|&score| score <= threshold)) as f64 / scores.len() as f64
    };
    let mut thresholds: Vec<f64> = members.iter().chain(&others).copied().collect();
    thresholds.push(-1.0);
    thresholds.sort_unstable_by(f64::total_cmp);
    thresholds.dedup();
    let of = |threshold: f64| (above(&members, threshold) - above(&others, threshold), threshold);
    thresholds.into_iter().map(of).fold((0.0, 0.0), |best, one| if one.0 > best.0 { one } else { best })
}

/// The belief that people of the original are present, where the release states one: from one group, and from all.
fn presence(
    scene: &AuditInput<'_>,
    original_table: &OriginalTable,
    adversary: &dyn Adversary,
    stated: StatedPresence,
) -> Result<Vec<Finding>> {
    let points = &original_table.points;
    let beliefs = (0..points.len())
        .into_par_iter()
        .map(|point| {
            let person = points.codes(point);
            let in_one = adversary.candidates(&person).iter().map(|candidate| candidate.1).fold(0.0, f64::max);
            let in_all = adversary.presence(&person);
            Ok((in_one, in_all.ok_or_else(|| Error::bug("a release that promises presence states none"))?))
        })
        .collect::<Result<Vec<(f64, f64)>>>()?;
    let one = |measure: &'static str, risk: Risk<'_>, levels: Vec<f64>| {
        let worst = worst_indices(levels.iter().copied(), VICTIMS);
        let measured = worst.first().map_or(0.0, |&point| levels[point]);
        let limit = scene.limit(risk);
        let line = limit.unwrap_or(tolerance::CERTAIN);
        let hit =
            points.people.iter().zip(&levels).filter(|(_, level)| !risk.keeps(**level, line)).map(|(p, _)| p).sum();
        let says = |point: usize| format!("the person is believed to be present with {}", short_percent(levels[point]));
        Finding::new(measure, measured, points.people.iter().sum())
            .against(risk, limit)
            .hitting(hit, format!("belief is above {}", short_percent(line)))
            .graded(Danger::Presence, measured, |line| {
                points.people.iter().zip(&levels).filter(|(_, level)| **level >= line).map(|(people, _)| people).sum()
            })
            .saying(format!("somebody is believed to be in the data with {}", rounded(measured, 4)))
            .worst(worst.first().map(|&point| says(point)))
            .naming(worst.iter().map(|&p| Victim { row: original_table.row_of_point(p), says: says(p) }).collect())
    };
    let combined = one("presence, all groups", Risk::Presence, beliefs.iter().map(|b| b.1).collect());
    Ok(match stated {
        StatedPresence::ByGroup => {
            let in_one = beliefs.iter().map(|b| b.0).collect();
            vec![one("presence, one group", Risk::GroupPresence, in_one), combined]
        }
        StatedPresence::Combined => vec![combined],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_advantage_is_the_largest_difference_of_the_two_distributions() {
        assert_eq!(best_advantage(&[1.0, 1.0, 1.0], &[0.0, 0.0]), (1.0, 0.0));
        assert!(best_advantage(&[0.5, 0.5], &[0.5, 0.5]).0.abs() < 1e-12);
        let (advantage, threshold) = best_advantage(&[0.1, 0.4, 0.6, 0.8], &[0.1, 0.2, 0.3, 0.7]);
        assert!((advantage - 0.5).abs() < 1e-12 && (threshold - 0.3).abs() < 1e-12);
        assert_eq!(best_advantage(&[1.0], &[]), (0.0, 0.0));
    }
}
