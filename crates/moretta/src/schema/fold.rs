//! Rows that agree in everything, folded into one: what is done with a large table is then done with its different rows.
//!
//! Codes are narrow, or on disk, until here. Some rows at a time are spelled out and counted; their different rows join those of the rows
//! before, and are counted again where they have become many. What comes out is the table of the different rows, how many rows each stands
//! for, and which of them each row is: the order of the different rows decides nothing.

use fixedbitset::FixedBitSet;
use rayon::prelude::*;

use crate::data::cells::count_distinct;
use crate::data::source::{BLOCK, Typed};
use crate::error::Result;
use crate::progress::Progress;

/// The fewest and most blocks of rows that are counted at once.
const BLOCKS: (usize, usize) = if cfg!(test) { (1, 3) } else { (4, 64) };

/// Different rows are counted again when they are so many, and as many more than the last time.
const MANY: usize = if cfg!(test) { 32 } else { 1 << 23 };

/// A column that tells rows apart.
pub(super) enum Telling {
    /// By its values.
    Values(Box<Typed>),
    /// By whether there is one.
    Missing(FixedBitSet),
}

/// The different rows of a table.
#[derive(Default)]
pub(super) struct Folded {
    /// For each column, the code of each different row; of those that lack a value 1.
    pub(super) columns: Vec<Vec<u32>>,
    pub(super) alike: Alike,
}

/// Which rows are the same.
#[derive(Debug, Default)]
pub(super) struct Alike {
    /// How many rows each different one stands for.
    pub(super) rows: Vec<u64>,
    /// The first of them.
    pub(super) first: Vec<u32>,
    /// Which of the different rows each row is; empty if nobody asked.
    pub(super) of_row: Vec<u32>,
}

impl Telling {
    fn size(&self) -> usize {
        match self {
            Self::Values(typed) => typed.domain.len(),
            Self::Missing(_) => 2,
        }
    }

    /// The codes of some blocks of rows, of which there are no more than `rows`.
    fn codes(&self, blocks: std::ops::Range<usize>, rows: usize) -> Result<Vec<u32>> {
        match self {
            Self::Values(typed) => {
                let mut codes = Vec::with_capacity(blocks.len() * BLOCK);
                for block in blocks {
                    typed.codes.add_block(block, &mut codes)?;
                }
                typed.translate(&mut codes);
                Ok(codes)
            }
            Self::Missing(rows_without) => {
                let rows = blocks.start * BLOCK..rows.min(blocks.end * BLOCK);
                Ok(rows.map(|row| u32::from(rows_without.contains(row))).collect())
            }
        }
    }

    /// Frees what was spelled out.
    fn forget(&mut self, blocks: std::ops::Range<usize>) {
        if let Self::Values(typed) = self {
            blocks.for_each(|block| typed.codes.forget_block(block));
        }
    }
}

/// Folds the rows of some columns, all of which have so many. Codes are given up on the way.
pub(super) fn fold(mut columns: Vec<Telling>, rows: usize, of_row: bool, progress: &Progress) -> Result<Folded> {
    let sizes: Vec<usize> = columns.iter().map(Telling::size).collect();
    // Each row takes a code for each column, and beside it its key, its number, and its number among the different ones.
    let bytes = (4 * columns.len() + 24) * BLOCK;
    let at_once = progress.memory().for_counting(bytes).clamp(BLOCKS.0, BLOCKS.1);
    let mut folded = Folded { columns: vec![Vec::new(); columns.len()], ..Folded::default() };
    if of_row {
        folded.alike.of_row.reserve_exact(rows);
    }
    let mut next = MANY;
    for start in (0..rows.div_ceil(BLOCK)).step_by(at_once) {
        progress.check()?;
        let blocks = start..(start + at_once).min(rows.div_ceil(BLOCK));
        let codes = columns.par_iter().map(|column| column.codes(blocks.clone(), rows)).collect::<Result<Vec<_>>>()?;
        columns.par_iter_mut().for_each(|column| column.forget(blocks.clone()));
        folded.add(&codes, &sizes, start * BLOCK, rows.min(blocks.end * BLOCK) - start * BLOCK, of_row);
        if folded.alike.rows.len() >= next {
            progress.check()?;
            folded.count_again(&sizes);
            next = MANY.max(2 * folded.alike.rows.len());
        }
    }
    Ok(folded)
}

impl Folded {
    /// Adds rows, the first of which has this number.
    fn add(&mut self, codes: &[Vec<u32>], sizes: &[usize], first_row: usize, rows: usize, of_row: bool) {
        let views: Vec<(&[u32], usize)> = codes.iter().map(Vec::as_slice).zip(sizes.iter().copied()).collect();
        let cells = count_distinct(&views, rows, None);
        let before = self.alike.rows.len();
        let mut first = vec![u32::MAX; cells.len()];
        for (row, &cell) in cells.cell_of_row.iter().enumerate().rev() {
            first[cell as usize] = (first_row + row) as u32;
        }
        if of_row {
            self.alike.of_row.extend(cells.cell_of_row.iter().map(|&cell| before as u32 + cell));
        }
        self.columns.par_iter_mut().zip(cells.columns).for_each(|(column, more)| column.extend(more));
        self.alike.rows.extend(cells.people);
        self.alike.first.extend(first);
    }

    /// Puts the different rows into the order of their first.
    pub(super) fn order_by_first(&mut self) {
        let alike = &mut self.alike;
        let mut order: Vec<u32> = (0..alike.first.len() as u32).collect();
        order.par_sort_unstable_by_key(|&one| (alike.first[one as usize], one));
        let mut place = vec![0; order.len()];
        (0..).zip(&order).for_each(|(at, &one)| place[one as usize] = at);
        alike.of_row.par_iter_mut().for_each(|one| *one = place[*one as usize]);
        alike.first = order.iter().map(|&one| alike.first[one as usize]).collect();
        alike.rows = order.iter().map(|&one| alike.rows[one as usize]).collect();
        let ordered = |column: &mut Vec<u32>| *column = order.iter().map(|&one| column[one as usize]).collect();
        self.columns.par_iter_mut().for_each(ordered);
    }

    /// Folds the different rows of several times, which may be the same.
    fn count_again(&mut self, sizes: &[usize]) {
        let alike = &mut self.alike;
        let views: Vec<(&[u32], usize)> = self.columns.iter().map(Vec::as_slice).zip(sizes.iter().copied()).collect();
        let cells = count_distinct(&views, alike.rows.len(), Some(&alike.rows));
        let mut first = vec![u32::MAX; cells.len()];
        for (&cell, &row) in cells.cell_of_row.iter().zip(&alike.first) {
            let least = &mut first[cell as usize];
            *least = row.min(*least);
        }
        alike.of_row.par_iter_mut().for_each(|one| *one = cells.cell_of_row[*one as usize]);
        alike.first = first;
        alike.rows = cells.people;
        self.columns = cells.columns;
    }
}
