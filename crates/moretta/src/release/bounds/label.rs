//! From a label to its ends, and back.

use chrono::Datelike;

use crate::data::timestamp;
use crate::data::value::{Decimal, Type, Value, date_of_days};
use crate::release::manifest::{ColumnMeaning, NodeMeaning, ValueMeaning};
use crate::release::region::calendar;

/// What a label says of a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ends {
    /// The smallest value; missing where nothing is said of it.
    pub(super) low: Value,
    /// The largest.
    pub(super) high: Value,
    /// Whether there is a value at all.
    pub(super) presence: ValuePresence,
}

/// Whether there is a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ValuePresence {
    /// There is one.
    Known,
    /// There is none.
    Missing,
    /// Nobody says.
    Open,
}

const OR_MISSING: &str = " or missing";
const ANY: &str = "*";

/// How the labels of a column turn into ends.
pub(super) struct Spelling<'c> {
    column: &'c ColumnMeaning,
    /// Of labels that do not spell their ends: what they are, and whether the high one is left out.
    nodes: Vec<(Ends, Option<bool>, &'c str)>,
    /// Whether intervals leave out their high end.
    pub(super) high_excluded: bool,
}

impl<'c> Spelling<'c> {
    /// That of a column of a release; says why it has none.
    pub(super) fn of(column: &'c ColumnMeaning, high_excluded: bool) -> Result<Self, String> {
        let nodes = match &column.values {
            _ if !column.kind.is_ordered() => return Err(format!("its values are of the type {}", column.kind.name())),
            ValueMeaning::Interval | ValueMeaning::Calendar | ValueMeaning::Withheld => Vec::new(),
            ValueMeaning::Intervals { open } => open
                .iter()
                .filter_map(|open| {
                    let (low, high, excluded) = interval(&open.interval, column.kind)?;
                    Some((Ends { low, high, presence: ValuePresence::Known }, Some(excluded), open.label.as_str()))
                })
                .collect(),
            ValueMeaning::Hierarchy { nodes } => nodes
                .iter()
                .map(|node| Ok((ends_of_node(column, node)?, None, node.label.as_str())))
                .collect::<Result<_, String>>()?,
            ValueMeaning::Mask => return Err("a mask stands for no range of numbers".to_owned()),
            ValueMeaning::Set { .. } | ValueMeaning::Exact | ValueMeaning::Drawn { .. } => {
                return Err("its values are no intervals".to_owned());
            }
        };
        Ok(Self { column, nodes, high_excluded })
    }

    /// The ends of a label, and whether it leaves out its high end; nothing where it does not say.
    pub(super) fn ends(&self, label: &str) -> Option<(Ends, Option<bool>)> {
        let nothing = |presence| Some((Ends { low: Value::Missing, high: Value::Missing, presence }, None));
        if let Some((ends, excluded, _)) = self.nodes.iter().find(|(.., node)| *node == label) {
            return Some((ends.clone(), *excluded));
        }
        match &self.column.values {
            _ if label.is_empty() => nothing(ValuePresence::Missing),
            ValueMeaning::Interval => match label.strip_suffix(OR_MISSING) {
                Some(present) => self.present(present, ValuePresence::Open),
                None => self.present(label, ValuePresence::Known),
            },
            ValueMeaning::Hierarchy { .. } => self.present(label, ValuePresence::Known),
            _ if label == ANY => nothing(ValuePresence::Open),
            _ => self.present(label, ValuePresence::Known),
        }
    }

    fn present(&self, label: &str, presence: ValuePresence) -> Option<(Ends, Option<bool>)> {
        let kind = self.column.kind;
        let (low, high, excluded) = match (&self.column.values, interval(label, kind)) {
            (ValueMeaning::Interval | ValueMeaning::Intervals { .. }, Some((low, high, excluded))) => {
                (low, high, Some(excluded))
            }
            (ValueMeaning::Calendar, _) => {
                let (first, last) = calendar(label, kind)?;
                (first, last, None)
            }
            _ => {
                let value = Value::parse(label, kind, Decimal::Point)?;
                (value.clone(), value, None)
            }
        };
        Some((Ends { low, high, presence }, excluded))
    }

