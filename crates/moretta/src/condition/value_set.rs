//! Sets of values of one attribute: what a condition allows there.

use std::cmp::Ordering;

use crate::data::value::Value;

/// Where a range ends.
#[derive(Clone, Debug, PartialEq, Eq)]
enum End {
    /// Nowhere.
    Open,
    /// At a value, which belongs to it.
    With(Value),
    /// At a value, which does not.
    Without(Value),
}

/// A set of values: disjoint ranges in order, and perhaps the missing value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueSet {
    ranges: Vec<(End, End)>,
    missing: bool,
}

impl ValueSet {
    /// Everything, missing values included.
    pub fn everything() -> Self {
        Self { ranges: vec![(End::Open, End::Open)], missing: true }
    }

    /// Only the missing value.
    pub fn missing() -> Self {
        Self { ranges: Vec::new(), missing: true }
    }

    /// Nothing.
    pub fn nothing() -> Self {
        Self { ranges: Vec::new(), missing: false }
    }

    /// One value.
    pub fn one(value: Value) -> Self {
        if value.is_missing() {
            return Self::missing();
        }
        Self { ranges: vec![(End::With(value.clone()), End::With(value))], missing: false }
    }

    /// All values below one, which may belong to it.
    pub fn below(value: Value, inclusive: bool) -> Self {
        Self { ranges: vec![(End::Open, end(value, inclusive))], missing: false }
    }

    /// All values above one, which may belong to it.
    pub fn above(value: Value, inclusive: bool) -> Self {
        Self { ranges: vec![(end(value, inclusive), End::Open)], missing: false }
    }

    /// All values that are not in it; the missing value is a value too.
    #[must_use]
    pub fn complement(&self) -> Self {
        let mut ranges = Vec::new();
        let mut start = Some(End::Open);
        for (low, high) in &self.ranges {
            if let (Some(from), Some(to)) = (start.take(), beyond(low))
                && is_range(&from, &to)
            {
                ranges.push((from, to));
            }
            start = beyond(high);
        }
        ranges.extend(start.map(|from| (from, End::Open)));
        Self { ranges, missing: !self.missing }
    }

    /// All known values that are not in it: what SQL's NOT leaves of a comparison.
    #[must_use]
    pub fn negation(&self) -> Self {
        Self { missing: false, ..self.complement() }
    }

    /// What is in both.
    #[must_use]
    pub fn intersect(&self, other: &Self) -> Self {
        let mut ranges = Vec::new();
        let (mut a, mut b) = (self.ranges.iter().peekable(), other.ranges.iter().peekable());
        while let (Some(one), Some(two)) = (a.peek(), b.peek()) {
            let low = if low_order(&one.0, &two.0).is_ge() { &one.0 } else { &two.0 };
            let ends_first = high_order(&one.1, &two.1);
            let high = if ends_first.is_le() { &one.1 } else { &two.1 };
            if is_range(low, high) {
                ranges.push((low.clone(), high.clone()));
            }
            if ends_first.is_le() {
                a.next();
            } else {
                b.next();
            }
        }
        Self { ranges, missing: self.missing && other.missing }
    }

