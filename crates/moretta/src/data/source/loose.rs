//! Columns of programs in which every cell has a type of its own, as in SQLite and in spreadsheets.
//!
//! All rows are looked at before a column gets a type. Cells that can't stand in one column are named with their rows: nobody's value is
//! converted in silence.

use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Date32Builder, Float64Builder, Int64Builder, StringBuilder, TimestampMillisecondBuilder,
};
use arrow_array::{ArrayRef, NullArray};
use arrow_schema::{DataType, Field, TimeUnit};

use super::relation::{NotTaken, RelationColumn};

/// The value of a cell.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cell<'a> {
    Nothing,
    Integer(i64),
    Number(f64),
    Text(&'a str),
    Boolean(bool),
    /// Days since 1970.
    Day(i32),
    /// Milliseconds since 1970.
    Instant(i64),
    /// Something that is no value of a person, under its name.
    Other(&'static str),
}

/// The sorts of cells, by the numbers below.
const SORTS: [&str; 7] = ["a whole number", "a number", "a text", "a truth value", "a day", "a time", ""];
const INTEGER: usize = 0;
const NUMBER: usize = 1;
const TEXT: usize = 2;
const BOOLEAN: usize = 3;
const DAY: usize = 4;
const INSTANT: usize = 5;
const OTHER: usize = 6;

/// Whole numbers up to this one are floating-point numbers too, without loss.
const EXACT: u64 = 1 << 53;

/// What the cells of a column are.
#[derive(Clone, Debug, Default)]
pub(super) struct CellSorts {
    /// Of each sort the row that holds the first one, as the program numbers rows.
    first: [Option<u64>; SORTS.len()],
    /// The first row with a whole number that no floating-point number equals.
    large: Option<u64>,
    other: &'static str,
    text: String,
}

impl Cell<'_> {
    /// The same, or nothing where it is a text that stands for a missing value.
    #[must_use]
    pub(super) fn or_missing(self, missing_values: &[String]) -> Self {
        match self {
            Self::Text(text) if missing_values.iter().any(|missing| missing == text) => Self::Nothing,
            cell => cell,
        }
    }
}

impl CellSorts {
    pub(super) fn observe(&mut self, cell: Cell<'_>, row: u64) {
        let sort = match cell {
            Cell::Nothing => return,
            Cell::Integer(_) => INTEGER,
            Cell::Number(_) => NUMBER,
            Cell::Text(_) => TEXT,
            Cell::Boolean(_) => BOOLEAN,
            Cell::Day(_) => DAY,
            Cell::Instant(_) => INSTANT,
            Cell::Other(_) => OTHER,
        };
        match cell {
            Cell::Integer(number) if number.unsigned_abs() > EXACT => {
                self.large.get_or_insert(row);
            }
            Cell::Text(text) if self.first[TEXT].is_none() => text.clone_into(&mut self.text),
            Cell::Other(name) if self.first[OTHER].is_none() => self.other = name,
            _ => {}
        }
        self.first[sort].get_or_insert(row);
    }

    /// The column that these cells make; `help` says how cells of different sorts become one sort.
    pub(super) fn column(&self, name: &str, help: &str) -> RelationColumn {
        let found: Vec<usize> = (0..SORTS.len()).filter(|&sort| self.first[sort].is_some()).collect();
        let instant = DataType::Timestamp(TimeUnit::Millisecond, None);
        let taken = match found[..] {
            [] => DataType::Null,
            [INTEGER] => DataType::Int64,
            [NUMBER] => DataType::Float64,
            [INTEGER, NUMBER] if self.large.is_none() => DataType::Float64,
            [TEXT] => DataType::Utf8,
            [BOOLEAN] => DataType::Boolean,
            [DAY] => DataType::Date32,
            [INSTANT] | [DAY, INSTANT] => instant,
            _ => {
                let refused = Some(NotTaken { why: self.why(&found), help: help.to_owned() });
                return RelationColumn { field: Field::new(name, DataType::Boolean, true), refused };
            }
        };
        RelationColumn { field: Field::new(name, taken, true), refused: None }
    }

    fn why(&self, found: &[usize]) -> String {
        let row = |sort: usize| self.first[sort].unwrap_or_default();
        let held = |&sort: &usize| match sort {
            TEXT => format!("a text ({:?}) in row {}", self.text, row(TEXT)),
            OTHER => format!("{} in row {}", self.other, row(OTHER)),
            INTEGER if found == [INTEGER, NUMBER] => {
                format!("a whole number in row {} that is too large for one", self.large.unwrap_or_default())
            }
            sort => format!("{} in row {}", SORTS[sort], row(sort)),
        };
        let mut parts: Vec<(u64, String)> = found.iter().map(|sort| (row(*sort), held(sort))).collect();
        parts.sort();
        let parts: Vec<String> = parts.into_iter().map(|(_, part)| part).collect();
        format!("holds {}", parts.join(" and "))
    }
}

