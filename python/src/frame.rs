//! Tables of people: as they come, and as a policy reads them.

use std::path::PathBuf;

use moretta::files::{self, ReadOptions};
use moretta::{Error, Source, Table as PeopleTable};
use pyo3::prelude::*;

use crate::arrow;
use crate::attend::Call;
use crate::errors::Failed;
use crate::policy::Policy;

/// A table as it comes: record batches, or a file.
#[pyclass(frozen, module = "moretta")]
pub(crate) struct Frame(pub(crate) Source);

#[pymethods]
impl Frame {
    /// The record batches of an object that has the Arrow `PyCapsule` interface.
    #[staticmethod]
    fn from_arrow(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (schema, batches) = arrow::import(object)?;
        Ok(Source::from_batches(schema, batches).map(Self).map_err(Failed::from)?)
    }

    /// A file: CSV, compressed or not, or Parquet.
    #[staticmethod]
    #[pyo3(signature = (path, delimiter=None, encoding=None))]
    fn open(path: PathBuf, delimiter: Option<char>, encoding: Option<&str>) -> PyResult<Self> {
        let sign =
            |sign: char| u8::try_from(sign).map_err(|_| Error::input("the delimiter must be an ASCII character"));
        let opened = || {
            let mut options = ReadOptions::detect();
            options.delimiter = delimiter.map(sign).transpose()?;
            options.encoding = encoding.map(files::encoding).transpose()?.flatten();
            files::open(path, options)
        };
        Ok(opened().map(Self).map_err(Failed::from)?)
    }

    /// The names of the columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.0.names().to_vec()
    }

    /// The rows as texts.
    fn texts(&self, py: Python<'_>) -> PyResult<Vec<Vec<Option<String>>>> {
        let wanted: Vec<usize> = (0..self.0.names().len()).collect();
        let read = py.detach(|| {
            let mut rows = Vec::new();
            self.0.stream(&wanted, &mut |batch| {
                let text =
                    |row: usize| batch.columns.iter().map(|column| column[row].as_deref().map(str::to_owned)).collect();
                rows.extend((0..batch.rows).map(text));
                Ok(())
            })?;
            Ok(rows)
        });
        Ok(read.map_err(|error: Error| Failed::from(error))?)
    }
}

/// A table read as a policy says, encoded and counted once.
#[pyclass(frozen, module = "moretta")]
pub(crate) struct Table(pub(crate) PeopleTable);

#[pymethods]
impl Table {
    /// A table under the schema of a policy.
    #[staticmethod]
    fn read(py: Python<'_>, frame: &Frame, policy: &Policy, call: &Call) -> PyResult<Self> {
        call.carry_out(py, |run| PeopleTable::read(&frame.0, policy.0.schema(), run)).map(Self)
    }

    /// The table that a policy names.
    #[staticmethod]
    fn named(py: Python<'_>, policy: &Policy, call: &Call) -> PyResult<Self> {
        call.carry_out(py, |run| files::read_table(&policy.0, run)).map(Self)
    }

    /// How many rows are considered.
    #[getter]
    fn rows(&self) -> u64 {
        self.0.rows()
    }

    /// How many people these stand for.
    #[getter]
    fn people(&self) -> u64 {
        self.0.people()
    }
}
