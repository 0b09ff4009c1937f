//! What a published value stands for.

mod exact;
mod mask;
mod read;
mod share;

pub(super) use read::calendar;
pub use read::regions;
pub use share::Likelihood;

use self::exact::ExactValues;
use crate::condition::ValueSet;
use crate::data::value::Value;

/// The original values that a published one stands for, and how likely each is.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    known: Known,
    or_missing: bool,
    /// Those of them that other rows of the column publish exactly.
    seen: ExactValues,
}

#[derive(Clone, Debug, PartialEq)]
enum Known {
    /// These values; none if only the missing value is meant.
    Values(Vec<Value>),
    /// Whole numbers, both ends included.
    Whole(i64, i64),
    /// Days, both ends included.
    Days(i32, i32),
    /// Times in microseconds, both ends included.
    Times(i64, i64),
    /// Numbers on a line; the upper end may be left out.
    Span { low: f64, high: f64, with_high: bool },
    /// Texts of at most this length that begin, or end, so.
    Masked { kept: Box<str>, at_end: bool, length: usize },
    /// Anything; what the column's other values stand for tells what is likely.
    Anything(Vec<Region>),
}

impl Region {
    fn of(known: Known, or_missing: bool) -> Self {
        Self { known, or_missing, seen: ExactValues::default() }
    }

    /// What it stands for as a set; nothing where that can't be said in ranges of values.
    pub fn set(&self) -> Option<ValueSet> {
        let range = |low: Value, high: ValueSet| ValueSet::above(low, true).intersect(&high);
        let known = match &self.known {
            Known::Values(values) => {
                values.iter().fold(ValueSet::nothing(), |set, value| set.union(&ValueSet::one(value.clone())))
            }
            Known::Whole(low, high) => range(Value::Integer(*low), ValueSet::below(Value::Integer(*high), true)),
            Known::Days(first, last) => range(Value::Date(*first), ValueSet::below(Value::Date(*last), true)),
            Known::Times(first, last) => {
                range(Value::Timestamp(*first), ValueSet::below(Value::Timestamp(*last), true))
            }
            Known::Span { low, high, with_high } => {
                range(Value::Number(*low), ValueSet::below(Value::Number(*high), *with_high))
            }
            Known::Masked { kept, at_end: false, .. } => {
                // All texts that begin so: up to the text whose last character is the next one.
                let last = kept.chars().next_back()?;
                let next = char::from_u32(u32::from(last) + 1)?;
                let end = format!("{}{next}", &kept[..kept.len() - last.len_utf8()]);
                range(Value::Text(kept.clone()), ValueSet::below(Value::Text(end.into()), false))
            }
            Known::Masked { .. } | Known::Anything(_) => return None,
        };
        Some(if self.or_missing { known.union(&ValueSet::missing()) } else { known })
    }

    /// Whether an original value may have become it.
    pub fn contains(&self, value: &Value) -> bool {
        match (&self.known, value) {
            (_, Value::Missing) => self.or_missing,
            (Known::Values(values), _) => values.contains(value),
            (Known::Whole(low, high), Value::Integer(i)) => low <= i && i <= high,
            (Known::Days(first, last), Value::Date(day)) => first <= day && day <= last,
            (Known::Times(first, last), Value::Timestamp(time)) => first <= time && time <= last,
            (Known::Span { low, high, with_high }, _) => {
                value.as_number().is_some_and(|x| *low <= x && (x < *high || (*with_high && x <= *high)))
            }
            (Known::Masked { kept, at_end, length }, Value::Text(text)) => mask::holds(kept, *at_end, *length, text),
            (Known::Masked { kept, at_end, length }, _) => mask::holds(kept, *at_end, *length, &value.to_string()),
            (Known::Anything(_), _) => true,
            (Known::Whole(..) | Known::Days(..) | Known::Times(..), _) => false,
        }
    }

    /// The values that it stands for, if they are no more than `most`.
    pub fn values(&self, most: usize) -> Option<Vec<Value>> {
        let fits = |size: u64| size <= most as u64;
        let mut values: Vec<Value> = match &self.known {
            Known::Values(values) => values.clone(),
            Known::Whole(low, high) if fits(high.abs_diff(*low)) => (*low..=*high).map(Value::Integer).collect(),
            Known::Days(first, last) if fits(u64::from(last.abs_diff(*first))) => {
                (*first..=*last).map(Value::Date).collect()
            }
            Known::Times(first, last) if fits(last.abs_diff(*first)) => {
                (*first..=*last).map(Value::Timestamp).collect()
            }
            Known::Anything(_) => Vec::new(),
            _ => return None,
        };
        values.extend(self.or_missing.then_some(Value::Missing));
        Some(values)
    }

    /// The one value that it stands for, if it stands for one.
    fn only(&self) -> Option<Value> {
        match (&self.known, self.or_missing) {
            (Known::Values(values), false) if values.len() == 1 => values.first().cloned(),
            (Known::Values(values), true) if values.is_empty() => Some(Value::Missing),
            (Known::Whole(low, high), false) if low == high => Some(Value::Integer(*low)),
            (Known::Days(first, last), false) if first == last => Some(Value::Date(*first)),
            (Known::Times(first, last), false) if first == last => Some(Value::Timestamp(*first)),
            (Known::Span { low, high, with_high: true }, false) if low.total_cmp(high).is_eq() => {
                Some(Value::Number(*low))
            }
            _ => None,
        }
    }

    /// Whether everything that it stands for lies in a set.
    pub fn lies_in(&self, set: &ValueSet) -> bool {
        let known = match &self.known {
            Known::Values(values) => values.iter().all(|value| set.contains(value)),
            Known::Whole(low, high) | Known::Times(low, high) => {
                set.count_whole(*low, *high) == u128::from(high.abs_diff(*low)) + 1
            }
            Known::Days(first, last) => {
                set.count_whole(i64::from(*first), i64::from(*last)) == u128::from(last.abs_diff(*first)) + 1
            }
            Known::Span { low, high, with_high } => {
                let outside = set.complement();
                let (low, high) = (*low, if *with_high { *high } else { high.next_down() });
                !outside.touches(low, high)
            }
            Known::Masked { .. } | Known::Anything(_) => set.holds_all_known(),
        };
        known && (!self.or_missing || set.holds_missing())
    }

    /// Whether something that it stands for may lie in a set.
    pub fn meets(&self, set: &ValueSet) -> bool {
        let known = match &self.known {
            Known::Values(values) => values.iter().any(|value| set.contains(value)),
            Known::Whole(low, high) | Known::Times(low, high) => set.count_whole(*low, *high) > 0,
            Known::Days(first, last) => set.count_whole(i64::from(*first), i64::from(*last)) > 0,
            Known::Span { low, high, with_high } => {
                set.touches(*low, if *with_high { *high } else { high.next_down() })
            }
            Known::Masked { kept, at_end, length } => match set.points() {
                Some(points) => points.iter().any(|point| mask::holds(kept, *at_end, *length, &point.to_string())),
                None => true,
            },
            Known::Anything(_) => !set.is_empty(),
        };
        known || (self.or_missing && set.holds_missing())
    }
}
