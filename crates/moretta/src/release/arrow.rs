//! The tables of a release as Arrow has them.

use arrow_array::RecordBatch;

use super::Files;
use crate::error::{Error, Result};

/// Every table of a release, by name.
pub(crate) fn tables(_: &Files<'_>) -> Result<Vec<(String, Vec<RecordBatch>)>> {
    Err(Error::bug("to come"))
}
