//! What a published value stands for.

use chrono::NaiveDate;

use super::manifest::{ColumnMeaning, ValueMeaning};
use super::tally::ValueDistribution;
use crate::condition::ValueSet;
use crate::data::value::{Decimal, Type, Value, days_of_date};

/// The original values that a published one stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    known: Known,
    or_missing: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Known {
    /// These values; none if only the missing value is meant.
    Values(Vec<Value>),
    /// Whole numbers, both ends included.
    TableSummary(i64, i64),
    /// Days, both ends included.
    Days(i32, i32),
    /// Numbers on a line; the upper end may be left out.
    Span { low: f64, high: f64, with_high: bool },
    /// Texts of at most this length that begin, or end, so.
    Masked { kept: Box<str>, at_end: bool, length: usize },
    /// Anything; what the column's other values stand for tells what is likely.
    Anything(Vec<Region>),
}

/// The regions of a column's published values.
pub fn regions<'l>(column: &ColumnMeaning, labels: impl Iterator<Item = &'l str>) -> Vec<Region> {
    let mut regions: Vec<Region> = labels.map(|label| Region::read(column, label)).collect();
    let known: Vec<Region> =
        regions.iter().filter(|region| !matches!(region.known, Known::Anything(_))).cloned().collect();
    for region in &mut regions {
        if let Known::Anything(likely) = &mut region.known {
            likely.clone_from(&known);
        }
    }
    regions
}

impl Region {
    fn read(column: &ColumnMeaning, label: &str) -> Self {
        if let (Some(rest), ValueMeaning::Interval) = (label.strip_suffix(" or missing"), &column.values) {
            return Self { or_missing: true, ..Self::read(column, rest) };
        }
        let one = |text: &str| single(text, column.kind);
        match &column.values {
            _ if label.is_empty() => Self::of(Known::Values(Vec::new()), true),
            ValueMeaning::Exact | ValueMeaning::Drawn { .. } => one(label),
            ValueMeaning::Hierarchy { nodes } => match nodes.iter().find(|node| node.label == label) {
                Some(node) => listed(node.leaves.iter().map(String::as_str), column.kind),
                None => one(label),
            },
            ValueMeaning::Set => match items_of_set(label) {
                Some(items) => listed(items.iter().map(String::as_str), column.kind),
                None => one(&unquoted(label)),
            },
            _ if label == "*" => Self::of(Known::Anything(Vec::new()), true),
            ValueMeaning::Interval | ValueMeaning::Intervals => {
                interval(label, column.kind).unwrap_or_else(|| one(label))
            }
            ValueMeaning::Mask => mask(label).unwrap_or_else(|| one(label)),
            ValueMeaning::Calendar => match days(label) {
                Some((first, last)) => Self::of(Known::Days(first, last), false),
                None => one(label),
            },
        }
    }

    fn of(known: Known, or_missing: bool) -> Self {
        Self { known, or_missing }
    }

    /// What it stands for as a set; nothing where that can't be said in ranges of values.
    pub fn set(&self) -> Option<ValueSet> {
        let range = |low: Value, high: ValueSet| ValueSet::above(low, true).intersect(&high);
        let known = match &self.known {
            Known::Values(values) => {
                values.iter().fold(ValueSet::nothing(), |set, value| set.union(&ValueSet::one(value.clone())))
            }
            Known::TableSummary(low, high) => range(Value::Integer(*low), ValueSet::below(Value::Integer(*high), true)),
            Known::Days(first, last) => range(Value::Date(*first), ValueSet::below(Value::Date(*last), true)),
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
            (Known::TableSummary(low, high), Value::Integer(i)) => low <= i && i <= high,
            (Known::Days(first, last), Value::Date(day)) => first <= day && day <= last,
            (Known::Span { low, high, with_high }, _) => {
                value.as_number().is_some_and(|x| *low <= x && (x < *high || (*with_high && x <= *high)))
            }
            (Known::Masked { kept, at_end, length }, _) => {
                let text = value.to_string();
                let so = if *at_end { text.ends_with(&**kept) } else { text.starts_with(&**kept) };
                so && text.chars().count() <= *length
            }
            (Known::Anything(_), _) => true,
            (Known::TableSummary(..) | Known::Days(..), _) => false,
        }
    }

