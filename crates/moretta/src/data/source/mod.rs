//! Where tables come from: CSV and Parquet, in files or in memory, sheets, databases, and Arrow record batches.
//!
//! A source is read in two ways. [`Source::encode`] reads chosen columns whole, each into the form
//! that its use needs; planning works on that. [`Source::stream`] passes over rows batch by batch
//! as texts; applying a plan to columns that are published as they are works on that.

mod address;
mod arrow_column;
mod arrow_key;
mod arrow_type;
mod arrow_values;
mod batches;
mod codes;
mod collect;
mod collect_keys;
#[cfg(any(feature = "parquet", feature = "spreadsheet"))]
mod contained;
mod csv_file;
mod csv_pieces;
mod duckdb;
mod encoded;
mod foreign;
mod header;
mod intern;
#[cfg(any(feature = "sqlite", feature = "spreadsheet"))]
mod loose;
mod options;
#[cfg_attr(not(feature = "parquet"), path = "no_parquet.rs")]
mod parquet_file;
mod parts;
mod place;
#[cfg_attr(not(feature = "postgres"), path = "no_postgres.rs")]
mod postgres;
mod recent_texts;
mod relation;
mod server_password;
mod sniff;
#[cfg_attr(not(feature = "spreadsheet"), path = "no_spreadsheet.rs")]
mod spreadsheet;
#[cfg_attr(not(feature = "sqlite"), path = "no_sqlite.rs")]
mod sqlite;
mod unfold;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;

pub use address::relative_to;
pub(crate) use address::{DatabaseKind, database_kind, refuse_secrets, split as split_address};
pub use batches::Batches;
pub(crate) use codes::BLOCK;
pub use collect::{ColumnData, ColumnNeed};
pub use encoded::Encoded;
pub(crate) use encoded::Typed;
pub use intern::Distinct;
pub use options::{ReadOptions, encoding};
pub use parts::PartList;
pub use place::OptionsPlace;
#[cfg(feature = "postgres")]
pub(crate) use postgres::{connect, interrupted, refused};
pub use server_password::ServerPassword;

use crate::data::day_format::DayFormat;
use crate::data::value::Type;
use crate::error::{Code, Error, Result};
use crate::progress::Progress;

/// A table with a name: a file, the parts of one, a file's content in memory, a table of a database, or record batches.
#[derive(Clone, Debug)]
pub enum Input {
    /// A file on disk.
    File(PathBuf),
    /// Content in memory, under the name it would have as a file.
    Memory(PathBuf, Bytes),
    /// Record batches, under the name by which errors call them.
    Batches(PathBuf, Arc<Batches>),
    /// The address of a database; how the table is to be read says which one it is.
    Database(PathBuf),
    /// Several files.
    Parts(Arc<PartList>),
}

/// What tells that a file has changed: its length and when it was written.
pub type Stamp = (u64, Option<std::time::SystemTime>);

impl Input {
    /// Record batches that have no name of their own.
    pub fn of_batches(batches: Batches) -> Self {
        Self::Batches("the table".into(), Arc::new(batches))
    }

    /// The parts of a table, under the name of what holds them.
    pub(crate) fn of_parts(name: impl Into<PathBuf>, parts: Vec<Self>) -> Self {
        Self::Parts(Arc::new(PartList::listed(name.into(), parts)))
    }

    /// The name by which errors call it.
    pub fn name(&self) -> &Path {
        match self {
            Self::File(path) | Self::Memory(path, _) | Self::Batches(path, _) | Self::Database(path) => path,
            Self::Parts(list) => list.name(),
        }
    }

    fn open(&self) -> Result<Box<dyn Read + Send>> {
        Ok(match self {
            Self::File(path) => Box::new(open_file(path)?),
            Self::Memory(_, bytes) => Box::new(std::io::Cursor::new(bytes.clone())),
            Self::Batches(..) | Self::Database(_) | Self::Parts(_) => {
                return Err(Error::bug("this table has no bytes to be read"));
            }
        })
    }

    /// A stamp that changes when the content does, as far as a file system can tell.
    pub fn stamp(&self) -> Result<Stamp> {
        match self {
            Self::Memory(_, bytes) => Ok((bytes.len() as u64, None)),
            Self::Batches(_, batches) => Ok((batches.rows(), None)),
            // One transaction shows one state, and every pass is compared with the first.
            Self::Database(_) => Ok((0, None)),
            Self::Parts(list) => list.stamp(),
            Self::File(path) => {
                let meta = std::fs::metadata(path).map_err(|e| Error::machine("read the file", path, e))?;
                Ok((meta.len(), meta.modified().ok()))
            }
        }
    }
}

fn open_file(path: &Path) -> Result<File> {
    let file = File::open(path).map_err(|e| Error::machine("read the file", path, e))?;
    match file.metadata() {
        Ok(meta) if meta.is_dir() => {
            Err(Error::input("this is a folder, not a table").coded(Code::TableUnreadable).at_file(path))
        }
        _ => Ok(file),
    }
}

