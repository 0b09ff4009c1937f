//! A column of Arrow arrays becomes values: one way for Parquet files and for record batches in memory.

use arrow_array::{Array, ArrayRef};
use arrow_schema::Field;

use super::arrow_key::ArrowKey;
use super::arrow_type::ArrowType;
use super::arrow_values::{Refusable, Visitor, visit};
use super::collect::{Collector, ColumnData, ColumnNeed, Marks};
use super::collect_keys::{ColumnBuilder, missing_keys};
use super::intern::Distinct;
use super::unfold::Unfolded;
use super::{Input, ReadOptions};
use crate::data::value::Type;
use crate::error::{Code, Error, Result};
use crate::progress::Memory;

/// A column of a table whose columns are Arrow arrays.
#[derive(Clone, Copy)]
pub(super) struct ArrowColumn<'a> {
    pub(super) field: &'a Field,
    pub(super) input: &'a Input,
    pub(super) options: &'a ReadOptions,
}

impl<'a> ArrowColumn<'a> {
    /// Reads the column whole, array by array, into what is needed of it.
    pub(super) fn encode(
        self,
        need: ColumnNeed,
        memory: &Memory,
        arrays: impl Iterator<Item = Result<ArrayRef>>,
    ) -> Result<ColumnData> {
        let mut reader = self.reader(need)?;
        for array in arrays {
            reader.push(&array?)?;
            reader.ease(memory)?;
        }
        Ok(reader.finish())
    }

    /// What takes the column in, for sources that hand over all columns of a run of rows together.
    pub(super) fn reader(self, need: ColumnNeed) -> Result<ColumnReader<'a>> {
        let taken = match need {
            ColumnNeed::Presence => Taken::Presence(Marks::new(need)),
            _ => {
                let meaning = ArrowType::of(self.field, self.input)?;
                let builder = ColumnBuilder::new(need, meaning, &self.options.missing_values);
                Taken::Values(Box::new(builder), Known::default())
            }
        };
        Ok(ColumnReader { column: self, taken, rows: 0 })
    }

    /// The published spelling of every value of an array, nothing where one is missing. Where all timestamps of the column are whole
    /// days, they are spelled as `days`.
    pub(super) fn texts(self, array: &ArrayRef, first_row: u64, days: bool) -> Result<Vec<Option<Box<str>>>> {
        let meaning = ArrowType::of(self.field, self.input)?;
        let mut texts = Vec::with_capacity(array.len());
        let rows = Unfolded::of(array)?;
        visit(&rows.values, Speller { column: self, meaning, days, rows: &rows, first_row, texts: &mut texts })?;
        Ok(texts)
    }

    /// A text, which has a name where it is empty and no missing value.
    fn named<'t>(self, text: Option<&'t str>) -> Refusable<Option<&'t str>>
    where
        'a: 't,
    {
        match (text, self.options.empty_text.as_deref()) {
            (Some(""), Some(name)) => Ok(Some(name)),
            (Some(text), Some(name)) if text == name => {
                Err("is the word that `empty_text` has for the empty text: choose another one")
            }
            (text, _) => Ok(text),
        }
    }

    fn bad_value(self, row: u64, what: &str) -> Error {
        Error::input(format!("column {:?}: the value of row {} {what}", self.field.name(), row + 1))
            .coded(Code::TableUnreadable)
            .at_file(self.input.name())
            .help("write null where no value is known")
    }
}

/// A column while it is taken in.
pub(super) struct ColumnReader<'a> {
    column: ArrowColumn<'a>,
    taken: Taken,
    rows: u64,
}

enum Taken {
    /// Which rows have a value, for columns of any type.
    Presence(Marks),
    Values(Box<ColumnBuilder>, Known),
}

impl ColumnReader<'_> {
    /// Takes in a run of rows.
    pub(super) fn push(&mut self, array: &ArrayRef) -> Result<()> {
        let (column, first_row) = (self.column, self.rows);
        match &mut self.taken {
            Taken::Presence(marks) => {
                let nulls = array.logical_nulls();
                (0..array.len())
                    .for_each(|row| marks.push(nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row)).then_some(0)));
            }
            Taken::Values(builder, known) => {
                let rows = Unfolded::of(array)?;
                visit(&rows.values, Encoder { column, builder, known, rows: &rows, first_row })?;
            }
        }
        self.rows += array.len() as u64;
        Ok(())
    }

    /// Writes to disk what there is no room for.
    pub(super) fn ease(&mut self, memory: &Memory) -> Result<()> {
        match &mut self.taken {
            Taken::Presence(_) => Ok(()),
            Taken::Values(builder, _) => builder.ease(memory),
        }
    }

    /// What was taken in.
    pub(super) fn finish(self) -> ColumnData {
        match self.taken {
            Taken::Presence(marks) => marks.finish(|| (Distinct::Values(Vec::new()), Vec::new()), Type::Text),
            Taken::Values(builder, _) => builder.finish(),
        }
    }
}