    /// The values that it stands for, if they are no more than `most`.
    pub fn values(&self, most: usize) -> Option<Vec<Value>> {
        let fits = |size: u64| size <= most as u64;
        let mut values: Vec<Value> = match &self.known {
            Known::Values(values) => values.clone(),
            Known::TableSummary(low, high) if fits(high.abs_diff(*low)) => (*low..=*high).map(Value::Integer).collect(),
            Known::Days(first, last) if fits(u64::from(last.abs_diff(*first))) => {
                (*first..=*last).map(Value::Date).collect()
            }
            Known::Anything(_) => Vec::new(),
            _ => return None,
        };
        values.extend(self.or_missing.then_some(Value::Missing));
        Some(values)
    }

    /// The share of what it stands for that lies in a set: by number of discrete values, by length on a line.
    pub fn share(&self, set: &ValueSet) -> f64 {
        let extra = u128::from(self.or_missing);
        let extra_inside = u128::from(self.or_missing && set.holds_missing());
        let of_counts = |inside: u128, all: u128| {
            if all + extra == 0 { 0.0 } else { (inside + extra_inside) as f64 / (all + extra) as f64 }
        };
        match &self.known {
            Known::Values(values) => {
                of_counts(values.iter().filter(|value| set.contains(value)).count() as u128, values.len() as u128)
            }
            Known::TableSummary(low, high) => {
                of_counts(set.count_whole(*low, *high), u128::from(high.abs_diff(*low)) + 1)
            }
            Known::Days(first, last) => {
                let (first, last) = (i64::from(*first), i64::from(*last));
                of_counts(set.count_whole(first, last), u128::from(last.abs_diff(first)) + 1)
            }
            Known::Span { low, high, .. } if high > low => set.length(*low, *high) / (high - low),
            Known::Span { low, .. } => f64::from(u8::from(set.contains(&Value::Number(*low)))),
            Known::Masked { kept, at_end, length } => masked_share(set, kept, *at_end, *length),
            Known::Anything(likely) if likely.is_empty() => {
                if set.holds_all_known() {
                    1.0
                } else {
                    0.5
                }
            }
            Known::Anything(likely) => likely.iter().map(|region| region.share(set)).sum::<f64>() / likely.len() as f64,
        }
    }

    /// The numbers of a set that it stands for: the smallest, the largest, and how they are distributed, all being as
    /// likely. Nothing where there is none.
    pub fn numbers(&self, set: &ValueSet, kind: Type) -> Option<(f64, f64, Option<ValueDistribution>)> {
        let whole = |low: f64, high: f64| {
            let runs = set.pieces(low, high, true);
            Some((runs.first()?.0, runs.last()?.1, ValueDistribution::of_runs(&runs)))
        };
        match &self.known {
            Known::Values(values) => {
                let numbers = values.iter().filter(|value| set.contains(value)).filter_map(Value::as_number);
                let law = ValueDistribution::uniform(numbers)?;
                Some((law.points.first()?.0, law.points.last()?.0, Some(law)))
            }
            Known::TableSummary(low, high) => whole(*low as f64, *high as f64),
            Known::Days(first, last) => whole(f64::from(*first), f64::from(*last)),
            Known::Span { low, high, with_high } => {
                let pieces = set.pieces(*low, if *with_high { *high } else { high.next_down() }, false);
                Some((pieces.first()?.0, pieces.last()?.1, ValueDistribution::of_lengths(&pieces)))
            }
            Known::Masked { kept, at_end, length } => {
                let (low, high) = masked_numbers(kept, *at_end, *length);
                let (low, high, law) = if kind == Type::Integer { whole(low, high)? } else { (low, high, None) };
                Some((low, high, law))
            }
            Known::Anything(likely) => {
                let (low, high) = set.ends(f64::NEG_INFINITY, f64::INFINITY, kind != Type::Number)?;
                let law = |region: &Self| Some((region.numbers(set, kind)?.2?, region.share(set)));
                Some((low, high, ValueDistribution::mixture(&likely.iter().filter_map(law).collect::<Vec<_>>())))
            }
        }
    }

    /// Whether everything that it stands for lies in a set.
    pub fn lies_in(&self, set: &ValueSet) -> bool {
        let known = match &self.known {
            Known::Values(values) => values.iter().all(|value| set.contains(value)),
            Known::TableSummary(low, high) => set.count_whole(*low, *high) == u128::from(high.abs_diff(*low)) + 1,
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
            Known::TableSummary(low, high) => set.count_whole(*low, *high) > 0,
            Known::Days(first, last) => set.count_whole(i64::from(*first), i64::from(*last)) > 0,
            Known::Span { low, high, with_high } => {
                set.touches(*low, if *with_high { *high } else { high.next_down() })
            }
            Known::Masked { kept, at_end, length } => match set.points() {
                Some(points) => {
                    let region =
                        Self::of(Known::Masked { kept: kept.clone(), at_end: *at_end, length: *length }, false);
                    points.iter().any(|point| region.contains(point))
                }
                None => true,
            },
            Known::Anything(_) => !set.is_empty(),
        };
        known || (self.or_missing && set.holds_missing())
    }
}

