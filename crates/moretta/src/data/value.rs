//! Single values and their types.

use std::cmp::Ordering;
use std::fmt;

use chrono::{Datelike, NaiveDate};
use serde::{Deserialize, Serialize};

use super::timestamp;

/// The type of an attribute's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Type {
    /// Whole numbers.
    Integer,
    /// Any finite numbers: a continuous attribute.
    Number,
    /// Anything else.
    Text,
    /// Signs for categories, such as numbers of states: texts, whatever they look like, without an order that means something.
    Code,
    /// Calendar days.
    Date,
    /// Times of days, to the microsecond. What states a zone is told in UTC.
    Timestamp,
    /// `true` or `false`.
    Boolean,
}

impl Type {
    /// All types, in the order in which a policy lists them.
    pub const ALL: [Self; 7] =
        [Self::Integer, Self::Number, Self::Text, Self::Code, Self::Date, Self::Timestamp, Self::Boolean];

    /// The name by which policies and manifests call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Text => "text",
            Self::Code => "code",
            Self::Date => "date",
            Self::Timestamp => "timestamp",
            Self::Boolean => "boolean",
        }
    }

    /// Whether values are texts.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::Code)
    }

    /// Whether values lie on a line, so that intervals of them mean something.
    pub fn is_ordered(self) -> bool {
        matches!(self, Self::Integer | Self::Number | Self::Date | Self::Timestamp)
    }

    /// Whether values are days or times, which lie on a line and do not add up.
    pub fn is_time(self) -> bool {
        matches!(self, Self::Date | Self::Timestamp)
    }

    /// Whether values are counted in whole steps: there is none between two that follow each other.
    pub fn is_stepped(self) -> bool {
        matches!(self, Self::Integer | Self::Date | Self::Timestamp)
    }
}

/// One value of an attribute. Missing values sort before all others.
#[derive(Clone, Debug)]
pub enum Value {
    /// No value is known.
    Missing,
    /// A whole number.
    Integer(i64),
    /// A finite number.
    Number(f64),
    /// A day, counted from 1970-01-01.
    Date(i32),
    /// A time of a day, in microseconds from 1970-01-01T00:00:00.
    Timestamp(i64),
    /// A truth value.
    Boolean(bool),
    /// A text.
    Text(Box<str>),
}

impl Value {
    /// Reads `text` as a value of type `kind`, with `decimal` as the decimal sign.
    ///
    /// Numbers may stand in blanks; texts are taken as they are.
    pub fn parse(text: &str, kind: Type, decimal: Decimal) -> Option<Self> {
        match kind {
            Type::Text => Some(Self::Text(text.into())),
            Type::Code => Some(Self::Text(text.trim().into())),
            Type::Integer => text.trim().parse().ok().map(Self::Integer),
            Type::Number => parse_number(text.trim(), decimal).map(Self::Number),
            Type::Date => parse_date(text.trim()).map(Self::Date),
            Type::Timestamp => parse_timestamp(text.trim()).map(Self::Timestamp),
            Type::Boolean => match text.trim() {
                "true" | "True" | "TRUE" => Some(Self::Boolean(true)),
                "false" | "False" | "FALSE" => Some(Self::Boolean(false)),
                _ => None,
            },
        }
    }

    /// Its place on the number line: days for a date, microseconds for a time, nothing for texts.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Self::Integer(i) => Some(*i as f64),
            Self::Number(x) => Some(*x),
            Self::Date(days) => Some(f64::from(*days)),
            // Floats hold the microseconds of all years that are taken.
            Self::Timestamp(microseconds) => Some(*microseconds as f64),
            Self::Missing | Self::Boolean(_) | Self::Text(_) => None,
        }
    }

    /// Its published spelling as a JSON string.
    pub fn to_json(&self) -> String {
        serde_json::Value::String(self.to_string()).to_string()
    }

    /// Whether no value is known.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Missing)
    }

    fn kind_rank(&self) -> u8 {
        match self {
            Self::Missing => 0,
            Self::Boolean(_) => 1,
            Self::Integer(_) => 2,
            Self::Number(_) => 3,
            Self::Date(_) => 4,
            Self::Timestamp(_) => 5,
            Self::Text(_) => 6,
        }
    }
}

