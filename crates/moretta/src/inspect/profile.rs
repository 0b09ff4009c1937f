//! What a column holds.

use serde::Serialize;
use serde_json::Value as Json;

use super::markers::Marker;
use crate::data::table::Column;
use crate::data::value::{Type, Value};

/// How many of the most frequent values are shown.
const MOST_FREQUENT: usize = 3;

/// Rows below which it means nothing that values do not repeat, or that all are the same.
const FEW_ROWS: u64 = 20;

/// What a column holds.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Profile {
    /// Its name.
    pub name: String,
    /// The type of its values, gaps aside.
    #[serde(rename = "type")]
    pub kind: Type,
    /// How many different values there are, gaps aside.
    pub distinct: u64,
    /// Rows that lack a value, certain markers of a gap included.
    pub missing: u64,
    /// Rows that have one.
    #[serde(skip)]
    pub(super) present: u64,
    /// How its values repeat.
    pub repetition: Repetition,
    /// The most frequent values, the most frequent first.
    pub frequent: Vec<Frequent>,
    /// The smallest and the largest value, where values have an order.
    pub range: Option<Range>,
    /// How its rows are distributed: over parts of the range of the same width where values have an order and are many, over the values in
    /// order where they are few, else over the most frequent values.
    pub distribution: Vec<u64>,
    /// Values that look as if they stood for a missing one.
    pub markers: Vec<Marker>,
}

/// How the values of a column repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Repetition {
    /// There is no value at all.
    Empty,
    /// All rows have the same value.
    Constant,
    /// No value occurs twice.
    Unique,
    /// There are nearly as many values as rows.
    NearlyUnique,
    /// Values repeat, or rows are too few to tell.
    Repeated,
}

/// A value and the rows that hold it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Frequent {
    /// The value: a number or a truth value as such, everything else as a text.
    pub value: Json,
    /// The rows that hold it.
    pub count: u64,
}

/// From the smallest value to the largest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Range {
    /// The smallest value.
    pub lowest: Json,
    /// The largest.
    pub highest: Json,
}

impl Profile {
    /// The profile of a column; `counts` are the rows of each code.
    pub(super) fn new(column: &Column, counts: &[u64], markers: Vec<Marker>) -> Self {
        let domain = &column.domain;
        let mut by_count: Vec<(u32, u64)> =
            (0..).zip(counts.iter().copied()).filter(|&(code, _)| Some(code) != domain.missing()).collect();
        let distinct = by_count.len() as u64;
        let missing = domain.missing().map_or(0, |code| counts[code as usize]);
        let ends = by_count.first().zip(by_count.last()).filter(|_| domain.kind().is_ordered());
        let range = ends.map(|(&(lowest, _), &(highest, _))| Range {
            lowest: json(domain.value(lowest)),
            highest: json(domain.value(highest)),
        });
        let distribution = distribution(column, &by_count);
        // Codes are in the order of the values, so that of equally frequent ones the smallest comes first.
        let order = |a: &(u32, u64), b: &(u32, u64)| b.1.cmp(&a.1).then(a.0.cmp(&b.0));
        if by_count.len() > MOST_FREQUENT {
            by_count.select_nth_unstable_by(MOST_FREQUENT - 1, order);
            by_count.truncate(MOST_FREQUENT);
        }
        by_count.sort_unstable_by(order);
        let frequent = by_count.iter().map(|&(code, count)| Frequent { value: json(domain.value(code)), count });
        Self {
            name: column.name.clone(),
            kind: domain.kind(),
            distinct,
            missing,
            present: column.codes.len() as u64 - missing,
            repetition: Repetition::of(distinct, missing, column.codes.len() as u64),
            frequent: frequent.collect(),
            range,
            distribution,
            markers,
        }
    }

    /// Whether some value occurs twice.
    pub(super) fn repeats(&self) -> bool {
        self.distinct < self.present
    }

    /// The two ends of a range of whole numbers.
    pub(super) fn whole_range(&self) -> Option<(i64, i64)> {
        let range = self.range.as_ref().filter(|_| self.kind == Type::Integer)?;
        Some((range.lowest.as_i64()?, range.highest.as_i64()?))
    }
}

impl Repetition {
    fn of(distinct: u64, missing: u64, rows: u64) -> Self {
        let present = rows - missing;
        match distinct {
            0 => Self::Empty,
            _ if rows < FEW_ROWS => Self::Repeated,
            1 if missing == 0 => Self::Constant,
            _ if present < FEW_ROWS => Self::Repeated,
            _ if distinct == present => Self::Unique,
            _ if distinct * 10 >= present * 9 => Self::NearlyUnique,
            _ => Self::Repeated,
        }
    }
}

