//! Rows that are published as they are, with the number of their group: which of them satisfy a condition.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use crate::condition::{QueryBox, ValueSet};
use crate::data::merge_counts;
use crate::data::table::{CodedTable, Column};
use crate::data::value::Value;

/// The rows of a table of exact values. Attributes are counted as [`super::Analyst`] counts them: quasi-identifiers, then
/// the sensitive attributes, which are elsewhere, then insensitive ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupedRows<'r> {
    pub(crate) table: &'r CodedTable,
    pub(crate) insensitive: &'r [Column],
    /// How many sensitive attributes there are.
    pub(crate) sensitive: usize,
    pub(crate) group_of_row: &'r [u32],
    pub(crate) groups: usize,
}

/// Codes of rows, and which codes are inside.
type Side<'r> = (&'r [u32], Vec<bool>);

const ROWS_PER_CHUNK: usize = 1 << 16;

impl<'r> GroupedRows<'r> {
    /// The column of an attribute, unless it is a sensitive one.
    pub(crate) fn column(&self, attribute: usize) -> Option<&'r Column> {
        let quasi = self.table.quasi.len();
        self.table.quasi.get(attribute).or_else(|| self.insensitive.get(attribute.checked_sub(quasi + self.sensitive)?))
    }

    /// Whether a box restricts rows at all.
    fn sides(&self, one: &QueryBox) -> Vec<Side<'r>> {
        let side = |(attribute, set): &(usize, ValueSet)| {
            let column = self.column(*attribute)?;
            let inside = column.domain.values().iter().map(|value| set.contains(value)).collect();
            Some((column.codes.as_slice(), inside))
        };
        one.sides.iter().filter_map(side).collect()
    }

    fn people(&self, row: usize) -> u64 {
        self.table.weights.as_ref().map_or(1, |weights| weights[row])
    }

    /// Calls `visit` with every row in a box, with many rows at once.
    fn for_each(&self, one: &QueryBox, visit: impl Fn(usize) + Sync) {
        let sides = self.sides(one);
        let rows = self.group_of_row.len();
        let look = |start: usize| {
            (start..(start + ROWS_PER_CHUNK).min(rows))
                .filter(|&row| sides.iter().all(|(codes, inside)| inside[codes[row] as usize]))
                .for_each(&visit);
        };
        if rows <= ROWS_PER_CHUNK {
            look(0);
        } else {
            (0..rows.div_ceil(ROWS_PER_CHUNK)).into_par_iter().for_each(|chunk| look(chunk * ROWS_PER_CHUNK));
        }
    }

    /// How many people in a box each of some keys has: a sum of whole numbers, whatever the order of rows.
    fn sums(&self, one: &QueryBox, keys: &[u32], len: usize) -> Vec<u64> {
        let sums: Vec<AtomicU64> = (0..len).map(|_| AtomicU64::new(0)).collect();
        self.for_each(one, |row| {
            sums[keys[row] as usize].fetch_add(self.people(row), Ordering::Relaxed);
        });
        sums.into_iter().map(AtomicU64::into_inner).collect()
    }

    /// How many people of each group have values in a box.
    pub(crate) fn matching(&self, one: &QueryBox) -> Vec<u64> {
        self.sums(one, self.group_of_row, self.groups)
    }

    /// How many people in a box have each value of a column.
    pub(crate) fn histogram(&self, one: &QueryBox, column: &Column) -> Vec<u64> {
        self.sums(one, &column.codes, column.domain.len())
    }

    /// The people in a box by group and value of a column, sorted: `(group, code, people)`.
    pub(crate) fn by_group(&self, one: &QueryBox, column: &Column) -> Vec<(u32, u32, u64)> {
        let sides = self.sides(one);
        let inside = |row: &usize| sides.iter().all(|(codes, inside)| inside[codes[*row] as usize]);
        let mut found: Vec<(u32, u32, u64)> = (0..self.group_of_row.len())
            .filter(inside)
            .map(|row| (self.group_of_row[row], column.codes[row], self.people(row)))
            .collect();
        found.par_sort_unstable();
        merge_counts(&mut found, |a, b| (a.0, a.1) == (b.0, b.1), |row| &mut row.2);
        found
    }
}

/// The numbers of a column's values.
pub(crate) fn numbers_of(column: &Column) -> Vec<Option<f64>> {
    column.domain.values().iter().map(Value::as_number).collect()
}
