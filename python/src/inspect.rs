//! A first look at a table: columns, rules, what hierarchies do.

use moretta::inspection::Mining;
use moretta::{Error, Inspection as LibraryInspection};
use pyo3::prelude::*;
use serde_json::json;

use crate::attend::Call;
use crate::frame::{Frame, Table};
use crate::policy::{Policy, first_hierarchy};

/// What a first look at a table found.
#[pyclass(frozen, module = "moretta")]
pub(crate) struct Inspection(LibraryInspection);

#[pymethods]
impl Inspection {
    fn to_json(&self) -> PyResult<String> {
        let json = serde_json::to_string(&self.0).map_err(|e| Error::bug(e.to_string()));
        Ok(json.map_err(crate::errors::Failed::from)?)
    }

    /// A commented policy to start from, for a table of this name.
    fn suggested_policy(&self, source: &str) -> String {
        self.0.suggested_policy(source)
    }
}

/// Looks at a table.
#[pyfunction]
pub(crate) fn inspect(py: Python<'_>, frame: &Frame, call: &Call) -> PyResult<Inspection> {
    call.carry_out(py, |run| moretta::inspect(&frame.0, run)).map(Inspection)
}

/// What can be excluded about people by rules that hold in a table, as JSON.
#[pyfunction]
pub(crate) fn rules(py: Python<'_>, table: &Table, mining: (f64, f64, usize, bool), call: &Call) -> PyResult<String> {
    let (min_expectation, min_confidence, max_items, fuzzy) = mining;
    let mining = Mining { min_expectation, min_confidence, max_items, fuzzy, flat: false };
    call.carry_out(py, |run| {
        let found = moretta::rules(&table.0, &mining, run)?;
        Ok(json!(found).to_string())
    })
}

/// What the hierarchy of a policy's first attribute does to that column of a table, as JSON.
#[pyfunction]
pub(crate) fn hierarchy(py: Python<'_>, frame: &Frame, column: &str, policy: &Policy, call: &Call) -> PyResult<String> {
    let spec = first_hierarchy(&policy.0);
    call.carry_out(py, |run| {
        let preview = moretta::hierarchy(&frame.0, column, &spec, run)?;
        Ok(json!(preview).to_string())
    })
}
