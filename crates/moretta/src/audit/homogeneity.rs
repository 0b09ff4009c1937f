//! Homogeneity: people whose sensitive value the release all but states.
//!
//! Machanavajjhala et al. (2007), section 2: groups of k who share one value protect nobody.

use super::finding::{Finding, Tested, VICTIMS, worst_indices};
use super::subjects::Subjects;
use super::{Attack, AuditInput, Grade};
use crate::error::Result;
use crate::model::Risk;
use crate::numeric::tolerance;
use crate::policy::Danger;
use crate::progress::Progress;
use crate::release::Unit;
use crate::text::{grouped, rounded, short_percent};

pub(super) const ATTACK: Attack = Attack {
    name: "homogeneity",
    adversary: "knows a person's quasi-identifiers and that the person is in the data, nothing else",
    run,
};

fn run(scene: &AuditInput<'_>, progress: &Progress) -> Result<Tested> {
    let subjects = scene.subjects(progress)?;
    if subjects.is_empty() {
        return Ok(Tested::Skipped(
            "the release shows no beliefs without people of the original: add --original POLICY".into(),
        ));
    }
    Ok(Tested::Found(subjects.iter().flat_map(|one| [fewest(scene, one), strongest(scene, one)]).collect()))
}

/// How few values remain possible.
fn fewest(scene: &AuditInput<'_>, subjects: &Subjects) -> Finding {
    let left = |belief: &[f64]| belief.iter().filter(|&&share| share > tolerance::NO_BELIEF).count();
    let (possible, likeliest): (Vec<usize>, Vec<usize>) =
        subjects.each(|belief| (left(belief), largest(belief))).into_iter().unzip();
    let least = possible.iter().copied().min().unwrap_or(0);
    let limit = scene.limit(Risk::Values(&subjects.attribute));
    let line = limit.unwrap_or(2.0);
    let affected = subjects.count(&possible, |&values| (values as f64) < line);
    let levels: Vec<(f64, usize)> =
        possible.iter().zip(&likeliest).map(|(&values, &value)| (-(values as f64), value)).collect();
    let worst = worst_indices(levels.iter().map(|level| level.0), 1).first().map(|&subject| {
        format!("{} possible, {}", counted(possible[subject]), subjects.describe(subject, levels[subject].1))
    });
    let finding = Finding::new("values left", least as f64, subjects.total())
        .against(Risk::Values(&subjects.attribute), limit)
        .knowing_group(subjects.largest_of_known_groups(|belief| -(left(belief) as f64)).map(|level| -level))
        .hitting(affected, format!("fewer than {line} values remain possible"))
        .worst(worst)
        .naming(subjects.victims(scene, VICTIMS, &levels));
    subjects.with_coverage(finding)
}

fn counted(values: usize) -> String {
    if values == 1 { "only one value".to_owned() } else { format!("{values} values") }
}

/// How strong a belief can be.
fn strongest(scene: &AuditInput<'_>, subjects: &Subjects) -> Finding {
    let levels: Vec<(f64, usize)> = subjects.each(|belief| {
        let value = largest(belief);
        (belief.get(value).copied().unwrap_or(0.0), value)
    });
    let worst = worst_indices(levels.iter().map(|level| level.0), 1);
    let measured = worst.first().map_or(0.0, |&subject| levels[subject].0);
    let risk = Risk::Belief(&subjects.attribute);
    let limit = scene.limit(risk);
    let beyond = |belief: f64| match limit {
        Some(limit) => !risk.keeps(belief, limit),
        None => belief >= tolerance::CERTAIN,
    };
    let affected = subjects.count(&levels, |&(belief, _)| beyond(belief));
    let total = subjects.total().max(1) as f64;
    let mean = subjects.people.iter().zip(&levels).map(|(&people, level)| people as f64 * level.0).sum::<f64>() / total;
    let counts = match limit {
        Some(limit) => format!("the strongest belief is above {}", short_percent(limit)),
        None => "the value is certain".to_owned(),
    };
    let finding = Finding::new("strongest belief", measured, subjects.total())
        .against(risk, limit)
        .knowing_group(subjects.largest_of_known_groups(|belief| belief.iter().copied().fold(0.0, f64::max)))
        .hitting(affected, counts)
        .worst(worst.first().map(|&subject| subjects.describe(subject, levels[subject].1)))
        .graded(Danger::Belief, measured, |line| subjects.count(&levels, |&(belief, _)| belief >= line))
        .detail("mean", mean)
        .detail("certain", subjects.count(&levels, |&(belief, _)| belief >= tolerance::CERTAIN))
        .naming(subjects.victims(scene, VICTIMS, &levels));
    let sentence =
        believed(&finding, scene.audited.unit, &subjects.attribute, "somebody who knows their quasi-identifiers");
    subjects.with_coverage(finding.saying(sentence))
}

/// What the strongest belief in a value comes to, for somebody who knows something.
pub(super) fn believed(finding: &Finding, unit: Unit, attribute: &str, knower: &str) -> String {
    let strongest = finding.reaches.map_or(finding.measured, |(_, level)| level);
    let who = match (finding.people_reached(), unit) {
        (1, Unit::People) => "1 person's".to_owned(),
        (many, Unit::People) => format!("{} people's", grouped(many)),
        (1, Unit::Rows) => "1 row's".to_owned(),
        (many, Unit::Rows) => format!("{} rows'", grouped(many)),
    };
    match finding.grade {
        Grade::Red if strongest >= 1.0 => format!("{who} {attribute} is certain, or as good as certain, for {knower}"),
        Grade::Red => format!(
            "{who} {attribute} is as good as certain, with a belief of up to {}, for {knower}",
            rounded(strongest, 4)
        ),
        Grade::Amber => format!("{who} {attribute} is believed with up to {} by {knower}", rounded(strongest, 4)),
        Grade::None => format!("nobody's {attribute} is believed with more than {} by {knower}", rounded(strongest, 4)),
    }
}

/// The place of the largest share: the first of equal ones.
fn largest(belief: &[f64]) -> usize {
    let better = |best: usize, value: usize| if belief[value] > belief[best] { value } else { best };
    (1..belief.len()).fold(0, better)
}
