//! What a cluster counts, and what it writes: the library plans between the two.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use moretta::cluster::{self, Counted as LibraryCounted, PartFile, PartsFolder as LibraryParts};
use moretta::{Error, Release as LibraryRelease, Result};
use pyo3::prelude::*;

use crate::arrow::ArrowTable;
use crate::attend::Call;
use crate::errors::Failed;
use crate::frame::{Frame, Table};
use crate::policy::{Policy, parsed};
use crate::release::Release;

/// The columns by which a policy's table is counted.
#[pyfunction]
pub(crate) fn counted_columns(policy: &Policy, count: &str) -> PyResult<Vec<String>> {
    Ok(LibraryCounted::columns(&policy.0, count).map_err(Failed::from)?)
}

/// A table that was counted elsewhere. It can be used once.
#[pyclass(frozen, module = "moretta")]
pub(crate) struct Counted(Mutex<Option<LibraryCounted>>, u64, u64);

impl Counted {
    fn take(&self) -> Result<LibraryCounted> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.take().ok_or_else(|| Error::input("these counts have been used already").help("read them again"))
    }
}

#[pymethods]
impl Counted {
    /// The cells of a policy's table, with the people in one column.
    #[staticmethod]
    fn read(py: Python<'_>, frame: &Frame, count: &str, policy: &Policy, call: &Call) -> PyResult<Self> {
        let counted = call.carry_out(py, |run| LibraryCounted::read(&frame.0, count, &policy.0, run))?;
        let (people, cells) = (counted.people(), counted.cells());
        Ok(Self(Mutex::new(Some(counted)), people, cells))
    }

    /// The people.
    #[getter]
    fn people(&self) -> u64 {
        self.1
    }

    /// The distinct combinations.
    #[getter]
    fn cells(&self) -> u64 {
        self.2
    }

    /// Makes the release in counted form.
    fn publish(&self, py: Python<'_>, call: &Call) -> PyResult<Release> {
        call.carry_out(py, |run| Release::of(&self.take()?.publish(run)?))
    }

    /// Makes one part of a release, whose promise is judged when all parts are there: its manifest, and its rows in counted form.
    #[pyo3(signature = (whole, count, call))]
    fn recode(
        &self,
        py: Python<'_>,
        whole: Option<PyRef<'_, Frame>>,
        count: &str,
        call: &Call,
    ) -> PyResult<(String, Option<ArrowTable>)> {
        let whole = whole.map(|frame| frame.0.clone());
        call.carry_out(py, |run| {
            let (manifest, rows) = self.take()?.recode(whole.as_ref(), count, run)?;
            Ok((manifest.to_string(), ArrowTable::new(rows)))
        })
    }

    /// The table beside which a release in counted form is attacked.
    fn table(&self, py: Python<'_>, call: &Call) -> PyResult<Table> {
        call.carry_out(py, |_| self.take().map(LibraryCounted::into_table)).map(Table)
    }
}

/// A release folder that others write into.
#[pyclass(frozen, module = "moretta")]
pub(crate) struct PartsFolder(Mutex<Option<LibraryParts>>, PathBuf);

/// A part as Python names it: file, rows, bytes, SHA-256.
type Part = (String, u64, u64, String);

#[pymethods]
impl PartsFolder {
    /// Starts one.
    #[new]
    fn new(folder: PathBuf, replace: bool) -> PyResult<Self> {
        let begun = LibraryParts::begin(&folder, replace).map_err(Failed::from)?;
        let path = begun.path().to_path_buf();
        Ok(Self(Mutex::new(Some(begun)), path))
    }

    /// The folder aside.
    #[getter]
    fn path(&self) -> PathBuf {
        self.1.clone()
    }

    /// Puts the folder into place.
    #[pyo3(signature = (counted, count, parts, private, report, call))]
    #[expect(clippy::too_many_arguments, reason = "the Python half names them")]
    fn commit(
        &self,
        py: Python<'_>,
        counted: &str,
        count: Option<&str>,
        parts: Vec<Part>,
        private: Option<PyRef<'_, Release>>,
        report: String,
        call: &Call,
    ) -> PyResult<Release> {
        let counted = parsed(counted)?;
        let part = |(file, rows, bytes, sha256): Part| PartFile { file, rows, bytes, sha256 };
        let parts: Vec<PartFile> = parts.into_iter().map(part).collect();
        let private = private.map(|release| release.release.clone());
        let release = call.carry_out(py, |run| {
            let begun = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
            let begun = begun.ok_or_else(|| Error::input("this folder is in place, or was given up"))?;
            begun.commit(&counted, count, parts, private.as_ref(), run)
        })?;
        Ok(Release::reported(release, report))
    }

    /// Removes what was begun, if it is not in place.
    fn give_up(&self) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

/// A release of files that were read already.
#[pyfunction]
pub(crate) fn release_of_files(files: Vec<(String, Vec<u8>)>) -> PyResult<Release> {
    Ok(LibraryRelease::of_files(files).map(Release::unreported).map_err(Failed::from)?)
}

/// The manifest of parts that were made one by one.
#[pyfunction]
pub(crate) fn joined_manifest(parts: Vec<String>) -> PyResult<String> {
    let parts = parts.iter().map(|text| parsed(text)).collect::<PyResult<Vec<_>>>()?;
    Ok(cluster::joined_manifest(&parts).map_err(Failed::from)?.to_string())
}
