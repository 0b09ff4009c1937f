//! Rows with exact quasi-identifiers in groups: how an adversary finds a person there.

use std::sync::Arc;

use crate::data::cells::{Cells, count_distinct};
use crate::data::domain::Domain;
use crate::data::table::{CodedTable, Column};
use crate::error::{Code, Error, Result};

/// The distinct quasi-identifiers of groups, to be looked up with the codes of an original.
#[derive(Debug)]
pub(crate) struct ExactRows {
    /// For each attribute, the released code of each code of the original; nothing where it is not released.
    translation: Vec<Vec<Option<u32>>>,
    /// Distinct quasi-identifiers and groups, sorted.
    cells: Cells,
}

impl ExactRows {
    pub(crate) fn new(
        quasi: &[(String, Arc<Domain>)],
        table: &CodedTable,
        group_of_row: &[u32],
        groups: usize,
    ) -> Result<Self> {
        let translation = translate(quasi, &table.quasi)?;
        let mut columns: Vec<(&[u32], usize)> = table.quasi.iter().map(Column::counted).collect();
        columns.push((group_of_row, groups));
        let cells = count_distinct(&columns, table.rows(), table.weights.as_deref());
        Ok(Self { translation, cells })
    }

    /// The groups in which rows have the person's values, and how many people those are.
    pub(crate) fn of(&self, person: &[u32]) -> Vec<(usize, u64)> {
        let known: Option<Vec<u32>> =
            person.iter().zip(&self.translation).map(|(&code, codes)| codes[code as usize]).collect();
        let Some(known) = known else { return Vec::new() };
        let groups = &self.cells.columns[known.len()];
        self.cells.beginning_with(&known).map(|cell| (groups[cell] as usize, self.cells.people[cell])).collect()
    }

    pub(crate) fn candidates(&self, person: &[u32]) -> Vec<(u64, f64)> {
        self.of(person).into_iter().map(|(group, people)| (group as u64, people as f64)).collect()
    }

    /// Exact values tell who is there.
    pub(crate) fn presence(&self, person: &[u32]) -> f64 {
        if self.of(person).is_empty() { 0.0 } else { 1.0 }
    }

    /// A belief of `values` numbers: what each group says, as the person is likely to be in it. Nothing for a stranger.
    pub(crate) fn believe(
        &self,
        person: &[u32],
        values: usize,
        mut say: impl FnMut(usize, f64, &mut [f64]),
    ) -> Option<Vec<f64>> {
        let rows = self.of(person);
        let total: u64 = rows.iter().map(|(_, people)| people).sum();
        let mut belief = vec![0.0; values];
        rows.iter().for_each(|&(group, people)| say(group, people as f64 / total as f64, &mut belief));
        (total > 0).then_some(belief)
    }
}

/// The distinct quasi-identifiers of exact rows, whatever their groups: who is alone with hers is found.
#[derive(Debug)]
pub(crate) struct DistinctRows {
    translation: Vec<Vec<Option<u32>>>,
    cells: Cells,
}

impl DistinctRows {
    /// What people of a class share.
    pub(crate) const ALIKE: &'static str = "exact quasi-identifiers";

    pub(crate) fn new(quasi: &[(String, Arc<Domain>)], table: &CodedTable) -> Result<Self> {
        Ok(Self { translation: translate(quasi, &table.quasi)?, cells: distinct(table) })
    }

    /// The people who share each combination, in the order of the combinations.
    pub(crate) fn sizes(table: &CodedTable) -> Vec<u64> {
        distinct(table).people
    }

    /// The class of a person, and the people in it; nothing for a stranger.
    pub(crate) fn of(&self, person: &[u32]) -> Option<(u64, f64)> {
        let codes = person.iter().zip(&self.translation).map(|(&code, codes)| codes[code as usize]);
        let known: Vec<u32> = codes.collect::<Option<_>>()?;
        self.cells.beginning_with(&known).next().map(|cell| (cell as u64, self.cells.people[cell] as f64))
    }
}

fn distinct(table: &CodedTable) -> Cells {
    let columns: Vec<(&[u32], usize)> = table.quasi.iter().map(Column::counted).collect();
    count_distinct(&columns, table.rows(), table.weights.as_deref())
}

fn translate(quasi: &[(String, Arc<Domain>)], columns: &[Column]) -> Result<Vec<Vec<Option<u32>>>> {
    let names_agree = quasi.len() == columns.len() && quasi.iter().zip(columns).all(|((name, _), c)| *name == c.name);
    if !names_agree {
        return Err(Error::input("the original does not have the quasi-identifiers of the release")
            .coded(Code::OriginalMismatch)
            .help("use the policy that the release was made with"));
    }
    let of_column = |((_, domain), column): (&(String, Arc<Domain>), &Column)| {
        domain.values().iter().map(|value| column.domain.code(value)).collect()
    };
    Ok(quasi.iter().zip(columns).map(of_column).collect())
}
