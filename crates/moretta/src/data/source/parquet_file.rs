//! Reading Parquet files. Columns are read side by side; dictionary pages become codes directly.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray};
use arrow_schema::{DataType, Field, Schema};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use rayon::prelude::*;

use super::collect::{ColumnData, ColumnNeed, Encoded, TextCollector};
use super::intern::{BitsInterner, MISSING};
use super::{Input, ReadOptions, RowBatch, open_file, spelled};
use crate::data::value::{Type, Value};
use crate::error::{Code, Error, Result};
use crate::progress::Progress;

const BATCH_ROWS: usize = 1 << 16;

pub(super) fn column_names(input: &Input) -> Result<Vec<String>> {
    let metadata = metadata(input)?;
    Ok(metadata.schema().fields().iter().map(|field| field.name().clone()).collect())
}

pub(super) fn encode(
    input: &Input,
    names: &[String],
    options: &ReadOptions,
    needs: &[(usize, ColumnNeed)],
    progress: &Progress,
) -> Result<Vec<ColumnData>> {
    let metadata = metadata(input)?;
    let rows = metadata.metadata().file_metadata().num_rows();
    progress.start("reading", u64::try_from(rows).unwrap_or(0).saturating_mul(needs.len() as u64));
    needs
        .par_iter()
        .map(|&(index, need)| {
            let field = metadata.schema().field(index);
            let mut column = ColumnReader { name: &names[index], input, row: 0, kind: Kind::of(field, input)? };
            let mut taker = ColumnBuilder::new(column.kind, need, options);
            for batch in open(input, &metadata, &[index])? {
                progress.check()?;
                let batch = batch.map_err(|e| damaged(input, &ParquetError::from(e)))?;
                column.take(batch.column(0), &mut taker)?;
                progress.advance(batch.num_rows() as u64);
            }
            Ok(taker.finish(column.kind, need))
        })
        .collect()
}

pub(super) fn stream(
    input: &Input,
    names: &[String],
    options: &ReadOptions,
    wanted: &[usize],
    sink: &mut dyn FnMut(RowBatch) -> Result<()>,
) -> Result<()> {
    let metadata = metadata(input)?;
    let mut first_row = 0;
    // A projection keeps the file's order, whatever the order in which columns are wanted.
    let mut in_file_order = wanted.to_vec();
    in_file_order.sort_unstable();
    for batch in open(input, &metadata, wanted)? {
        let batch = batch.map_err(|e| damaged(input, &ParquetError::from(e)))?;
        let columns = wanted.iter().map(|index| {
            let field = metadata.schema().field(*index);
            let column = ColumnReader { name: &names[*index], input, row: first_row, kind: Kind::of(field, input)? };
            let at = in_file_order.partition_point(|other| other < index);
            column.texts(batch.column(at), options)
        });
        let columns = columns.collect::<Result<Vec<_>>>()?;
        sink(RowBatch { first_row, rows: batch.num_rows(), columns })?;
        first_row += batch.num_rows() as u64;
    }
    Ok(())
}

/// What an Arrow type means to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Integer,
    Number,
    Date,
    Boolean,
}

impl Kind {
    fn of(field: &Field, input: &Input) -> Result<Self> {
        Ok(match field.data_type() {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Self::Text,
            DataType::Dictionary(_, value) if **value == DataType::Utf8 => Self::Text,
            DataType::Int8
            | DataType::Int16
            | DataType::Int32
            | DataType::Int64
            | DataType::UInt8
            | DataType::UInt16
            | DataType::UInt32
            | DataType::UInt64 => Self::Integer,
            DataType::Float32 | DataType::Float64 => Self::Number,
            DataType::Date32 | DataType::Date64 => Self::Date,
            DataType::Boolean => Self::Boolean,
            other => {
                return Err(Error::input(format!("column {:?} has the type {other}", field.name()))
                    .coded(Code::TableUnreadable)
                    .at_file(input.name())
                    .help("columns hold text, whole numbers, floating-point numbers, days or truth values"));
            }
        })
    }

    fn as_type(self) -> Type {
        match self {
            Self::Text => Type::Text,
            Self::Integer => Type::Integer,
            Self::Number => Type::Number,
            Self::Date => Type::Date,
            Self::Boolean => Type::Boolean,
        }
    }

    fn value(self, bits: u64) -> Value {
        match self {
            Self::Integer | Self::Text => Value::Integer(bits.cast_signed()),
            Self::Number => Value::Number(f64::from_bits(bits)),
            Self::Date => Value::Date(bits.cast_signed() as i32),
            Self::Boolean => Value::Boolean(bits != 0),
        }
    }
}

