//! Groups that the policy gives: those of a generalized table, say, as Wang's theorem 6.1 takes them.

use super::build::Built;
use super::combined::is_hidden;
use super::group::{AmbiguousGroup, Tuples};
use super::promise::AmbiguityPromise;
use crate::error::{Code, Error, Result};
use crate::method::Task;
use crate::model::alpha_beta_privacy::Presence;

/// The groups by the attribute with the role `group`, whose codes are the last column of the cells. Nobody is moved: where they break the promise
/// they are refused.
pub(super) fn groups(task: &Task<'_>, tuples: Tuples<'_>, promise: &AmbiguityPromise) -> Result<Built> {
    let (Some(domain), Some(codes)) = (task.group, tuples.cells.columns.last()) else {
        return Err(Error::bug("groups that nobody gives"));
    };
    let mut groups = vec![AmbiguousGroup::new(tuples); domain.len()];
    for (cell, &code) in (0..).zip(codes) {
        groups[code as usize].add(tuples, cell, tuples.cells.people[cell as usize]);
    }
    let name = |code: usize| domain.value(code as u32).to_string();
    if let Some(broken) = groups.iter().position(|group| group.people > 0 && !group.keeps(promise)) {
        let group = &groups[broken];
        return Err(refused(format!(
            "the given group {:?} breaks the promise: {} people in {} combinations",
            name(broken),
            group.people,
            group.combinations()
        )));
    }
    groups.retain(|group| group.people > 0);
    if matches!(promise.presence, Presence::Combined) && !is_hidden(task, tuples, promise, &groups) {
        return Err(refused("the given groups together tell more of somebody's presence than alpha".to_owned()));
    }
    Ok(Built { groups, residue: Vec::new() })
}

fn refused(message: String) -> Error {
    Error::data(message)
        .coded(Code::PromiseImpossible)
        .help("raise alpha or beta, give other groups, or none: then the method makes its own")
}
