//! Reading Parquet files. Columns are read side by side; dictionary pages become codes directly.
//!
//! The format's own crate takes some forged files for impossible and panics: every call into it is contained.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use rayon::prelude::*;

use super::arrow_column::ArrowColumn;
use super::batches::whole_days;
use super::collect::{ColumnData, ColumnNeed};
use super::contained::contained;
use super::{Input, ReadOptions, RowBatch, open_file};
use crate::error::{Code, Error, Result};
use crate::progress::Progress;

const BATCH_ROWS: usize = 1 << 16;

pub(super) fn column_names(input: &Input) -> Result<Vec<String>> {
    let metadata = metadata(input)?;
    Ok(metadata.schema().fields().iter().map(|field| field.name().clone()).collect())
}

/// The columns, as batches have them.
pub(super) fn fields(input: &Input) -> Result<Vec<Field>> {
    Ok(metadata(input)?.schema().fields().iter().map(|field| field.as_ref().clone()).collect())
}

/// Hands over all rows with all columns.
pub(super) fn each_batch(input: &Input, sink: &mut dyn FnMut(RecordBatch) -> Result<()>) -> Result<()> {
    let metadata = metadata(input)?;
    let all: Vec<usize> = (0..metadata.schema().fields().len()).collect();
    let mut batches = open(input, &metadata, &all)?;
    let mut rows = 0;
    while let Some(batch) = next(input, &mut batches)? {
        rows += batch.num_rows();
        sink(batch)?;
    }
    same_rows(
        input,
        metadata.schema().fields().first().map_or("", |field| field.name()),
        rows,
        metadata.metadata().file_metadata().num_rows(),
    )
}

pub(super) fn encode(
    input: &Input,
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
            let column = ArrowColumn { field: metadata.schema().field(index), input, options };
            let mut batches = open(input, &metadata, &[index])?;
            let mut found = 0;
            let arrays = std::iter::from_fn(|| next(input, &mut batches).transpose()).map(|batch| {
                progress.check()?;
                let batch = batch?;
                progress.advance(batch.num_rows() as u64);
                found += batch.num_rows();
                Ok(batch.column(0).clone())
            });
            let data = contained(input, || column.encode(need, progress.memory(), arrays))?;
            same_rows(input, column.field.name(), found, rows)?;
            Ok(data)
        })
        .collect()
}

pub(super) fn stream(
    input: &Input,
    options: &ReadOptions,
    wanted: &[usize],
    sink: &mut dyn FnMut(RowBatch) -> Result<()>,
) -> Result<()> {
    let metadata = metadata(input)?;
    let columns: Vec<ArrowColumn<'_>> =
        wanted.iter().map(|&index| ArrowColumn { field: metadata.schema().field(index), input, options }).collect();
    let days = whole_days(&columns, |places| {
        let needs: Vec<_> = places.iter().map(|&place| (wanted[place], ColumnNeed::NullMask)).collect();
        encode(input, options, &needs, &Progress::default())
    })?;
    let mut first_row = 0;
    // A projection keeps the file's order, whatever the order in which columns are wanted.
    let mut in_file_order = wanted.to_vec();
    in_file_order.sort_unstable();
    let mut batches = open(input, &metadata, wanted)?;
    while let Some(batch) = next(input, &mut batches)? {
        let texts = columns.par_iter().zip(wanted).zip(&days).map(|((column, index), &days)| {
            let at = in_file_order.partition_point(|other| other < index);
            contained(input, || column.texts(batch.column(at), first_row, days))
        });
        // Of several columns that are wrong the first is told.
        let columns = texts.collect::<Vec<_>>().into_iter().collect::<Result<Vec<_>>>()?;
        sink(RowBatch { first_row, rows: batch.num_rows(), columns })?;
        first_row += batch.num_rows() as u64;
    }
    let first = wanted.first().map_or("", |&index| metadata.schema().field(index).name());
    same_rows(input, first, first_row as usize, metadata.metadata().file_metadata().num_rows())
}

/// Columns are read apart: one that is shorter or longer than its file says would be a column of another table.
fn same_rows(input: &Input, name: &str, found: usize, stated: i64) -> Result<()> {
    if i64::try_from(found) == Ok(stated) {
        return Ok(());
    }
    Err(Error::input(format!(
        "the file is damaged: its column {name:?} has {found} rows, and it says that it has {stated}"
    ))
    .coded(Code::TableUnreadable)
    .at_file(input.name())
    .help("write it anew, or get another copy"))
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
        Input::Batches(..) | Input::Database(_) | Input::Parts(_) => return Err(Error::bug("this is no Parquet file")),
    })
}

/// The file's schema, with texts as dictionaries so that their pages become codes without a copy.
fn metadata(input: &Input) -> Result<ArrowReaderMetadata> {
    let options = || ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let blob = blob(input)?;
    contained(input, || {
        let plain = ArrowReaderMetadata::load(&blob, options()).map_err(|e| damaged(input, &e))?;
        let fields = plain.schema().fields().iter().map(|field| match field.data_type() {
            DataType::Utf8 => {
                let kind = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
                Arc::new(Field::new(field.name(), kind, field.is_nullable()))
            }
            _ => field.clone(),
        });
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        ArrowReaderMetadata::try_new(plain.metadata().clone(), options().with_schema(schema))
            .map_err(|e| damaged(input, &e))
    })
}

fn open(input: &Input, metadata: &ArrowReaderMetadata, columns: &[usize]) -> Result<ParquetRecordBatchReader> {
    let blob = blob(input)?;
    contained(input, || {
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(blob, metadata.clone());
        let mask = ProjectionMask::roots(builder.parquet_schema(), columns.iter().copied());
        builder.with_projection(mask).with_batch_size(BATCH_ROWS).build().map_err(|e| damaged(input, &e))
    })
}

fn next(input: &Input, batches: &mut ParquetRecordBatchReader) -> Result<Option<RecordBatch>> {
    contained(input, || batches.next().transpose().map_err(|e| damaged(input, &ParquetError::from(e))))
}

fn damaged(input: &Input, error: &ParquetError) -> Error {
    Error::input(format!("the file can't be read as Parquet: {error}"))
        .coded(Code::TableUnreadable)
        .at_file(input.name())
}
