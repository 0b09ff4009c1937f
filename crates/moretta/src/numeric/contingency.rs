//! Tables of whole numbers with given sums.

/// A table, row after row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Contingency {
    /// Its numbers.
    pub(crate) counts: Vec<u64>,
    /// In how many ways the people whom the rows stand for can be told apart by the columns that they are counted in.
    pub(crate) ways: u128,
}

/// All tables with these sums of rows and of columns, which sum to the same; nothing if there are more than `most`, or too many ways.
pub(crate) fn contingencies(rows: &[u64], columns: &[u64], most: usize) -> Option<Vec<Contingency>> {
    let mut found = vec![(Contingency { counts: Vec::new(), ways: 1 }, columns.to_vec())];
    for &sum in rows {
        let mut longer = Vec::new();
        for (before, left) in &found {
            for (row, ways) in all_rows(sum, left, most)? {
                let left = left.iter().zip(&row).map(|(left, count)| left - count).collect();
                let counts = before.counts.iter().copied().chain(row).collect();
                longer.push((Contingency { counts, ways: before.ways.checked_mul(ways)? }, left));
                // Every beginning can be completed, so that there are no fewer tables in the end.
                if longer.len() > most {
                    return None;
                }
            }
        }
        found = longer;
    }
    Some(found.into_iter().map(|(table, _)| table).collect())
}

/// All rows of a sum that leave enough in no column too little, each with the ways to choose whom it counts where; nothing if there are more than
/// `limit`.
fn all_rows(sum: u64, left: &[u64], limit: usize) -> Option<Vec<(Vec<u64>, u128)>> {
    let mut rows = vec![(Vec::new(), sum, 1_u128)];
    for (column, &most) in left.iter().enumerate() {
        let later: u64 = left[column + 1..].iter().sum();
        let mut longer = Vec::new();
        for (row, free, ways) in rows {
            for count in free.saturating_sub(later)..=most.min(free) {
                let ways = ways.checked_mul(choose(free, count)?)?;
                longer.push((row.iter().copied().chain([count]).collect(), free - count, ways));
                // As above, every beginning of a row can be completed.
                if longer.len() > limit {
                    return None;
                }
            }
        }
        rows = longer;
    }
    Some(rows.into_iter().map(|(row, _, ways)| (row, ways)).collect())
}

/// How many ways there are to choose some of several.
fn choose(of: u64, some: u64) -> Option<u128> {
    (0..u128::from(some)).try_fold(1_u128, |ways, step| Some(ways.checked_mul(u128::from(of) - step)? / (step + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_tables_are_found_with_their_ways() {
        let all = contingencies(&[2, 1], &[2, 1], 10).unwrap();
        let found: Vec<(&[u64], u128)> = all.iter().map(|one| (&one.counts[..], one.ways)).collect();
        assert_eq!(found, [(&[1, 1, 1, 0][..], 2), (&[2, 0, 0, 1][..], 1)]);
        assert_eq!(contingencies(&[2, 1], &[2, 1], 1), None);
        // All ways together are all orders of a multiset.
        let ways: u128 = contingencies(&[3, 2, 3], &[4, 1, 3], 1_000).unwrap().iter().map(|one| one.ways).sum();
        assert_eq!(ways, 280);
        assert_eq!(contingencies(&[], &[], 1).unwrap().len(), 1);
        // One row of many columns has more forms than fit into memory.
        assert_eq!(contingencies(&[40, 40], &[2; 40], 4_096), None);
    }
}