    /// The label of ends; nothing where they are none.
    pub(super) fn label(&self, ends: &Ends) -> Option<String> {
        if let Some((.., label)) = self.nodes.iter().find(|(node, ..)| node == ends) {
            return Some((*label).to_owned());
        }
        let values = &self.column.values;
        match (&ends.low, &ends.high, ends.presence) {
            (Value::Missing, Value::Missing, ValuePresence::Missing) => Some(String::new()),
            (Value::Missing, Value::Missing, ValuePresence::Open)
                if matches!(
                    values,
                    ValueMeaning::Intervals { .. } | ValueMeaning::Calendar | ValueMeaning::Withheld
                ) =>
            {
                Some(ANY.to_owned())
            }
            (Value::Missing, ..) | (_, Value::Missing, _) | (.., ValuePresence::Missing) => None,
            (low, high, ValuePresence::Known) => self.spelled(low, high),
            (low, high, ValuePresence::Open) if *values == ValueMeaning::Interval => {
                Some(self.spelled(low, high)? + OR_MISSING)
            }
            (.., ValuePresence::Open) => None,
        }
    }

    fn spelled(&self, low: &Value, high: &Value) -> Option<String> {
        if low == high {
            return Some(low.to_string());
        }
        match &self.column.values {
            _ if low > high => None,
            ValueMeaning::Calendar => unit_of_calendar(low, high),
            ValueMeaning::Interval | ValueMeaning::Intervals { .. } => {
                let end = if self.high_excluded { ')' } else { ']' };
                Some(format!("[{low}, {high}{end}"))
            }
            _ => None,
        }
    }
}

/// `[20, 24]`, `[20, 25)`: the ends, and whether the high one is left out.
fn interval(label: &str, kind: Type) -> Option<(Value, Value, bool)> {
    let inner = label.strip_prefix('[')?;
    let (inner, excluded) = match inner.strip_suffix(']') {
        Some(inner) => (inner, false),
        None => (inner.strip_suffix(')')?, true),
    };
    let (low, high) = inner.split_once(", ")?;
    Some((Value::parse(low, kind, Decimal::Point)?, Value::parse(high, kind, Decimal::Point)?, excluded))
}

/// The unit of the calendar that begins and ends so.
fn unit_of_calendar(low: &Value, high: &Value) -> Option<String> {
    let (kind, first, hour) = match low {
        Value::Date(days) => (Type::Date, *days, None),
        Value::Timestamp(time) => (Type::Timestamp, timestamp::day(*time), timestamp::hour_label(*time)),
        _ => return None,
    };
    let day = date_of_days(first)?;
    let week = day.iso_week();
    let (year, month) = (day.year(), day.month());
    let units = [
        format!("{day}"),
        format!("{:04}-W{:02}", week.year(), week.week()),
        format!("{year:04}-{month:02}"),
        format!("{year:04}-Q{}", day.month0() / 3 + 1),
        format!("{year:04}"),
        format!("{year:04}s"),
    ];
    let is_meant = |unit: &String| calendar(unit, kind).is_some_and(|(first, last)| first == *low && last == *high);
    hour.into_iter().chain(units).find(is_meant)
}

