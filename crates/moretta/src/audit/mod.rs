//! Attacks on releases: what an adversary gains, compared with what was promised.
//!
//! The auditor reads the files of a release and, if it may, the original; nothing else. It can reject a promise, and
//! never certifies more than it tested. Each [`Attack`] is one file and one line in [`ATTACKS`]; what all of them look
//! at is a [`AuditInput`].

mod audited;
pub mod background;
mod background_attack;
#[cfg(test)]
mod broken;
mod disguised;
mod finding;
mod group_order;
mod homogeneity;
mod identifiers;
mod input;
#[cfg(test)]
mod kept_cases;
mod labels;
mod leftover_keys;
mod linked_columns;
mod membership;
mod minimality;
mod promises;
#[cfg(test)]
mod properties;
mod published;
mod rare_values;
mod registry;
mod reidentification;
mod row_order;
mod similarity;
mod skewness;
mod subjects;
mod uncertain_linkage;

use serde::Serialize;

pub use audited::AuditedRelease;
pub use finding::{Finding, Tested, Victim};
pub use input::{AuditInput, Knowledge, OriginalTable, Population};
pub use published::PublishedTable;
pub use registry::ATTACKS;

use crate::error::{Fault, Result};
use crate::progress::Progress;

/// An attack: what its adversary knows, and what she does.
#[derive(Clone, Copy, Debug)]
pub struct Attack {
    /// Its name.
    pub name: &'static str,
    /// What the adversary knows, and what she does not.
    pub adversary: &'static str,
    /// Runs it.
    pub run: fn(&AuditInput<'_>) -> Result<Tested>,
}

/// An attack that was run, or that could not be.
#[derive(Clone, Debug, Serialize)]
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
pub struct Audit {
    /// The attacks that were run, in the order of the registry.
    pub attacks: Vec<AttackReport>,
    /// Those that were not, and why.
    pub skipped: Vec<Skipped>,
}

/// An attack that was not run.
#[derive(Clone, Debug, Serialize)]
pub struct Skipped {
    /// The attack.
    pub name: &'static str,
    /// Why not.
    pub reason: String,
}

impl Audit {
    /// Whether nothing that was tested breaks a promise.
    pub fn holds(&self) -> bool {
        self.attacks.iter().all(|attack| attack.finding.holds != Some(false))
    }
}

/// Runs an attack. One that this release or this original has no answer for is not run, and takes no other with it; a bug stays one.
fn tested(attack: &Attack, scene: &AuditInput<'_>) -> Result<Tested> {
    match (attack.run)(scene) {
        Err(error) if matches!(error.fault(), Fault::Input | Fault::Data) => {
            Ok(Tested::Skipped(error.message().to_owned()))
        }
        other => other,
    }
}

/// Attacks a release in every way.
pub fn run(scene: &AuditInput<'_>, progress: &Progress) -> Result<Audit> {
    scene.same_attributes()?;
    let mut audit = Audit::default();
    progress.start("attacking", ATTACKS.len() as u64);
    for attack in ATTACKS {
        match tested(attack, scene)? {
            Tested::Skipped(reason) => audit.skipped.push(Skipped { name: attack.name, reason }),
            Tested::Found(findings) => audit.attacks.extend(findings.into_iter().map(|finding| AttackReport {
                name: attack.name,
                adversary: attack.adversary,
                finding,
            })),
        }
        progress.advance(1);
    }
    Ok(audit)
}