fn json(value: &Value) -> Json {
    match value {
        Value::Integer(i) => Json::from(*i),
        Value::Number(x) => Json::from(*x),
        Value::Boolean(b) => Json::from(*b),
        Value::Missing | Value::Date(_) | Value::Timestamp(_) | Value::Text(_) => Json::from(value.to_string()),
    }
}

/// The rows of parts of the range, of values, or of the most frequent ones.
fn distribution(column: &Column, counts: &[(u32, u64)]) -> Vec<u64> {
    const PARTS: usize = 16;
    let place = |code: u32| column.domain.value(code).as_number();
    let ends = counts.first().zip(counts.last()).and_then(|(low, high)| Some((place(low.0)?, place(high.0)?)));
    match ends {
        Some((low, high)) if counts.len() > PARTS && high > low => {
            let mut parts = vec![0; PARTS];
            for &(code, count) in counts {
                let share = place(code).map_or(0.0, |x| (x / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0));
                let part = (1..PARTS).filter(|&part| share * PARTS as f64 >= part as f64).count();
                parts[part] += count;
            }
            parts
        }
        Some(_) if counts.len() <= PARTS => counts.iter().map(|&(_, count)| count).collect(),
        _ => {
            let mut all: Vec<u64> = counts.iter().map(|&(_, count)| count).collect();
            all.sort_unstable_by(|a, b| b.cmp(a));
            all.truncate(PARTS);
            all
        }
    }
}

/// How many rows have each code.
pub(super) fn count_codes(column: &Column) -> Vec<u64> {
    let mut counts = vec![0; column.domain.len()];
    column.codes.iter().for_each(|&code| counts[code as usize] += 1);
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::domain::Domain;
    use std::sync::Arc;

    fn profile(values: Vec<Value>, kind: Type) -> Profile {
        let (domain, codes) = Domain::from_unsorted(kind, values);
        let column = Column { name: "x".to_owned(), domain: Arc::new(domain), codes };
        Profile::new(&column, &count_codes(&column), Vec::new())
    }

    #[test]
    fn frequent_values_come_in_order_and_gaps_are_no_values() {
        let mut values: Vec<Value> = [5, 2, 9, 2, 5, 7, 9, 2].map(Value::Integer).to_vec();
        values.extend([Value::Missing, Value::Missing, Value::Missing, Value::Missing]);
        let profile = profile(values, Type::Integer);
        let frequent: Vec<(i64, u64)> = profile.frequent.iter().map(|f| (f.value.as_i64().unwrap(), f.count)).collect();
        assert_eq!(frequent, [(2, 3), (5, 2), (9, 2)]);
        assert_eq!((profile.distinct, profile.missing, profile.whole_range()), (4, 4, Some((2, 9))));
    }

    #[test]
    fn a_distribution_counts_every_row_of_numbers_once() {
        let many = profile((0..100).chain(0..10).map(Value::Integer).collect(), Type::Integer);
        assert_eq!((many.distribution.len(), many.distribution.iter().sum::<u64>()), (16, 110));
        assert_eq!(many.distribution[0], 14);
        let few = profile([5, 2, 5].map(Value::Integer).to_vec(), Type::Integer);
        assert_eq!(few.distribution, [1, 2]);
        let texts = profile(["b", "a", "b"].map(|t| Value::Text(t.into())).to_vec(), Type::Text);
        assert_eq!(texts.distribution, [2, 1]);
        assert_eq!(profile(vec![Value::Missing], Type::Text).distribution, [0; 0]);
    }

    #[test]
    fn repetition_is_judged_only_where_there_are_rows_enough() {
        let repetition =
            |values: Vec<i64>| profile(values.into_iter().map(Value::Integer).collect(), Type::Integer).repetition;
        assert_eq!(repetition((0..20).collect()), Repetition::Unique);
        assert_eq!(repetition((0..19).collect()), Repetition::Repeated);
        assert_eq!(repetition((0..50).chain(0..4).collect()), Repetition::NearlyUnique);
        assert_eq!(repetition((0..20).chain(0..10).collect()), Repetition::Repeated);
        assert_eq!(repetition(vec![7; 20]), Repetition::Constant);
        assert_eq!(repetition(vec![7]), Repetition::Repeated);
        assert_eq!(profile(vec![Value::Missing; 3], Type::Text).repetition, Repetition::Empty);
    }
}
