//! Sheets of .xlsx and .ods files. They are small enough to be held whole.

use std::io::{Cursor, Read};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use calamine::{Data, DataType, ExcelDateTime, Ods, Range, Reader, Xlsx};
use chrono::{NaiveDate, NaiveDateTime, NaiveTime};

use super::contained::contained;
use super::loose::{Cell, CellSorts, LooseBuilder};
use super::relation::{Relation, RelationColumn, Steady};
use super::{Input, ReadOptions, column_name, unreadable};
use crate::error::{Code, Error, Result};

/// A sheet, read.
#[derive(Debug)]
struct Sheet {
    columns: Vec<RelationColumn>,
    batch: RecordBatch,
}

impl Relation for Sheet {
    fn columns(&self) -> &[RelationColumn] {
        &self.columns
    }

    fn scan(&self, sink: &mut dyn FnMut(RecordBatch) -> Result<()>) -> Result<()> {
        sink(self.batch.clone())
    }
}

pub(super) fn open(input: &Input, options: &ReadOptions) -> Result<Steady> {
    let mut bytes = Vec::new();
    input.open()?.read_to_end(&mut bytes).map_err(|e| unreadable(input, e))?;
    let range = contained(input, || range(input, options, bytes))?;
    let mut rows = range.rows().zip(u64::from(range.start().map_or(0, |(row, _)| row)) + 1..);
    let names = names(&mut rows, range.width(), input, options)?;
    // A row without any value is no row, as a blank line of a CSV file is none.
    let rows: Vec<(&[Data], u64)> = rows.filter(|(row, _)| !row.iter().all(DataType::is_empty)).collect();
    let mut columns = Vec::with_capacity(names.len());
    let mut arrays = Vec::with_capacity(names.len());
    for (place, name) in names.iter().enumerate() {
        let cells =
            || rows.iter().map(|&(row, number)| (cell(&row[place]).or_missing(&options.missing_values), number));
        let mut sorts = CellSorts::default();
        cells().for_each(|(cell, number)| sorts.observe(cell, number));
        let column = sorts.column(name, HELP);
        let mut builder = LooseBuilder::new(&column);
        if !cells().all(|(cell, _)| builder.push(cell)) {
            return Err(Error::bug("a sheet changed while it was held"));
        }
        arrays.push(builder.finish());
        columns.push(column);
    }
    let schema = Schema::new(columns.iter().map(|column| column.field.clone()).collect::<Vec<_>>());
    let batch = RecordBatch::try_new(Arc::new(schema), arrays)
        .map_err(|e| Error::bug(format!("columns of a sheet make no batch: {e}")))?;
    Ok(Steady::new(Box::new(Sheet { columns, batch })))
}

const HELP: &str =
    "give all its cells one type in the spreadsheet, or add a text that means a missing value to `missing_values`";

/// The cells of the sheet that is meant.
fn range(input: &Input, options: &ReadOptions, bytes: Vec<u8>) -> Result<Range<Data>> {
    let is_ods = input.name().extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ods"));
    if is_ods { of_sheet::<Ods<_>>(input, options, bytes) } else { of_sheet::<Xlsx<_>>(input, options, bytes) }
}

fn of_sheet<B: Reader<Cursor<Vec<u8>>>>(input: &Input, options: &ReadOptions, bytes: Vec<u8>) -> Result<Range<Data>>
where
    B::Error: std::fmt::Display,
{
    let damaged = |e: B::Error| {
        Error::input(format!("the spreadsheet can't be read: {e}"))
            .coded(Code::TableUnreadable)
            .at_file(input.name())
            .help("save it anew, without a password; or save the sheet as CSV")
    };
    let mut book = B::new(Cursor::new(bytes)).map_err(damaged)?;
    let names = book.sheet_names();
    let listed = names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    let refused =
        |code: Code, what: String, help: String| Err(Error::input(what).coded(code).at_file(input.name()).help(help));
    let name = match (&options.sheet, &names[..]) {
        (Some(stated), all) if all.contains(stated) => stated,
        (Some(stated), _) => {
            return refused(
                Code::WrongParameter,
                format!("there is no sheet {stated:?}"),
                format!("there is {listed}"),
            );
        }
        (None, [only]) => only,
        (None, [first, ..]) => {
            let stated = options.place.state("sheet", &format!("{first:?}"));
            let what = "the spreadsheet has several sheets".to_owned();
            return refused(Code::MissingKey, what, format!("{stated}; there is {listed}"));
        }
        (None, []) => return refused(Code::TableUnreadable, "there is no sheet".to_owned(), "add one".to_owned()),
    };
    book.worksheet_range(name).map_err(damaged)
}

