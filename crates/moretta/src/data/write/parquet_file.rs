//! Writing Parquet files.

use std::io::Write;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::types::{Date32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{ArrayRef, BooleanArray, DictionaryArray, Int32Array, PrimitiveArray, RecordBatch};
use arrow_schema::{DataType, Field, Metadata, Schema};
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::arrow::{ARROW_SCHEMA_META_KEY, ArrowWriter, encode_arrow_schema};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use super::{Header, Note, TableWriter, Values};
use crate::data::domain::Domain;
use crate::data::value::{Decimal, Type, Value};

/// Writes Parquet: numbers, days and truth values typed, texts by dictionary, nulls for missing values.
pub(super) struct ParquetWriter<W: Write + Send> {
    writer: ArrowWriter<W>,
    schema: Arc<Schema>,
    columns: Vec<Header>,
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
        let texts = |header: &Header| header.domain.as_ref().filter(|_| header.kind.is_text()).cloned();
        let dictionaries = headers.iter().map(|header| texts(header).map(|domain| dictionary_values(&domain)));
        Ok(Self { writer, schema, columns: headers.to_vec(), dictionaries: dictionaries.collect() })
    }

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
        let arrays = columns.iter().enumerate().map(|(column, values)| self.array(column, values));
        let arrays = arrays.collect::<std::io::Result<Vec<_>>>()?;
        let batch = RecordBatch::try_new(self.schema.clone(), arrays).map_err(other)?;
        self.writer.write(&batch).map_err(from_parquet)
    }

    fn finish(self: Box<Self>) -> std::io::Result<()> {
        self.writer.close().map(drop).map_err(from_parquet)
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
