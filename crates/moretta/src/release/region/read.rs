//! What labels say: from the spelling of a published value to what it stands for.

use chrono::{NaiveDate, Weekday};

use super::{ExactValues, Known, Region};
use crate::data::timestamp;
use crate::data::value::{Decimal, Type, Value, days_of_date};
use crate::release::manifest::{ColumnMeaning, ValueMeaning};

/// The regions of a column's published values, each of so many people.
pub fn regions<'l>(column: &ColumnMeaning, labels: impl Iterator<Item = (&'l str, u64)>) -> Vec<Region> {
    let (mut regions, people): (Vec<Region>, Vec<u64>) =
        labels.map(|(label, people)| (Region::read(column, label), people)).unzip();
    let exact = ExactValues::exact(&regions, &people);
    for region in &mut regions {
        region.seen = exact.inside(region);
    }
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
    pub(super) fn read(column: &ColumnMeaning, label: &str) -> Self {
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
            ValueMeaning::Set { .. } => match items_of_set(label) {
                Some(items) => listed(items.iter().map(String::as_str), column.kind),
                None => one(&unquoted(label)),
            },
            _ if label == "*" => Self::of(Known::Anything(Vec::new()), true),
            meaning @ (ValueMeaning::Interval | ValueMeaning::Intervals { .. }) => {
                interval(meaning.closed(label), column.kind).unwrap_or_else(|| one(label))
            }
            ValueMeaning::Withheld => one(label),
            ValueMeaning::Mask => mask(label).unwrap_or_else(|| one(label)),
            ValueMeaning::Calendar => match calendar(label, column.kind) {
                Some((Value::Date(first), Value::Date(last))) => Self::of(Known::Days(first, last), false),
                Some((Value::Timestamp(first), Value::Timestamp(last))) => Self::of(Known::Times(first, last), false),
                _ => one(label),
            },
        }
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
        (Value::Integer(low), Value::Integer(high)) => Known::Whole(low, if with_high { high } else { high - 1 }),
        (Value::Date(low), Value::Date(high)) => Known::Days(low, if with_high { high } else { high - 1 }),
        (Value::Timestamp(low), Value::Timestamp(high)) => Known::Times(low, if with_high { high } else { high - 1 }),
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

/// The first and the last day, or time, of what a column's labels call a unit of the calendar.
pub(in crate::release) fn calendar(label: &str, kind: Type) -> Option<(Value, Value)> {
    if kind != Type::Timestamp {
        return days(label).map(|(first, last)| (Value::Date(first), Value::Date(last)));
    }
    let (first, last) = match (timestamp::parse(label), timestamp::hour(label)) {
        (Some(exact), _) => (exact.microseconds, exact.microseconds),
        (None, Some(hour)) => hour,
        // Days are units of times, and no midnights.
        (None, None) => {
            let (first, last) = days(label)?;
            (i64::from(first) * timestamp::DAY, (i64::from(last) + 1) * timestamp::DAY - 1)
        }
    };
    Some((Value::Timestamp(first), Value::Timestamp(last)))
}

/// `1994-03-07`, `1994-W10`, `1994-03`, `1994-Q1`, `1994`, `1990s`: the first and the last day.
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
        let (year, quarter): (i32, u32) =
            (year.parse().ok()?, quarter.parse().ok().filter(|quarter| (1..=4).contains(quarter))?);
        return until(day(year, 3 * quarter - 2)?, next_month(year, 3 * quarter)?);
    }
    if let Some((year, week)) = label.split_once("-W") {
        let monday = NaiveDate::from_isoywd_opt(year.parse().ok()?, week.parse().ok()?, Weekday::Mon)?;
        return Some((days_of_date(monday), days_of_date(monday) + 6));
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
    use crate::condition::ValueSet;
    use crate::data::role::Role;
    use crate::hierarchy::OpenInterval;

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
        let half_open = read(ValueMeaning::Intervals { open: Vec::new() }, Type::Number, "[20, 25)");
        assert!(!half_open.meets(&ValueSet::one(Value::Number(25.0))));
        assert!(half_open.lies_in(&ValueSet::below(Value::Number(25.0), false)));
        let old = OpenInterval { label: ">= 45".to_owned(), interval: "[45, 64]".to_owned() };
        let old = read(ValueMeaning::Intervals { open: vec![old] }, Type::Integer, ">= 45");
        assert_eq!(old.known, Known::Whole(45, 64));
        let set = read(ValueMeaning::Set { nodes: Vec::new() }, Type::Text, "{a, \"b, c\", }");
        assert!(set.contains(&Value::Text("b, c".into())) && set.contains(&Value::Missing));
        assert!((set.share(&ValueSet::one(Value::Text("a".into()))) - 1.0 / 3.0).abs() < 1e-15);
        let masked = read(ValueMeaning::Mask, Type::Text, "130**");
        assert!(masked.contains(&Value::Text("13053".into())) && !masked.contains(&Value::Text("13153".into())));
        assert!((masked.share(&ValueSet::one(Value::Text("13053".into()))) - 0.01).abs() < 1e-15);
        let quarter = read(ValueMeaning::Calendar, Type::Date, "1994-Q4");
        assert_eq!(quarter.known, Known::Days(9039, 9130));
        assert!(quarter.contains(&Value::parse("1994-12-31", Type::Date, Decimal::Point).unwrap()));
        let week = read(ValueMeaning::Calendar, Type::Date, "2020-W53");
        let day = |text| Value::parse(text, Type::Date, Decimal::Point).unwrap();
        assert!(week.contains(&day("2020-12-28")) && week.contains(&day("2021-01-03")));
        assert!(!week.contains(&day("2020-12-27")) && !week.contains(&day("2021-01-04")));
        let decade = read(ValueMeaning::Calendar, Type::Date, "1990s");
        assert!(decade.contains(&Value::parse("1999-12-31", Type::Date, Decimal::Point).unwrap()));
    }

    #[test]
    fn times_lie_in_their_units_and_a_day_is_none_of_its_midnights() {
        let of = |label| read(ValueMeaning::Calendar, Type::Timestamp, label);
        let time = |text| Value::parse(text, Type::Timestamp, Decimal::Point).unwrap();
        for (label, first, last, next) in [
            ("2021-01-03T14", "2021-01-03T14:00:00", "2021-01-03T14:59:59.999999", "2021-01-03T15:00:00"),
            ("2021-01-03", "2021-01-03T00:00:00", "2021-01-03T23:59:59.999999", "2021-01-04T00:00:00"),
            ("2020-W53", "2020-12-28T00:00:00", "2021-01-03T23:59:59.999999", "2021-01-04T00:00:00"),
            ("2021-01", "2021-01-01T00:00:00", "2021-01-31T23:59:59.999999", "2021-02-01T00:00:00"),
            ("2021-01-03T00:00:00", "2021-01-03T00:00:00", "2021-01-03T00:00:00", "2021-01-03T00:00:00.000001"),
        ] {
            let region = of(label);
            assert!(region.contains(&time(first)) && region.contains(&time(last)) && !region.contains(&time(next)));
            let inside = ValueSet::above(time(first), true).intersect(&ValueSet::below(time(last), true));
            assert!(region.lies_in(&inside) && region.meets(&ValueSet::one(time(last))), "{label}");
            assert!(!region.meets(&ValueSet::above(time(last), false)), "{label}");
            assert_eq!(region.set(), Some(inside), "{label}");
        }
        let morning = ValueSet::below(time("2021-01-03T06:00:00"), false);
        assert!((of("2021-01-03").share(&morning) - 0.25).abs() < 1e-15);
    }
}