/// The names in the first row, or numbers where it has none.
fn names<'a>(
    rows: &mut impl Iterator<Item = (&'a [Data], u64)>,
    width: usize,
    input: &Input,
    options: &ReadOptions,
) -> Result<Vec<String>> {
    if options.header == Some(false) {
        return Ok((0..width).map(column_name).collect());
    }
    let Some((first, number)) = rows.next() else {
        return Err(Error::input("the sheet is empty")
            .coded(Code::TableUnreadable)
            .at_file(input.name())
            .help("a table has a header and rows"));
    };
    let odd = first.iter().find(|cell| !cell.is_string() && !cell.is_empty());
    if let (Some(odd), None) = (odd, options.header) {
        return Err(Error::input(format!("row {number} would name the columns, and holds {odd}"))
            .coded(Code::TableUnreadable)
            .at_file(input.name())
            .help(format!(
                "if it is a row, {}; if it has the names, {}",
                options.place.state("header", "false"),
                options.place.state("header", "true")
            )));
    }
    Ok(first.iter().map(|cell| cell.to_string().trim().to_owned()).collect())
}

/// What a cell holds.
fn cell(data: &Data) -> Cell<'_> {
    match data {
        Data::Empty => Cell::Nothing,
        Data::Int(value) => Cell::Integer(*value),
        Data::Float(value) => number(*value),
        Data::String(text) => Cell::Text(text),
        Data::Bool(value) => Cell::Boolean(*value),
        Data::DateTime(time) => time_of(time),
        Data::DateTimeIso(text) => iso(text),
        Data::DurationIso(_) => Cell::Other("a span of time"),
        Data::Error(_) => Cell::Other("an error of a formula"),
    }
}

/// Spreadsheets know no whole numbers: those that are, are taken for them.
fn number(value: f64) -> Cell<'static> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() <= EXACT { Cell::Integer(value as i64) } else { Cell::Number(value) }
}

fn time_of(time: &ExcelDateTime) -> Cell<'static> {
    if time.is_duration() {
        return Cell::Other("a span of time");
    }
    // A format of the time of day alone leaves the day at zero.
    if time.as_f64() < 1.0 {
        return Cell::Other("a time of the day");
    }
    let (year, month, day, hour, minute, second, milli) = time.to_ymd_hms_milli();
    let day = NaiveDate::from_ymd_opt(year.into(), month.into(), day.into());
    let time = NaiveTime::from_hms_milli_opt(hour.into(), minute.into(), second.into(), milli.into());
    day.zip(time).map_or(Cell::Other("a day that does not exist"), |(day, time)| of_time(day.and_time(time)))
}

fn iso(text: &str) -> Cell<'static> {
    let day = |text: &str| text.parse::<NaiveDate>().ok().map(|day| day.and_time(NaiveTime::MIN));
    let time = text.parse::<NaiveDateTime>().ok().or_else(|| day(text));
    time.map_or(Cell::Other("a time that can't be read"), of_time)
}

fn of_time(time: NaiveDateTime) -> Cell<'static> {
    if time.time() != NaiveTime::MIN {
        return Cell::Instant(time.and_utc().timestamp_millis());
    }
    let days = time.date().signed_duration_since(NaiveDate::default()).num_days();
    i32::try_from(days).map_or(Cell::Other("a day beyond the calendar"), Cell::Day)
}
