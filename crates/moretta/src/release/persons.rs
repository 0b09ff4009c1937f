//! Whose each cell is, where several rows may belong to one person.
//!
//! Cells are counted with the person as a column of their own, so every cell belongs to one person. A group of cells holds as many people as there are
//! different persons among its cells; a sensitive value is held by the different persons among the cells that have it. Both are sizes of unions, which
//! do not add up: a person may stand in several groups, and have several values in one.

use super::TableSummary;
use crate::data::cells::{Cells, count_distinct};
use crate::data::table::CodedTable;

/// Whose each cell is.
#[derive(Clone, Copy, Debug)]
pub struct Persons<'a> {
    /// The person of each cell.
    pub of_cell: &'a [u32],
    /// How many people there are.
    pub len: usize,
}

impl<'a> Persons<'a> {
    /// The persons of a table that says whose its rows are, by its counted cells; nothing where it does not.
    pub fn of_cells(table: &CodedTable, cells: &'a Cells) -> Option<Self> {
        let len = table.person.as_ref()?.domain.len();
        Some(Self { of_cell: cells.columns.last()?, len })
    }

    /// How many different people some cells belong to.
    pub fn count(&self, cells: impl Iterator<Item = u32>) -> u64 {
        let mut seen = fixedbitset::FixedBitSet::with_capacity(self.len);
        cells.for_each(|cell| seen.insert(self.of_cell[cell as usize] as usize));
        seen.count_ones(..) as u64
    }

    /// A number for each cell that is the same for equal persons with equal codes, and how many such numbers there are.
    pub fn pairs(&self, codes: &[u32], size: usize) -> (Vec<u32>, usize) {
        let pairs = count_distinct(&[(self.of_cell, self.len), (codes, size)], codes.len(), None);
        let len = pairs.len();
        (pairs.cell_of_row, len)
    }

    /// The whole of a table, with people where rows were counted; its sensitive attributes stand after `quasi` columns of the cells.
    #[must_use]
    pub fn summary(&self, whole: &TableSummary, cells: &Cells, quasi: usize) -> TableSummary {
        let mut summary = TableSummary { people: self.len as u64, ..whole.clone() };
        for (attribute, codes) in summary.sensitive.iter_mut().zip(&cells.columns[quasi..]) {
            let pairs = count_distinct(&[(self.of_cell, self.len), (codes, attribute.people.len())], cells.len(), None);
            attribute.people.fill(0);
            pairs.columns[1].iter().for_each(|&code| attribute.people[code as usize] += 1);
        }
        summary
    }

    /// Counts the people of some cells, and for each sensitive attribute those who have each value, into histograms of zeros. The attributes
    /// stand after `quasi` columns of the cells. O(n log n).
    pub fn tally(&self, some: &[u32], cells: &Cells, quasi: usize, histograms: &mut [Vec<u64>]) -> u64 {
        let mut seen: Vec<(u32, u32)> = Vec::with_capacity(some.len());
        for (codes, counts) in cells.columns[quasi..].iter().zip(histograms) {
            seen.clear();
            seen.extend(some.iter().map(|&cell| (codes[cell as usize], self.of_cell[cell as usize])));
            seen.sort_unstable();
            seen.dedup();
            seen.iter().for_each(|&(code, _)| counts[code as usize] += 1);
        }
        seen.clear();
        seen.extend(some.iter().map(|&cell| (0, self.of_cell[cell as usize])));
        seen.sort_unstable();
        seen.dedup();
        seen.len() as u64
    }
}
