//! The original table, for those who may see it.

use std::sync::Arc;

use crate::data::cells::Cells;
use crate::data::domain::Domain;
use crate::data::table::{Column, Table};

/// The counted rows of the original, beside which a release is judged.
#[derive(Clone, Debug)]
pub struct Original<'a> {
    /// The quasi-identifiers and their values.
    pub quasi: Vec<(String, Arc<Domain>)>,
    /// The sensitive attributes and their values.
    pub sensitive: Vec<(String, Arc<Domain>)>,
    /// The distinct rows: a column for each quasi-identifier, then one for each sensitive attribute.
    pub cells: &'a Cells,
}

impl<'a> Original<'a> {
    /// A table whose rows were counted.
    pub fn new(table: &Table, cells: &'a Cells) -> Self {
        let named = |columns: &[Column]| columns.iter().map(|c| (c.name.clone(), c.domain.clone())).collect();
        Self { quasi: named(&table.quasi), sensitive: named(&table.sensitive), cells }
    }
}
