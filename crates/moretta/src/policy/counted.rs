//! The original of a release, read and counted.

use super::{Attribute, Policy, Role, TableSpec};
use crate::data::cells::{Cells, count_distinct};
use crate::data::table::{Column, Table};
use crate::error::Result;
use crate::hierarchy::Scale;
use crate::progress::Progress;
use crate::release::{Original, Whole};

/// A policy's table and its distinct rows.
#[derive(Debug)]
pub struct Counted {
    /// The table.
    pub table: Table,
    /// The distinct rows: a column for each quasi-identifier, then one for each sensitive attribute.
    pub cells: Cells,
    /// How its quasi-identifiers generalize.
    pub scales: Vec<Scale>,
    /// What the policy says of its sensitive attributes.
    pub whole: Whole,
}

impl Policy {
    /// Reads the table that the policy names, and counts it.
    pub fn read_counted(&self, progress: &Progress) -> Result<Counted> {
        let table = self.read_table(self.open_source()?, progress)?.table;
        progress.start("counting", 0);
        let cells = count_cells(&table);
        let scales = self.scales(&table)?;
        let described: Vec<&Attribute> = self.with_role(Role::Sensitive).collect();
        let whole = Whole::of_table(&table, &described)?;
        Ok(Counted { table, cells, scales, whole })
    }

    /// Reads the table that the policy names for questions: insensitive attributes stand after the quasi-identifiers.
    pub fn read_for_questions(&self, progress: &Progress) -> Result<(Table, Cells)> {
        let (open, mut attributes): (Vec<Attribute>, Vec<Attribute>) =
            self.attributes.iter().cloned().partition(|attribute| attribute.role == Role::Insensitive);
        attributes.extend(open.into_iter().map(|attribute| Attribute { role: Role::Unclassified, ..attribute }));
        let (missing, filter) = (self.data.missing, self.data.filter.as_ref());
        let spec = TableSpec { attributes: &attributes, file: &self.file, missing, filter };
        let table = spec.read(self.open_source()?, progress)?.table;
        progress.start("counting", 0);
        let cells = count_cells(&table);
        Ok((table, cells))
    }

    /// How the quasi-identifiers of the policy's table generalize.
    pub fn scales(&self, table: &Table) -> Result<Vec<Scale>> {
        let pairs = self.recognizing().zip(&table.quasi);
        pairs.map(|(attribute, column)| Scale::new(&attribute.hierarchy, column.domain.clone(), &column.name)).collect()
    }
}

impl Counted {
    /// The original beside which a release is judged.
    pub fn original(&self) -> Original<'_> {
        Original::new(&self.table, &self.cells).described(&self.scales, &self.whole)
    }
}

/// Counts the distinct rows of a table: a column for each quasi-identifier, one for each sensitive attribute, and one
/// for the attribute that names groups, if there is one.
pub fn count_cells(table: &Table) -> Cells {
    let columns: Vec<_> = table.quasi.iter().chain(&table.sensitive).chain(&table.group).map(Column::counted).collect();
    count_distinct(&columns, table.rows(), table.weights.as_deref())
}
