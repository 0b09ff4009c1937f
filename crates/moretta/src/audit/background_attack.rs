//! Background knowledge: an adversary who knows the table's patterns beforehand.
//!
//! Li (2010), chapter 3: negative rules that exclude values for people like this one, and kernel priors about them. Where the
//! files tell who stands in which group, the whole group is reasoned about ([`super::background`]); for other
//! kinds of release each person's belief is reweighed by what is known of her alone, which is weaker.

use serde_json::Value as Json;

use super::background::{Background, Exposure, Reasoning};
use super::finding::{Finding, Tested, VICTIMS, Victim, worst_indices};
use super::homogeneity::believed;
use super::input::OriginalTable;
use super::subjects::Subjects;
use super::{Attack, AuditInput, Grade};
use crate::distance::{GroundedDistance, PreparedDistance};
use crate::error::{Error, Result};
use crate::knowledge::{AttributeDistance, Mining, Prior};
use crate::numeric::tolerance;
use crate::policy::Danger;
use crate::progress::Progress;
use crate::text::short_percent;

pub(super) const RULES: Attack = Attack {
    name: "background-rules",
    adversary: "knows a person's quasi-identifiers, that the person is in the data, and which values people like her never have; the rules are mined from the original, which stands for similar data",
    run: rules,
};

pub(super) const PRIORS: Attack = Attack {
    name: "background-priors",
    adversary: "knows a person's quasi-identifiers, that the person is in the data, and how values are distributed among people like her; the prior is estimated from the original with kernels",
    run: priors,
};

/// Kernels weigh every value of a quasi-identifier against every other.
const MOST_VALUES: usize = 2048;

/// A gain that counts where nothing is promised.
const NOTABLE: f64 = 0.5;

fn rules(scene: &AuditInput<'_>, progress: &Progress) -> Result<Tested> {
    let without_items = |scale: &crate::hierarchy::Scale| {
        scale.tree().is_none() && scale.domain().kind().is_ordered() && scale.domain().len() > 2
    };
    if let Some(original_table) = scene.original_table
        && let Some(index) = original_table.counted.scales.iter().position(without_items)
    {
        let name = &original_table.names[index];
        return Ok(Tested::Skipped(format!("rules speak of generalized values, and {name:?} has no hierarchy")));
    }
    attack(scene, progress, |scene, original_table, background, subjects| {
        let mining = Mining { flat: true, ..Mining::at(scene.knowledge.min_expectation) };
        let exposed = match background {
            Some(background) => background.by_rules(subjects.index, &mining, 2)?,
            None => rules_alone(original_table, subjects, &mining, progress)?,
        };
        let said = |level: f64| format!("{level} values remain possible");
        let measured = if exposed.worst.is_finite() { exposed.worst } else { 0.0 };
        let finding =
            Finding::new("values left", measured, exposed.people).detail("min_expectation", mining.min_expectation);
        // Where so many values remain, one of them is believed with no less than this.
        let least_belief = if measured > 0.0 { 1.0 / measured } else { 0.0 };
        let finding = finding.graded(Danger::Belief, least_belief, |_| exposed.vulnerable);
        let knower = format!("somebody who knows which {} people like them never have", subjects.attribute);
        let sentence = match finding.grade {
            Grade::None => format!("{measured} or more values of {} remain possible for {knower}", subjects.attribute),
            _ => believed(&finding, scene.audited.unit, &subjects.attribute, &knower),
        };
        Ok(vec![describe(
            finding.saying(sentence),
            original_table,
            subjects,
            &exposed,
            "the value is certain",
            background.is_some(),
            said,
        )])
    })
}

fn priors(scene: &AuditInput<'_>, progress: &Progress) -> Result<Tested> {
    if let Some(original_table) = scene.original_table
        && let Some(index) = original_table.counted.scales.iter().position(|scale| scale.domain().len() > MOST_VALUES)
    {
        let (name, values) = (&original_table.names[index], original_table.counted.scales[index].domain().len());
        return Ok(Tested::Skipped(format!("kernels over the {values} values of {name:?} would take too long")));
    }
    attack(scene, progress, |scene, original_table, background, subjects| {
        let mut findings = Vec::new();
        for &bandwidth in &scene.knowledge.bandwidths {
            let bandwidths = vec![bandwidth; original_table.names.len()];
            let reasoning = if scene.knowledge.exact { Reasoning::Exact } else { Reasoning::Omega };
            let exposed = match background {
                Some(background) => {
                    let values = original_table.counted.whole.sensitive[subjects.index].domain.len();
                    let distance = PreparedDistance::new(GroundedDistance::Variational, values)?;
                    background.by_prior(subjects.index, &bandwidths, distance, reasoning, NOTABLE)?
                }
                None => prior_alone(original_table, subjects, &bandwidths, progress)?,
            };
            let said = |level: f64| format!("belief moves by {} from what was known before", short_percent(level));
            let stated = if bandwidth.is_finite() { Json::from(bandwidth) } else { Json::from("inf") };
            let finding =
                Finding::new("move from the prior", exposed.worst, exposed.people).detail("bandwidth", stated);
            let counts = "belief moves by more than 50 %";
            findings.push(describe(finding, original_table, subjects, &exposed, counts, background.is_some(), said));
        }
        Ok(findings)
    })
}