/// The marks of a dictionary's values that rows have named so far: batches may share a dictionary, and each value is looked up once.
#[derive(Default)]
struct Known {
    dictionary: Option<ArrayRef>,
    marks: Vec<Seen>,
}

#[derive(Clone, Copy)]
enum Seen {
    Never,
    As(Option<u64>),
}

impl Known {
    fn begin(&mut self, values: &ArrayRef) {
        let same = |other: &ArrayRef| std::ptr::addr_eq(ArrayRef::as_ptr(other), ArrayRef::as_ptr(values));
        if !self.dictionary.as_ref().is_some_and(same) {
            self.dictionary = Some(values.clone());
            self.marks.clear();
            self.marks.resize(values.len(), Seen::Never);
        }
    }
}

struct Encoder<'a> {
    column: ArrowColumn<'a>,
    builder: &'a mut ColumnBuilder,
    known: &'a mut Known,
    rows: &'a Unfolded,
    first_row: u64,
}

impl Visitor for Encoder<'_> {
    fn texts<'t>(self, at: impl Fn(usize) -> Refusable<Option<&'t str>>) -> Result<()> {
        let Self { column, builder, known, rows, first_row } = self;
        match builder {
            ColumnBuilder::Texts(collector) => {
                gather(column, collector, known, rows, first_row, |place| column.named(at(place)?))
            }
            _ => Err(changed_type(column)),
        }
    }

    fn keys<K: ArrowKey>(self, at: impl Fn(usize) -> Refusable<Option<K>>) -> Result<()> {
        let Self { column, builder, known, rows, first_row } = self;
        let collector = K::collector(builder).ok_or_else(|| changed_type(column))?;
        gather(column, collector, known, rows, first_row, at)
    }
}

fn changed_type(column: ArrowColumn<'_>) -> Error {
    Error::bug(format!("the arrays of column {:?} have another type than the column", column.field.name()))
}

fn gather<V>(
    column: ArrowColumn<'_>,
    collector: &mut impl Collector<V>,
    known: &mut Known,
    rows: &Unfolded,
    first_row: u64,
    at: impl Fn(usize) -> Refusable<Option<V>>,
) -> Result<()> {
    let value = |row: u64, place: usize| at(place).map_err(|what| column.bad_value(row, what));
    let Some(places) = &rows.places else {
        for (row, place) in (first_row..).zip(0..rows.values.len()) {
            let mark = value(row, place)?.and_then(|value| collector.mark(value, row + 1));
            collector.push(mark);
        }
        return Ok(());
    };
    known.begin(&rows.values);
    for (row, &place) in (first_row..).zip(places) {
        let mark = match known.marks.get_mut(place) {
            None => None,
            Some(Seen::As(mark)) => *mark,
            Some(unknown) => {
                let mark = value(row, place)?.and_then(|value| collector.mark(value, row + 1));
                *unknown = Seen::As(mark);
                mark
            }
        };
        collector.push(mark);
    }
    Ok(())
}

struct Speller<'a> {
    column: ArrowColumn<'a>,
    meaning: ArrowType,
    days: bool,
    rows: &'a Unfolded,
    first_row: u64,
    texts: &'a mut Vec<Option<Box<str>>>,
}

impl Speller<'_> {
    fn spell<V>(
        self,
        at: impl Fn(usize) -> Refusable<Option<V>>,
        spelled: impl Fn(V) -> Option<Box<str>>,
    ) -> Result<()> {
        let mut push = |row: u64, place: usize| {
            let value = if place < self.rows.values.len() { at(place) } else { Ok(None) };
            let value = value.map_err(|what| self.column.bad_value(row, what))?;
            self.texts.push(value.and_then(&spelled));
            Ok(())
        };
        match &self.rows.places {
            None => (self.first_row..).zip(0..self.rows.values.len()).try_for_each(|(row, place)| push(row, place)),
            Some(places) => (self.first_row..).zip(places).try_for_each(|(row, &place)| push(row, place)),
        }
    }
}

impl Visitor for Speller<'_> {
    fn texts<'t>(self, at: impl Fn(usize) -> Refusable<Option<&'t str>>) -> Result<()> {
        let missing_values = &self.column.options.missing_values;
        let column = self.column;
        self.spell(
            |place| column.named(at(place)?),
            |text| (!missing_values.iter().any(|missing| missing == text)).then(|| text.into()),
        )
    }

    fn keys<K: ArrowKey>(self, at: impl Fn(usize) -> Refusable<Option<K>>) -> Result<()> {
        let (meaning, days) = (self.meaning, self.days);
        let missing: Vec<K> = missing_keys(meaning, &self.column.options.missing_values);
        self.spell(at, |key| (!missing.contains(&key)).then(|| key.spelled(meaning, days).into()))
    }
}
