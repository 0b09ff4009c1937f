//! Background knowledge: an adversary who knows the table's patterns beforehand.
//!
//! Li (2010), chapter 3: negative rules that exclude values for people like this one, and kernel priors about them. Where the
//! files tell who stands in which group, the whole group is reasoned about ([`super::background`]); for other
//! kinds of release each person's belief is reweighed by what is known of her alone, which is weaker.

use serde_json::Value as Json;

use super::background::{Background, Exposure, Reasoning};
use super::background_alone::{prior_alone, rules_alone};
use super::finding::{Finding, Tested, VICTIMS, Victim};
use super::homogeneity::believed;
use super::input::OriginalTable;
use super::subjects::Subjects;
use super::{Attack, AuditInput, Grade};
use crate::distance::{GroundedDistance, PreparedDistance};
use crate::error::Result;
use crate::knowledge::Mining;
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
        scale.by_hierarchy().tree().is_none() && scale.domain().kind().is_ordered() && scale.domain().len() > 2
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
        let said = |level: f64| match level {
            1.0 => "1 value remains possible".to_owned(),
            _ => format!("{level} values remain possible"),
        };
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
                    background.by_prior_of_some(subjects.index, &bandwidths, distance, reasoning, NOTABLE)?
                }
                None => prior_alone(original_table, subjects, &bandwidths, NOTABLE, progress)?,
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
    let all = scene.subjects(progress)?;
    progress.start("sensitive attributes", all.len() as u64);
    for subjects in all {
        progress.check()?;
        findings.extend(one(scene, original_table, background.as_ref(), subjects)?);
        progress.advance(1);
    }
    progress.end();
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
    let finding = match &exposed.sampled {
        None => finding,
        Some(how) => finding.sampling(how),
    };
    let finding = match exposed.contradicted {
        0 => finding,
        people => finding.detail("people_about_whom_knowledge_contradicts_the_release", people),
    };
    finding.naming(victims.collect()).about(&subjects.attribute)
}
