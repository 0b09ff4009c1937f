//! Counting distinct rows.

use rayon::prelude::*;

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
/// A combination and the row it stands in are packed into one integer, in the mixed radix of the
/// domains, and the integers sorted: no hashing, no pointers, and rows of a cell end up side by side
/// in file order. Where one integer is too small, leading columns are first replaced by the rank of
/// their combination. Cost: one parallel sort of the rows.
pub fn count_distinct(columns: &[(&[u32], usize)], rows: usize, weights: Option<&[u64]>) -> Cells {
    let Some(taken) = columns_that_fit(columns.iter().map(|&(_, size)| size), rows) else {
        return count_packed(columns, rows, weights);
    };
    let (head, tail) = columns.split_at(taken);
    let ranked = count_packed(head, rows, None);
    let mut rest = vec![(ranked.cell_of_row.as_slice(), ranked.len())];
    rest.extend_from_slice(tail);
    let mut cells = count_distinct(&rest, rows, weights);
    let ranks = cells.columns.remove(0);
    let unfolded = ranked.columns.iter().map(|column| ranks.iter().map(|&rank| column[rank as usize]).collect());
    cells.columns = unfolded.chain(std::mem::take(&mut cells.columns)).collect();
    cells
}

/// How many leading columns fit into a key together with the row; nothing if all do.
fn columns_that_fit(sizes: impl Iterator<Item = usize>, rows: usize) -> Option<usize> {
    let mut space = rows.max(1) as u128;
    for (index, size) in sizes.enumerate() {
        match space.checked_mul(size.max(1) as u128) {
            Some(larger) => space = larger,
            // Two columns of u32 codes and a u32 row always fit, so progress is certain.
            None => return Some(index),
        }
    }
    None
}

fn count_packed(columns: &[(&[u32], usize)], rows: usize, weights: Option<&[u64]>) -> Cells {
    let space = columns.iter().fold(rows.max(1) as u128, |space, &(_, size)| space * size.max(1) as u128);
    if u64::try_from(space).is_ok() {
        count_by_key::<u64>(columns, rows, weights)
    } else {
        count_by_key::<u128>(columns, rows, weights)
    }
}

fn count_by_key<K: Key>(columns: &[(&[u32], usize)], rows: usize, weights: Option<&[u64]>) -> Cells {
    let mut keys: Vec<K> = (0..rows)
        .into_par_iter()
        .map(|row| {
            let combination =
                columns.iter().fold(K::default(), |key, &(codes, size)| key.push(codes[row], size.max(1)));
            combination.push(row as u32, rows)
        })
        .collect();
    keys.par_sort_unstable();

    let mut cell_of_row = vec![0; rows];
    let mut people = Vec::new();
    let mut combinations: Vec<K> = Vec::new();
    for key in keys {
        let (combination, row) = key.pop(rows);
        if combinations.last() != Some(&combination) {
            combinations.push(combination);
            people.push(0);
        }
        cell_of_row[row as usize] = combinations.len() as u32 - 1;
        if let Some(last) = people.last_mut() {
            *last += weights.map_or(1, |weights| weights[row as usize]);
        }
    }

    let mut decoded: Vec<Vec<u32>> = columns
        .iter()
        .rev()
        .map(|&(_, size)| {
            let column: Vec<(K, u32)> = combinations.par_iter().map(|key| key.pop(size.max(1))).collect();
            combinations.par_iter_mut().zip(&column).for_each(|(key, &(rest, _))| *key = rest);
            column.into_iter().map(|(_, code)| code).collect()
        })
        .collect();
    decoded.reverse();
    Cells { columns: decoded, people, cell_of_row }
}

/// A number in mixed radix.
trait Key: Copy + Ord + Default + Send + Sync {
    fn push(self, digit: u32, radix: usize) -> Self;
    fn pop(self, radix: usize) -> (Self, u32);
}

macro_rules! key {
    ($int:ty) => {
        impl Key for $int {
            fn push(self, digit: u32, radix: usize) -> Self {
                self * radix as $int + <$int>::from(digit)
            }

            fn pop(self, radix: usize) -> (Self, u32) {
                (self / radix as $int, (self % radix as $int) as u32)
            }
        }
    };
}

key!(u64);
key!(u128);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Up to 14 columns with declared sizes so large that keys overflow 64 and 128 bits.
    fn tables() -> impl Strategy<Value = (Vec<Vec<u32>>, usize, Vec<u64>)> {
        (0_usize..14, 0_usize..40).prop_flat_map(|(columns, rows)| {
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
