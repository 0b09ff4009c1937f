//! Neighbours that are the same become one.

use std::ops::AddAssign;

/// Makes neighbours that are the `same` one item, and adds their counts up. Items must be sorted so that equal ones are neighbours.
///
/// ```
/// let mut values = vec![("flu", 2), ("flu", 3), ("gout", 1)];
/// moretta::internals::data::merge_counts(&mut values, |a, b| a.0 == b.0, |item| &mut item.1);
/// assert_eq!(values, [("flu", 5), ("gout", 1)]);
/// ```
pub fn merge_counts<T, N: Copy + AddAssign>(
    items: &mut Vec<T>,
    same: impl Fn(&T, &T) -> bool,
    count: impl Fn(&mut T) -> &mut N,
) {
    items.dedup_by(|next, kept| {
        let is_same = same(next, kept);
        if is_same {
            let more = *count(next);
            *count(kept) += more;
        }
        is_same
    });
}
