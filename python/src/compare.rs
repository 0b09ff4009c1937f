//! Many releases of one table on one plane.

use std::path::PathBuf;

use moretta::frontier::Budget;
use moretta::{Comparison as LibraryComparison, ComparisonPlan, Grid, Seed};
use moretta_lab::classification::TreeAndBayes;
use moretta_lab::datasets;
use pyo3::prelude::*;

use crate::attend::Call;
use crate::catalogue::{method, promise};
use crate::errors::Failed;
use crate::frame::Table;

/// Candidates that were published and measured.
#[pyclass(frozen, module = "moretta")]
pub(crate) struct Comparison {
    comparison: LibraryComparison,
    plan: Option<ComparisonPlan>,
}

#[pymethods]
impl Comparison {
    /// All points, with the one that was chosen.
    #[pyo3(signature = (chosen=None))]
    fn to_json(&self, chosen: Option<usize>) -> String {
        self.comparison.to_json(chosen).to_string()
    }

    fn to_csv(&self) -> String {
        self.comparison.to_csv()
    }

    /// The frontier as a drawing.
    fn to_svg(&self) -> String {
        self.comparison.to_svg()
    }

    /// The frontier as a text of so many columns and lines.
    fn to_text(&self, columns: usize, lines: usize) -> String {
        self.comparison.to_text(columns, lines)
    }

    /// The best point within budgets such as `p_loss=0.2`; the knee without one.
    fn choose(&self, budgets: Vec<String>) -> PyResult<Option<usize>> {
        let read = |text: &String| text.parse::<Budget>().map_err(|e| Failed::from(e).into());
        let budgets = budgets.iter().map(read).collect::<PyResult<Vec<Budget>>>()?;
        Ok(self.comparison.choose(&budgets))
    }

    /// The policy of a point of a plan; nothing where there was no plan.
    fn policy_text(&self, point: usize) -> PyResult<Option<String>> {
        let (Some(plan), Some(point)) = (&self.plan, self.comparison.points.get(point)) else { return Ok(None) };
        Ok(Some(plan.policy_text(&point.candidate).map_err(Failed::from)?))
    }
}

/// Publishes a table in every way of a grid: methods, each with the promises that it is to keep, as JSON.
#[pyfunction]
pub(crate) fn compare(
    py: Python<'_>,
    table: &Table,
    candidates: Vec<(String, Vec<String>)>,
    known_program: bool,
    call: &Call,
) -> PyResult<Comparison> {
    let mut grid = Grid::new();
    for (named, promises) in &candidates {
        let promises = promises.iter().map(|text| promise(text)).collect::<PyResult<Vec<_>>>()?;
        grid = grid.candidate(method(named)?, promises);
    }
    if known_program {
        grid = grid.against_known_program();
    }
    let comparison = call.carry_out(py, |run| moretta::compare(&table.0, &grid, run))?;
    Ok(Comparison { comparison, plan: None })
}

/// Carries out the plan of a file; finished points are kept in a folder, if one is stated.
#[pyfunction]
#[pyo3(signature = (file, data, kept_in, seed, call))]
pub(crate) fn compare_plan(
    py: Python<'_>,
    file: PathBuf,
    data: Option<PathBuf>,
    kept_in: Option<PathBuf>,
    seed: Option<u64>,
    call: &Call,
) -> PyResult<Comparison> {
    let (comparison, plan) = call.carry_out(py, |run| {
        let plan = ComparisonPlan::load(&file, &datasets::folder(data.as_deref()), seed.map(Seed::from))?;
        Ok((plan.run(kept_in.as_deref(), Some(&TreeAndBayes), run)?, plan))
    })?;
    Ok(Comparison { comparison, plan: Some(plan) })
}
