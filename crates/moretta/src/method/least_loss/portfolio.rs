//! The plan that loses least: halves, a cover, or cuts chosen by what they save.

use crate::data::cells::Cells;
use crate::error::Result;
use crate::hierarchy::Scale;
use crate::kind::Plan;
use crate::kind::generalized::Grouping;
use crate::method::Task;
use crate::method::mondrian::groups_of;
use crate::method::recoding::cover::cover;
use crate::method::recoding::local::{Field, FieldMember, groups_of_plan, released_whole, settle};
use crate::method::recoding::refine::{Effort, leave_out, refine};
use crate::method::recoding::search::{SearchEffort, search};
use crate::method::recoding::specialize::{FAR_LOOKAHEAD_LIMIT, specialize};
use crate::progress::Progress;

/// Cuts are chosen by loss in tables of up to so many cells, which takes seconds; halves and cover serve larger ones.
const CUT_CELLS: usize = 100_000;

/// Where promises compare, everybody who joins is chosen among all kinds of people: so many cells times kinds take as long.
const CUT_CHOICES: usize = 4_000_000;

/// In parts of up to so many members a cut is chosen by what comes of it in the end.
const LOOKAHEAD_LIMIT: usize = 100;

/// Refining takes about as long as finding what is refined. Opening boxes saves most for the time; who could go home
/// without them is found by it too.
const EFFORT: Effort =
    Effort { rounds: 1, sends_home: false, pairs: 1_000_000, opening: 6_000_000, dissolving: 6_000_000 };

/// The best plan that we find, given halves; with some effort, what a search makes of it.
pub(super) fn least_loss(
    task: &Task<'_>,
    halved: Grouping,
    effort: SearchEffort,
    progress: &Progress,
) -> Result<Grouping> {
    let quick = cheapest(task, halved, progress)?;
    if effort.steps == 0 { Ok(quick) } else { searched(task, quick, effort, progress) }
}

/// What a search makes of a plan, or of another that it starts from.
fn searched(task: &Task<'_>, quick: Grouping, effort: SearchEffort, progress: &Progress) -> Result<Grouping> {
    let safe = task.requirement.safety().merge && task.requirement.needs_ancestors().is_none();
    // Groups are judged against everybody: where that is what promises compare with, nobody may have been left out.
    if !safe || (quick.people() < task.cells.total() && task.requirement.compares_with_whole()) {
        return Ok(quick);
    }
    let field = Field::new(task);
    let mut best = quick;
    if cuts_are_affordable(&field) && best.people() == task.cells.total() {
        progress.start("cutting", task.cells.len() as u64);
        let cut = specialize(&field, 0, FAR_LOOKAHEAD_LIMIT, progress);
        best = cheaper(task, best, Some(settle(&field, refine(&field, cut, &Effort::FULL))?));
    }
    let field = Field::with_runs(task);
    let found = settle(&field, search(&field, groups_of_plan(&best), effort.steps, progress))?;
    Ok(cheaper(task, best, Some(found)))
}

/// Whether a table is small enough for cuts by loss.
fn cuts_are_affordable(field: &Field<'_>) -> bool {
    let task = field.task;
    task.cells.len() <= CUT_CELLS && (task.requirement.safety().grow || task.cells.len() * field.kinds() <= CUT_CHOICES)
}

/// The cheapest plan of those that are quickly found.
///
/// Where only sizes matter, the cover loses less than cuts chosen by loss, and refining hardly changes it. Where sensitive values
/// matter, people must be chosen who make up for each other, and cuts that leave a rest with the parent do that better.
fn cheapest(task: &Task<'_>, halved: Grouping, progress: &Progress) -> Result<Grouping> {
    let covered = || {
        cover(task, |cells| groups_of(task, cells))
            .map(|draft| Grouping::from_draft(&task.quasi_names, task.scales, draft).0)
    };
    let safe = task.requirement.safety().merge && task.requirement.needs_ancestors().is_none();
    if !safe || task.cells.len() > CUT_CELLS {
        return Ok(cheaper(task, halved, covered()));
    }
    let field = Field::new(task);
    if !cuts_are_affordable(&field) {
        return Ok(cheaper(task, halved, covered()));
    }
    let mut best;
    if task.requirement.needs_histograms() {
        progress.start("cutting", task.cells.len() as u64);
        let cut = || settle(&field, specialize(&field, 0, LOOKAHEAD_LIMIT, progress));
        let (covered, cut) = rayon::join(covered, cut);
        best = refined(&field, cheaper(task, cheaper(task, halved, covered), Some(cut?)), progress)?;
    } else {
        best = cheaper(task, halved, covered());
    }
    if task.may_suppress > 0 {
        progress.start("leaving people out", 0);
        let fewer = leave_out(&field, &groups_of_plan(&best), task.may_suppress);
        for groups in [fewer, specialize(&field, task.may_suppress, LOOKAHEAD_LIMIT, progress)] {
            let fewer = without(task, &groups, progress)?;
            best = cheaper(task, best, fewer);
        }
    }
    Ok(best)
}

fn refined(field: &Field<'_>, plan: Grouping, progress: &Progress) -> Result<Grouping> {
    let task = field.task;
    progress.start("refining", 0);
    let finer = settle(field, refine(field, groups_of_plan(&plan), &EFFORT))?;
    Ok(cheaper(task, plan, Some(finer)))
}

/// The plan for those whom groups hold, judged against what is released; nothing if that is everybody.
fn without(task: &Task<'_>, groups: &[Vec<FieldMember>], progress: &Progress) -> Result<Option<Grouping>> {
    let mut people = vec![0; task.cells.len()];
    groups.iter().flatten().for_each(|member| people[member.cell as usize] += member.people);
    if people == task.cells.people || groups.is_empty() {
        return Ok(None);
    }
    let whole = released_whole(task, &people);
    let Ok(requirement) = task.requirement.against(&whole) else { return Ok(None) };
    let cells = Cells { columns: task.cells.columns.clone(), people, cell_of_row: Vec::new() };
    let left = Task {
        cells: &cells,
        whole: &whole,
        requirement: &requirement,
        may_suppress: 0,
        quasi_names: task.quasi_names.clone(),
        sensitive_sizes: task.sensitive_sizes.clone(),
        ..*task
    };
    let field = Field::new(&left);
    let Ok(plan) = settle(&field, groups.to_vec()) else { return Ok(None) };
    if task.requirement.needs_histograms() { refined(&field, plan, progress).map(Some) } else { Ok(Some(plan)) }
}

/// The plan that loses less, where everybody left out loses everything; the first if both lose the same.
fn cheaper(task: &Task<'_>, plan: Grouping, other: Option<Grouping>) -> Grouping {
    let everything: f64 = task.scales.iter().map(Scale::importance).sum();
    let cost = |plan: &Grouping| plan.cost(task.scales) + (task.cells.total() - plan.people()) as f64 * everything;
    match other {
        Some(other) if cost(&other) < cost(&plan) => other,
        _ => plan,
    }
}