/// Takes in the values of one column: texts by their spelling, everything else by its bits.
enum ColumnBuilder {
    Texts(TextCollector),
    Bits { interner: BitsInterner, codes: Vec<u32> },
}

impl ColumnBuilder {
    fn new(kind: Kind, need: ColumnNeed, options: &ReadOptions) -> Self {
        if kind == Kind::Text {
            Self::Texts(TextCollector::new(need, &options.missing_values))
        } else {
            Self::Bits { interner: BitsInterner::default(), codes: Vec::new() }
        }
    }

    fn finish(self, kind: Kind, need: ColumnNeed) -> ColumnData {
        match self {
            Self::Texts(collector) => collector.finish(),
            Self::Bits { interner, codes } => {
                let (distinct, lines) = interner.finish(|bits| kind.value(bits));
                match need {
                    ColumnNeed::Codes => ColumnData::Codes(Encoded::new(distinct, lines, codes)),
                    ColumnNeed::NullMask => ColumnData::NullMask {
                        missing: codes.iter().enumerate().filter(|&(_, &c)| c == MISSING).map(|(row, _)| row).collect(),
                        kind: kind.as_type(),
                    },
                    ColumnNeed::Fingerprints => ColumnData::Fingerprints(
                        codes.iter().map(|&c| (c != MISSING).then_some(u64::from(c))).collect(),
                    ),
                }
            }
        }
    }
}

struct ColumnReader<'a> {
    name: &'a str,
    input: &'a Input,
    row: u64,
    kind: Kind,
}

impl ColumnReader<'_> {
    fn take(&mut self, array: &ArrayRef, taker: &mut ColumnBuilder) -> Result<()> {
        let first = self.row;
        match taker {
            ColumnBuilder::Texts(collector) => take_texts(array, first, collector),
            ColumnBuilder::Bits { interner, codes } => {
                codes.reserve(array.len());
                self.each_bits(array, &mut |row, bits| {
                    codes.push(bits.map_or(MISSING, |bits| interner.intern(bits, first + row + 1)));
                })?;
            }
        }
        self.row += array.len() as u64;
        Ok(())
    }

    /// The published spelling of every value.
    fn texts(&self, array: &ArrayRef, options: &ReadOptions) -> Result<Vec<Option<Box<str>>>> {
        let mut texts = Vec::with_capacity(array.len());
        if self.kind == Kind::Text {
            let present = |text: &&str| !options.missing_values.iter().any(|missing| missing == text);
            each_text(array, &mut |text| texts.push(text.filter(present).map(Into::into)));
        } else {
            self.each_bits(array, &mut |_, bits| texts.push(bits.and_then(|bits| spelled(&self.kind.value(bits)))))?;
        }
        Ok(texts)
    }

    fn each_bits(&self, array: &ArrayRef, sink: &mut dyn FnMut(u64, Option<u64>)) -> Result<()> {
        match array.data_type() {
            DataType::Int8 => integers::<Int8Type>(array, sink),
            DataType::Int16 => integers::<Int16Type>(array, sink),
            DataType::Int32 => integers::<Int32Type>(array, sink),
            DataType::Int64 => integers::<Int64Type>(array, sink),
            DataType::UInt8 => integers::<UInt8Type>(array, sink),
            DataType::UInt16 => integers::<UInt16Type>(array, sink),
            DataType::UInt32 => integers::<UInt32Type>(array, sink),
            DataType::UInt64 => return self.large_integers(array.as_primitive(), sink),
            DataType::Date32 => integers::<Date32Type>(array, sink),
            DataType::Date64 => {
                let days = array.as_primitive::<Date64Type>().iter().map(|ms| ms.map(|ms| ms.div_euclid(86_400_000)));
                (0..).zip(days).for_each(|(row, days)| sink(row, days.map(i64::cast_unsigned)));
            }
            DataType::Float32 => return self.numbers(array.as_primitive::<Float32Type>(), f64::from, sink),
            DataType::Float64 => return self.numbers(array.as_primitive::<Float64Type>(), |x| x, sink),
            DataType::Boolean => {
                (0..).zip(array.as_boolean()).for_each(|(row, value)| sink(row, value.map(u64::from)));
            }
            other => return Err(Error::bug(format!("a column of type {other} passed the check of types"))),
        }
        Ok(())
    }

    fn large_integers(&self, array: &PrimitiveArray<UInt64Type>, sink: &mut dyn FnMut(u64, Option<u64>)) -> Result<()> {
        for (row, value) in (0..).zip(array) {
            if value.is_some_and(|value| i64::try_from(value).is_err()) {
                return Err(self.bad_value(row, "is too large for a whole number of 64 bits"));
            }
            sink(row, value);
        }
        Ok(())
    }

    fn numbers<T: ArrowPrimitiveType>(
        &self,
        array: &PrimitiveArray<T>,
        widen: impl Fn(T::Native) -> f64,
        sink: &mut dyn FnMut(u64, Option<u64>),
    ) -> Result<()> {
        for (row, value) in (0..).zip(array) {
            let value = value.map(&widen);
            if value.is_some_and(|x| !x.is_finite()) {
                return Err(self.bad_value(row, "is not a finite number"));
            }
            // Adding zero turns -0 into 0, so that both are one value.
            sink(row, value.map(|x| (x + 0.0).to_bits()));
        }
        Ok(())
    }

    fn bad_value(&self, row: u64, what: &str) -> Error {
        Error::input(format!("column {:?}: the value of row {} {what}", self.name, self.row + row + 1))
            .coded(Code::TableUnreadable)
            .at_file(self.input.name())
            .help("write null where no value is known")
    }
}

