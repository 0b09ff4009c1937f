//! Values as the harness knows them: exact, and spelled in one way only.

use std::cmp::Ordering;

/// A value of a table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cell {
    /// No value.
    Missing,
    /// A whole number.
    Whole(i64),
    /// A number with two digits after the point, in hundredths.
    Hundredths(i64),
    /// A day, as (year, month, day).
    Day(i64, u32, u32),
    /// A text.
    Text(String),
    /// A truth value.
    Flag(bool),
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellType {
    /// Whole numbers.
    Whole,
    /// Numbers with up to two digits after the point.
    Hundredths,
    /// Days.
    Day,
    /// Texts.
    Text,
    /// True and false.
    Flag,
}

impl CellType {
    /// The name by which policies call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Whole => "integer",
            Self::Hundredths => "number",
            Self::Day => "date",
            Self::Text => "text",
            Self::Flag => "boolean",
        }
    }

    /// Whether its values are numbers.
    pub fn is_number(self) -> bool {
        matches!(self, Self::Whole | Self::Hundredths)
    }

    /// Reads a value as releases spell it.
    pub fn parse(self, text: &str) -> Option<Cell> {
        if text.is_empty() {
            return Some(Cell::Missing);
        }
        match self {
            Self::Whole => text.parse().ok().map(Cell::Whole),
            Self::Hundredths => hundredths(text).map(Cell::Hundredths),
            Self::Day => day(text),
            Self::Text => Some(Cell::Text(text.to_owned())),
            Self::Flag => text.parse().ok().map(Cell::Flag),
        }
    }
}

/// A decimal of at most two digits after the point.
fn hundredths(text: &str) -> Option<i64> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    if part.len() > 2 || whole.is_empty() {
        return None;
    }
    let part = format!("{part:0<2}");
    Some(sign * (whole.parse::<i64>().ok()? * 100 + part.parse::<i64>().ok()?))
}

fn day(text: &str) -> Option<Cell> {
    let mut parts = text.splitn(3, '-');
    let year = parts.next()?.parse().ok()?;
    Some(Cell::Day(year, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

impl Cell {
    /// Whether there is no value.
    pub fn is_missing(&self) -> bool {
        *self == Self::Missing
    }

    /// A number in hundredths.
    pub fn in_hundredths(&self) -> Option<i64> {
        match self {
            Self::Whole(number) => number.checked_mul(100),
            Self::Hundredths(number) => Some(*number),
            _ => None,
        }
    }

    /// The place of a value on a line: numbers, and days counted from 1970.
    pub fn location(&self) -> Option<f64> {
        match self {
            Self::Day(year, month, day) => Some(days_from_1970(*year, *month, *day) as f64),
            _ => self.in_hundredths().map(|number| number as f64 / 100.0),
        }
    }

    /// The order of two values of one column; nothing where one is missing.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        if self.is_missing() || other.is_missing() { None } else { Some(self.cmp(other)) }
    }

    /// The value as a literal of SQL.
    pub fn to_sql(&self) -> String {
        match self {
            Self::Text(text) => format!("'{}'", text.replace('\'', "''")),
            Self::Day(..) => format!("'{self}'"),
            _ => self.to_string(),
        }
    }
}

/// Days since the first of January 1970, by the civil calendar.
pub fn days_from_1970(year: i64, month: u32, day: u32) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let month = i64::from((month + 9) % 12);
    let of_year = (153 * month + 2) / 5 + i64::from(day) - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The day that lies so many days after the first of January 1970.
pub fn day_of_1970(days: i64) -> Cell {
    let since = days + 719_468;
    let (era, of_era) = (since.div_euclid(146_097), since.rem_euclid(146_097));
    let years = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * years + years / 4 - years / 100);
    let shifted = (5 * of_year + 2) / 153;
    let (day, month) = (of_year - (153 * shifted + 2) / 5 + 1, (shifted + 2) % 12 + 1);
    Cell::Day(era * 400 + years + i64::from(month <= 2), month as u32, day as u32)
}

impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing => Ok(()),
            Self::Whole(number) => write!(f, "{number}"),
            Self::Hundredths(number) => {
                let (sign, size) = if *number < 0 { ("-", -number) } else { ("", *number) };
                match (size / 100, size % 100) {
                    (whole, 0) => write!(f, "{sign}{whole}"),
                    (whole, part) if part % 10 == 0 => write!(f, "{sign}{whole}.{}", part / 10),
                    (whole, part) => write!(f, "{sign}{whole}.{part:02}"),
                }
            }
            Self::Day(year, month, day) => write!(f, "{year:04}-{month:02}-{day:02}"),
            Self::Text(text) => f.write_str(text),
            Self::Flag(truth) => write!(f, "{truth}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_they_are_spelled() {
        for number in [-1234, -100, -5, 0, 7, 10, 60, 100, 120, 999] {
            let cell = Cell::Hundredths(number);
            assert_eq!(CellType::Hundredths.parse(&cell.to_string()), Some(cell));
        }
        assert_eq!(Cell::Hundredths(60).to_string(), "0.6");
        assert_eq!(CellType::Hundredths.parse("0.125"), None);
        assert_eq!(CellType::Day.parse("1994-03-07"), Some(Cell::Day(1994, 3, 7)));
        assert_eq!((days_from_1970(1970, 1, 1), days_from_1970(2000, 3, 1)), (0, 11_017));
        for days in (-200_000..200_000).step_by(17) {
            let Cell::Day(year, month, day) = day_of_1970(days) else { panic!("no day") };
            assert_eq!(days_from_1970(year, month, day), days);
        }
    }
}
