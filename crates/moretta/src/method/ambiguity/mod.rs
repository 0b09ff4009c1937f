//! Ambiguity: the values of each attribute are published apart, so that neither a presence nor an association shows.

mod build;
mod combined;
mod given;
mod group;
mod placing;
mod promise;
#[cfg(test)]
mod properties;

use self::build::{Built, build};
use self::group::Tuples;
use self::placing::{assign_residue, merge_stuck};
use self::promise::AmbiguityPromise;
use super::{Method, MethodEntry, Task, Transparency};
use crate::config::Section;
use crate::data::role::Role;
use crate::error::{Code, Error, Result};
use crate::kind::ambiguous::AmbiguousPlan;
use crate::kind::{KindId, Plan};
use crate::method::Supports;
use crate::model::SeveralRows;
use crate::model::alpha_beta_privacy::{self, Presence};
use crate::model::bucket_size;
use crate::progress::Progress;
use crate::release::plan::{Buckets, Piece};
use crate::text::enough;

pub(super) const ENTRY: MethodEntry = MethodEntry {
    name: "ambiguity",
    summary: "exact values, each attribute in a table of its own: hides presence and association",
    paper: "Wang, Ambiguity: Hide the Presence of Individuals",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/methods/ambiguity.md")),
    suppresses: true,
    supports: Supports::Only(&[alpha_beta_privacy::ENTRY.id(), bucket_size::ENTRY.id()]),
    kinds: &[KindId::Ambiguous],
    transparency: Transparency::Open(
        "groups are chosen by how many combinations their values leave, which was not examined",
    ),
    several_rows: SeveralRows::Refused("presence is a belief about rows"),
    read,
};

/// Wang's construction (section 7, Algorithms 2 to 4, read as corrected): groups of at least ⌈1/β⌉ people with
/// different sensitive values, the fullest first, each chosen to cover as many new combinations as possible, until
/// presence is hidden; who is left joins a group where the promise still holds. Where nobody may be suppressed,
/// groups are merged to take in whoever fits nowhere else. Groups that the policy gives are published as they are, or refused.
#[derive(Clone, Copy, Debug)]
struct Ambiguity;

#[expect(clippy::unnecessary_wraps, reason = "other methods have parameters that may be wrong")]
fn read(_: &mut Section<'_>) -> Result<Box<dyn Method>> {
    Ok(Box::new(Ambiguity))
}

impl Method for Ambiguity {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn supports(&self) -> Supports {
        ENTRY.supports
    }

    fn kind(&self) -> KindId {
        KindId::Ambiguous
    }

    fn supports_role(&self, role: Role) -> bool {
        !matches!(role, Role::Unclassified | Role::Insensitive)
    }

    fn plan(&self, task: &Task<'_>, progress: &Progress) -> Result<Box<dyn Plan>> {
        let promise = AmbiguityPromise::of(task)?;
        promise.refuse_impossible(task)?;
        // Groups that are given count people; those that are made take them one by one.
        if task.group.is_none() {
            task.refuse_too_many(ENTRY.name)?;
        }
        let tuples = Tuples { cells: task.cells, quasi: task.scales.len() };
        progress.start("grouping", task.cells.total());
        let built = match promise.presence {
            _ if task.group.is_some() => given::groups(task, tuples, &promise)?,
            Presence::Group => build_groups(task, tuples, &promise, progress),
            Presence::Combined => combined::build_hidden(task, tuples, &promise, progress)
                .ok_or_else(|| too_few_combinations(task, &promise, "together "))?,
        };
        let stuck: u64 = built.residue.iter().map(|(_, people)| people).sum();
        if stuck > task.may_suppress {
            return Err(stuck_people(task, stuck));
        }
        if built.groups.is_empty() {
            return Err(too_few_combinations(task, &promise, ""));
        }
        Ok(Box::new(AmbiguousPlan(buckets(&built))))
    }
}

fn build_groups(task: &Task<'_>, tuples: Tuples<'_>, promise: &AmbiguityPromise, progress: &Progress) -> Built {
    let mut built = build(task, tuples, promise, promise.least_people(), task.seed, progress);
    assign_residue(tuples, promise, &mut built, task);
    let stuck: u64 = built.residue.iter().map(|(_, people)| people).sum();
    if stuck > task.may_suppress {
        merge_stuck(tuples, promise, &mut built, task.token);
    }
    built
}

fn buckets(built: &Built) -> Buckets {
    let members = built.groups.iter().enumerate().flat_map(|(group, of_group)| {
        of_group.members.iter().map(move |&(cell, people)| Piece { group: group as u32, cell, people })
    });
    Buckets { pieces: Piece::joined(members.collect()), len: built.groups.len(), ..Buckets::default() }
}

fn stuck_people(task: &Task<'_>, stuck: u64) -> Error {
    let everyone = task.whole.people;
    let share = stuck as f64 / everyone as f64;
    let enough = enough(share);
    Error::data(format!(
        "{stuck} of {everyone} people ({:.2} %) fit into no group that keeps alpha and beta",
        100.0 * share
    ))
    .coded(Code::NeedsSuppression)
    .help(format!("allow them to be left out with `suppression = {enough}` under [method], or raise alpha or beta"))
}

fn too_few_combinations(task: &Task<'_>, promise: &AmbiguityPromise, together: &str) -> Error {
    let combinations: f64 = promise::distinct_values(task).iter().map(|&size| size as f64).product();
    let people = task.whole.people as f64;
    let bound = -f64::exp_m1(-people / combinations);
    Error::data(format!(
        "alpha = {} can't be kept: {people} people in {combinations} combinations, so that all groups {together}tell at \
         least {bound:.6} of some combination",
        promise.alpha.to_f64(),
    )).coded(Code::PromiseImpossible)
    .help(match people / combinations {
        presence if presence < 1.0 => format!("a single group of everybody shows presence {presence:.6}: raise alpha to that"),
        _ => "there are more people than combinations, so that presence can't be hidden: add quasi-identifiers, or make them finer".to_owned(),
    })
}