    /// What is in one of them.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        self.complement().intersect(&other.complement()).complement()
    }

    /// All values, cut along the borders of some sets: every atom lies in each of them, or outside it.
    pub fn atoms<'s>(sets: impl IntoIterator<Item = &'s Self>) -> Vec<Self> {
        sets.into_iter().fold(vec![Self::everything()], |atoms, set| {
            let outside = set.complement();
            let halves = |atom: &Self| [atom.intersect(set), atom.intersect(&outside)];
            atoms.iter().flat_map(halves).filter(|half| !half.is_empty()).collect()
        })
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty() && !self.missing
    }

    /// Whether a value is in it.
    pub fn contains(&self, value: &Value) -> bool {
        if value.is_missing() {
            return self.missing;
        }
        self.ranges.iter().any(|(low, high)| {
            let above = match low {
                End::Open => true,
                End::With(low) => value >= low,
                End::Without(low) => value > low,
            };
            above
                && match high {
                    End::Open => true,
                    End::With(high) => value <= high,
                    End::Without(high) => value < high,
                }
        })
    }

    /// How many whole numbers (or days, or microseconds) from `low` to `high`, both included, are in it.
    pub fn count_whole(&self, low: i64, high: i64) -> u128 {
        let whole = |value: &Value| match value {
            Value::Integer(i) => i128::from(*i),
            Value::Date(days) => i128::from(*days),
            Value::Timestamp(microseconds) => i128::from(*microseconds),
            // Conditions on whole numbers are bound to whole numbers.
            _ => 0,
        };
        let (low, high) = (i128::from(low), i128::from(high));
        let count = |(from, to): &(End, End)| {
            let from = match from {
                End::Open => low,
                End::With(value) => whole(value).max(low),
                End::Without(value) => (whole(value) + 1).max(low),
            };
            let to = match to {
                End::Open => high,
                End::With(value) => whole(value).min(high),
                End::Without(value) => (whole(value) - 1).min(high),
            };
            (to - from + 1).max(0).unsigned_abs()
        };
        self.ranges.iter().map(count).sum()
    }

    /// The length of what lies in it between two numbers.
    pub fn length(&self, low: f64, high: f64) -> f64 {
        let index = |end: &End, open: f64| match end {
            End::Open => open,
            End::With(value) | End::Without(value) => value.as_number().unwrap_or(open),
        };
        self.ranges.iter().map(|(from, to)| (index(to, high).min(high) - index(from, low).max(low)).max(0.0)).sum()
    }

    /// The pieces of it between two numbers, both ends included. Of whole numbers the ends are in it; on a line of all
    /// numbers an end may be one that is only approached.
    pub fn pieces(&self, low: f64, high: f64, whole: bool) -> Vec<(f64, f64)> {
        let step = if whole { 1.0 } else { 0.0 };
        let piece = |(from, to): &(End, End)| {
            let from = match from {
                End::Open => low,
                End::With(value) => value.as_number()?.max(low),
                End::Without(value) => (value.as_number()? + step).max(low),
            };
            let to = match to {
                End::Open => high,
                End::With(value) => value.as_number()?.min(high),
                End::Without(value) => (value.as_number()? - step).min(high),
            };
            let (from, to) = if whole { (from.ceil(), to.floor()) } else { (from, to) };
            (from <= to).then_some((from, to))
        };
        self.ranges.iter().filter_map(piece).collect()
    }

    /// The smallest and the largest number of it between two numbers; nothing if none lies there.
    pub fn ends(&self, low: f64, high: f64, whole: bool) -> Option<(f64, f64)> {
        let pieces = self.pieces(low, high, whole);
        Some((pieces.first()?.0, pieces.last()?.1))
    }

    /// Its ranges on a line of numbers (days and times count from 1970), without the missing value. Whole numbers stand for
    /// everything that is rounded to them, so that a single one is a range too.
    pub fn intervals(&self, whole: bool) -> Vec<(f64, f64)> {
        let half = if whole { 0.5 } else { 0.0 };
        let number = Value::as_number;
        let low = |end: &End| match end {
            End::Open => Some(f64::NEG_INFINITY),
            End::With(value) => number(value).map(|x| x - half),
            End::Without(value) => number(value).map(|x| x + half),
        };
        let high = |end: &End| match end {
            End::Open => Some(f64::INFINITY),
            End::With(value) => number(value).map(|x| x + half),
            End::Without(value) => number(value).map(|x| x - half),
        };
        self.ranges.iter().filter_map(|(from, to)| Some((low(from)?, high(to)?))).collect()
    }

    /// Its ranges on a line of numbers, without the missing value, with ends that belong to them: a number that does not
    /// is replaced by its neighbour among floats, which are all the numbers that a table can hold.
    pub fn closed_ranges(&self) -> Vec<(f64, f64)> {
        self.ranges.iter().map(closed).collect()
    }

    /// Whether some of it lies between two numbers, both included.
    pub fn touches(&self, low: f64, high: f64) -> bool {
        self.ranges.iter().map(closed).any(|(from, to)| from.max(low) <= to.min(high))
    }

    /// Its values, if it is no more than a list of them.
    pub fn points(&self) -> Option<Vec<&Value>> {
        let point = |range: &'_ (End, End)| matches!(range, (End::With(low), End::With(high)) if low == high);
        if !self.ranges.iter().all(point) {
            return None;
        }
        let mut points = Vec::with_capacity(self.ranges.len());
        for (low, _) in &self.ranges {
            if let End::With(value) = low {
                points.push(value);
            }
        }
        Some(points)
    }

    /// Whether every known value is in it.
    pub fn holds_all_known(&self) -> bool {
        self.ranges == [(End::Open, End::Open)]
    }

    /// Whether the missing value is in it.
    pub fn holds_missing(&self) -> bool {
        self.missing
    }
}

/// A range of numbers with the ends that belong to it.
fn closed((from, to): &(End, End)) -> (f64, f64) {
    let (lowest, highest) = (f64::NEG_INFINITY, f64::INFINITY);
    let from = match from {
        End::Open => lowest,
        End::With(value) => value.as_number().unwrap_or(lowest),
        End::Without(value) => value.as_number().map_or(lowest, f64::next_up),
    };
    let to = match to {
        End::Open => highest,
        End::With(value) => value.as_number().unwrap_or(highest),
        End::Without(value) => value.as_number().map_or(highest, f64::next_down),
    };
    (from, to)
}

fn end(value: Value, inclusive: bool) -> End {
    if inclusive { End::With(value) } else { End::Without(value) }
}

/// The end on the other side of the same place; nothing lies beyond an open one.
fn beyond(end: &End) -> Option<End> {
    match end {
        End::Open => None,
        End::With(value) => Some(End::Without(value.clone())),
        End::Without(value) => Some(End::With(value.clone())),
    }
}

