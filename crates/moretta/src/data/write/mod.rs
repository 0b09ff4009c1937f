//! Writing tables, batch by batch, as CSV, Parquet or spreadsheets.

mod csv_file;
mod lines;
#[cfg(feature = "parquet")]
mod parquet_file;
#[cfg(feature = "spreadsheet")]
mod xlsx_file;

use std::io::Write;
use std::sync::Arc;

use crate::data::domain::Domain;
pub use crate::data::format::FileFormat;
use crate::data::value::Type;
pub(crate) use lines::CsvLines;

/// A key, and what it says of a column or a table. Parquet files carry such words, CSV files and spreadsheets can't.
pub type Note = (&'static str, String);

/// A column to be written.
#[derive(Clone, Debug)]
pub struct Header {
    /// Its name.
    pub name: String,
    /// The type of its values.
    pub kind: Type,
    /// Its domain, if its values come as codes.
    pub domain: Option<Arc<Domain>>,
    /// What is said of it.
    pub notes: Vec<Note>,
}

impl Header {
    /// A column whose values come as they are.
    pub fn plain(name: impl Into<String>, kind: Type) -> Self {
        Self { name: name.into(), kind, domain: None, notes: Vec::new() }
    }

    /// A column whose values come as codes into a domain.
    pub fn coded(name: impl Into<String>, domain: Arc<Domain>) -> Self {
        Self { name: name.into(), kind: domain.kind(), domain: Some(domain), notes: Vec::new() }
    }
}

/// The values of a column, for a run of rows.
#[derive(Clone, Copy, Debug)]
pub enum Values<'a> {
    /// Codes into the domain of the column's header.
    Codes(&'a [u32]),
    /// Whole numbers: weights, counts, row numbers.
    Integers(&'a [i64]),
    /// Values in their published spelling; nothing where one is missing.
    Texts(&'a [Option<Box<str>>]),
}

impl Values<'_> {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Codes(codes) => codes.len(),
            Self::Integers(integers) => integers.len(),
            Self::Texts(texts) => texts.len(),
        }
    }

    /// Some of the rows.
    #[must_use]
    pub fn rows(&self, some: std::ops::Range<usize>) -> Self {
        match self {
            Self::Codes(codes) => Self::Codes(&codes[some]),
            Self::Integers(integers) => Self::Integers(&integers[some]),
            Self::Texts(texts) => Self::Texts(&texts[some]),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Writes a table.
pub trait TableWriter {
    /// Adds rows: for each column of the header its values, all of one length.
    fn write(&mut self, columns: &[Values<'_>]) -> std::io::Result<()>;

    /// Writes what is left.
    fn finish(self: Box<Self>) -> std::io::Result<()>;
}

/// A writer of the format. The bytes are a function of what is written alone.
pub fn table_writer<'w, W: Write + Send + 'w>(
    format: FileFormat,
    sink: W,
    headers: &[Header],
) -> std::io::Result<Box<dyn TableWriter + 'w>> {
    noted_writer(format, sink, headers, &[])
}

/// The same for a table of which something is said.
pub fn noted_writer<'w, W: Write + Send + 'w>(
    format: FileFormat,
    sink: W,
    headers: &[Header],
    #[cfg_attr(not(feature = "parquet"), expect(unused_variables, reason = "only Parquet has room for notes"))]
    notes: &[Note],
) -> std::io::Result<Box<dyn TableWriter + 'w>> {
    Ok(match format {
        FileFormat::Csv => Box::new(csv_file::CsvWriter::new(sink, headers)?),
        #[cfg(feature = "parquet")]
        FileFormat::Parquet => Box::new(parquet_file::ParquetWriter::new(sink, headers, notes)?),
        #[cfg(not(feature = "parquet"))]
        FileFormat::Parquet => return Err(std::io::Error::other("built without the feature `parquet`")),
        #[cfg(feature = "spreadsheet")]
        FileFormat::Xlsx => Box::new(xlsx_file::XlsxWriter::new(sink, headers)?),
        #[cfg(not(feature = "spreadsheet"))]
        FileFormat::Xlsx => return Err(std::io::Error::other("built without the feature `spreadsheet`")),
    })
}