fn integers<T: ArrowPrimitiveType>(array: &ArrayRef, sink: &mut dyn FnMut(u64, Option<u64>))
where
    T::Native: Into<i64>,
{
    for (row, value) in (0..).zip(array.as_primitive::<T>()) {
        sink(row, value.map(|value| Into::<i64>::into(value).cast_unsigned()));
    }
}

fn take_texts(array: &ArrayRef, first_row: u64, collector: &mut TextCollector) {
    let Some(dictionary) = array.as_dictionary_opt::<Int32Type>() else {
        let mut line = first_row;
        each_text(array, &mut |text| {
            line += 1;
            collector.push(text, line);
        });
        return;
    };
    let values = dictionary.values().as_string::<i32>();
    let keys = dictionary.keys().iter().map(|key| key.map(i32::cast_unsigned).map(|key| key as usize));
    collector.push_coded(keys, values.len(), |index| values.value(index), first_row + 1);
}

fn each_text(array: &ArrayRef, sink: &mut dyn FnMut(Option<&str>)) {
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().for_each(sink),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().for_each(sink),
        DataType::Utf8View => array.as_string_view().iter().for_each(sink),
        DataType::Dictionary(_, _) => {
            if let Some(dictionary) = array.as_dictionary_opt::<Int32Type>() {
                let values = dictionary.values().as_string::<i32>();
                dictionary
                    .keys()
                    .iter()
                    .for_each(|key| sink(key.map(|key| values.value(key.cast_unsigned() as usize))));
            }
        }
        _ => {}
    }
}

/// A Parquet file on disk or in memory.
enum Blob {
    File(std::fs::File),
    Memory(Bytes),
}

impl Length for Blob {
    fn len(&self) -> u64 {
        match self {
            Self::File(file) => Length::len(file),
            Self::Memory(bytes) => Length::len(bytes),
        }
    }
}

impl ChunkReader for Blob {
    type T = Box<dyn std::io::Read + Send>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        Ok(match self {
            Self::File(file) => Box::new(file.get_read(start)?),
            Self::Memory(bytes) => Box::new(bytes.get_read(start)?),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        match self {
            Self::File(file) => file.get_bytes(start, length),
            Self::Memory(bytes) => bytes.get_bytes(start, length),
        }
    }
}

fn blob(input: &Input) -> Result<Blob> {
    Ok(match input {
        Input::File(path) => Blob::File(open_file(path)?),
        Input::Memory(_, bytes) => Blob::Memory(bytes.clone()),
    })
}

/// The file's schema, with texts as dictionaries so that their pages become codes without a copy.
fn metadata(input: &Input) -> Result<ArrowReaderMetadata> {
    let plain = ArrowReaderMetadata::load(&blob(input)?, ArrowReaderOptions::new().with_skip_arrow_metadata(true))
        .map_err(|e| damaged(input, &e))?;
    let fields = plain.schema().fields().iter().map(|field| match field.data_type() {
        DataType::Utf8 => {
            let kind = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
            Arc::new(Field::new(field.name(), kind, field.is_nullable()))
        }
        _ => field.clone(),
    });
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true).with_schema(schema);
    ArrowReaderMetadata::try_new(plain.metadata().clone(), options).map_err(|e| damaged(input, &e))
}

fn open(input: &Input, metadata: &ArrowReaderMetadata, columns: &[usize]) -> Result<ParquetRecordBatchReader> {
    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(blob(input)?, metadata.clone());
    let mask = ProjectionMask::roots(builder.parquet_schema(), columns.iter().copied());
    builder.with_projection(mask).with_batch_size(BATCH_ROWS).build().map_err(|e| damaged(input, &e))
}

fn damaged(input: &Input, error: &ParquetError) -> Error {
    Error::input(format!("the file can't be read as Parquet: {error}"))
        .coded(Code::TableUnreadable)
        .at_file(input.name())
}
