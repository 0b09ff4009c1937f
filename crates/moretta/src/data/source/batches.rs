//! Record batches in memory.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use rayon::prelude::*;

use super::arrow_column::ArrowColumn;
use super::arrow_type::ArrowType;
use super::collect::{ColumnData, ColumnNeed};
use super::{Input, ReadOptions, RowBatch};
use crate::data::value::Type;
use crate::error::{Code, Error, Fault, Result};
use crate::progress::Progress;

/// At most so many rows are looked at together, however long a batch is.
const RUN_ROWS: usize = 1 << 16;

/// A table in memory: record batches of one schema.
#[derive(Clone, Debug)]
pub struct Batches {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Batches {
    /// A table of these batches, all of which must have the schema's columns.
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Result<Self> {
        for (number, batch) in batches.iter().enumerate() {
            let own = batch.schema_ref().fields();
            let differs = |(stated, found): (&Arc<arrow_schema::Field>, &Arc<arrow_schema::Field>)| {
                stated.name() != found.name() || stated.data_type() != found.data_type()
            };
            if own.len() != schema.fields().len() {
                let message =
                    format!("batch {} has {} columns, the schema {}", number + 1, own.len(), schema.fields().len());
                return Err(Error::input(message)
                    .coded(Code::TableUnreadable)
                    .help("give all batches the schema's columns"));
            }
            if let Some((stated, found)) = schema.fields().iter().zip(own).find(|&pair| differs(pair)) {
                let message = format!(
                    "batch {}: the column {:?} of type {} stands where the schema has {:?} of type {}",
                    number + 1,
                    found.name(),
                    found.data_type(),
                    stated.name(),
                    stated.data_type()
                );
                return Err(Error::input(message)
                    .coded(Code::TableUnreadable)
                    .help("give all batches the schema's columns"));
            }
        }
        Ok(Self { schema, batches })
    }

    /// Takes all batches of a reader.
    pub fn collect(reader: impl RecordBatchReader) -> Result<Self> {
        let schema = reader.schema();
        let batches = reader.collect::<std::result::Result<Vec<_>, _>>().map_err(unreadable)?;
        Self::new(schema, batches)
    }

    /// The columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The batches.
    pub fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }

    /// How many rows there are.
    pub fn rows(&self) -> u64 {
        self.batches.iter().map(|batch| batch.num_rows() as u64).sum()
    }

    pub(super) fn column_names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// A column in runs.
    fn column(&self, index: usize) -> impl Iterator<Item = ArrayRef> {
        self.batches.iter().flat_map(move |batch| {
            let column = batch.column(index);
            runs(column.len()).map(|(start, length)| column.slice(start, length))
        })
    }
}

fn runs(rows: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..rows).step_by(RUN_ROWS).map(move |start| (start, RUN_ROWS.min(rows - start)))
}

/// What a reader of batches could not read.
fn unreadable(error: ArrowError) -> Error {
    let message = format!("the record batches can't be read: {error}");
    match error {
        ArrowError::IoError(_, source) => Error::system(&message, source),
        ArrowError::MemoryError(_) => Error::new(Fault::Machine, message),
        _ => Error::input(message).coded(Code::TableUnreadable),
    }
}

pub(super) fn encode(
    batches: &Batches,
    input: &Input,
    options: &ReadOptions,
    needs: &[(usize, ColumnNeed)],
    progress: &Progress,
) -> Result<Vec<ColumnData>> {
    progress.start("reading", batches.rows().saturating_mul(needs.len() as u64));
    needs
        .par_iter()
        .map(|&(index, need)| {
            let column = ArrowColumn { field: batches.schema.field(index), input, options };
            let arrays = batches.column(index).map(|array| {
                progress.check()?;
                progress.advance(array.len() as u64);
                Ok(array)
            });
            column.encode(need, arrays)
        })
        .collect()
}

pub(super) fn stream(
    batches: &Batches,
    input: &Input,
    options: &ReadOptions,
    wanted: &[usize],
    sink: &mut dyn FnMut(RowBatch) -> Result<()>,
) -> Result<()> {
    let columns: Vec<ArrowColumn<'_>> =
        wanted.iter().map(|&index| ArrowColumn { field: batches.schema.field(index), input, options }).collect();
    let days = whole_days(&columns, |places| {
        let needs: Vec<_> = places.iter().map(|&place| (wanted[place], ColumnNeed::NullMask)).collect();
        encode(batches, input, options, &needs, &Progress::default())
    })?;
    let mut first_row = 0;
    for batch in &batches.batches {
        for (start, rows) in runs(batch.num_rows()) {
            let texts = columns.iter().zip(wanted).zip(&days).map(|((column, &index), &days)| {
                column.texts(&batch.column(index).slice(start, rows), first_row, days)
            });
            let columns = texts.collect::<Result<Vec<_>>>()?;
            sink(RowBatch { first_row, rows, columns })?;
            first_row += rows as u64;
        }
    }
    Ok(())
}

/// Of each column, whether it holds timestamps that are all whole days. `encode` reads the columns at these places.
pub(super) fn whole_days(
    columns: &[ArrowColumn<'_>],
    encode: impl FnOnce(&[usize]) -> Result<Vec<ColumnData>>,
) -> Result<Vec<bool>> {
    let mut timestamps = Vec::new();
    for (place, column) in columns.iter().enumerate() {
        if ArrowType::of(column.field, column.input)?.may_be_days() {
            timestamps.push(place);
        }
    }
    let mut days = vec![false; columns.len()];
    if !timestamps.is_empty() {
        for (&place, read) in timestamps.iter().zip(encode(&timestamps)?) {
            days[place] = matches!(read, ColumnData::NullMask { kind: Type::Date, .. });
        }
    }
    Ok(days)
}
