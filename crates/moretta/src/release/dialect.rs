//! The databases that a release can be written for, and how each calls the types of columns.

use super::ColumnType;
use crate::data::source::Source;
use crate::data::value::{Decimal, Type, Value};
use crate::error::Result;
use crate::progress::Progress;

/// A database, by the SQL that it understands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// What PostgreSQL, SQLite and DuckDB all understand.
    #[default]
    Common,
    /// PostgreSQL.
    Postgres,
    /// SQLite.
    Sqlite,
    /// DuckDB.
    DuckDb,
}

/// SQLite keeps so many digits of a number that is not whole.
const DIGITS_OF_FLOAT: usize = 15;

impl Dialect {
    /// All dialects, with the names by which a command calls them.
    pub const NAMES: [(&'static str, Self); 4] =
        [("common", Self::Common), ("postgresql", Self::Postgres), ("sqlite", Self::Sqlite), ("duckdb", Self::DuckDb)];

    /// The name of a type.
    pub(crate) fn type_name(self, kind: ColumnType) -> &'static str {
        match (kind, self) {
            (ColumnType::Whole | ColumnType::Group | ColumnType::Count, _) => "BIGINT",
            (ColumnType::Large, Self::DuckDb) => "HUGEINT",
            // A NUMERIC without digits has but three after the point there.
            (ColumnType::Exact, Self::DuckDb) => "DOUBLE",
            (ColumnType::Exact | ColumnType::Large, _) => "NUMERIC",
            (ColumnType::Float, _) => "DOUBLE PRECISION",
            (ColumnType::Date, _) => "DATE",
            (ColumnType::Timestamp, _) => "TIMESTAMP",
            (ColumnType::Boolean, _) => "BOOLEAN",
            (ColumnType::Text, _) => "TEXT",
        }
    }

    /// Makes columns texts, of which some value would not come back as it went there.
    pub(crate) fn narrow(self, kinds: &mut [ColumnType], source: &Source, progress: &Progress) -> Result<()> {
        let wanted: Vec<usize> = (0..kinds.len()).filter(|&place| kinds[place] != ColumnType::Text).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let mut passed = 0_u64;
        source.each_row(&wanted, &mut |fields| {
            passed += 1;
            if passed.is_multiple_of(1 << 14) {
                progress.check()?;
            }
            for (text, &place) in fields.iter().zip(&wanted) {
                if text.is_some_and(|text| !self.keeps(kinds[place], text)) {
                    kinds[place] = ColumnType::Text;
                }
            }
            Ok(())
        })
    }

    /// Whether a published text comes back from a column of a type as it went there.
    pub(crate) fn keeps(self, kind: ColumnType, text: &str) -> bool {
        let spelled_as = |kind| Value::parse(text, kind, Decimal::Point).is_some_and(|value| value.to_string() == text);
        match kind {
            ColumnType::Text => true,
            ColumnType::Whole | ColumnType::Group | ColumnType::Count => is_whole(text),
            // SQLite forgets the sign of a zero.
            ColumnType::Float => text != "-0" && spelled_as(Type::Number),
            ColumnType::Boolean => spelled_as(Type::Boolean),
            // Years of four digits, which all of them write alike.
            ColumnType::Date => text.len() == "1994-03-07".len() && spelled_as(Type::Date),
            ColumnType::Timestamp => spelled_as(Type::Timestamp),
            ColumnType::Exact | ColumnType::Large => match self {
                Self::Postgres => is_decimal(text),
                Self::DuckDb if kind == ColumnType::Large => text.parse().is_ok_and(|n: i128| n.to_string() == text),
                _ if spelled_as(Type::Integer) => self != Self::DuckDb || kind == ColumnType::Large || is_short(text),
                _ => kind == ColumnType::Exact && is_short(text) && spelled_as(Type::Number),
            },
        }
    }
}

/// Whether a text is digits, with or without a sign and a point, as PostgreSQL spells numbers.
fn is_decimal(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    are_digits(whole)
        && are_digits(part)
        && (whole == "0" || !whole.starts_with('0'))
        && !(text.starts_with('-') && digits.bytes().all(|byte| matches!(byte, b'0' | b'.')))
}

/// Whether a text is a whole number of 64 bits as we spell it.
fn is_whole(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !digits.starts_with('0'));
    plain && text.parse::<i64>().is_ok()
}

fn is_short(text: &str) -> bool {
    text.bytes().filter(u8::is_ascii_digit).count() <= DIGITS_OF_FLOAT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_kept_by_a_type_that_spells_it_so() {
        use ColumnType::{Boolean, Date, Exact, Float, Large, Timestamp, Whole};
        for (kind, kept, changed) in [
            (
                Whole,
                vec!["0", "-7", "9223372036854775807"],
                vec!["007", "+7", " 7", "7.0", "-0", "-07", "-", "", "9223372036854775808"],
            ),
            (Float, vec!["0.1", "7", "-0.5", "0.0000001"], vec!["0.10", "1e-7", ".5", "seven"]),
            (Date, vec!["1994-03-07"], vec!["1994-3-7", "10000-01-01", "1994-13-01"]),
            (
                Timestamp,
                vec!["1994-03-07T14:30:05", "1994-03-07T00:00:00.250"],
                vec!["1994-03-07", "1994-03-07 14:30:05"],
            ),
            (Boolean, vec!["true", "false"], vec!["TRUE", "1"]),
        ] {
            for dialect in [Dialect::Postgres, Dialect::Sqlite, Dialect::DuckDb] {
                for text in &kept {
                    assert!(dialect.keeps(kind, text), "{dialect:?} {kind:?} {text}");
                }
                for text in &changed {
                    assert!(!dialect.keeps(kind, text), "{dialect:?} {kind:?} {text}");
                }
            }
        }
        assert!(Dialect::Postgres.keeps(Exact, "12.50") && !Dialect::Sqlite.keeps(Exact, "12.50"));
        assert!(Dialect::Sqlite.keeps(Exact, "12.5") && !Dialect::Postgres.keeps(Exact, "-0.0"));
        let long = "123456789012345678901234567890";
        assert!(Dialect::Postgres.keeps(Large, long) && Dialect::DuckDb.keeps(Large, long));
        assert!(!Dialect::Sqlite.keeps(Large, long) && !Dialect::DuckDb.keeps(Exact, long));
    }
}
