//! Publishing, and releases as those see them who have their files.

use std::path::PathBuf;

use moretta::questions::{RelativeError, Workload};
use moretta::{
    Answer, Code, Dialect, Error, Published, Query, Release as LibraryRelease, Result, Run, Seed, Table as PeopleTable,
    Unit, files,
};
use pyo3::prelude::*;
use serde_json::json;

use crate::arrow::ArrowTable;
use crate::attend::Call;
use crate::errors::Failed;
use crate::frame::{Frame, Table};
use crate::policy::Policy;

/// A release, in memory or in a folder, with the report of its making if it was made here.
#[pyclass(frozen, module = "moretta")]
pub(crate) struct Release {
    pub(crate) release: LibraryRelease,
    report: Option<String>,
}

impl Release {
    pub(crate) fn of(published: &Published) -> Result<Self> {
        let report = serde_json::to_string(published.report()).map_err(|e| Error::bug(e.to_string()))?;
        Ok(Self { release: published.release().clone(), report: Some(report) })
    }

    /// A release with the report that somebody else has made.
    pub(crate) fn reported(release: LibraryRelease, report: String) -> Self {
        Self { release, report: Some(report) }
    }

    /// A release of whose making nothing is known.
    pub(crate) fn unreported(release: LibraryRelease) -> Self {
        Self { release, report: None }
    }
}

/// Makes a release of a table, in memory or in a folder. Its rows are freed while it is written.
#[pyfunction]
#[pyo3(signature = (policy, frame, folder, replace, call))]
pub(crate) fn publish(
    py: Python<'_>,
    policy: &Policy,
    frame: &Frame,
    folder: Option<PathBuf>,
    replace: bool,
    call: &Call,
) -> PyResult<Release> {
    call.carry_out(py, |run| {
        let table = PeopleTable::read(&frame.0, policy.0.schema(), run)?;
        let published = match folder {
            Some(folder) => files::publish(folder, replace, &policy.0, table, run),
            None => moretta::publish(&policy.0, table, run),
        };
        Release::of(&published?)
    })
}

/// The same of the table that the policy names.
#[pyfunction]
#[pyo3(signature = (policy, folder, replace, call))]
pub(crate) fn publish_named(
    py: Python<'_>,
    policy: &Policy,
    folder: Option<PathBuf>,
    replace: bool,
    call: &Call,
) -> PyResult<Release> {
    call.carry_out(py, |run| Release::of(&files::publish_named(&policy.0, folder.as_deref(), replace, run)?))
}

#[pymethods]
impl Release {
    /// The release in a folder.
    #[staticmethod]
    fn open(py: Python<'_>, folder: PathBuf, call: &Call) -> PyResult<Self> {
        let release = call.carry_out(py, |_| LibraryRelease::open(folder))?;
        Ok(Self { release, report: None })
    }

    /// What publishing reported, as JSON.
    #[getter]
    fn report(&self) -> Option<&str> {
        self.report.as_deref()
    }

    /// What the release says of itself, as JSON.
    fn manifest(&self) -> PyResult<String> {
        Ok(self.release.manifest().map_err(Failed::from)?.to_string())
    }

    #[getter]
    fn kind(&self) -> &str {
        self.release.kind()
    }

    #[getter]
    fn method(&self) -> &str {
        self.release.method()
    }

    #[getter]
    fn unit(&self) -> &'static str {
        match self.release.unit() {
            Unit::People => "people",
            Unit::Rows => "rows",
        }
    }

    #[getter]
    fn people(&self) -> u64 {
        self.release.people()
    }

    /// The tables, by name.
    fn tables(&self, py: Python<'_>, call: &Call) -> PyResult<Vec<(String, ArrowTable)>> {
        call.carry_out(py, |_| {
            let tables = self.release.tables()?.into_iter();
            Ok(tables.filter_map(|(name, batches)| Some((name, ArrowTable::new(batches)?))).collect())
        })
    }

    /// The answer to a question as JSON, beside the truth where the original is given.
    #[pyo3(signature = (sql, original, call))]
    fn query(&self, py: Python<'_>, sql: &str, original: Option<PyRef<'_, Table>>, call: &Call) -> PyResult<String> {
        let original = original.map(|table| table.0.clone());
        call.carry_out(py, |run| {
            let query = Query::parse(sql)?;
            let found: Answer = self.release.answer(&query, run)?;
            let json = match original {
                None => found.to_json(),
                Some(table) => found.to_json_beside(&self.release.truth(&query, &table, run)?),
            };
            Ok(json.to_string())
        })
    }

    /// How far off the answers to random count queries are, as JSON.
    fn errors(
        &self,
        py: Python<'_>,
        original: &Table,
        workload: (usize, f64, usize, u64),
        groups: bool,
        call: &Call,
    ) -> PyResult<String> {
        let (dimension, selectivity, queries, seed) = workload;
        let workload = Workload { dimension, selectivity, queries, seed: Seed::from(seed) };
        call.carry_out(py, |run| {
            let errors = self.release.errors(&workload, groups, &original.0, run)?;
            let RelativeError { mean, median, p95, queries, .. } = RelativeError::of(errors.clone());
            Ok(json!({ "mean": mean, "median": median, "p95": p95, "queries": queries, "errors": errors }).to_string())
        })
    }

    /// Puts the release into a folder.
    fn save(&self, py: Python<'_>, folder: PathBuf, replace: bool, call: &Call) -> PyResult<()> {
        call.carry_out(py, |_: &Run| self.release.save(folder, replace))
    }

    /// A script of SQL that loads the tables into a database: one by its name.
    fn to_sql(&self, py: Python<'_>, dialect: &str, call: &Call) -> PyResult<String> {
        let dialect = named(dialect).map_err(Failed::from)?;
        call.carry_out(py, |run| {
            let mut script = Vec::new();
            self.release.write_sql_for(dialect, &mut script, run)?;
            String::from_utf8(script).map_err(|e| Error::bug(e.to_string()))
        })
    }
}

/// The database of a name.
fn named(name: &str) -> Result<Dialect> {
    let found = Dialect::NAMES.into_iter().find(|(known, _)| *known == name);
    found.map(|(_, dialect)| dialect).ok_or_else(|| {
        let names = Dialect::NAMES.map(|(name, _)| name).join(", ");
        Error::input(format!("there is no dialect {name:?}"))
            .coded(Code::WrongParameter)
            .help(format!("one of: {names}"))
    })
}
