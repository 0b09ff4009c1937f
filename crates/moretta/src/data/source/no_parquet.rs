//! Parquet files, for a library that was built without the feature `parquet`.

use arrow_array::RecordBatch;
use arrow_schema::Field;

use super::collect::{ColumnData, ColumnNeed};
use super::{Input, ReadOptions, RowBatch};
use crate::error::{Code, Error, Result};
use crate::progress::Progress;

fn refused(input: &Input) -> Error {
    Error::input("this is a Parquet file, and the library was built without the feature `parquet`")
        .coded(Code::TableUnreadable)
        .at_file(input.name())
        .help("build with the feature, or convert the file to CSV")
}

pub(super) fn column_names(input: &Input) -> Result<Vec<String>> {
    Err(refused(input))
}

pub(super) fn fields(input: &Input) -> Result<Vec<Field>> {
    Err(refused(input))
}

pub(super) fn each_batch(input: &Input, _: &mut dyn FnMut(RecordBatch) -> Result<()>) -> Result<()> {
    Err(refused(input))
}

pub(super) fn encode(
    input: &Input,
    _: &ReadOptions,
    _: &[(usize, ColumnNeed)],
    _: &Progress,
) -> Result<Vec<ColumnData>> {
    Err(refused(input))
}

pub(super) fn stream(
    input: &Input,
    _: &ReadOptions,
    _: &[usize],
    _: &mut dyn FnMut(RowBatch) -> Result<()>,
) -> Result<()> {
    Err(refused(input))
}