fn single(text: &str, kind: Type) -> Region {
    let value = Value::parse(text, kind, Decimal::Point).unwrap_or_else(|| Value::Text(text.into()));
    Region::of(Known::Values(vec![value]), false)
}

fn listed<'l>(labels: impl Iterator<Item = &'l str>, kind: Type) -> Region {
    let (mut values, mut or_missing) = (Vec::new(), false);
    for label in labels {
        match label {
            "" => or_missing = true,
            _ => values.push(Value::parse(label, kind, Decimal::Point).unwrap_or_else(|| Value::Text(label.into()))),
        }
    }
    Region::of(Known::Values(values), or_missing)
}

/// `[20, 24]`, `[20, 25)`.
fn interval(label: &str, kind: Type) -> Option<Region> {
    let inner = label.strip_prefix('[')?;
    let (inner, with_high) = match inner.strip_suffix(']') {
        Some(inner) => (inner, true),
        None => (inner.strip_suffix(')')?, false),
    };
    let (low, high) = inner.split_once(", ")?;
    let read = |text| Value::parse(text, kind, Decimal::Point);
    let known = match (read(low)?, read(high)?) {
        (Value::Integer(low), Value::Integer(high)) => {
            Known::TableSummary(low, if with_high { high } else { high - 1 })
        }
        (Value::Date(low), Value::Date(high)) => Known::Days(low, if with_high { high } else { high - 1 }),
        (low, high) => Known::Span { low: low.as_number()?, high: high.as_number()?, with_high },
    };
    Some(Region::of(known, false))
}

fn mask(label: &str) -> Option<Region> {
    let at_end = label.starts_with('*');
    let kept = label.trim_matches('*');
    let length = label.chars().count();
    let known = Known::Masked { kept: kept.into(), at_end, length };
    label.contains('*').then(|| Region::of(known, false))
}

/// The smallest and the largest number that a mask of digits can hide; anything where what is left is no such number.
fn masked_numbers(kept: &str, at_end: bool, length: usize) -> (f64, f64) {
    let hidden = "9".repeat(length.saturating_sub(kept.chars().count()));
    let highest = if at_end { format!("{hidden}{kept}") } else { format!("{kept}{hidden}") };
    match (kept.bytes().all(|b| b.is_ascii_digit()), kept.parse::<f64>(), highest.parse::<f64>()) {
        // What stands before the end of a number may be a sign.
        (true, Ok(low), Ok(high)) if at_end => (if hidden.is_empty() { low } else { -high }, high),
        (true, Ok(low), Ok(high)) => (low, high),
        _ => (f64::NEG_INFINITY, f64::INFINITY),
    }
}

/// Each masked character is taken for a digit, all as likely.
fn masked_share(set: &ValueSet, kept: &str, at_end: bool, length: usize) -> f64 {
    const ENUMERATED: usize = 4;
    let hidden = length.saturating_sub(kept.chars().count());
    let shown = hidden.min(ENUMERATED);
    let of_points = |points: &[&Value]| {
        let region = Region::of(Known::Masked { kept: kept.into(), at_end, length }, false);
        points.iter().filter(|point| region.contains(point)).count() as f64 / 10_f64.powf(hidden as f64)
    };
    if let Some(points) = set.points() {
        return of_points(&points);
    }
    if let Some(points) = set.complement().points() {
        return 1.0 - of_points(&points);
    }
    let all = 10_usize.pow(shown as u32);
    let spelled = |number: usize| {
        let digits = format!("{number:0shown$}{:5<1$}", "", hidden - shown);
        Value::Text(if at_end { format!("{digits}{kept}") } else { format!("{kept}{digits}") }.into())
    };
    (0..all).filter(|&number| set.contains(&spelled(number))).count() as f64 / all as f64
}