/// The ends of a node of a hierarchy of names. What it does not stand for must not lie between them, as far as the release shows it.
fn ends_of_node(column: &ColumnMeaning, node: &NodeMeaning) -> Result<Ends, String> {
    let no_value = |leaf: &str| format!("{leaf:?} is no {}", column.kind.name());
    let value = |leaf: &str| Value::parse(leaf, column.kind, Decimal::Point).ok_or_else(|| no_value(leaf));
    let values = |leaves: &mut dyn Iterator<Item = &String>| {
        leaves.filter(|leaf| !leaf.is_empty()).map(|leaf| value(leaf)).collect::<Result<Vec<Value>, String>>()
    };
    if column.hierarchy.iter().any(|path| path.len() > 1 && path.last() == Some(&node.label)) {
        return Ok(Ends { low: Value::Missing, high: Value::Missing, presence: ValuePresence::Open });
    }
    let own = values(&mut node.leaves.iter())?;
    let shown = values(&mut column.hierarchy.iter().filter_map(|path| path.first()))?;
    let (Some(low), Some(high)) = (own.iter().min(), own.iter().max()) else {
        return Err(format!("{:?} stands for no value", node.label));
    };
    if let Some(other) = shown.iter().find(|value| low <= value && value <= &high && !own.contains(value)) {
        return Err(format!("{:?} stands for {low} to {high} without {other}", node.label));
    }
    let presence = if node.leaves.iter().any(String::is_empty) { ValuePresence::Open } else { ValuePresence::Known };
    Ok(Ends { low: low.clone(), high: high.clone(), presence })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::role::Role;
    use crate::hierarchy::OpenInterval;

    fn column(kind: Type, values: ValueMeaning) -> ColumnMeaning {
        ColumnMeaning { values, ..ColumnMeaning::exact("x", Role::Quasi, kind) }
    }

    #[test]
    fn labels_come_back_from_their_ends() {
        let open =
            |label: &str, interval: &str| OpenInterval { label: label.to_owned(), interval: interval.to_owned() };
        let cases: [(Type, ValueMeaning, &[&str]); 9] = [
            (
                Type::Integer,
                ValueMeaning::Intervals { open: vec![open("< 18", "[-54, 17]"), open(">= 90", "[90, 90]")] },
                &["< 18", "[18, 64]", "80", ">= 90", "*", ""],
            ),
            (Type::Number, ValueMeaning::Intervals { open: vec![open(">= 2.5", "[2.5, 5)")] }, &[">= 2.5", "[1, 2.5)"]),
            (Type::Integer, ValueMeaning::Interval, &["37", "[30, 39]", "[30, 39] or missing", "37 or missing", ""]),
            (
                Type::Number,
                ValueMeaning::Intervals { open: Vec::new() },
                &["2.5", "[0.1, 0.3)", "[-20, 1000000)", "*", ""],
            ),
            (Type::Integer, ValueMeaning::Intervals { open: Vec::new() }, &["-5", "[-5, -1]", "*", ""]),
            (Type::Date, ValueMeaning::Calendar, &["1994-03-07", "1994-03", "1994-Q1", "1994", "1990s", "*", ""]),
            (Type::Date, ValueMeaning::Calendar, &["1994-03-07", "1994-W10", "2020-W53"]),
            (
                Type::Timestamp,
                ValueMeaning::Calendar,
                &[
                    "1994-03-07T14:30:05",
                    "1994-03-07T00:00:00",
                    "1994-03-07T14",
                    "1994-03-07",
                    "1994-W10",
                    "1994-03",
                    "1994-Q1",
                    "1994",
                    "1990s",
                    "*",
                    "",
                ],
            ),
            (
                Type::Date,
                ValueMeaning::Interval,
                &["1994-03-07", "[1994-03-07, 1995-01-02]", "[1994-01-01, 1994-12-31]"],
            ),
        ];
        for (kind, values, labels) in cases {
            let column = column(kind, values);
            let spelling = Spelling::of(&column, kind == Type::Number).unwrap();
            for label in labels {
                let (ends, excluded) = spelling.ends(label).unwrap();
                assert_eq!(spelling.label(&ends).as_deref(), Some(*label));
                assert!(excluded.is_none_or(|excluded| excluded == (kind == Type::Number)), "{label}");
            }
        }
    }

    #[test]
    fn what_is_no_interval_has_no_ends_and_what_are_no_ends_no_label() {
        let column = column(Type::Integer, ValueMeaning::Intervals { open: Vec::new() });
        let spelling = Spelling::of(&column, false).unwrap();
        for label in ["young", "[3, x]", "130**", "[1, 2, 3]"] {
            assert_eq!(spelling.ends(label), None, "{label}");
        }
        let (three, five) = (Value::Integer(3), Value::Integer(5));
        for (low, high, presence) in [
            (five.clone(), three.clone(), ValuePresence::Known),
            (three.clone(), Value::Missing, ValuePresence::Known),
            (three, five, ValuePresence::Missing),
            (Value::Missing, Value::Missing, ValuePresence::Known),
        ] {
            let ends = Ends { low, high, presence };
            assert_eq!(spelling.label(&ends), None, "{ends:?}");
        }
    }

    #[test]
    fn nodes_of_a_hierarchy_have_ends_where_their_leaves_follow_each_other() {
        let node = |label: &str, leaves: &[&str]| NodeMeaning {
            label: label.to_owned(),
            leaves: leaves.iter().map(|&leaf| leaf.to_owned()).collect(),
        };
        let with = |nodes: Vec<NodeMeaning>| {
            let paths = [["1", "low", "all"], ["2", "low", "all"], ["3", "high", "all"], ["4", "high", "all"]];
            let hierarchy = paths.map(|path| path.map(str::to_owned).to_vec()).to_vec();
            ColumnMeaning { hierarchy, ..column(Type::Integer, ValueMeaning::Hierarchy { nodes }) }
        };
        let whole = with(vec![node("low", &["1", "2"]), node("all", &["1", "2", "3", "4"])]);
        let spelling = Spelling::of(&whole, false).unwrap();
        let ends = |label: &str| spelling.ends(label).unwrap().0;
        assert_eq!((ends("low").low, ends("low").high), (Value::Integer(1), Value::Integer(2)));
        assert_eq!(ends("all").low, Value::Missing);
        for label in ["low", "all", "3"] {
            assert_eq!(spelling.label(&ends(label)).as_deref(), Some(label));
        }
        let torn = with(vec![node("odd", &["1", "3"])]);
        assert_eq!(Spelling::of(&torn, false).err().unwrap(), "\"odd\" stands for 1 to 3 without 2");
    }
}
