//! Finding the column that says how many people a row stands for.

use super::partition::RowWeights;
use super::profile::{Profile, Repetition};
use super::role::may_weigh;
use super::uniqueness::ComparedTable;
use crate::data::table::Column;
use crate::data::value::Value;

/// So many repeated pairs of rows must be expected for it to mean something that there is none: if rows were
/// people, the chance of that would be about e⁻¹⁰.
const EXPECTED_PAIRS: f64 = 10.0;

/// Totals from here on can't be counted exactly wherever they become a float.
const TOO_MANY: u64 = 1 << 53;

/// The index of the weight, and the weight of each row.
///
/// Names such as `weight` or `count` may mean a body's weight or a number of visits. A table of
/// counted people has no two rows that agree on everything else, although there are rows enough for that to be a
/// wonder if each was a person.
pub(super) fn find(columns: &[Column], counts: &[Vec<u64>], profiles: &[Profile]) -> Option<(usize, Vec<u64>)> {
    let mut possible: Vec<(usize, bool)> =
        profiles.iter().enumerate().filter_map(|(index, profile)| Some((index, may_weigh(profile)?))).collect();
    possible.sort_by_key(|&(_, sure)| !sure);
    possible.into_iter().find_map(|(index, sure)| {
        let others: Vec<usize> = (0..columns.len())
            .filter(|&other| other != index && profiles[other].repetition != Repetition::Empty)
            .collect();
        let counted = || {
            let rows = columns[index].codes.len();
            let compared = ComparedTable { rows, people: RowWeights(None) };
            expected_pairs(others.iter().map(|&other| counts[other].as_slice()), rows) >= EXPECTED_PAIRS
                && compared.all_differ(others.iter().map(|&other| &columns[other]))
        };
        (sure || counted()).then(|| weights(&columns[index])).flatten().map(|weights| (index, weights))
    })
}

/// How many pairs of rows would agree if rows were drawn, and columns did not depend on each other.
/// Where they do, there would be more.
fn expected_pairs<'a>(columns: impl Iterator<Item = &'a [u64]>, rows: usize) -> f64 {
    let rows = rows as f64;
    let agree = |counts: &[u64]| counts.iter().map(|&count| (count as f64 / rows).powi(2)).sum::<f64>();
    rows * (rows - 1.0) / 2.0 * columns.map(agree).product::<f64>()
}

fn weights(column: &Column) -> Option<Vec<u64>> {
    let by_code: Option<Vec<u64>> = column
        .domain
        .values()
        .iter()
        .map(|value| match value {
            Value::Integer(i) => u64::try_from(*i).ok(),
            _ => None,
        })
        .collect();
    let by_code = by_code?;
    let weights: Vec<u64> = column.codes.iter().map(|&code| by_code[code as usize]).collect();
    let total = weights.iter().try_fold(0_u64, |total, &weight| total.checked_add(weight))?;
    (0 < total && total < TOO_MANY).then_some(weights)
}
