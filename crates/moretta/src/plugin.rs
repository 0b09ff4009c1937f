//! Models, methods and attacks from other crates.
//!
//! A model, a method or an attack is an entry of a registry. Once it is added, policies name it like any other, releases that promise it are
//! checked by it, and every audit makes the attack. What a release promises is proved from its files all the same, so a method that plans
//! wrongly publishes nothing.
//!
//! `examples/plugins.rs` adds one of each.

pub use crate::audit::{Attack, AttackReport, AuditInput, AuditedRelease, Finding, PublishedTable, Tested};
pub use crate::chance::Stream;
pub use crate::compare::{Learner, Lessons};
pub use crate::config::Section;
pub use crate::data::cells::Cells;
pub use crate::data::day_format::DayFormat;
pub use crate::distance::Scratch;
pub use crate::hierarchy::{GeneralizedValue, Scale};
pub use crate::kind::{ByKind, KindId, Plan};
pub use crate::method::{Link, Method, MethodEntry, Supports, Task, Transparency, Wish};
pub use crate::model::{
    Composition, Group, GroupCheck, GroupModel, Measure, ModelEntry, ModelId, PrivacyModel, Refusal, Requirement, Risk,
    Safer, Safety, Scope, Sentence, SeveralRows, Wording, Wordings,
};
pub use crate::progress::Progress;
pub use crate::release::plan::Piece;
pub use crate::release::{Adversary, Analyst, TableSummary};
pub use crate::schema::Attribute;

use crate::error::{Error, Result};
use crate::kind::bucketized::BucketizedPlan;
use crate::kind::generalized::{Grouping, PlanDraft};
use crate::release::plan::Buckets;
use crate::{audit, method, model};

/// Makes a model known to policies, releases and their readers, for as long as the process lives.
pub fn add_model(entry: &'static ModelEntry) -> Result<()> {
    model::registry::add(entry)
}

/// Makes a method known to policies, for as long as the process lives.
pub fn add_method(entry: &'static MethodEntry) -> Result<()> {
    method::registry::add(entry)
}

/// Makes an attack part of every audit, for as long as the process lives.
pub fn add_attack(attack: &'static Attack) -> Result<()> {
    audit::add(attack)
}

/// The plan of a generalizing method that puts people into groups: every group publishes the smallest values that cover it. People who
/// stand in no group are left out.
pub fn generalized(task: &Task<'_>, pieces: Vec<Piece>) -> Result<Box<dyn Plan>> {
    let groups = groups(task, &pieces)?;
    let published = (0..task.scales.len()).map(|attribute| published(task, attribute, &pieces, groups)).collect();
    let (plan, _) = Grouping::from_draft(&task.quasi_names, task.scales, PlanDraft { published, pieces });
    Ok(Box::new(plan))
}

/// The plan of a bucketizing method: quasi-identifiers as they are, sensitive values by group. People who stand in no group are left out.
pub fn bucketized(task: &Task<'_>, pieces: Vec<Piece>) -> Result<Box<dyn Plan>> {
    let len = groups(task, &pieces)?;
    Ok(Box::new(BucketizedPlan(Buckets { pieces, len, tree: None, notes: Vec::new() })))
}

/// How many groups there are; refuses pieces that put more people into groups than there are.
fn groups(task: &Task<'_>, pieces: &[Piece]) -> Result<usize> {
    let mut left = task.cells.people.clone();
    for piece in pieces {
        let people = left.get_mut(piece.cell as usize).filter(|people| **people >= piece.people && piece.people > 0);
        let people =
            people.ok_or_else(|| Error::bug("a method put more people of a cell into groups than there are"))?;
        *people -= piece.people;
    }
    let groups = pieces.iter().map(|piece| piece.group as usize + 1).max().unwrap_or(0);
    let mut present = vec![false; groups];
    pieces.iter().for_each(|piece| present[piece.group as usize] = true);
    if present.contains(&false) {
        return Err(Error::bug("a method numbered groups with nobody in them"));
    }
    Ok(groups)
}

/// What an attribute becomes in each group.
fn published(task: &Task<'_>, attribute: usize, pieces: &[Piece], groups: usize) -> Vec<GeneralizedValue> {
    let scale = &task.scales[attribute];
    let (ranks, codes) = (scale.rank_of_codes(), &task.cells.columns[attribute]);
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); groups];
    for piece in pieces {
        members[piece.group as usize].push(ranks[codes[piece.cell as usize] as usize]);
    }
    let value = |mut ranks: Vec<u32>| {
        ranks.sort_unstable();
        ranks.dedup();
        let (first, last) = (ranks.first().copied().unwrap_or(0), ranks.last().copied().unwrap_or(0));
        scale.generalize(first, last, || ranks.into())
    };
    members.into_iter().map(value).collect()
}
