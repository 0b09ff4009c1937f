//! Skewness: people about whom the release moves belief away from the overall distribution.
//!
//! Li (2010), section 2.1: a group may be diverse and still make a rare value likely.

use super::finding::{Finding, Tested, VICTIMS, worst_indices};
use super::subjects::Subjects;
use super::{Attack, AuditInput};
use crate::error::Result;
use crate::model::Risk;
use crate::progress::Progress;

pub(super) const ATTACK: Attack = Attack {
    name: "skewness",
    adversary: "knows a person's quasi-identifiers, that the person is in the data, and how values are distributed in all of it",
    run,
};

/// A move of belief that counts where nothing is promised.
const NOTABLE: f64 = 0.5;

fn run(scene: &AuditInput<'_>, progress: &Progress) -> Result<Tested> {
    let subjects = scene.subjects(progress)?;
    if subjects.is_empty() {
        return Ok(Tested::Skipped(
            "the release shows no beliefs without people of the original: add --original POLICY".into(),
        ));
    }
    let mut findings = Vec::new();
    for one in subjects {
        progress.check()?;
        findings.push(variation(scene, one));
        findings.extend(ratio(scene, one));
    }
    Ok(Tested::Found(findings))
}

/// How far belief moves in all, and in which value it rises most.
fn variation(scene: &AuditInput<'_>, subjects: &Subjects) -> Finding {
    let prior = &subjects.prior;
    let distance =
        |belief: &[f64]| belief.iter().zip(prior).map(|(after, before)| (after - before).max(0.0)).sum::<f64>();
    let (moved, rises): (Vec<f64>, Vec<(f64, usize)>) = subjects
        .each(|belief| {
            let rise = |value: usize| belief[value] - prior[value];
            let most = (1..belief.len()).fold(0, |best, value| if rise(value) > rise(best) { value } else { best });
            (distance(belief), (rise(most), most))
        })
        .into_iter()
        .unzip();
    let measured = moved.iter().copied().fold(0.0, f64::max);
    let worst = worst_indices(rises.iter().map(|level| level.0), 1);
    let risk = Risk::Variation(&subjects.attribute);
    let limit = scene.limit(risk);
    let line = limit.unwrap_or(NOTABLE);
    let affected = subjects.count(&moved, |&distance| !risk.keeps(distance, line));
    let total = subjects.total().max(1) as f64;
    let mean = subjects.people.iter().zip(&moved).map(|(&people, moved)| people as f64 * moved).sum::<f64>() / total;
    let finding = Finding::new("move of belief", measured, subjects.total())
        .against(risk, limit)
        .knowing_group(subjects.largest_of_known_groups(distance))
        .hitting(affected, format!("belief moves by more than {line}"))
        .worst(worst.first().map(|&subject| subjects.describe(subject, rises[subject].1)))
        .detail("largest_rise", worst.first().map_or(0.0, |&subject| rises[subject].0))
        .detail("mean", mean)
        .naming(subjects.victims(scene, VICTIMS, &rises));
    subjects.with_coverage(finding)
}

/// By which factor belief in a value moves at most, where a promise bounds it.
fn ratio(scene: &AuditInput<'_>, subjects: &Subjects) -> Option<Finding> {
    let risk = Risk::Ratio(&subjects.attribute);
    let limit = scene.limit(risk)?;
    let most = |belief: &[f64]| {
        let moved = belief.iter().zip(&subjects.prior).map(|(&p, &q)| match (p > 0.0, q > 0.0) {
            (false, false) => 0.0,
            (true, true) => (p / q).ln().abs(),
            _ => f64::INFINITY,
        });
        moved.enumerate().fold((0.0, 0), |best, (value, level)| if level > best.0 { (level, value) } else { best })
    };
    let levels: Vec<(f64, usize)> = subjects.each(most);
    let measured = levels.iter().map(|level| level.0).fold(0.0, f64::max);
    let worst = worst_indices(levels.iter().map(|level| level.0), 1);
    let finding = Finding::new("log factor of belief", measured, subjects.total())
        .against(risk, Some(limit))
        .knowing_group(subjects.largest_of_known_groups(|belief| most(belief).0))
        .hitting(
            subjects.count(&levels, |&(level, _)| !risk.keeps(level, limit)),
            format!("the level is above {limit}"),
        )
        .worst(worst.first().map(|&subject| subjects.describe(subject, levels[subject].1)))
        .naming(subjects.victims(scene, VICTIMS, &levels));
    Some(subjects.with_coverage(finding))
}
