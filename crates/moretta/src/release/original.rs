//! The original table, for those who may see it.

use std::sync::Arc;

use super::{Persons, TableSummary};
use crate::data::cells::Cells;
use crate::data::domain::Domain;
use crate::data::table::{CodedTable, Column};
use crate::hierarchy::Scale;

/// The counted rows of the original, beside which a release is judged.
#[derive(Clone, Debug)]
pub struct Original<'a> {
    /// The quasi-identifiers and their values.
    pub quasi: Vec<(String, Arc<Domain>)>,
    /// The sensitive attributes and their values.
    pub sensitive: Vec<(String, Arc<Domain>)>,
    /// The distinct rows: a column for each quasi-identifier, then one for each sensitive attribute.
    pub cells: &'a Cells,
    /// How the policy lets quasi-identifiers generalize, and what it says of sensitive attributes; for promises about
    /// what is known beforehand.
    pub described: Option<(&'a [Scale], &'a TableSummary)>,
    /// Whose each cell is, where several rows may belong to one person.
    pub persons: Option<Persons<'a>>,
    /// What the publisher says of people that the files do not tell; to be compared with the files.
    pub claim: Option<Claim>,
}

/// What the publisher says of people that the files do not tell.
#[derive(Clone, Debug)]
pub enum Claim {
    /// Who stands in which group.
    Placement(Placement),
    /// Who stands in which group, by the number of the group as it first occurs in the data: a group, a cell, and how many of its rows.
    InGroups(Vec<(u32, u32, u64)>),
    /// Whose each record is: its cell.
    Owners(Vec<u32>),
}

/// Who stands in which group, as the publisher says: people whose values fit several groups can't be placed by
/// the files alone.
#[derive(Clone, Debug)]
pub struct Placement {
    /// What each group publishes for each quasi-identifier.
    pub labels: Vec<Vec<String>>,
    /// A group, a cell, and how many of its people stand there.
    pub pieces: Vec<(u32, u32, u64)>,
}

impl<'a> Original<'a> {
    /// A table whose rows were counted.
    pub fn new(table: &CodedTable, cells: &'a Cells) -> Self {
        let named = |columns: &[Column]| columns.iter().map(|c| (c.name.clone(), c.domain.clone())).collect();
        let (quasi, sensitive) = (named(&table.quasi), named(&table.sensitive));
        let persons = Persons::of_cells(table, cells);
        Self { quasi, sensitive, cells, described: None, persons, claim: None }
    }

    /// The same, with what the policy says of the attributes.
    #[must_use]
    pub fn described(mut self, scales: &'a [Scale], whole: &'a TableSummary) -> Self {
        self.described = Some((scales, whole));
        self
    }

    /// The same, with what the publisher says of people.
    #[must_use]
    pub fn claiming(mut self, claim: Option<Claim>) -> Self {
        self.claim = claim;
        self
    }
}