/// Runs an attack for each sensitive attribute, with the people placed in their groups where the files tell.
fn attack(
    scene: &AuditInput<'_>,
    progress: &Progress,
    one: impl Fn(&AuditInput<'_>, &OriginalTable, Option<&Background<'_>>, &Subjects) -> Result<Vec<Finding>>,
) -> Result<Tested> {
    let Some(original_table) = scene.original_table else {
        return Ok(Tested::Skipped("knowledge is mined from the original: add --original POLICY".into()));
    };
    let original = original_table.counted.original();
    let (names, points) = (&original_table.names, &original_table.points);
    let background = Background::new(&*scene.audited.release, &original, names, points, progress.token())?;
    let mut findings = Vec::new();
    for subjects in scene.subjects(progress)? {
        progress.check()?;
        findings.extend(one(scene, original_table, background.as_ref(), subjects)?);
    }
    Ok(if findings.is_empty() {
        Tested::Skipped("the release shows no sensitive attribute".into())
    } else {
        Tested::Found(findings)
    })
}

fn describe(
    finding: Finding,
    original_table: &OriginalTable,
    subjects: &Subjects,
    exposed: &Exposure,
    counts: &str,
    by_group: bool,
    said: impl Fn(f64) -> String,
) -> Finding {
    let victims = exposed
        .worst_hit
        .iter()
        .take(VICTIMS)
        .map(|&(level, point)| Victim { row: original_table.row_of_point(point as usize), says: said(level) });
    let worst = exposed.worst_hit.first().map(|&(level, _)| said(level));
    let how = if by_group { "whole groups at once" } else { "each person alone" };
    let finding = finding.hitting(exposed.vulnerable, counts).worst(worst).detail("reasoning", how);
    let finding = match exposed.contradicted {
        0 => finding,
        people => finding.detail("people_about_whom_knowledge_contradicts_the_release", people),
    };
    finding.naming(victims.collect()).about(&subjects.attribute)
}

/// Values that the release leaves possible and the rules do not exclude, person by person.
fn rules_alone(
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
        0 => None,
        values => Some(values as f64),
    })?;
    Ok(exposure(subjects, &levels, |level| level < 2.0, |level| -level))
}

/// The posterior odds of each value times what the prior says of it beyond the overall distribution.
fn prior_alone(
    original_table: &OriginalTable,
    subjects: &Subjects,
    bandwidths: &[f64],
    progress: &Progress,
) -> Result<Exposure> {
    let distances: Vec<AttributeDistance> =
        original_table.counted.scales.iter().map(AttributeDistance::of_scale).collect();
    let known = original_table.known(progress.token());
    let prior = Prior::new(&known.evidence(subjects.index), &distances, bandwidths)?;
    let codes = codes_of(original_table, subjects);
    let levels = of_subjects(subjects, |subject, point| {
        let before = prior.at(point as usize);
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
        (total > 0.0).then_some(moved)
    })?;
    Ok(exposure(subjects, &levels, |level| level > NOTABLE, |level| level))
}

/// The original's code of each value of the release.
fn codes_of(original_table: &OriginalTable, subjects: &Subjects) -> Vec<Option<u32>> {
    let domain = &original_table.counted.whole.sensitive[subjects.index].domain;
    subjects.values.iter().map(|value| domain.code(value)).collect()
}

fn of_subjects(subjects: &Subjects, level: impl Fn(usize, u32) -> Option<f64>) -> Result<Vec<(u32, Option<f64>)>> {
    let points = subjects.points.as_deref();
    let points = points.ok_or_else(|| Error::bug("somebody is attacked who is not of the original"))?;
    Ok(points.iter().enumerate().map(|(subject, &point)| (point, level(subject, point))).collect())
}

/// Sums up levels; `badness` grows as a level gets worse.
fn exposure(
    subjects: &Subjects,
    levels: &[(u32, Option<f64>)],
    hit: impl Fn(f64) -> bool,
    badness: impl Fn(f64) -> f64,
) -> Exposure {
    let counted = |wanted: &dyn Fn(Option<f64>) -> bool| {
        subjects.people.iter().zip(levels).filter(|(_, level)| wanted(level.1)).map(|(people, _)| people).sum()
    };
    let worst = worst_indices(levels.iter().map(|level| level.1.map_or(f64::NAN, &badness)), VICTIMS);
    let worst_hit: Vec<(f64, u32)> =
        worst.iter().filter_map(|&subject| Some((levels[subject].1?, levels[subject].0))).collect();
    Exposure {
        people: subjects.total(),
        vulnerable: counted(&|level| level.is_some_and(&hit)),
        worst: worst_hit.first().map_or(0.0, |hit| hit.0),
        contradicted: counted(&|level| level.is_none()),
        worst_hit,
    }
}
