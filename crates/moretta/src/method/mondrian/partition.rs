//! Cutting cells in two, again and again, as a step of methods.

use std::sync::Arc;

use super::cuts::CutFinder;
use super::part::{Part, PartScratch, PartStore};
use super::settle::settle;
use crate::data::cells::Cells;
use crate::error::{Error, Result};
use crate::kind::generalized::Grouping;
use crate::method::Task;
use crate::model::MemberRequirement;
use crate::progress::Progress;
use crate::release::Ancestor;

/// Parts of fewer cells are cut in one thread: handing them over would cost more than cutting them.
const PARALLEL_CELLS: usize = 4096;

/// The groups of the paper's algorithm.
pub(in crate::method) fn halves(task: &Task<'_>, progress: &Progress) -> Result<Grouping> {
    if task.cells.is_empty() {
        return Err(Error::bug("a table without people reached the method"));
    }
    progress.start("partitioning", task.cells.len() as u64);
    let models = task.requirement.models();
    let members = MemberRequirement::new(models, &task.quasi_names, task.scales, task.cells, task.whole, task.token)?;
    let members = members.as_ref();
    let needed = task.requirement.needs_histograms() || members.is_some() || task.persons.is_some();
    let mut store = PartStore::new(task, needed);
    let found = Partition { task, members, progress }.split(store.whole());
    progress.check()?;
    settle(task, members, found, &store.into_cell_order())
}

/// Cuts only some cells, which keep the promise together: the cells of each part.
pub(in crate::method) fn groups_of(task: &Task<'_>, chosen: &[u32]) -> Vec<Vec<u32>> {
    let pick = |column: &Vec<u32>| chosen.iter().map(|&cell| column[cell as usize]).collect();
    let columns = task.cells.columns.iter().map(pick).collect();
    let people = chosen.iter().map(|&cell| task.cells.people[cell as usize]).collect();
    let cells = Cells { columns, people, cell_of_row: Vec::new() };
    let part = Task {
        cells: &cells,
        quasi_names: task.quasi_names.clone(),
        sensitive_sizes: task.sensitive_sizes.clone(),
        persons: None,
        ..*task
    };
    let mut store = PartStore::new(&part, task.requirement.needs_histograms());
    let found = Partition { task: &part, members: None, progress: &Progress::default() }.split(store.whole());
    let order = store.into_cell_order();
    let starts = std::iter::once(0).chain(found.ends.iter().copied());
    let group =
        |(start, &end): (u32, &u32)| order[start as usize..end as usize].iter().map(|&c| chosen[c as usize]).collect();
    starts.zip(&found.ends).map(group).collect()
}

struct Partition<'a> {
    task: &'a Task<'a>,
    members: Option<&'a MemberRequirement>,
    progress: &'a Progress,
}

/// Parts that are not cut any further, in the order of their cells.
#[derive(Default)]
pub(super) struct Leaves {
    /// Where each ends.
    pub(super) ends: Vec<u32>,
    /// The first and last rank of each attribute, part after part.
    pub(super) spans: Vec<(u32, u32)>,
    /// What each was cut from, where a model wants to know.
    pub(super) above: Vec<Option<Arc<Ancestor>>>,
}

impl Partition<'_> {
    /// Cuts a part until no cut is left. Parts wait on a list, not on the stack: cuts may be so uneven
    /// that there are as many levels as cells.
    fn split(&self, part: Part<'_>) -> Leaves {
        let mut found = Leaves::default();
        let mut scratch = PartScratch::default();
        let mut waiting = vec![part];
        while let Some(mut part) = waiting.pop() {
            if self.task.token.is_cancelled() {
                break;
            }
            let mut finder = CutFinder::new(self.task, self.members, &part, &mut scratch);
            let Some((attribute, rank)) = finder.best_cut(&part) else {
                self.progress.advance(part.len() as u64);
                found.ends.push(part.end());
                found.spans.extend(finder.into_spans());
                found.above.push(part.above);
                continue;
            };
            let node = finder.into_node();
            let left_cells = part.partition(attribute, rank, &mut scratch);
            let smaller_half = left_cells.min(part.len() - left_cells);
            let worth_sharing = part.len() >= PARALLEL_CELLS && smaller_half >= part.len() / 64;
            let (left, right) = part.split_at(left_cells, node);
            if worth_sharing {
                let (left, right) = rayon::join(|| self.split(left), || self.split(right));
                found.append(left);
                found.append(right);
            } else {
                waiting.push(right);
                waiting.push(left);
            }
        }
        found
    }
}

impl Leaves {
    fn append(&mut self, mut other: Self) {
        self.ends.append(&mut other.ends);
        self.spans.append(&mut other.spans);
        self.above.append(&mut other.above);
    }
}
