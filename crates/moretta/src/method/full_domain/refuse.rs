//! What a search refuses, and what would do.

use super::evaluate::{BATCH, Evaluator, Fit};
use super::lattice::{Lattice, NodeLevels};
use super::optimal::is_inherited;
use crate::error::{Code, Error, Result};
use crate::method::Task;
use crate::text::enough;

/// Refuses a lattice that is too large to be searched whole.
pub(super) fn too_large(lattice: &Lattice, most: u128) -> Result<()> {
    if lattice.nodes() <= most {
        return Ok(());
    }
    Err(Error::input(format!("{} are too many to search them all: {most} are possible", lattice.in_words())).help(
        "give the hierarchies fewer levels, leave `search` out or set search = \"heuristic\" under [method], or use a \
         method that needs no lattice: least-loss, top-down or clustering",
    ))
}

/// The error when no node keeps the promises: names the fewest people who would have to be left out.
pub(super) fn impossible(evaluator: &mut Evaluator<'_>) -> Error {
    if is_inherited(evaluator.task) {
        // No node leaves out fewer people than the coarsest.
        let top = evaluator.lattice.top();
        let least = without_limit(evaluator, &[top]);
        return explain(evaluator, least);
    }
    let numbering = evaluator.lattice.numbering();
    let nodes: Vec<NodeLevels> = (0..numbering.len()).map(|node| numbering.levels(node)).collect();
    let least = without_limit(evaluator, &nodes);
    explain(evaluator, least)
}

/// The error when a heuristic search has found no node: it only knows about the coarsest.
pub(super) fn not_found(evaluator: &mut Evaluator<'_>) -> Error {
    let top = evaluator.lattice.top();
    let least = without_limit(evaluator, &[top]);
    if is_inherited(evaluator.task) {
        return explain(evaluator, least);
    }
    Error::data("no node that keeps the promises was found within the limit of nodes")
        .coded(Code::PromiseImpossible)
        .help("raise `nodes`, `suppression`, or both, under [method]")
}

/// Of some nodes, the one that leaves out the fewest people.
fn without_limit(evaluator: &mut Evaluator<'_>, nodes: &[NodeLevels]) -> Option<(NodeLevels, Fit)> {
    let mut least: Option<(NodeLevels, Fit)> = None;
    for batch in nodes.chunks(BATCH) {
        for (levels, outcome) in batch.iter().zip(evaluator.evaluate_within(batch, u64::MAX)) {
            if let Some(fit) = outcome.fit
                && least.as_ref().is_none_or(|(_, other)| fit.suppressed < other.suppressed)
            {
                least = Some((levels.clone(), fit));
            }
        }
    }
    least
}

fn explain(evaluator: &Evaluator<'_>, least: Option<(NodeLevels, Fit)>) -> Error {
    let task = evaluator.task;
    let everyone = task.cells.total();
    let allowed = match task.may_suppress {
        0 => "nobody left out".to_owned(),
        most => format!("at most {most} of {everyone} people left out"),
    };
    let Some((levels, fit)) = least else {
        return Error::data(format!(
            "no choice of levels keeps the promises with {allowed}, nor with any number left out"
        ))
        .coded(Code::PromiseImpossible)
        .help(format!("{}ask for less, or use another method: least-loss, top-down or clustering", higher(task)));
    };
    let share = enough(fit.suppressed as f64 / everyone as f64);
    let levels: Vec<String> =
        task.quasi_names.iter().zip(&levels).map(|(name, level)| format!("{name} {level}")).collect();
    Error::data(format!(
        "no choice of levels keeps the promises with {allowed}: the fewest are {} people, a share of {share}, \
         at the levels {}",
        fit.suppressed,
        levels.join(", ")
    )).coded(Code::NeedsSuppression)
    .help(format!(
        "{}set suppression = {share} or more under [method], ask for less, or use another method: least-loss, top-down or clustering",
        higher(task)
    ))
}

/// The limits that could be raised.
fn higher(task: &Task<'_>) -> String {
    let limited = task.scales.iter().zip(&task.quasi_names).filter(|(scale, _)| scale.max_level().is_some());
    let names: Vec<String> = limited.map(|(_, name)| format!("{name:?}")).collect();
    if names.is_empty() { String::new() } else { format!("raise `max_level` of {}, ", names.join(" or ")) }
}
