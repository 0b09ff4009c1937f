//! Similarity: people whose value is hidden among values that mean much the same.
//!
//! Li (2010), section 2.1: stomach ulcer, gastritis and stomach cancer are three values and one disclosure. Values are alike
//! if the policy puts them into one category or, without categories, if they have the same parent in the hierarchy.

use std::collections::BTreeMap;

use super::finding::{Finding, Tested, VICTIMS, Victim, worst_indices};
use super::homogeneity::believed;
use super::subjects::Subjects;
use super::{Attack, AuditInput};
use crate::error::Result;
use crate::model::Risk;
use crate::numeric::tolerance;
use crate::policy::Danger;
use crate::progress::Progress;
use crate::release::Sensitive;
use crate::text::short_percent;

pub(super) const ATTACK: Attack = Attack {
    name: "similarity",
    adversary: "knows a person's quasi-identifiers, that the person is in the data, and which values are alike",
    run,
};

fn run(scene: &AuditInput<'_>, progress: &Progress) -> Result<Tested> {
    let mut findings = Vec::new();
    for subjects in scene.subjects(progress)? {
        progress.check()?;
        let described = match (scene.original_table, scene.audited.release.groups()) {
            (Some(original_table), _) => &original_table.counted.whole.sensitive[subjects.index],
            (None, Ok(groups)) => &groups.whole.sensitive[subjects.index],
            (None, Err(_)) => continue,
        };
        if let Some(kinds) = Kinds::new(described, subjects) {
            findings.extend([concentration(scene, subjects, &kinds), variety(scene, subjects, &kinds)]);
        }
    }
    Ok(if findings.is_empty() {
        Tested::Skipped("no sensitive attribute has categories or a hierarchy that says which values are alike".into())
    } else {
        Tested::Found(findings)
    })
}

/// Which values are alike.
struct Kinds {
    names: Vec<String>,
    /// The kind of each value of the release.
    of_value: Vec<usize>,
}

impl Kinds {
    fn new(described: &Sensitive, subjects: &Subjects) -> Option<Self> {
        let name = |value: &crate::data::Value| -> Option<String> {
            let code = described.domain.code(value)? as usize;
            if let Some(categories) = &described.categories {
                return Some(format!("category {}", categories.of_code[code] + 1));
            }
            let (tree, ranks) = described.hierarchy.as_ref()?;
            let parent = tree.parent(tree.leaf(ranks[code]));
            // All are alike under the root: that says nothing.
            Some(if parent == 0 { value.to_string() } else { tree.label(parent).to_owned() })
        };
        let of_value: Vec<String> = subjects.values.iter().map(name).collect::<Option<_>>()?;
        let mut names = of_value.clone();
        names.sort_unstable();
        names.dedup();
        if names.len() == subjects.values.len() || names.len() < 2 {
            return None;
        }
        let index: BTreeMap<&String, usize> = names.iter().enumerate().map(|(index, name)| (name, index)).collect();
        let of_value = of_value.iter().map(|name| index[name]).collect();
        Some(Self { names, of_value })
    }

    fn sums(&self, belief: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.names.len()];
        self.of_value.iter().zip(belief).for_each(|(&kind, share)| sums[kind] += share);
        sums
    }
}

/// How strongly a kind of value can be believed.
fn concentration(scene: &AuditInput<'_>, subjects: &Subjects, kinds: &Kinds) -> Finding {
    let prior = kinds.sums(&subjects.prior);
    let levels: Vec<(f64, usize)> = subjects.each(|belief| {
        let sums = kinds.sums(belief);
        sums.iter().enumerate().fold((0.0, 0), |best, (kind, &sum)| if sum > best.0 { (sum, kind) } else { best })
    });
    let says = |subject: usize| {
        let (sum, kind) = levels[subject];
        format!("belief in {} goes from {} to {}", kinds.names[kind], short_percent(prior[kind]), short_percent(sum))
    };
    let worst = worst_indices(levels.iter().map(|level| level.0), VICTIMS);
    let victims = match (&subjects.points, scene.original_table) {
        (Some(points), Some(original_table)) => worst
            .iter()
            .map(|&s| Victim { row: original_table.row_of_point(points[s] as usize), says: says(s) })
            .collect(),
        _ => Vec::new(),
    };
    let measured = worst.first().map_or(0.0, |&subject| levels[subject].0);
    let finding = Finding::new("belief in a kind", measured, subjects.total())
        .hitting(subjects.count(&levels, |level| level.0 >= tolerance::CERTAIN), "all possible values are of one kind")
        .worst(worst.first().map(|&subject| says(subject)))
        .graded(Danger::Belief, measured, |line| subjects.count(&levels, |level| level.0 >= line))
        .detail("kinds", kinds.names.clone())
        .naming(victims);
    let about = format!("kind of {}", subjects.attribute);
    let sentence = believed(&finding, scene.audited.unit, &about, "somebody who knows their quasi-identifiers");
    subjects.with_coverage(finding.saying(sentence))
}

/// How few kinds remain possible.
fn variety(scene: &AuditInput<'_>, subjects: &Subjects, kinds: &Kinds) -> Finding {
    let possible: Vec<usize> =
        subjects.each(|belief| kinds.sums(belief).iter().filter(|&&sum| sum > tolerance::NO_BELIEF).count());
    let least = possible.iter().copied().min().unwrap_or(0);
    let risk = Risk::Categories(&subjects.attribute);
    let limit = scene.limit(risk);
    let line = limit.unwrap_or(2.0);
    let finding = Finding::new("kinds left", least as f64, subjects.total())
        .against(risk, limit)
        .hitting(subjects.count(&possible, |&n| (n as f64) < line), format!("fewer than {line} kinds remain possible"));
    subjects.with_coverage(finding)
}
