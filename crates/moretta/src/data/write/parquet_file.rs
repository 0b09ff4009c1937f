//! Writing Parquet files.

use std::io::Write;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::types::{Date32Type, Float64Type, Int32Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{ArrayRef, BooleanArray, DictionaryArray, Int32Array, PrimitiveArray};
use arrow_schema::{DataType, Field, Fields, Metadata, Schema, TimeUnit};
use parquet::arrow::arrow_writer::{ArrowColumnWriter, ArrowRowGroupWriterFactory, ArrowWriterOptions, compute_leaves};
use parquet::arrow::{ARROW_SCHEMA_META_KEY, ArrowWriter, encode_arrow_schema};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use rayon::prelude::*;

use super::{Header, Note, TableWriter, Values};
use crate::data::domain::Domain;
use crate::data::value::{Decimal, Type, Value};

/// Rows of a row group; few in tests, so that these have several.
const ROW_GROUP: usize = if cfg!(test) { 1 << 10 } else { 1 << 20 };

/// Writes Parquet: numbers, days and truth values typed, texts by dictionary, nulls for missing values.
///
/// The columns of a run of rows are encoded and compressed at the same time, and stand in the file in their order: its bytes do not
/// depend on the number of threads.
pub(super) struct ParquetWriter<W: Write + Send> {
    file: SerializedFileWriter<W>,
    row_groups: ArrowRowGroupWriterFactory,
    /// The columns of the row group under way, and how many rows it has.
    open: Option<(Vec<ArrowColumnWriter>, usize)>,
    arrays: Arrays,
}

/// What values become before they are encoded.
struct Arrays {
    columns: Vec<Header>,
    fields: Fields,
    /// For each column of coded texts, its domain as an Arrow dictionary.
    dictionaries: Vec<Option<ArrayRef>>,
}

impl<W: Write + Send> ParquetWriter<W> {
    pub(super) fn new(sink: W, headers: &[Header], notes: &[Note]) -> std::io::Result<Self> {
        let fields = headers.iter().map(|header| Field::new(&header.name, data_type(header.kind), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(1).map_err(other)?))
            .set_created_by("moretta".to_owned())
            .set_key_value_metadata(words(headers, notes))
            .build();
        // Not the schema of the arrays that are written: the file says text, not "dictionary", which other readers expect.
        let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
        let writer = ArrowWriter::try_new_with_options(sink, schema.clone(), options).map_err(other)?;
        let (file, row_groups) = writer.into_serialized_writer().map_err(from_parquet)?;
        let texts = |header: &Header| header.domain.as_ref().filter(|_| header.kind.is_text()).cloned();
        let dictionaries = headers.iter().map(|header| texts(header).map(|domain| dictionary_values(&domain)));
        let arrays =
            Arrays { columns: headers.to_vec(), fields: schema.fields().clone(), dictionaries: dictionaries.collect() };
        Ok(Self { file, row_groups, open: None, arrays })
    }

    /// Adds rows that the row group under way has room for.
    fn write_some(&mut self, columns: &[Values<'_>], rows: usize) -> std::io::Result<()> {
        let (mut writers, filled) = match self.open.take() {
            Some(open) => open,
            None => {
                let number = self.file.flushed_row_groups().len();
                (self.row_groups.create_column_writers(number).map_err(from_parquet)?, 0)
            }
        };
        let arrays = &self.arrays;
        writers.par_iter_mut().enumerate().zip(columns).try_for_each(|((column, writer), values)| {
            let array = arrays.array(column, values)?;
            let leaves = compute_leaves(&arrays.fields[column], &array).map_err(from_parquet)?;
            leaves.iter().try_for_each(|leaf| writer.write(leaf)).map_err(from_parquet)
        })?;
        self.open = Some((writers, filled + rows));
        if filled + rows == ROW_GROUP { self.end_row_group() } else { Ok(()) }
    }

    fn end_row_group(&mut self) -> std::io::Result<()> {
        let Some((writers, _)) = self.open.take() else { return Ok(()) };
        let chunks: Vec<_> = writers.into_par_iter().map(ArrowColumnWriter::close).collect();
        let mut row_group = self.file.next_row_group().map_err(from_parquet)?;
        for chunk in chunks {
            chunk.and_then(|chunk| chunk.append_to_row_group(&mut row_group)).map_err(from_parquet)?;
        }
        row_group.close().map(drop).map_err(from_parquet)
    }
}

impl Arrays {
    fn array(&self, column: usize, values: &Values<'_>) -> std::io::Result<ArrayRef> {
        let Header { kind, domain, .. } = &self.columns[column];
        match (values, domain, &self.dictionaries[column]) {
            (Values::Codes(codes), Some(domain), Some(texts)) => keyed(codes, domain.missing(), texts.clone()),
            (Values::Codes(codes), Some(domain), None) => {
                Ok(typed(*kind, codes.iter().map(|&code| domain.value(code).clone())))
            }
            (Values::Codes(_), None, _) => Err(std::io::Error::other("codes without a domain")),
            (Values::Integers(integers), ..) => {
                Ok(Arc::new(PrimitiveArray::<Int64Type>::from_iter_values(integers.iter().copied())))
            }
            (Values::Texts(texts), ..) => {
                // Numbers come as their table spells them. One that can't be read must not pass for a missing one.
                let value = |text: &Option<Box<str>>| match text {
                    None => Ok(Value::Missing),
                    Some(text) => [Decimal::Point, Decimal::Comma]
                        .into_iter()
                        .find_map(|decimal| Value::parse(text, *kind, decimal))
                        .ok_or_else(|| std::io::Error::other(format!("{text:?} is no {}", kind.name()))),
                };
                let values = texts.iter().map(value).collect::<std::io::Result<Vec<Value>>>()?.into_iter();
                if kind.is_text() { strings_as_dictionary(values) } else { Ok(typed(*kind, values)) }
            }
        }
    }
}

impl<W: Write + Send> TableWriter for ParquetWriter<W> {
    fn write(&mut self, columns: &[Values<'_>]) -> std::io::Result<()> {
        let rows = columns.first().map_or(0, Values::len);
        if columns.len() != self.arrays.columns.len() || columns.iter().any(|values| values.len() != rows) {
            return Err(std::io::Error::other("columns of a table differ in length"));
        }
        let mut done = 0;
        while done < rows {
            let filled = self.open.as_ref().map_or(0, |(_, filled)| *filled);
            let some = (rows - done).min(ROW_GROUP - filled);
            let part: Vec<Values<'_>> = columns.iter().map(|values| values.rows(done..done + some)).collect();
            self.write_some(&part, some)?;
            done += some;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> std::io::Result<()> {
        self.end_row_group()?;
        self.file.close().map(drop).map_err(from_parquet)
    }
}

/// What is said of the table and its columns, in the place where programs that know Arrow look for it.
fn words(headers: &[Header], notes: &[Note]) -> Option<Vec<KeyValue>> {
    if notes.is_empty() && headers.iter().all(|header| header.notes.is_empty()) {
        return None;
    }
    let metadata =
        |notes: &[Note]| notes.iter().map(|(key, word)| ((*key).to_owned(), word.clone())).collect::<Metadata>();
    let field = |header: &Header| {
        let held = if header.kind.is_text() { DataType::Utf8 } else { data_type(header.kind) };
        Field::new(&header.name, held, true).with_metadata(metadata(&header.notes))
    };
    let schema = Schema::new(headers.iter().map(field).collect::<Vec<_>>()).with_metadata(metadata(notes));
    Some(vec![KeyValue::new(ARROW_SCHEMA_META_KEY.to_owned(), encode_arrow_schema(&schema))])
}

fn data_type(kind: Type) -> DataType {
    match kind {
        Type::Integer => DataType::Int64,
        Type::Number => DataType::Float64,
        Type::Date => DataType::Date32,
        Type::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
        Type::Boolean => DataType::Boolean,
        Type::Text | Type::Code => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
    }
}

fn typed(kind: Type, values: impl Iterator<Item = Value>) -> ArrayRef {
    match kind {
        Type::Date => Arc::new(
            values
                .map(|value| if let Value::Date(days) = value { Some(days) } else { None })
                .collect::<PrimitiveArray<Date32Type>>(),
        ),
        Type::Timestamp => Arc::new(
            values
                .map(|value| if let Value::Timestamp(time) = value { Some(time) } else { None })
                .collect::<PrimitiveArray<TimestampMicrosecondType>>(),
        ),
        Type::Boolean => Arc::new(
            values.map(|value| if let Value::Boolean(b) = value { Some(b) } else { None }).collect::<BooleanArray>(),
        ),
        Type::Number => Arc::new(values.map(|value| value.as_number()).collect::<PrimitiveArray<Float64Type>>()),
        Type::Integer | Type::Text | Type::Code => Arc::new(
            values
                .map(|value| if let Value::Integer(i) = value { Some(i) } else { None })
                .collect::<PrimitiveArray<Int64Type>>(),
        ),
    }
}

fn strings_as_dictionary(values: impl Iterator<Item = Value>) -> std::io::Result<ArrayRef> {
    let (domain, codes) = Domain::from_unsorted(Type::Text, values.collect());
    keyed(&codes, domain.missing(), dictionary_values(&domain))
}

fn dictionary_values(domain: &Domain) -> ArrayRef {
    let mut builder = StringBuilder::new();
    domain.values().iter().for_each(|value| builder.append_value(value.to_string()));
    Arc::new(builder.finish())
}

fn keyed(codes: &[u32], missing: Option<u32>, values: ArrayRef) -> std::io::Result<ArrayRef> {
    let keys = codes.iter().map(|&code| (Some(code) != missing).then_some(code.cast_signed()));
    let array = DictionaryArray::<Int32Type>::try_new(keys.collect::<Int32Array>(), values).map_err(other)?;
    Ok(Arc::new(array))
}

fn other(error: impl std::error::Error + Send + Sync + 'static) -> std::io::Error {
    std::io::Error::other(error)
}

/// A full disk must be seen as such: the operating system's own error is handed on.
fn from_parquet(error: ParquetError) -> std::io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<std::io::Error>() {
            Ok(io) => *io,
            Err(inner) => std::io::Error::other(inner),
        },
        error => std::io::Error::other(error),
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::RecordBatch;

    use super::*;

    #[test]
    fn the_file_is_the_one_that_the_format_s_own_writer_makes() {
        let texts: Vec<Value> =
            std::iter::once(Value::Missing).chain((0..40).map(|i| Value::Text(format!("{i:02}").into()))).collect();
        let domain = Arc::new(Domain::from_sorted(Type::Text, texts));
        let codes: Vec<u32> = (0..5000_u32).map(|row| row * row % 41).collect();
        let numbers: Vec<i64> = (0..5000).map(|row| row * 7919 % 4999).collect();
        let spelled: Vec<Option<Box<str>>> =
            numbers.iter().map(|number| (number % 7 != 0).then(|| number.to_string().into())).collect();
        let headers = [
            Header::coded("text", domain),
            Header::plain("number", Type::Integer),
            Header::plain("spelled", Type::Number),
        ];
        let columns = [Values::Codes(&codes), Values::Integers(&numbers), Values::Texts(&spelled)];

        let mut ours = Vec::new();
        let mut writer = Box::new(ParquetWriter::new(&mut ours, &headers, &[]).unwrap());
        let mut first = 0;
        for rows in [1, 700, 0, 2500, 1799] {
            let some = columns.map(|values| values.rows(first..first + rows));
            writer.write(&some).unwrap();
            first += rows;
        }
        let arrays: Vec<ArrayRef> =
            columns.iter().enumerate().map(|(at, values)| writer.arrays.array(at, values).unwrap()).collect();
        let schema = Arc::new(Schema::new(writer.arrays.fields.clone()));
        writer.finish().unwrap();

        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(1).unwrap()))
            .set_created_by("moretta".to_owned())
            .set_max_row_group_row_count(Some(ROW_GROUP))
            .build();
        let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
        let mut theirs = Vec::new();
        let mut writer = ArrowWriter::try_new_with_options(&mut theirs, schema.clone(), options).unwrap();
        let batch = RecordBatch::try_new(schema, arrays).unwrap();
        let mut first = 0;
        for rows in [1, 700, 2500, 1799] {
            writer.write(&batch.slice(first, rows)).unwrap();
            first += rows;
        }
        writer.close().unwrap();
        assert!(ours == theirs, "{} bytes, not {}", ours.len(), theirs.len());
    }
}