/// `1994-03-07`, `1994-03`, `1994-Q1`, `1994`, `1990s`: the first and the last day.
fn days(label: &str) -> Option<(i32, i32)> {
    let day = |year, month| NaiveDate::from_ymd_opt(year, month, 1);
    let until = |first: NaiveDate, after: NaiveDate| Some((days_of_date(first), days_of_date(after) - 1));
    let next_month = |year: i32, month: u32| if month == 12 { day(year + 1, 1) } else { day(year, month + 1) };
    if let Some(Value::Date(exact)) = Value::parse(label, Type::Date, Decimal::Point) {
        return Some((exact, exact));
    }
    if let Some(decade) = label.strip_suffix("0s") {
        let year: i32 = format!("{decade}0").parse().ok()?;
        return until(day(year, 1)?, day(year + 10, 1)?);
    }
    if let Some((year, quarter)) = label.split_once("-Q") {
        let (year, quarter): (i32, u32) = (year.parse().ok()?, quarter.parse().ok()?);
        return until(day(year, 3 * quarter - 2)?, next_month(year, 3 * quarter)?);
    }
    if let Some((year, month)) = label.split_once('-') {
        let (year, month): (i32, u32) = (year.parse().ok()?, month.parse().ok()?);
        return until(day(year, month)?, next_month(year, month)?);
    }
    let year: i32 = label.parse().ok()?;
    until(day(year, 1)?, day(year + 1, 1)?)
}

/// The items of `{a, "b, c"}`.
fn items_of_set(label: &str) -> Option<Vec<String>> {
    let mut rest = label.strip_prefix('{')?.strip_suffix('}')?;
    let mut items = Vec::new();
    loop {
        let (item, after) = if rest.starts_with('"') {
            let mut texts = serde_json::Deserializer::from_str(rest).into_iter::<String>();
            let item = texts.next()?.ok()?;
            (item, &rest[texts.byte_offset()..])
        } else {
            let end = rest.find(", ").unwrap_or(rest.len());
            (rest[..end].to_owned(), &rest[end..])
        };
        items.push(item);
        match after.strip_prefix(", ") {
            Some(next) => rest = next,
            None => return after.is_empty().then_some(items),
        }
    }
}

fn unquoted(label: &str) -> String {
    serde_json::from_str(label).unwrap_or_else(|_| label.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::role::Role;

    fn read(values: ValueMeaning, kind: Type, label: &str) -> Region {
        Region::read(&ColumnMeaning { values, ..ColumnMeaning::exact("x", Role::Quasi, kind) }, label)
    }

    #[test]
    fn labels_stand_for_what_the_manifest_says() {
        let at_least_45 = ValueSet::above(Value::Integer(45), true);
        let whole = read(ValueMeaning::Interval, Type::Integer, "[20, 60]");
        assert!((whole.share(&at_least_45) - 16.0 / 41.0).abs() < 1e-15);
        assert!(whole.meets(&at_least_45) && !whole.lies_in(&at_least_45));
        let line = read(ValueMeaning::Interval, Type::Number, "[20, 60]");
        assert!((line.share(&ValueSet::above(Value::Number(45.0), true)) - 3.0 / 8.0).abs() < 1e-15);
        let half_open = read(ValueMeaning::Intervals, Type::Number, "[20, 25)");
        assert!(!half_open.meets(&ValueSet::one(Value::Number(25.0))));
        assert!(half_open.lies_in(&ValueSet::below(Value::Number(25.0), false)));
        let set = read(ValueMeaning::Set, Type::Text, "{a, \"b, c\", }");
        assert!(set.contains(&Value::Text("b, c".into())) && set.contains(&Value::Missing));
        assert!((set.share(&ValueSet::one(Value::Text("a".into()))) - 1.0 / 3.0).abs() < 1e-15);
        let masked = read(ValueMeaning::Mask, Type::Text, "130**");
        assert!(masked.contains(&Value::Text("13053".into())) && !masked.contains(&Value::Text("13153".into())));
        assert!((masked.share(&ValueSet::one(Value::Text("13053".into()))) - 0.01).abs() < 1e-15);
        let quarter = read(ValueMeaning::Calendar, Type::Date, "1994-Q4");
        assert_eq!(quarter.known, Known::Days(9039, 9130));
        assert!(quarter.contains(&Value::parse("1994-12-31", Type::Date, Decimal::Point).unwrap()));
        let decade = read(ValueMeaning::Calendar, Type::Date, "1990s");
        assert!(decade.contains(&Value::parse("1999-12-31", Type::Date, Decimal::Point).unwrap()));
    }
}
