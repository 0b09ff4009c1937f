//! Minimality: what the method gives away by what it decided.
//!
//! Wong, Fu, Wang and Pei (2007): a method that generalizes no more than it must tells that anything less would have broken the promise. Who knows the program and
//! everybody's quasi-identifiers rejects the originals that would have led to another release.
//!
//! Three forms, by what can be afforded. [`exact`] runs the method on every original that a small table could have been. [`by_groups`] draws assignments of values inside
//! groups, where it is known who stands in which. [`exchanges`] runs the method on originals in which two people of a group have exchanged
//! their values.

mod belief;
mod by_groups;
mod exact;
mod exchanges;
mod gain;
#[cfg(test)]
mod known_program;
pub(crate) mod worlds;

use belief::BeliefInTruth;
pub use gain::KnownProgram;
pub(crate) use gain::known_program;

use super::finding::{Finding, Tested};
use super::{Attack, AuditInput};
use crate::error::Result;
use crate::method::{self, Transparency};
use crate::model::Scope;
use crate::progress::Progress;

pub(super) const ATTACK: Attack = Attack {
    name: "minimality",
    adversary: "knows everybody's quasi-identifiers, the program, the method and the promise, so that she can try which originals lead to this release; does not know a sensitive value, nor what chance has drawn",
    run,
};

fn run(scene: &AuditInput<'_>, progress: &Progress) -> Result<Tested> {
    Ok(match attack(scene, progress)? {
        Attacked::Proved(name, why) => {
            Tested::Skipped(format!("a proof on the page of {name} shows that it gains nothing: {why}"))
        }
        Attacked::Tested(tested) => tested,
    })
}

/// How the attack went.
enum Attacked {
    /// It gains nothing: the method, and why.
    Proved(String, &'static str),
    Tested(Tested),
}

impl From<Tested> for Attacked {
    fn from(tested: Tested) -> Self {
        Self::Tested(tested)
    }
}

fn attack(scene: &AuditInput<'_>, progress: &Progress) -> Result<Attacked> {
    let skip = |reason: &str| Ok(Tested::Skipped(reason.to_owned()).into());
    let Some(original_table) = scene.original_table else {
        return skip("everybody's quasi-identifiers are needed: add --original POLICY");
    };
    if let Err(lacks) = scene.audited.release.shown() {
        return Ok(Tested::Skipped(lacks.into()).into());
    }
    let Some(name) = scene.audited.method.as_deref() else { return skip("how the table was made is not known") };
    if original_table.counted.whole.sensitive.is_empty() {
        return skip("no attribute is sensitive");
    }
    if original_table.counted.persons().is_some() {
        return skip(
            "several rows may belong to one person, and what the attack gives to others are single values: what the program tells is not measured",
        );
    }
    if !scene.audited.models.iter().any(|model| matches!(model.scope(), Scope::Groups(_) | Scope::Members(_))) {
        return skip("nothing is promised about sensitive values, so that they decided nothing");
    }
    let proof = match method::registry::find(name).map(|entry| entry.transparency) {
        Some(Transparency::Holds(why)) if scene.audited.people == original_table.counted.whole.people => Some(why),
        _ => None,
    };
    let is_known = original_table.policy.method.as_ref().is_some_and(|method| method.name() == name);
    if is_known && let Some(tested) = exact::attack(scene, original_table, proof.is_some(), progress)? {
        return Ok(tested.into());
    }
    if let Some(why) = proof {
        return Ok(Attacked::Proved(name.to_owned(), why));
    }
    if let Some(tested) = by_groups::attack(scene, original_table, name, progress)? {
        return Ok(tested.into());
    }
    if !is_known {
        return skip(
            "the policy of the original does not name the method of the release, so that it can't be run again",
        );
    }
    Ok(exchanges::attack(scene, original_table, progress)?.into())
}
