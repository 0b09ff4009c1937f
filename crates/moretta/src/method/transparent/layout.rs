//! From how often each sensitive value occurs to colours and ranges, without a look at people.

/// A run of groups-to-be that all have people of the same colours, one of each colour in each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ColourRange {
    /// How many people of each colour.
    pub(super) width: u64,
    /// The values of each colour in this range, with how many people of the range have them; no value has two colours.
    pub(super) colours: Vec<Vec<(u32, u64)>>,
}

/// Lays out n people in rows of n/`values`, value after value, the fullest first. No value is longer than a row, or there is no layout. So
/// the values of a column differ, and there are at least `values` of them: a column is what a group of one person each would be. A row is a colour.
///
/// A value that does not end with its row goes on in the next, and would have two colours. So columns are parted where such a value
/// ends: left of it the value has the later colour alone, right of it the earlier one. That makes at most `values` + 2 ranges.
pub(super) fn ranges(people: &[u64], values: u64) -> Option<Vec<ColourRange>> {
    let everybody: u64 = people.iter().sum();
    let row = everybody / values;
    if row == 0 || people.iter().any(|&people| people > row) {
        return None;
    }
    let mut order: Vec<u32> = (0..people.len() as u32).filter(|&value| people[value as usize] > 0).collect();
    order.sort_by_key(|&value| std::cmp::Reverse(people[value as usize]));
    let mut next = 0;
    let runs: Vec<(u32, u64, u64)> = order
        .into_iter()
        .map(|value| {
            let start = next;
            next += people[value as usize];
            (value, start, next)
        })
        .collect();
    let goes_on = |&&(_, start, end): &&(u32, u64, u64)| start / row < (end - 1) / row;
    let mut ends: Vec<u64> = runs.iter().filter(goes_on).map(|&(_, _, end)| (end - 1) % row + 1).collect();
    ends.extend([everybody % row, row]);
    ends.sort_unstable();
    ends.dedup();
    let mut first = 0;
    let range = |last: u64| {
        let columns = first..last;
        first = last;
        let colours =
            (0..=everybody / row).map(|colour| part(&runs, colour * row + columns.start, colour * row + last));
        ColourRange { width: last - columns.start, colours: colours.filter(|values| !values.is_empty()).collect() }
    };
    Some(ends.into_iter().filter(|&end| end > 0).map(range).collect())
}

/// The values that stand between two indices of the long row of everybody, with how many people have them there.
fn part(runs: &[(u32, u64, u64)], first: u64, last: u64) -> Vec<(u32, u64)> {
    let from = runs.partition_point(|&(_, _, end)| end <= first);
    let inside = runs[from..].iter().take_while(|&&(_, start, _)| start < last);
    inside.map(|&(value, start, end)| (value, end.min(last) - start.max(first))).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn values_that_fill_rows_make_one_range() {
        let all = ranges(&[2, 3, 0, 1], 2).unwrap();
        assert_eq!(all, [ColourRange { width: 3, colours: vec![vec![(1, 3)], vec![(0, 2), (3, 1)]] }]);
        assert_eq!(ranges(&[4, 2], 2), None, "too many have one value");
        assert_eq!(ranges(&[], 2), None);
    }

    proptest! {
        #[test]
        fn everybody_has_a_place_and_no_value_has_two_colours_in_a_range(
            people in prop::collection::vec(0..40_u64, 1..12), values in 1..6_u64,
        ) {
            let everybody: u64 = people.iter().sum();
            let eligible = everybody >= values && people.iter().all(|&most| most * values <= everybody);
            let found = ranges(&people, values);
            prop_assert_eq!(found.is_some(), eligible);
            let Some(found) = found else { return Ok(()) };
            prop_assert!(found.len() as u64 <= values + 2, "{found:?}");
            let mut counted = vec![0; people.len()];
            for range in &found {
                prop_assert!(range.colours.len() as u64 >= values);
                let mut seen = Vec::new();
                for colour in &range.colours {
                    prop_assert_eq!(colour.iter().map(|&(_, people)| people).sum::<u64>(), range.width);
                    for &(value, people) in colour {
                        prop_assert!(people > 0 && !seen.contains(&value), "{range:?}");
                        seen.push(value);
                        counted[value as usize] += people;
                    }
                }
            }
            prop_assert_eq!(counted, people);
        }
    }
}
