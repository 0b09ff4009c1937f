//! How strongly attributes go together: the mean-square contingency coefficient.

use rayon::prelude::*;

use crate::data::cells::count_distinct;
use crate::data::domain::Domain;
use crate::data::value::Value;

/// An attribute's values as φ² compares them: categories, or equal-width bins of numbers.
#[derive(Clone, Debug)]
pub(crate) struct BinnedColumn {
    codes: Vec<u32>,
    size: usize,
}

impl BinnedColumn {
    /// The values of `codes`; numbers and dates fall into `bins` intervals of equal width between the least and the largest.
    ///
    /// A missing value is a category of its own.
    pub(crate) fn new(codes: &[u32], domain: &Domain, bins: usize) -> Self {
        if !domain.kind().is_ordered() {
            return Self { codes: codes.to_vec(), size: domain.len() };
        }
        let numbers: Vec<Option<f64>> = domain.values().iter().map(Value::as_number).collect();
        let low = numbers.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        let high = numbers.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
        let bin = |number: &Option<f64>| match number {
            None => bins as u32,
            Some(_) if high <= low => 0,
            #[expect(clippy::cast_sign_loss, reason = "no number is below the least one")]
            Some(x) => (((x - low) / (high - low) * bins as f64) as u32).min(bins as u32 - 1),
        };
        let bin_of_code: Vec<u32> = numbers.iter().map(bin).collect();
        Self { codes: codes.iter().map(|&code| bin_of_code[code as usize]).collect(), size: bins + 1 }
    }
}

/// φ² of every pair of attributes, `[a][b]`; each with itself 1, or 0 where it has one value (Li 2010, section 4.3.1).
///
/// φ²(A, B) = (Σ f_ij² / (f_i· f_·j) − 1) / (min(d_A, d_B) − 1) with d the values that occur, 0 where one of them takes one value.
/// Cost: a pass over the cells for each pair.
pub(crate) fn all_pairs(attributes: &[BinnedColumn], people: &[u64]) -> Vec<Vec<f64>> {
    let pairs: Vec<(usize, usize)> =
        (0..attributes.len()).flat_map(|a| (a..attributes.len()).map(move |b| (a, b))).collect();
    let values: Vec<f64> =
        pairs.par_iter().map(|&(a, b)| phi_squared(&attributes[a], &attributes[b], people)).collect();
    let mut matrix = vec![vec![0.0; attributes.len()]; attributes.len()];
    for (&(a, b), value) in pairs.iter().zip(values) {
        matrix[a][b] = value;
        matrix[b][a] = value;
    }
    matrix
}

/// φ² of two attributes of the same people.
pub(crate) fn phi_squared(first: &BinnedColumn, second: &BinnedColumn, people: &[u64]) -> f64 {
    let (rows, columns) = (margin(first, people), margin(second, people));
    let values = occurring(&rows).min(occurring(&columns));
    let everybody: u64 = people.iter().sum();
    if values < 2 || everybody == 0 {
        return 0.0;
    }
    let term = |i: usize, j: usize, together: u64| {
        let together = together as f64;
        if together == 0.0 { 0.0 } else { together / rows[i] as f64 * (together / columns[j] as f64) }
    };
    let sum: f64 = if first.size * second.size <= DENSE {
        let mut counts = vec![0; first.size * second.size];
        for ((&i, &j), &n) in first.codes.iter().zip(&second.codes).zip(people) {
            counts[i as usize * second.size + j as usize] += n;
        }
        counts.iter().enumerate().map(|(index, &n)| term(index / second.size, index % second.size, n)).sum()
    } else {
        let cells =
            count_distinct(&[(&first.codes, first.size), (&second.codes, second.size)], people.len(), Some(people));
        let indices = cells.columns[0].iter().zip(&cells.columns[1]);
        indices.zip(&cells.people).map(|((&i, &j), &n)| term(i as usize, j as usize, n)).sum()
    };
    ((sum - 1.0) / (values as f64 - 1.0)).clamp(0.0, 1.0)
}

/// The largest table of counts that is kept whole.
const DENSE: usize = 1 << 16;

fn margin(attribute: &BinnedColumn, people: &[u64]) -> Vec<u64> {
    let mut counts = vec![0; attribute.size];
    attribute.codes.iter().zip(people).for_each(|(&code, &n)| counts[code as usize] += n);
    counts
}

fn occurring(counts: &[u64]) -> usize {
    counts.iter().filter(|&&count| count > 0).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::value::Type;
    use proptest::prelude::*;

    fn plain(codes: &[u32]) -> BinnedColumn {
        BinnedColumn { codes: codes.to_vec(), size: 5 }
    }

    #[test]
    fn what_decides_each_other_is_1_and_what_does_not_is_0() {
        let people = [1; 4];
        assert!((phi_squared(&plain(&[0, 1, 2, 3]), &plain(&[3, 1, 0, 2]), &people) - 1.0).abs() < 1e-12);
        assert!(phi_squared(&plain(&[0, 0, 1, 1]), &plain(&[0, 1, 0, 1]), &people).abs() < 1e-12);
        assert!(phi_squared(&plain(&[0, 0, 0, 0]), &plain(&[0, 1, 0, 1]), &people).abs() < 1e-12);
    }

    #[test]
    fn numbers_fall_into_bins_of_equal_width() {
        let values = [
            Value::Missing,
            Value::Integer(0),
            Value::Integer(9),
            Value::Integer(10),
            Value::Integer(99),
            Value::Integer(100),
        ];
        let domain = Domain::from_sorted(Type::Integer, values.to_vec());
        let binned = BinnedColumn::new(&[0, 1, 2, 3, 4, 5], &domain, 10);
        assert_eq!(binned.codes, [10, 0, 0, 1, 9, 9]);
        let single = Domain::from_sorted(Type::Integer, vec![Value::Integer(7)]);
        assert_eq!(BinnedColumn::new(&[0, 0], &single, 2).codes, [0, 0]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn it_is_the_sum_of_squares_of_the_definition(rows in proptest::collection::vec((0_u32..4, 0_u32..3, 1_u64..9), 1..20)) {
            let (a, b): (Vec<u32>, Vec<u32>) = rows.iter().map(|&(a, b, _)| (a, b)).unzip();
            let people: Vec<u64> = rows.iter().map(|row| row.2).collect();
            let all = people.iter().sum::<u64>() as f64;
            let share = |of: &dyn Fn(u32, u32) -> bool| {
                rows.iter().filter(|row| of(row.0, row.1)).map(|row| row.2).sum::<u64>() as f64 / all
            };
            let mut sum = 0.0;
            for i in 0..4 {
                for j in 0..3 {
                    let (fi, fj) = (share(&|a, _| a == i), share(&|_, b| b == j));
                    if fi * fj > 0.0 {
                        sum += (share(&|a, b| a == i && b == j) - fi * fj).powi(2) / (fi * fj);
                    }
                }
            }
            let distinct = |codes: &[u32]| codes.iter().collect::<std::collections::BTreeSet<_>>().len();
            let d = distinct(&a).min(distinct(&b));
            let expected = if d < 2 { 0.0 } else { sum / (d as f64 - 1.0) };
            prop_assert!((phi_squared(&plain(&a), &plain(&b), &people) - expected).abs() < 1e-9);
            let large = |codes: &[u32]| BinnedColumn { codes: codes.to_vec(), size: DENSE };
            prop_assert!((phi_squared(&large(&a), &large(&b), &people) - expected).abs() < 1e-9);
        }
    }
}
