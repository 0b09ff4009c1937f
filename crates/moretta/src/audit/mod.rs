//! Attacks on releases: what an adversary gains, compared with what was promised.
//!
//! The auditor reads the files of a release and, if it may, the original; nothing else. It can reject a promise, and
//! never certifies more than it tested. Each [`Attack`] is one file and one line in [`ATTACKS`]; what all of them look
//! at is a [`AuditInput`].

mod audited;
pub mod background;
mod background_alone;
mod background_attack;
mod beliefs;
#[cfg(test)]
mod broken;
mod budget;
mod choice;
mod dealt_order;
mod disguised;
mod finding;
pub mod grade;
mod group_order;
mod homogeneity;
mod identifiers;
mod input;
mod intersection;
#[cfg(test)]
mod kept_cases;
mod labels;
mod leftover_keys;
mod linked_columns;
mod membership;
mod minimality;
mod prior_of_some;
mod promises;
#[cfg(test)]
mod properties;
mod published;
mod random_order;
mod rare_values;
mod registry;
mod reidentification;
mod row_order;
mod similarity;
mod skewness;
mod sorted_rows;
mod subjects;
mod uncertain_linkage;

use serde::Serialize;
use serde_json::{Value as Json, json};

pub use audited::AuditedRelease;
pub use budget::RunBudget;
pub use choice::AttackChoice;
pub use finding::{Finding, Tested, Victim};
pub use grade::Grade;
pub use input::{AuditInput, Knowledge, OriginalTable, Population};
pub use minimality::KnownProgram;
pub(crate) use minimality::known_program;
pub use published::PublishedTable;
pub use registry::{ATTACKS, add, attacks};

use crate::error::{Error, Fault, Result};
use crate::numeric::tolerance;
use crate::policy::{Accept, Danger};
use crate::progress::Progress;
use crate::release::Unit;

/// An attack: what its adversary knows, and what she does.
#[derive(Clone, Copy, Debug)]
pub struct Attack {
    /// Its name.
    pub name: &'static str,
    /// What the adversary knows, and what she does not.
    pub adversary: &'static str,
    /// Runs it.
    pub run: fn(&AuditInput<'_>, &Progress) -> Result<Tested>,
}

/// An attack that was run, or that could not be.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct AttackReport {
    /// The attack.
    pub name: &'static str,
    /// What its adversary knows.
    pub adversary: &'static str,
    /// What it found, and what was promised.
    #[serde(flatten)]
    pub finding: Finding,
}

impl AttackReport {
    /// The people who are hit worst. Never for a recipient's eyes.
    pub fn victims(&self) -> &[Victim] {
        &self.finding.victims
    }
}

/// What attacks found.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Audit {
    /// The people in the release, as it says.
    #[serde(skip)]
    pub people: u64,
    /// Whether these are people, or rows of which several may belong to one.
    #[serde(skip)]
    pub unit: Unit,
    /// How many different people the rows belong to, where several may belong to one.
    #[serde(skip)]
    pub persons: Option<u64>,
    /// What could not be understood of the release.
    #[serde(skip)]
    pub doubts: Vec<String>,
    /// The attacks that were run, in the order of the registry.
    pub attacks: Vec<AttackReport>,
    /// Those that were not, and why.
    pub skipped: Vec<Skipped>,
}

/// A finding that reaches more than a policy accepts.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Refused {
    /// The key under `[accept]`.
    pub key: &'static str,
    /// What it allows.
    pub accepted: f64,
    /// What was reached.
    pub measured: f64,
    /// The attack.
    pub attack: &'static str,
    /// The sensitive attribute that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
    /// What was found.
    pub sentence: String,
}

/// An attack that was not run.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Skipped {
    /// The attack.
    pub name: &'static str,
    /// Why not.
    pub reason: String,
}

impl Audit {
    /// The findings that are graded, the worst first: by their grade, then by how many people are reached, then by how far.
    pub fn beyond_promise(&self) -> Vec<&AttackReport> {
        let mut found: Vec<&AttackReport> = self.attacks.iter().filter(|a| a.finding.grade > Grade::None).collect();
        let level = |report: &AttackReport| report.finding.reaches.map_or(1.0, |(_, level)| level);
        found.sort_by(|a, b| {
            let (one, other) = (&a.finding, &b.finding);
            let by_grade = other.grade.cmp(&one.grade);
            by_grade.then(other.people_reached().cmp(&one.people_reached())).then(level(b).total_cmp(&level(a)))
        });
        found
    }

