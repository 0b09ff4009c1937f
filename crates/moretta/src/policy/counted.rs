//! The original of a release, read and counted.

use super::Policy;
use crate::data::cells::{Cells, count_distinct};
use crate::data::table::{Column, Table};
use crate::error::Result;
use crate::progress::Progress;
use crate::release::Original;

/// A policy's table and its distinct rows.
#[derive(Debug)]
pub struct Counted {
    /// The table.
    pub table: Table,
    /// The distinct rows: a column for each quasi-identifier, then one for each sensitive attribute.
    pub cells: Cells,
}

impl Policy {
    /// Reads the table that the policy names, and counts it.
    pub fn read_counted(&self, progress: &Progress) -> Result<Counted> {
        let table = self.read_table(self.open_source()?, progress)?.table;
        progress.start("counting", 0);
        let cells = count_cells(&table);
        Ok(Counted { table, cells })
    }
}

impl Counted {
    /// The original beside which a release is judged.
    pub fn original(&self) -> Original<'_> {
        Original::new(&self.table, &self.cells)
    }
}

/// Counts the distinct rows of a table.
pub fn count_cells(table: &Table) -> Cells {
    let columns: Vec<_> = table.quasi.iter().chain(&table.sensitive).map(Column::counted).collect();
    count_distinct(&columns, table.rows(), table.weights.as_deref())
}