fn is_range(low: &End, high: &End) -> bool {
    match (low, high) {
        (End::Open, _) | (_, End::Open) => true,
        (End::With(low), End::With(high)) => low <= high,
        (End::With(low) | End::Without(low), End::With(high) | End::Without(high)) => low < high,
    }
}

fn low_order(a: &End, b: &End) -> Ordering {
    match (a, b) {
        (End::Open, End::Open) => Ordering::Equal,
        (End::Open, _) => Ordering::Less,
        (_, End::Open) => Ordering::Greater,
        (End::With(a), End::Without(b)) => a.cmp(b).then(Ordering::Less),
        (End::Without(a), End::With(b)) => a.cmp(b).then(Ordering::Greater),
        (End::With(a), End::With(b)) | (End::Without(a), End::Without(b)) => a.cmp(b),
    }
}

fn high_order(a: &End, b: &End) -> Ordering {
    match (a, b) {
        (End::Open, End::Open) => Ordering::Equal,
        (End::Open, _) => Ordering::Greater,
        (_, End::Open) => Ordering::Less,
        (End::With(a), End::Without(b)) => a.cmp(b).then(Ordering::Greater),
        (End::Without(a), End::With(b)) => a.cmp(b).then(Ordering::Less),
        (End::With(a), End::With(b)) | (End::Without(a), End::Without(b)) => a.cmp(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sets() -> impl Strategy<Value = ValueSet> {
        let atom = (0_i64..8, 0..4_u8).prop_map(|(value, shape)| {
            let value = Value::Integer(value);
            match shape {
                0 => ValueSet::one(value),
                1 => ValueSet::below(value, true),
                2 => ValueSet::above(value, false),
                _ => ValueSet::missing(),
            }
        });
        proptest::collection::vec((atom, any::<bool>()), 1..5).prop_map(|atoms| {
            atoms.into_iter().fold(ValueSet::nothing(), |set, (atom, flip)| {
                if flip { set.union(&atom) } else { set.complement().intersect(&atom.complement()) }
            })
        })
    }

    proptest! {
        #[test]
        fn sets_are_what_their_members_say(a in sets(), b in sets()) {
            let members = |set: &ValueSet| -> Vec<bool> {
                let known = (-1..9).map(|i| set.contains(&Value::Integer(i)));
                known.chain([set.contains(&Value::Missing)]).collect()
            };
            let both = |f: fn(bool, bool) -> bool| -> Vec<bool> {
                members(&a).into_iter().zip(members(&b)).map(|(a, b)| f(a, b)).collect()
            };
            prop_assert_eq!(members(&a.intersect(&b)), both(|a, b| a && b));
            prop_assert_eq!(members(&a.union(&b)), both(|a, b| a || b));
            prop_assert_eq!(members(&a.complement()), members(&a).into_iter().map(|x| !x).collect::<Vec<_>>());
            let whole = (-1..9).filter(|&i| a.contains(&Value::Integer(i))).count() as u128;
            prop_assert_eq!(a.count_whole(-1, 8), whole);
            prop_assert_eq!(a.touches(-1.0, 8.0) || a.holds_missing(), !a.is_empty());
        }

        #[test]
        fn atoms_are_apart_and_each_lies_in_a_set_or_outside_it(sets in proptest::collection::vec(sets(), 0..5)) {
            let atoms = ValueSet::atoms(&sets);
            for value in (-1..9).map(Value::Integer).chain([Value::Missing]) {
                prop_assert_eq!(atoms.iter().filter(|atom| atom.contains(&value)).count(), 1);
            }
            for (set, atom) in sets.iter().flat_map(|set| atoms.iter().map(move |atom| (set, atom))) {
                prop_assert!(atom.intersect(set) == *atom || atom.intersect(set).is_empty());
            }
        }

        #[test]
        fn the_largest_whole_numbers_are_counted_too(from in any::<i64>(), to in any::<i64>(), with in any::<bool>()) {
            let set = ValueSet::above(Value::Integer(from), with);
            let all = i128::from(i64::MAX) - i128::from(from.max(to)) + i128::from(with || to > from);
            prop_assert_eq!(set.count_whole(to, i64::MAX), all.unsigned_abs());
            prop_assert_eq!(ValueSet::everything().count_whole(i64::MIN, i64::MAX), 1 << 64);
        }

        #[test]
        fn a_set_of_numbers_touches_what_has_a_number_in_it(x in -9.0..9.0_f64, steps in 0_u32..3, with in any::<bool>()) {
            let y = (0..steps).fold(x, |y, _| y.next_up());
            let between = ValueSet::above(Value::Number(x), with).intersect(&ValueSet::below(Value::Number(y), with));
            prop_assert_eq!(between.touches(x, y), with || steps > 1);
            prop_assert!(with || !between.touches(y, 10.0) && !between.touches(-10.0, x));
        }
    }
}
