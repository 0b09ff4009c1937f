//! Mondrian: cut the space of quasi-identifiers in two, again and again, while both halves keep the promise.

mod cuts;
mod least_loss;
mod part;
#[cfg(test)]
mod properties;
mod settle;
mod sides;

use std::sync::Arc;

use self::cuts::CutFinder;
use self::part::{Part, Scratch};
use super::{Method, MethodEntry, Task};
use crate::config::Section;
use crate::data::cells::Cells;
use crate::data::role::Role;
use crate::error::{Error, Result};
use crate::kind::Plan;
use crate::kind::bucketized::BucketizedPlan;
use crate::kind::generalized::Grouping;
use crate::method::Supports;
use crate::model::MemberRequirement;
use crate::progress::Progress;
use crate::release::Ancestor;

pub(super) const ENTRY: MethodEntry = MethodEntry {
    name: "mondrian",
    summary: "generalization: greedy strict partitioning, each group publishes the smallest box around it",
    paper: "LeFevre, DeWitt, Ramakrishnan 2006",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/methods/mondrian.md")),
    suppresses: true,
    supports: Supports::GroupsAndMembers,
    read,
};

/// Strict multidimensional partitioning (LeFevre, DeWitt and Ramakrishnan, ICDE 2006, section 4).
///
/// The attribute with the largest normalized width is cut where it halves the people best. A cut
/// that the requirement refuses is followed by the next best one, and the last one by the next
/// attribute: a part is a group only when no cut at all is left. It works on counted cells, in
/// parallel; the groups do not depend on the number of threads.
#[derive(Clone, Copy, Debug)]
struct Mondrian {
    split: Split,
    recoding: Recoding,
}

/// What becomes of the groups that were cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Recoding {
    /// Each publishes the smallest box around it.
    #[default]
    Generalize,
    /// Each keeps exact values, apart from its sensitive ones.
    Bucketize,
}

/// What a split aims at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Split {
    /// The least loss that we find: cuts as below, cuts that save most, and a cover of those who stand too few together.
    #[default]
    Loss,
    /// The paper's algorithm: halves.
    Median,
}

fn read(section: &mut Section<'_>) -> Result<Box<dyn Method>> {
    let recoding = [("generalize", Recoding::Generalize), ("bucketize", Recoding::Bucketize)];
    let recoding = section.choice("recoding", &recoding)?.unwrap_or_default();
    let split = section.choice("split", &[("loss", Split::Loss), ("median", Split::Median)])?.unwrap_or_default();
    Ok(Box::new(Mondrian { split, recoding }))
}

/// Parts of fewer cells are cut in one thread: handing them over would cost more than cutting them.
const PARALLEL_CELLS: usize = 4096;

impl Method for Mondrian {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn supports(&self) -> Supports {
        ENTRY.supports
    }

    fn takes(&self, role: Role) -> bool {
        !matches!(role, Role::Group | Role::Unclassified)
    }

    fn plan(&self, task: &Task<'_>, progress: &Progress) -> Result<Box<dyn Plan>> {
        let models = task.requirement.models();
        let members = MemberRequirement::new(models, &task.quasi_names, task.scales, task.cells, task.whole)?;
        let members = members.as_ref();
        let halved = halve(task, members, progress)?;
        if self.recoding == Recoding::Bucketize {
            // Exact values lose nothing by generalization, so what a cover saves is no gain here: on Adult it makes more
            // groups and answers no better.
            return Ok(Box::new(BucketizedPlan(halved.into())));
        }
        // Covers and cuts by loss move people about by their values alone, not by who they are.
        if self.split == Split::Median || members.is_some() {
            return Ok(halved.into());
        }
        Ok(least_loss::least_loss(task, halved, progress)?.into())
    }
}

/// The paper's algorithm, as a step of other methods.
pub(super) fn halves(task: &Task<'_>, progress: &Progress) -> Result<Grouping> {
    halve(task, None, progress)
}

/// Halves all parts as long as both halves keep every promise.
fn halve(task: &Task<'_>, members: Option<&MemberRequirement>, progress: &Progress) -> Result<Grouping> {
    if task.cells.is_empty() {
        return Err(Error::bug("a table without people reached the method"));
    }
    progress.start("partitioning", task.cells.len() as u64);
    let mut store = part::Store::new(task, task.requirement.needs_histograms() || members.is_some());
    let partition = Partition { task, members, progress };
    let found = partition.split(store.whole());
    settle::settle(task, members, found, &store.into_cell_order())
}

/// Cuts only some cells, which keep the promise together: the cells of each part.
fn groups_of(task: &Task<'_>, chosen: &[u32]) -> Vec<Vec<u32>> {
    let pick = |column: &Vec<u32>| chosen.iter().map(|&cell| column[cell as usize]).collect();
    let columns = task.cells.columns.iter().map(pick).collect();
    let people = chosen.iter().map(|&cell| task.cells.people[cell as usize]).collect();
    let cells = Cells { columns, people, cell_of_row: Vec::new() };
    let part = Task {
        cells: &cells,
        quasi_names: task.quasi_names.clone(),
        sensitive_sizes: task.sensitive_sizes.clone(),
        ..*task
    };
    let mut store = part::Store::new(&part, task.requirement.needs_histograms());
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
struct Found {
    /// Where each ends.
    ends: Vec<u32>,
    /// The first and last rank of each attribute, part after part.
    spans: Vec<(u32, u32)>,
    /// What each was cut from, where a model wants to know.
    above: Vec<Option<Arc<Ancestor>>>,
}

impl Partition<'_> {
    /// Cuts a part until no cut is left. Parts wait on a list, not on the stack: cuts may be so uneven
    /// that there are as many levels as cells.
    fn split(&self, part: Part<'_>) -> Found {
        let mut found = Found::default();
        let mut scratch = Scratch::default();
        let mut waiting = vec![part];
        while let Some(mut part) = waiting.pop() {
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

impl Found {
    fn append(&mut self, mut other: Self) {
        self.ends.append(&mut other.ends);
        self.spans.append(&mut other.spans);
        self.above.append(&mut other.above);
    }
}