    /// The grade of the worst finding.
    pub fn grade(&self) -> Grade {
        self.attacks.iter().map(|attack| attack.finding.grade).max().unwrap_or_default()
    }

    /// The findings that reach more than a policy accepts, the worst first.
    pub fn refused(&self, accept: &Accept) -> Vec<Refused> {
        let refused = |attack: &AttackReport| {
            let (danger, measured) = attack.finding.reaches?;
            let accepted = accept.limit(danger).filter(|&limit| measured > limit + tolerance::MEASURED)?;
            let (key, attribute) = (danger.name(), attack.finding.attribute.clone());
            Some(Refused {
                key,
                accepted,
                measured,
                attack: attack.name,
                attribute,
                sentence: attack.finding.sentence.clone(),
            })
        };
        let mut all: Vec<Refused> = self.attacks.iter().filter_map(refused).collect();
        all.sort_by(|a, b| b.measured.total_cmp(&a.measured));
        all
    }

    /// What a policy binds and no attack has measured.
    pub fn unmeasured(&self, accept: &Accept) -> Vec<&'static str> {
        let measured =
            |danger: Danger| self.attacks.iter().any(|a| a.finding.reaches.is_some_and(|(d, _)| d == danger));
        accept.limits().iter().filter(|&&(danger, _)| !measured(danger)).map(|&(danger, _)| danger.name()).collect()
    }

    /// The attacks as JSON, with the judgement about them and about what a policy accepts.
    pub fn to_json(&self, accept: &Accept) -> Result<Json> {
        let mut object =
            serde_json::to_value(self).map_err(|e| Error::bug(format!("an audit can't be shown as JSON: {e}")))?;
        object["holds"] = self.holds().into();
        object["grade"] = json!(self.grade());
        if !accept.limits().is_empty() {
            let refused = self.refused(accept);
            object["accepted"] = refused.is_empty().into();
            object["refused"] = json!(refused);
        }
        Ok(object)
    }

    /// Whether nothing that was tested breaks a promise.
    pub fn holds(&self) -> bool {
        self.attacks.iter().all(|attack| attack.finding.holds != Some(false))
    }
}

/// Runs an attack. One that this release or this original has no answer for is not run, and takes no other with it; a bug stays one.
fn tested(attack: &Attack, scene: &AuditInput<'_>, progress: &Progress) -> Result<Tested> {
    match (attack.run)(scene, progress) {
        Err(error) if matches!(error.fault(), Fault::Input | Fault::Data) => {
            Ok(Tested::Skipped(error.message().to_owned()))
        }
        other => other,
    }
}

/// Attacks a release in every way that is chosen.
pub fn run(scene: &AuditInput<'_>, progress: &Progress) -> Result<Audit> {
    scene.same_attributes()?;
    let AuditedRelease { people, unit, persons, doubts, .. } = scene.audited;
    let (people, unit, persons, doubts) = (*people, *unit, *persons, doubts.clone());
    let mut audit = Audit { people, unit, persons, doubts, ..Audit::default() };
    let attacks: Vec<&Attack> = attacks().collect();
    progress.start("attacking", attacks.len() as u64);
    for (index, attack) in attacks.iter().enumerate() {
        if let Some(reason) = scene.choice.leaves_out(attack.name) {
            audit.skipped.push(Skipped { name: attack.name, reason: reason.to_owned() });
            progress.advance(1);
            continue;
        }
        let part = progress.part(attack.name, index, attacks.len());
        let tested = tested(attack, scene, &part);
        progress.check()?;
        match tested? {
            Tested::Skipped(reason) => {
                part.conclude(format!("not attacked: {reason}"));
                audit.skipped.push(Skipped { name: attack.name, reason });
            }
            Tested::Found(findings) => {
                let findings: Vec<Finding> = findings.into_iter().map(Finding::finished).collect();
                part.conclude(finding::in_short(&findings));
                audit.attacks.extend(findings.into_iter().map(|finding| AttackReport {
                    name: attack.name,
                    adversary: attack.adversary,
                    finding,
                }));
            }
        }
        drop(part);
        progress.advance(1);
    }
    Ok(audit)
}
