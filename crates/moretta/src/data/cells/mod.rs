//! Counting distinct rows.

mod by_range;
mod by_table;
mod key;

use self::key::bits_of;

/// The distinct combinations of some columns of codes, sorted, with the number of people in each.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    /// For each column, the code of each cell.
    pub columns: Vec<Vec<u32>>,
    /// The people in each cell: rows, or the sum of their weights.
    pub people: Vec<u64>,
    /// The cell of each row.
    pub cell_of_row: Vec<u32>,
}

impl Cells {
    /// How many distinct combinations there are.
    pub fn len(&self) -> usize {
        self.people.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.people.is_empty()
    }

    /// All people.
    pub fn total(&self) -> u64 {
        self.people.iter().sum()
    }

    /// The cells whose first columns have these codes: they stand together, since cells are sorted.
    pub fn beginning_with(&self, codes: &[u32]) -> std::ops::Range<usize> {
        let key = |cell: usize| self.columns[..codes.len()].iter().map(move |column| column[cell]);
        let first = |from: usize, before: &dyn Fn(usize) -> bool| {
            let (mut low, mut high) = (from, self.len());
            while low < high {
                let middle = usize::midpoint(low, high);
                if before(middle) { low = middle + 1 } else { high = middle }
            }
            low
        };
        let start = first(0, &|cell| key(cell).lt(codes.iter().copied()));
        start..first(start, &|cell| key(cell).le(codes.iter().copied()))
    }
}

/// Counts the distinct combinations of `columns`, each given with the size of its domain.
///
/// A combination is packed into one integer, so many bits for each column as its domain needs. Where there are few integers that could occur,
/// each is counted in its place in a table; otherwise rows are parted into ranges of integers and each range is sorted. No hashing, no
/// pointers; what comes out does not depend on the number of threads. Where 128 bits are too few, leading columns are first replaced by the
/// rank of their combination.
pub fn count_distinct(columns: &[(&[u32], usize)], rows: usize, weights: Option<&[u64]>) -> Cells {
    let bits: u32 = columns.iter().map(|&(_, size)| bits_of(size)).sum();
    if bits <= table_bits(rows) {
        return by_table::count(columns, rows, weights);
    }
    match bits {
        0..=64 => by_range::count::<u64>(columns, rows, weights),
        65..=128 => by_range::count::<u128>(columns, rows, weights),
        _ => count_by_ranks(columns, rows, weights),
    }
}

/// A table may have about twice as many places as there are rows: then to look it through costs less than to sort them.
fn table_bits(rows: usize) -> u32 {
    (2 * rows).max(1).ilog2().min(MOST_TABLE_BITS)
}

/// A table of so many bits takes 64 MiB for each thread.
const MOST_TABLE_BITS: u32 = 24;

/// Counts columns of which only some fit into a key.
fn count_by_ranks(columns: &[(&[u32], usize)], rows: usize, weights: Option<&[u64]>) -> Cells {
    let mut bits = 0;
    let fits = |&&(_, size): &&(&[u32], usize)| {
        bits += bits_of(size);
        bits <= u128::BITS
    };
    // Four columns of codes always fit, and their rank has no more bits than one: there are fewer columns each time.
    let (head, tail) = columns.split_at(columns.iter().take_while(fits).count());
    let ranked = count_distinct(head, rows, None);
    let mut rest = vec![(ranked.cell_of_row.as_slice(), ranked.len())];
    rest.extend_from_slice(tail);
    let mut cells = count_distinct(&rest, rows, weights);
    let ranks = cells.columns.remove(0);
    let unfolded = ranked.columns.iter().map(|column| ranks.iter().map(|&rank| column[rank as usize]).collect());
    cells.columns = unfolded.chain(std::mem::take(&mut cells.columns)).collect();
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Up to 14 columns with declared sizes so large that keys overflow 64 and 128 bits.
    fn tables() -> impl Strategy<Value = (Vec<Vec<u32>>, usize, Vec<u64>)> {
        (0_usize..14, 0_usize..200).prop_flat_map(|(columns, rows)| {
            (
                proptest::collection::vec(proptest::collection::vec(0_u32..3, rows), columns),
                proptest::sample::select(vec![3_usize, 1 << 20, u32::MAX as usize]),
                proptest::collection::vec(0_u64..5, rows),
            )
        })
    }

    proptest! {
        #[test]
        fn cells_are_the_sorted_distinct_rows_with_their_weights((columns, size, weights) in tables()) {
            let rows = weights.len();
            let mut slow: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
            for row in 0..rows {
                *slow.entry(columns.iter().map(|c| c[row]).collect()).or_default() += weights[row];
            }
            let views: Vec<(&[u32], usize)> = columns.iter().map(|c| (c.as_slice(), size)).collect();
            let cells = count_distinct(&views, rows, Some(&weights));
            let fast: Vec<(Vec<u32>, u64)> = (0..cells.len())
                .map(|cell| (cells.columns.iter().map(|c| c[cell]).collect(), cells.people[cell]))
                .collect();
            prop_assert_eq!(fast, slow.into_iter().collect::<Vec<_>>());
            for row in 0..rows {
                let cell = cells.cell_of_row[row] as usize;
                prop_assert!(columns.iter().zip(&cells.columns).all(|(c, d)| c[row] == d[cell]));
            }
        }
    }
}
