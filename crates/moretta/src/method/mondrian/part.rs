//! A part of the cells under way: columns of ranks that are moved, not pointed at.
//!
//! After a cut the cells of each half stand side by side in every column, so that scanning a part
//! reads memory in a row however deep the recursion is.

use std::sync::Arc;

use super::sides::Frontiers;
use crate::distance::Scratch as DistanceScratch;
use crate::method::Task;
use crate::model::MemberScratch;
use crate::release::{Ancestor, Persons};

/// The columns of all cells: ranks of quasi-identifiers, codes of sensitive attributes, people.
pub(super) struct PartStore {
    quasi: Vec<Vec<u32>>,
    sensitive: Vec<Vec<u32>>,
    /// For each sensitive column, who is counted once: empty where rows are people.
    owners: Vec<Vec<u32>>,
    people: Vec<u64>,
    cell: Vec<u32>,
}

/// A run of cells, in every column.
pub(super) struct Part<'a> {
    start: u32,
    pub(super) quasi: Vec<&'a mut [u32]>,
    pub(super) sensitive: Vec<&'a mut [u32]>,
    pub(super) owners: Vec<&'a mut [u32]>,
    pub(super) people: &'a mut [u64],
    pub(super) cell: &'a mut [u32],
    /// The part that this one was cut from, or the next above it that is large enough to matter to a model.
    pub(super) above: Option<Arc<Ancestor>>,
}

/// Buffers that are used again and again.
#[derive(Default)]
pub(super) struct PartScratch {
    goes_left: Vec<bool>,
    narrow: Vec<u32>,
    wide: Vec<u64>,
    pub(super) cuts: Vec<u32>,
    pub(super) lefts: Vec<u64>,
    pub(super) histogram: Vec<u64>,
    pub(super) frontiers: Frontiers,
    pub(super) distances: DistanceScratch,
    pub(super) members: MemberScratch,
    pub(super) left: Vec<(u32, u64)>,
    pub(super) right: Vec<(u32, u64)>,
}

impl PartStore {
    /// The columns of a task; sensitive ones only where they are `needed`.
    pub(super) fn new(task: &Task<'_>, needed: bool) -> Self {
        let attributes = task.scales.len();
        let to_ranks = |(column, scale): (&Vec<u32>, &crate::hierarchy::Scale)| {
            let ranks = scale.rank_of_codes();
            column.iter().map(|&code| ranks[code as usize]).collect()
        };
        let quasi = task.cells.columns.iter().zip(task.scales).map(to_ranks).collect();
        let sensitive = if needed { task.cells.columns[attributes..].to_vec() } else { Vec::new() };
        let mut store = Self::from_columns(quasi, sensitive, task.cells.people.clone());
        if let Some(persons) = &task.persons {
            store.count_people(persons, &task.sensitive_sizes);
        }
        store
    }

    /// Counts every person once for each value, and once in all: for the latter there is a last column of one value that everybody has.
    pub(super) fn count_people(&mut self, persons: &Persons<'_>, sizes: &[usize]) {
        self.sensitive.truncate(sizes.len());
        self.owners = self.sensitive.iter().zip(sizes).map(|(codes, &size)| persons.pairs(codes, size).0).collect();
        self.sensitive.push(vec![0; self.cell.len()]);
        self.owners.push(persons.of_cell.to_vec());
    }

    /// Columns of ranks and of codes, and the people of each cell.
    pub(super) fn from_columns(quasi: Vec<Vec<u32>>, sensitive: Vec<Vec<u32>>, people: Vec<u64>) -> Self {
        let cell = (0..people.len() as u32).collect();
        Self { quasi, sensitive, owners: Vec::new(), people, cell }
    }

    pub(super) fn whole(&mut self) -> Part<'_> {
        Part {
            start: 0,
            quasi: self.quasi.iter_mut().map(Vec::as_mut_slice).collect(),
            sensitive: self.sensitive.iter_mut().map(Vec::as_mut_slice).collect(),
            owners: self.owners.iter_mut().map(Vec::as_mut_slice).collect(),
            people: &mut self.people,
            cell: &mut self.cell,
            above: None,
        }
    }

    /// The cells in the order in which the cuts have left them.
    pub(super) fn into_cell_order(self) -> Vec<u32> {
        self.cell
    }
}

impl<'a> Part<'a> {
    pub(super) fn len(&self) -> usize {
        self.cell.len()
    }

    /// Where the part ends among all cells.
    pub(super) fn end(&self) -> u32 {
        self.start + self.cell.len() as u32
    }

    /// Moves the cells whose rank is below `rank` to the front, keeping their order; says how many.
    pub(super) fn partition(&mut self, attribute: usize, rank: u32, scratch: &mut PartScratch) -> usize {
        let PartScratch { goes_left, narrow, wide, .. } = scratch;
        goes_left.clear();
        goes_left.extend(self.quasi[attribute].iter().map(|&r| r < rank));
        let mut left = 0;
        let columns = self.quasi.iter_mut().chain(&mut self.sensitive).chain(&mut self.owners);
        for column in columns.map(|c| &mut **c).chain([&mut *self.cell]) {
            left = stable_partition(column, goes_left, narrow);
        }
        stable_partition(self.people, goes_left, wide);
        left
    }

    /// Two halves, below `above` in the partition tree.
    pub(super) fn split_at(self, cells: usize, above: Option<Arc<Ancestor>>) -> (Part<'a>, Part<'a>) {
        let halves = |columns: Vec<&'a mut [u32]>| columns.into_iter().map(|column| column.split_at_mut(cells)).unzip();
        let (quasi_left, quasi_right) = halves(self.quasi);
        let (sensitive_left, sensitive_right) = halves(self.sensitive);
        let (owners_left, owners_right) = halves(self.owners);
        let (people_left, people_right) = self.people.split_at_mut(cells);
        let (cell_left, cell_right) = self.cell.split_at_mut(cells);
        let middle = self.start + cells as u32;
        (
            Part {
                start: self.start,
                quasi: quasi_left,
                sensitive: sensitive_left,
                owners: owners_left,
                people: people_left,
                cell: cell_left,
                above: above.clone(),
            },
            Part {
                start: middle,
                quasi: quasi_right,
                sensitive: sensitive_right,
                owners: owners_right,
                people: people_right,
                cell: cell_right,
                above,
            },
        )
    }
}

/// Moves the marked items to the front, keeping the order of both kinds. No branch on the data.
fn stable_partition<T: Copy + Default>(items: &mut [T], marked: &[bool], spare: &mut Vec<T>) -> usize {
    spare.resize(items.len().max(spare.len()), T::default());
    let (mut left, mut right) = (0, 0);
    for index in 0..items.len() {
        let item = items[index];
        items[left] = item;
        spare[right] = item;
        left += usize::from(marked[index]);
        right += usize::from(!marked[index]);
    }
    items[left..].copy_from_slice(&spare[..right]);
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_is_stable_on_both_sides() {
        let mut items = [5, 1, 4, 2, 3];
        let marked = [false, true, false, true, true];
        assert_eq!(stable_partition(&mut items, &marked, &mut Vec::new()), 3);
        assert_eq!(items, [1, 2, 3, 5, 4]);
        assert_eq!(stable_partition(&mut [] as &mut [u32], &[], &mut Vec::new()), 0);
    }
}
