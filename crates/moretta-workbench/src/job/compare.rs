//! Runs the plan of a comparison. Points that are finished stand in the workspace, so that one that was cancelled goes on where it was.

use moretta::text::counted;
use moretta::{ComparisonPlan, Result, Run, files};

use super::Done;
use crate::bench::Bench;

/// The file of the comparison that pages read.
pub(crate) const POINTS: &str = "comparison.json";

pub(super) fn run(bench: &Bench, run: &Run) -> Result<Done> {
    let workspace = &bench.workspace;
    // The plan names the policy of the workspace, whose files must lie in it.
    let table = workspace.named_table()?.unwrap_or_default();
    workspace.checked_policy(bench.password(&table))?;
    let mut plan = ComparisonPlan::load(&workspace.plan_file()?, workspace.root(), None)?;
    plan.password = bench.password(&table);
    let folder = workspace.comparison()?;
    let comparison = plan.run(Some(&folder), None, run)?;
    let mut shown = comparison.to_json(None);
    if let Some(points) = shown["points"].as_array_mut() {
        for (point, compared) in points.iter_mut().zip(&comparison.points) {
            point["series"] = compared.candidate.series().into();
            point["numbers"] = compared.candidate.numbers().into();
        }
    }
    files::write(folder.join("frontier.svg"), &comparison.to_svg())?;
    files::write(folder.join("points.csv"), &comparison.to_csv())?;
    files::write(folder.join(POINTS), &format!("{shown:#}\n"))?;
    let says = format!("{} compared.", counted(comparison.points.len() as u64, "release was", "releases were"));
    Ok(Done { go: "/compare".to_owned(), says, shown: None })
}
