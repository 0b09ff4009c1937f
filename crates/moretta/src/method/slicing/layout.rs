//! The cells of a table as its columns see them.

use crate::data::cells::count_distinct;
use crate::kind::sliced::Recoded;
use crate::method::Task;
use crate::numeric::Threshold;

/// What every cell holds in every column, as far as an adversary may know it, and what must not be learned.
pub(super) struct Layout<'a> {
    /// The people of each cell.
    pub(super) people: &'a [u64],
    /// For each column with known attributes: its value for each cell, and how many values there are.
    pub(super) known: Vec<(Vec<u32>, usize)>,
    /// The sensitive attributes.
    pub(super) secrets: Vec<SecretLayout>,
    /// For each quasi-identifier what cells are cut by: places on its scale, doubled. Cells with the same column value have the same.
    pub(super) keys: Vec<Vec<u32>>,
}

/// A sensitive attribute beside what is known in its column.
pub(super) struct SecretLayout {
    /// Which of the known columns it stands in; nothing where it stands without known attributes.
    pub(super) column: Option<usize>,
    /// The largest ℓ that is promised; nothing if only other models are.
    pub(super) l: Option<Threshold>,
    /// For each cell, its pair of what is known in the column and the sensitive value.
    pub(super) pair: Vec<u32>,
    /// The sensitive value of each pair; pairs are sorted by what is known, then by value.
    pub(super) value_of_pair: Vec<u32>,
    /// Where the pairs of each known value start, and where the last end.
    pub(super) starts: Vec<u32>,
}

impl<'a> Layout<'a> {
    pub(super) fn new(
        task: &Task<'a>,
        columns: &[Vec<usize>],
        recoded: &[Option<Recoded>],
        promised: &[Option<Threshold>],
    ) -> Self {
        let (cells, quasi) = (task.cells, task.scales.len());
        let domain_size = |index: usize| match index.checked_sub(quasi) {
            None => task.scales[index].domain().len(),
            Some(sensitive) => task.sensitive_sizes[sensitive],
        };
        let mut known: Vec<(Vec<u32>, usize)> = Vec::new();
        let mut keys: Vec<Vec<u32>> = vec![Vec::new(); quasi];
        let mut secrets: Vec<Option<SecretLayout>> = promised.iter().map(|_| None).collect();
        for (column, recoded) in columns.iter().zip(recoded) {
            let indices: Vec<usize> = column.iter().copied().filter(|&index| index < quasi).collect();
            let value_of_cell = match recoded {
                _ if indices.is_empty() => None,
                Some(recoded) => Some((recoded.region_of_cell.clone(), recoded.grouping.len())),
                None => {
                    let sized: Vec<(&[u32], usize)> =
                        indices.iter().map(|&index| (cells.columns[index].as_slice(), domain_size(index))).collect();
                    let distinct = count_distinct(&sized, cells.len(), None);
                    let size = distinct.len();
                    Some((distinct.cell_of_row, size))
                }
            };
            for &index in &indices {
                let ranks = task.scales[index].rank_of_codes();
                let of_cell = cells.columns[index].iter().map(|&code| ranks[code as usize]);
                keys[index] = match (recoded, &value_of_cell) {
                    (Some(_), Some((regions, size))) => middles(&of_cell.collect::<Vec<_>>(), regions, *size),
                    _ => of_cell.map(|rank| 2 * rank).collect(),
                };
            }
            for index in column.iter().filter(|&&index| index >= quasi) {
                let codes = (cells.columns[*index].as_slice(), domain_size(*index));
                let of_column = value_of_cell.as_ref().map(|_| known.len());
                let secret = SecretLayout::new(of_column, value_of_cell.as_ref(), codes, promised[index - quasi]);
                secrets[index - quasi] = Some(secret);
            }
            known.extend(value_of_cell);
        }
        Self { people: &cells.people, known, secrets: secrets.into_iter().flatten().collect(), keys }
    }

    /// All people.
    pub(super) fn total(&self) -> u64 {
        self.people.iter().sum()
    }
}

/// The middle of each region, doubled, for each cell in it.
fn middles(ranks: &[u32], regions: &[u32], size: usize) -> Vec<u32> {
    let mut ends = vec![(u32::MAX, 0); size];
    for (&rank, &region) in ranks.iter().zip(regions) {
        let (low, high) = &mut ends[region as usize];
        (*low, *high) = (rank.min(*low), rank.max(*high));
    }
    regions.iter().map(|&region| ends[region as usize].0 + ends[region as usize].1).collect()
}

impl SecretLayout {
    pub(super) fn new(
        column: Option<usize>,
        known: Option<&(Vec<u32>, usize)>,
        codes: (&[u32], usize),
        l: Option<Threshold>,
    ) -> Self {
        let rows = codes.0.len();
        let nothing = (vec![0; rows], 1);
        let (of_cell, size) = known.unwrap_or(&nothing);
        let pairs = count_distinct(&[(of_cell, *size), codes], rows, None);
        let starts = (0..=*size as u32).map(|value| pairs.columns[0].partition_point(|&v| v < value) as u32).collect();
        let value_of_pair = pairs.columns.into_iter().nth(1).unwrap_or_default();
        Self { column, l, pair: pairs.cell_of_row, value_of_pair, starts }
    }

    /// What is known in the column, of a cell.
    pub(super) fn known_of(&self, layout: &Layout<'_>, cell: u32) -> u32 {
        self.column.map_or(0, |column| layout.known[column].0[cell as usize])
    }

    /// How many values the known part has.
    pub(super) fn known_values(&self) -> usize {
        self.starts.len() - 1
    }

    /// The pairs of a known value.
    pub(super) fn pairs_of(&self, known: u32) -> std::ops::Range<usize> {
        self.starts[known as usize] as usize..self.starts[known as usize + 1] as usize
    }
}
