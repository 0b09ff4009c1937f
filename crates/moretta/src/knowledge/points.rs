//! The distinct combinations of quasi-identifiers, which are all that knowledge about a person can depend on.

use crate::data::cells::{Cells, count_distinct};
use crate::hierarchy::Scale;
use crate::progress::CancelToken;

/// The distinct combinations of quasi-identifiers of a table, sorted.
#[derive(Clone, Debug, Default)]
pub struct Points {
    /// For each quasi-identifier, the code of each point.
    pub columns: Vec<Vec<u32>>,
    /// The people at each point.
    pub people: Vec<u64>,
    /// The point of each cell.
    pub of_cell: Vec<u32>,
}

impl Points {
    /// The points of counted cells, whose first columns are the quasi-identifiers.
    pub fn of_cells(cells: &Cells, scales: &[Scale]) -> Self {
        let columns: Vec<(&[u32], usize)> =
            cells.columns.iter().zip(scales).map(|(column, scale)| (column.as_slice(), scale.domain().len())).collect();
        let counted = count_distinct(&columns, cells.len(), Some(&cells.people));
        Self { columns: counted.columns, people: counted.people, of_cell: counted.cell_of_row }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.people.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.people.is_empty()
    }

    /// The point with these codes.
    pub fn find(&self, codes: &[u32]) -> Option<u32> {
        let (mut low, mut high) = (0, self.len());
        for (column, code) in self.columns.iter().zip(codes) {
            let here = &column[low..high];
            (low, high) = (low + here.partition_point(|c| c < code), low + here.partition_point(|c| c <= code));
        }
        (low < high).then_some(low as u32)
    }

    /// The codes of a point.
    pub fn codes(&self, point: usize) -> Vec<u32> {
        self.columns.iter().map(|column| column[point]).collect()
    }
}

/// What knowledge is mined from: points, and the people there that have each value of one sensitive attribute.
#[derive(Clone, Debug)]
pub struct Evidence<'a> {
    /// How the quasi-identifiers generalize.
    pub scales: &'a [Scale],
    /// Their combinations.
    pub points: &'a Points,
    /// How many values the sensitive attribute has.
    pub values: usize,
    /// What stops those who work on it.
    pub token: &'a CancelToken,
    /// Where the entries of each point start, and where the last ends.
    starts: Vec<u32>,
    /// A value that somebody at the point has, and how many.
    entries: Vec<(u32, u64)>,
}

impl<'a> Evidence<'a> {
    /// The same where quasi-identifiers generalize in other ways.
    pub fn with_scales<'b>(&'b self, scales: &'b [Scale]) -> Evidence<'b> {
        let Self { points, values, token, starts, entries, .. } = self.clone();
        Evidence { scales, points, values, token, starts, entries }
    }

    /// The evidence of cells that are grouped into points; `codes` is the sensitive attribute's column of the cells, of so many `values`.
    pub fn new(
        scales: &'a [Scale],
        points: &'a Points,
        (codes, values): (&[u32], usize),
        people: &[u64],
        token: &'a CancelToken,
    ) -> Self {
        let joint =
            count_distinct(&[(points.of_cell.as_slice(), points.len()), (codes, values)], codes.len(), Some(people));
        let mut starts = vec![0; points.len() + 1];
        joint.columns[0].iter().for_each(|&point| starts[point as usize + 1] += 1);
        (1..starts.len()).for_each(|point| starts[point] += starts[point - 1]);
        let entries = joint.columns[1].iter().copied().zip(joint.people).collect();
        Self { scales, points, values, token, starts, entries }
    }

    /// The values that people at a point have, in code order, and how many have each.
    pub fn at(&self, point: usize) -> &[(u32, u64)] {
        &self.entries[self.starts[point] as usize..self.starts[point + 1] as usize]
    }

    /// The people that have each value.
    pub fn histogram(&self) -> Vec<u64> {
        let mut people = vec![0; self.values];
        self.entries.iter().for_each(|&(code, count)| people[code as usize] += count);
        people
    }
}
