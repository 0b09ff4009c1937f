//! Mondrian: cut the space of quasi-identifiers in two, again and again, while both halves keep the promise.

mod cuts;
mod part;

use self::cuts::CutFinder;
use self::part::{Part, Scratch};
use super::plan::Draft;
use super::{Method, MethodEntry, Piece, Plan, Task};
use crate::error::{Error, Result};
use crate::hierarchy::Generalized;
use crate::policy::Role;
use crate::policy::section::Section;
use crate::progress::Progress;

pub(super) const ENTRY: MethodEntry = MethodEntry {
    name: "mondrian",
    summary: "generalization: greedy strict partitioning, each group publishes the smallest box around it",
    paper: "LeFevre, DeWitt, Ramakrishnan 2006",
    page: include_str!("../../../../../docs/methods/mondrian.md"),
    suppresses: false,
    read,
};

/// Strict multidimensional partitioning (LeFevre, DeWitt and Ramakrishnan, ICDE 2006, section 4).
///
/// The attribute with the largest normalized width is cut where it halves the people best. A cut
/// that the requirement refuses is followed by the next best one, and the last one by the next
/// attribute: a part is a group only when no cut at all is left. It works on counted cells, in
/// parallel; the groups do not depend on the number of threads.
#[derive(Clone, Copy, Debug)]
struct Mondrian;

fn read(section: &mut Section<'_>) -> Result<Box<dyn Method>> {
    section.choice("recoding", &[("generalize", ())])?;
    section.choice("split", &[("median", ())])?;
    Ok(Box::new(Mondrian))
}

/// Parts of fewer cells are cut in one thread: handing them over would cost more than cutting them.
const PARALLEL_CELLS: usize = 4096;

impl Method for Mondrian {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn takes(&self, role: Role) -> bool {
        !matches!(role, Role::Group | Role::Unclassified)
    }

    fn plan(&self, task: &Task<'_>, progress: &Progress) -> Result<Plan> {
        if task.cells.is_empty() {
            return Err(Error::bug("a table without people reached the method"));
        }
        progress.start("partitioning", task.cells.len() as u64);
        let mut store = part::Store::new(task);
        let partition = Partition { task, progress };
        let found = partition.split(store.whole());
        let order = store.into_cell_order();
        let published = published(task, &found, &order);
        let mut pieces = Vec::with_capacity(order.len());
        let mut start = 0;
        for (group, &end) in (0..).zip(&found.ends) {
            let people = |cell: u32| task.cells.people[cell as usize];
            pieces.extend(order[start..end as usize].iter().map(|&cell| Piece { group, cell, people: people(cell) }));
            start = end as usize;
        }
        Ok(Plan::from_draft(task, Draft { published, pieces }))
    }
}

struct Partition<'a> {
    task: &'a Task<'a>,
    progress: &'a Progress,
}

/// Groups in the order of their cells: where each ends, and the first and last rank of each attribute.
#[derive(Default)]
struct Found {
    ends: Vec<u32>,
    spans: Vec<(u32, u32)>,
}

impl Partition<'_> {
    /// Cuts a part until no cut is left. Parts wait on a list, not on the stack: cuts may be so uneven
    /// that there are as many levels as cells.
    fn split(&self, part: Part<'_>) -> Found {
        let mut found = Found::default();
        let mut scratch = Scratch::default();
        let mut waiting = vec![part];
        while let Some(mut part) = waiting.pop() {
            let mut finder = CutFinder::new(self.task, &part, &mut scratch);
            let Some((attribute, rank)) = finder.best_cut(&part) else {
                self.progress.advance(part.len() as u64);
                found.ends.push(part.end());
                found.spans.extend(finder.into_spans());
                continue;
            };
            let left_cells = part.partition(attribute, rank, &mut scratch);
            let smaller_half = left_cells.min(part.len() - left_cells);
            let worth_sharing = part.len() >= PARALLEL_CELLS && smaller_half >= part.len() / 64;
            let (left, right) = part.split_at(left_cells);
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
    }
}

/// What each group publishes for each attribute.
fn published(task: &Task<'_>, found: &Found, order: &[u32]) -> Vec<Vec<Generalized>> {
    let attributes = task.scales.len();
    let one = |(attribute, scale): (usize, &crate::hierarchy::Scale)| {
        let ranks = scale.rank_of_codes();
        let codes = &task.cells.columns[attribute];
        let mut start = 0;
        let groups = found.ends.iter().enumerate().map(|(group, &end)| {
            let (first, last) = found.spans[group * attributes + attribute];
            let cells = &order[start..end as usize];
            start = end as usize;
            scale.generalize(first, last, || {
                let mut present: Vec<u32> = cells.iter().map(|&cell| ranks[codes[cell as usize] as usize]).collect();
                present.sort_unstable();
                present.dedup();
                present.into()
            })
        });
        groups.collect()
    };
    task.scales.iter().enumerate().map(one).collect()
}