/// An array while it is built from cells.
pub(super) enum LooseBuilder {
    Nothing(usize),
    Integers(Int64Builder),
    Numbers(Float64Builder),
    Texts(StringBuilder),
    Booleans(BooleanBuilder),
    Days(Date32Builder),
    Instants(TimestampMillisecondBuilder),
    /// Of a column that is not taken: whether there is a value.
    Presence(BooleanBuilder),
}

const DAY_MILLISECONDS: i64 = 86_400_000;

impl LooseBuilder {
    pub(super) fn new(column: &RelationColumn) -> Self {
        match column.field.data_type() {
            _ if column.refused.is_some() => Self::Presence(BooleanBuilder::new()),
            DataType::Int64 => Self::Integers(Int64Builder::new()),
            DataType::Float64 => Self::Numbers(Float64Builder::new()),
            DataType::Utf8 => Self::Texts(StringBuilder::new()),
            DataType::Boolean => Self::Booleans(BooleanBuilder::new()),
            DataType::Date32 => Self::Days(Date32Builder::new()),
            DataType::Timestamp(..) => Self::Instants(TimestampMillisecondBuilder::new()),
            _ => Self::Nothing(0),
        }
    }

    /// Takes in a cell; false if it is of another sort than the column.
    #[must_use]
    pub(super) fn push(&mut self, cell: Cell<'_>) -> bool {
        match (self, cell) {
            (Self::Presence(values), cell) => values.append_option((!matches!(cell, Cell::Nothing)).then_some(true)),
            (Self::Nothing(rows), Cell::Nothing) => *rows += 1,
            (Self::Integers(values), Cell::Nothing) => values.append_null(),
            (Self::Numbers(values), Cell::Nothing) => values.append_null(),
            (Self::Texts(values), Cell::Nothing) => values.append_null(),
            (Self::Booleans(values), Cell::Nothing) => values.append_null(),
            (Self::Days(values), Cell::Nothing) => values.append_null(),
            (Self::Instants(values), Cell::Nothing) => values.append_null(),
            (Self::Integers(values), Cell::Integer(value)) => values.append_value(value),
            // At most 2^53, as the tally has seen.
            (Self::Numbers(values), Cell::Integer(value)) => values.append_value(value as f64),
            (Self::Numbers(values), Cell::Number(value)) => values.append_value(value),
            (Self::Texts(values), Cell::Text(value)) => values.append_value(value),
            (Self::Booleans(values), Cell::Boolean(value)) => values.append_value(value),
            (Self::Days(values), Cell::Day(value)) => values.append_value(value),
            (Self::Instants(values), Cell::Day(value)) => values.append_value(i64::from(value) * DAY_MILLISECONDS),
            (Self::Instants(values), Cell::Instant(value)) => values.append_value(value),
            _ => return false,
        }
        true
    }

    /// The array, after which a new one begins.
    pub(super) fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Nothing(rows) => Arc::new(NullArray::new(std::mem::take(rows))),
            Self::Integers(values) => Arc::new(values.finish()),
            Self::Numbers(values) => Arc::new(values.finish()),
            Self::Texts(values) => Arc::new(values.finish()),
            Self::Booleans(values) | Self::Presence(values) => Arc::new(values.finish()),
            Self::Days(values) => Arc::new(values.finish()),
            Self::Instants(values) => Arc::new(values.finish()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(cells: &[Cell<'_>]) -> RelationColumn {
        let mut tally = CellSorts::default();
        cells.iter().zip(1..).for_each(|(&cell, row)| tally.observe(cell, row));
        tally.column("a", "make it one")
    }

    #[test]
    fn whole_numbers_and_fractions_are_numbers_and_days_and_times_are_times() {
        use Cell::*;
        assert_eq!(column(&[Nothing, Integer(1)]).field.data_type(), &DataType::Int64);
        assert_eq!(column(&[Integer(1), Number(0.5)]).field.data_type(), &DataType::Float64);
        assert!(matches!(column(&[Day(1), Instant(5)]).field.data_type(), DataType::Timestamp(..)));
        assert_eq!(column(&[Nothing]).field.data_type(), &DataType::Null);
    }

    #[test]
    fn what_can_not_stand_in_one_column_is_named_with_its_rows() {
        use Cell::*;
        let why = |cells: &[Cell<'_>]| column(cells).refused.map(|not_taken| not_taken.why);
        let mixed = why(&[Nothing, Integer(1), Text("n/a")]);
        assert_eq!(mixed.as_deref(), Some("holds a whole number in row 2 and a text (\"n/a\") in row 3"));
        let large = why(&[Number(0.5), Integer((1 << 53) + 1)]);
        let said = "holds a number in row 1 and a whole number in row 2 that is too large for one";
        assert_eq!(large.as_deref(), Some(said));
        assert_eq!(why(&[Other("a blob")]).as_deref(), Some("holds a blob in row 1"));
        assert_eq!(why(&[Text("x").or_missing(&["x".to_owned()]), Integer(1)]), None);
    }
}