/// A table that can be read, more than once.
#[derive(Clone, Debug)]
pub struct Source {
    input: Input,
    options: ReadOptions,
    format: Format,
    names: Vec<String>,
}

#[derive(Clone, Debug)]
enum Format {
    Csv(sniff::CsvDialect),
    Parquet,
    Batches(Arc<Batches>),
    Relation(Arc<relation::Steady>),
}

/// A run of rows as they are streamed: for each wanted column, one value a row.
#[derive(Debug)]
pub struct RowBatch {
    /// The number of the first row, counted from 0.
    pub first_row: u64,
    /// How many rows there are.
    pub rows: usize,
    /// One column for each one wanted.
    pub columns: Vec<Vec<Option<Box<str>>>>,
}

impl Source {
    /// Opens a table: finds out its format and its column names.
    pub fn open(input: Input, options: ReadOptions) -> Result<Self> {
        let (format, names) = match &input {
            Input::Batches(_, batches) => (Format::Batches(batches.clone()), batches.column_names()),
            Input::File(_) | Input::Memory(..) => Self::format(&input, &options)?,
            Input::Database(_) => Self::relation(match input.base() {
                DatabaseKind::Sqlite(file) => sqlite::open(&input, file, &options)?,
                DatabaseKind::DuckDb(file) => duckdb::open(&input, file, &options)?,
                DatabaseKind::Postgres => postgres::open(&input, &options)?,
            }),
            Input::Parts(list) => Self::relation(parts::open(list, &options)?),
        };
        refuse_pointless(&input, &format, &options)?;
        let source = Self { input, options, format, names: numbered(names) };
        source.refuse_bad_names()?;
        Ok(source)
    }

    fn relation(steady: relation::Steady) -> (Format, Vec<String>) {
        let names = steady.column_names();
        (Format::Relation(Arc::new(steady)), names)
    }

    /// The format of a file and its column names.
    fn format(input: &Input, options: &ReadOptions) -> Result<(Format, Vec<String>)> {
        let mut head = [0; foreign::HEAD_BYTES];
        let filled = read_up_to(&mut *input.open()?, &mut head).map_err(|e| unreadable(input, e))?;
        let head = &head[..filled];
        if head.is_empty() {
            return Err(Error::input("the file is empty")
                .coded(Code::TableUnreadable)
                .at_file(input.name())
                .help("a table has a header and rows"));
        }
        if foreign::is_spreadsheet(input, head) {
            return Ok(Self::relation(spreadsheet::open(input, options)?));
        }
        foreign::refuse(input, head)?;
        let is_parquet = head.starts_with(b"PAR1");
        let named_parquet = input.name().extension().is_some_and(|e| e.eq_ignore_ascii_case("parquet"));
        if named_parquet && !is_parquet {
            return Err(Error::input("this is not a Parquet file: it does not start with the mark PAR1")
                .coded(Code::TableUnreadable)
                .at_file(input.name())
                .help("if it is a CSV file, name it .csv"));
        }
        if is_parquet {
            return Ok((Format::Parquet, parquet_file::column_names(input)?));
        }
        let (dialect, names) = sniff::sniff(input, options)?;
        Ok((Format::Csv(dialect), names))
    }

    /// The column names, in the order of the file.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Where it comes from.
    pub fn input(&self) -> &Input {
        &self.input
    }

    /// How it is read.
    pub fn options(&self) -> &ReadOptions {
        &self.options
    }

    /// The sign between fields, where the table is a CSV file.
    pub fn delimiter(&self) -> Option<char> {
        match &self.format {
            Format::Csv(dialect) => Some(char::from(dialect.delimiter)),
            Format::Parquet | Format::Batches(_) | Format::Relation(_) => None,
        }
    }

    /// The place of a column.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|n| n == name)
    }

    /// Reads columns whole, each into what is needed of it.
    pub fn encode(&self, needs: &[(usize, ColumnNeed)], progress: &Progress) -> Result<Vec<ColumnData>> {
        progress.memory().begin_reading();
        match &self.format {
            Format::Csv(dialect) => csv_file::encode(&self.input, dialect, &self.names, &self.options, needs, progress),
            Format::Parquet => parquet_file::encode(&self.input, &self.options, needs, progress),
            Format::Batches(table) => batches::encode(table, &self.input, &self.options, needs, progress),
            Format::Relation(table) => relation::encode(table, &self.input, &self.options, needs, progress),
        }
    }

    /// Passes over the rows in order, batch by batch.
    pub fn stream(&self, wanted: &[usize], sink: &mut dyn FnMut(RowBatch) -> Result<()>) -> Result<()> {
        match &self.format {
            Format::Csv(dialect) => csv_file::stream(&self.input, dialect, &self.names, &self.options, wanted, sink),
            Format::Parquet => parquet_file::stream(&self.input, &self.options, wanted, sink),
            Format::Batches(table) => batches::stream(table, &self.input, &self.options, wanted, sink),
            Format::Relation(table) => relation::stream(table, &self.input, &self.options, wanted, sink),
        }
    }

    /// Passes over the rows in order, one by one: a file's texts are not copied.
    pub(crate) fn each_row(&self, wanted: &[usize], sink: &mut dyn FnMut(&[Option<&str>]) -> Result<()>) -> Result<()> {
        if let Format::Csv(dialect) = &self.format {
            return csv_file::each_row(&self.input, dialect, &self.names, &self.options, wanted, sink);
        }
        self.stream(wanted, &mut |batch| {
            let mut fields: Vec<Option<&str>> = Vec::with_capacity(batch.columns.len());
            (0..batch.rows).try_for_each(|row| {
                fields.clear();
                fields.extend(batch.columns.iter().map(|column| column[row].as_deref()));
                sink(&fields)
            })
        })
    }

    fn refuse_bad_names(&self) -> Result<()> {
        for (place, name) in self.names.iter().enumerate() {
            if let Some(first) = self.names[..place].iter().position(|n| n == name) {
                let message = format!("the columns {} and {} are both named {name:?}", first + 1, place + 1);
                return Err(Error::input(message)
                    .coded(Code::TableUnreadable)
                    .at_file(self.input.name())
                    .help("give each column a name of its own"));
            }
        }
        Ok(())
    }
}

