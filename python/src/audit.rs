//! Verifying releases and tables, and attacking them.

use std::path::PathBuf;

use moretta::{AttackChoice, Attacked, Audit, Error, Knowledge, Result, Unit};
use pyo3::prelude::*;
use serde_json::json;

use crate::attend::Call;
use crate::errors::Failed;
use crate::frame::{Frame, Table};
use crate::policy::Policy;
use crate::release::Release;

fn text(value: impl serde::Serialize) -> Result<String> {
    serde_json::to_string(&value).map_err(|e| Error::bug(format!("a result can't be shown as JSON: {e}")))
}

/// Verifies a release; returns JSON, and whether everything holds.
#[pyfunction]
#[pyo3(signature = (release, original, call))]
pub(crate) fn verify(
    py: Python<'_>,
    release: &Release,
    original: Option<PyRef<'_, Table>>,
    call: &Call,
) -> PyResult<(String, bool)> {
    let original = original.map(|table| table.0.clone());
    call.carry_out(py, |run| {
        let verified = moretta::check(&release.release, original.as_ref(), run)?;
        Ok((text(&verified)?, verified.holds()))
    })
}

/// The levels that any table reaches, as JSON.
#[pyfunction]
pub(crate) fn levels(py: Python<'_>, frame: &Frame, policy: &Policy, call: &Call) -> PyResult<String> {
    call.carry_out(py, |run| text(moretta::levels(&frame.0, &policy.0, run)?))
}

/// Attacks a release, or a table of another tool beside its original. Returns what a recipient may see, and what only a steward may, as JSON.
#[pyfunction]
#[pyo3(signature = (target, original, public, population, knowledge, choice, named_in, call))]
#[expect(clippy::too_many_arguments, reason = "the Python half names them")]
pub(crate) fn audit(
    py: Python<'_>,
    target: Target<'_>,
    original: Option<PyRef<'_, Table>>,
    public: Option<PyRef<'_, Frame>>,
    population: Option<u64>,
    knowledge: (f64, Vec<f64>, bool),
    choice: (Vec<String>, Vec<String>),
    named_in: Option<PathBuf>,
    call: &Call,
) -> PyResult<(String, String)> {
    let (min_expectation, bandwidths, exact) = knowledge;
    let knowledge = Knowledge { min_expectation, bandwidths, exact };
    let (only, skip) = choice;
    let choice = if only.is_empty() { AttackChoice::skip(skip) } else { AttackChoice::only(only) };
    let choice = choice.map_err(Failed::from)?;
    let (original, public) = (original.map(|table| table.0.clone()), public.map(|frame| frame.0.clone()));
    let (release, foreign) = match target {
        Target::Release(release) => (Some(release.release.clone()), None),
        Target::Foreign(frame) => (None, Some(frame.0.clone())),
    };
    call.carry_out(py, |run| {
        let mut attacked = match (&release, &foreign, &original) {
            (Some(release), ..) => Attacked::release(release),
            (None, Some(table), Some(original)) => Attacked::table(table, original),
            (None, ..) => {
                return Err(
                    Error::input("a table of another tool is attacked beside its original").help("add the original")
                );
            }
        };
        attacked = attacked.knowledge(knowledge).choosing(choice);
        if let Some(original) = &original {
            attacked = attacked.beside(original);
        }
        if let Some(table) = &public {
            attacked = attacked.public(table);
        }
        if let Some(people) = population {
            attacked = attacked.population(people);
        }
        if let Some(folder) = &named_in {
            attacked = attacked.name_people_in(folder);
        }
        let found = moretta::audit(&attacked, run)?;
        let accept = original.as_ref().map(|original| original.accepted().clone()).unwrap_or_default();
        let unmeasured = found.unmeasured(&accept);
        Ok((found.to_json(&accept)?.to_string(), aside(&found, &unmeasured)))
    })
}

/// What stands beside the findings: how many were attacked, doubts, and who is hit worst.
fn aside(found: &Audit, unmeasured: &[&str]) -> String {
    let victims: Vec<_> = found.attacks.iter().map(|attack| json!(attack.victims())).collect();
    let order: Vec<usize> = found
        .beyond_promise()
        .into_iter()
        .filter_map(|graded| found.attacks.iter().position(|attack| std::ptr::eq(attack, graded)))
        .collect();
    let unit = if found.unit == Unit::Rows { "rows" } else { "people" };
    json!({
        "people": found.people,
        "unit": unit,
        "persons": found.persons,
        "doubts": found.doubts,
        "unmeasured": unmeasured,
        "victims": victims,
        "beyond_promise": order,
    })
    .to_string()
}

/// What is attacked.
#[derive(FromPyObject)]
pub(crate) enum Target<'py> {
    /// A release of this program.
    Release(PyRef<'py, Release>),
    /// A table of another tool.
    Foreign(PyRef<'py, Frame>),
}