/// The published spelling; a missing value is the empty text.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => Ok(()),
            Self::Integer(i) => write!(f, "{i}"),
            Self::Number(x) => write!(f, "{x}"),
            Self::Date(days) => match date_of_days(*days) {
                Some(date) => write!(f, "{date}"),
                None => write!(f, "day {days}"),
            },
            Self::Timestamp(microseconds) => f.write_str(&timestamp::spelled(*microseconds)),
            Self::Boolean(b) => write!(f, "{b}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) | (Self::Timestamp(a), Self::Timestamp(b)) => a.cmp(b),
            (Self::Number(a), Self::Number(b)) => a.total_cmp(b),
            (Self::Date(a), Self::Date(b)) => a.cmp(b),
            (Self::Boolean(a), Self::Boolean(b)) => a.cmp(b),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            _ => self.kind_rank().cmp(&other.kind_rank()),
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Value {}

/// The sign between whole and fraction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Decimal {
    /// `3.14`
    #[default]
    Point,
    /// `3,14`
    Comma,
}

fn parse_number(text: &str, decimal: Decimal) -> Option<f64> {
    // `f64::from_str` also takes "nan", "inf" and "infinity": no table of people means those.
    if !text.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    let parsed: Option<f64> = match decimal {
        Decimal::Point => text.parse().ok(),
        Decimal::Comma if text.contains('.') => None,
        Decimal::Comma => text.replacen(',', ".", 1).parse().ok(),
    };
    // Zero has one spelling, so that -0 and 0 are one value of the domain.
    parsed.filter(|x| x.is_finite()).map(|x| if x == 0.0 { 0.0 } else { x })
}

fn parse_date(text: &str) -> Option<i32> {
    if text.len() > DAY_LENGTH {
        // As programs write the days of a column whose type has times: all of them are midnights.
        let time = timestamp::parse(text).filter(|time| !time.zoned && time.microseconds % timestamp::DAY == 0)?;
        return Some(timestamp::day(time.microseconds));
    }
    let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
    // chrono accepts unpadded fields; a date that we publish must come back with the same spelling.
    (text.len() == DAY_LENGTH).then(|| days_of_date(date))
}

/// A day is its midnight, where a column is stated to hold times.
fn parse_timestamp(text: &str) -> Option<i64> {
    match text.len() {
        DAY_LENGTH => timestamp::midnight(parse_date(text)?),
        _ => timestamp::parse(text).map(|time| time.microseconds),
    }
}

/// The length of 1994-03-07.
const DAY_LENGTH: usize = 10;

/// Days from 1970-01-01 to `date`.
pub fn days_of_date(date: NaiveDate) -> i32 {
    date.num_days_from_ce() - UNIX_EPOCH_FROM_CE
}

/// The date that lies `days` after 1970-01-01.
pub fn date_of_days(days: i32) -> Option<NaiveDate> {
    NaiveDate::from_num_days_from_ce_opt(days.checked_add(UNIX_EPOCH_FROM_CE)?)
}

const UNIX_EPOCH_FROM_CE: i32 = 719_163;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_from_their_published_spelling() {
        for (text, kind) in [
            ("-17", Type::Integer),
            ("2.5", Type::Number),
            ("1994-03-07", Type::Date),
            ("1994-03-07T14:30:05", Type::Timestamp),
            ("1994-03-07T14:30:05.250", Type::Timestamp),
            ("true", Type::Boolean),
            (" two words ", Type::Text),
        ] {
            let value = Value::parse(text, kind, Decimal::Point).expect(text);
            assert_eq!(value.to_string(), text);
        }
    }

    #[test]
    fn what_is_not_a_number_is_refused() {
        for text in ["", "nan", "inf", "12a", "1,5", "1e999"] {
            assert_eq!(Value::parse(text, Type::Number, Decimal::Point), None, "{text}");
        }
        assert_eq!(Value::parse("1,5", Type::Number, Decimal::Comma), Some(Value::Number(1.5)));
        assert_eq!(Value::parse("1994-3-7", Type::Date, Decimal::Point), None);
        assert_eq!(Value::parse("1994-02-30", Type::Date, Decimal::Point), None);
        assert_eq!(Value::parse("1994-03-07 14:30:00", Type::Date, Decimal::Point), None);
    }

    #[test]
    fn midnights_are_days_and_days_are_midnights_where_that_is_meant() {
        let read = |text, kind| Value::parse(text, kind, Decimal::Point).map(|value| value.to_string());
        assert_eq!(read("1994-03-07 00:00:00", Type::Date).as_deref(), Some("1994-03-07"));
        assert_eq!(read("1994-03-07T00:00:00Z", Type::Date), None);
        assert_eq!(read("1994-03-07", Type::Timestamp).as_deref(), Some("1994-03-07T00:00:00"));
        assert_eq!(read("9999-12-31", Type::Timestamp), None);
    }

    #[test]
    fn minus_zero_is_zero() {
        assert_eq!(Value::parse("-0.0", Type::Number, Decimal::Point), Some(Value::Number(0.0)));
    }
}