/// Refuses options that say which table it is, where there is only one: whoever stated them meant another source.
fn refuse_pointless(input: &Input, format: &Format, options: &ReadOptions) -> Result<()> {
    if options.empty_text.is_some() && matches!(format, Format::Csv(_)) {
        return Err(Error::input("`empty_text` is stated, and a CSV file does not tell an empty text from no value")
            .coded(Code::WrongParameter)
            .at_file(input.name())
            .help(
                "leave it out: in CSV both are missing; Parquet files, databases and record batches tell them apart",
            ));
    }
    let database = matches!(input, Input::Database(_));
    let sheets = matches!(format, Format::Relation(_)) && matches!(input, Input::File(_) | Input::Memory(..));
    let stated = [
        ("table", options.table.is_some() && !database, "a database"),
        ("query", options.query.is_some() && !database, "a database"),
        ("sheet", options.sheet.is_some() && !sheets, "a spreadsheet"),
        ("thousands", options.thousands.is_some() && !matches!(format, Format::Csv(_)), "a CSV file"),
    ];
    match stated.into_iter().find(|&(_, pointless, _)| pointless) {
        None => Ok(()),
        Some((key, _, what)) => Err(Error::input(format!("`{key}` is stated, and this is not {what}"))
            .coded(Code::WrongParameter)
            .at_file(input.name())
            .help(format!(
                "leave `{key}` out, or name {}",
                if key == "thousands" { what.to_owned() } else { format!("the address of {what}") }
            ))),
    }
}

/// Names for columns that have none, as the index of a data frame has none when it is written.
fn numbered(names: Vec<String>) -> Vec<String> {
    let named = |(place, name): (usize, String)| if name.is_empty() { column_name(place) } else { name };
    names.into_iter().enumerate().map(named).collect()
}

/// What a column is called that has no name.
fn column_name(place: usize) -> String {
    format!("column{}", place + 1)
}

/// A value that is no day, or not in the format that the policy states.
fn not_of_format(text: &str, (format, kind): (&DayFormat, Type), column: &str, line: u64, input: &Input) -> Error {
    let (what, ours) = if kind == Type::Timestamp { ("time", "1994-03-07T14:30:00") } else { ("day", "1994-03-07") };
    not_of_type(text, kind, column, line, input)
        .help(format!("expected a {what} as `{format}` says, or such as {ours}; if it means a missing value, add it to `missing_values`"))
}

/// A value that is not of the type that the policy states.
fn not_of_type(text: &str, kind: Type, column: &str, line: u64, input: &Input) -> Error {
    let article = if kind == Type::Integer { "an" } else { "a" };
    let right = match kind {
        Type::Integer => "a whole number, such as 42",
        Type::Number => "a number, such as 2.5",
        Type::Date => "a day, such as 1994-03-07",
        Type::Timestamp => "a time, such as 1994-03-07T14:30:00, in the years 1700 to 2250",
        Type::Boolean => "true or false",
        Type::Text | Type::Code => "a text",
    };
    let (file, line, within) = match input {
        Input::Parts(list) => match list.place(line) {
            Some((file, row)) => (file, None, format!(", in row {row} of this part")),
            None => (input.name(), None, String::new()),
        },
        Input::Database(_) => (input.name(), None, format!(", in row {line}")),
        _ => (input.name(), Some(line), String::new()),
    };
    Error::input(format!("column {column:?}: {text:?} is not {article} {}{within}", kind.name()))
        .coded(Code::ValueOfWrongType)
        .at_file(file)
        .at_line(line)
        .help(format!("expected {right}; if it means a missing value, add it to `missing_values`"))
}

fn unreadable(input: &Input, error: std::io::Error) -> Error {
    Error::machine("read the file", input.name(), error)
}

fn read_up_to(reader: &mut dyn Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..])? {
            0 => break,
            n => filled += n,
        }
    }
    Ok(filled)
}
