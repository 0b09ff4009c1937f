//! `moretta reproduce`: the papers' experiments.

use std::fmt::Write as _;
use std::path::PathBuf;

use moretta::{Error, Result, Seed};
use moretta_lab::reproduce::{EXPERIMENTS, Experiment, ExperimentContext, ResultTable};
use moretta_lab::{adult, datasets};
use serde_json::json;

use super::{Outcome, versioned};
use crate::console::{Console, STRONG};
use crate::layout::Table;
use crate::progress::ProgressShown;

/// Do the papers' experiments again, and print our figures
///
/// Without a paper, lists the experiments and the files that they need.
#[derive(Debug, clap::Args)]
pub(crate) struct ReproduceArgs {
    /// The paper; without it, all experiments are listed
    paper: Option<String>,
    /// The figure or question; without it, all of the paper's
    figure: Option<String>,
    /// The folder of the papers' data; without it, the variable `MORETTA_DATA` or ../shared/data
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// What chance starts from
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
}

pub(crate) fn run(options: &ReproduceArgs, console: &Console) -> Result<Outcome> {
    let Some(paper) = &options.paper else {
        let entry = |e: &Experiment| json!({ "paper": e.paper, "figure": e.name, "summary": e.summary });
        let entries = || versioned(json!({ "experiments": EXPERIMENTS.iter().map(entry).collect::<Vec<_>>() }));
        console.result(entries, list)?;
        return Ok(Outcome::Done);
    };
    let chosen: Vec<&Experiment> = EXPERIMENTS
        .iter()
        .filter(|e| e.paper == paper && options.figure.as_ref().is_none_or(|figure| e.name == figure))
        .collect();
    if chosen.is_empty() {
        let wanted = options.figure.as_ref().map_or(paper.clone(), |figure| format!("{paper} {figure}"));
        return Err(Error::input(format!("there is no experiment {wanted:?}")).help("`moretta reproduce` lists all"));
    }
    let context = ExperimentContext { data: datasets::folder(options.data.as_deref()), seed: Seed::from(options.seed) };
    let shown = ProgressShown::start(console);
    let mut tables = Vec::new();
    for experiment in chosen {
        tables.extend((experiment.run)(&context, &shown.run().progress())?);
    }
    drop(shown);
    console.result(|| versioned(json!({ "tables": tables })), || tables.iter().map(render).collect())?;
    Ok(Outcome::Done)
}

fn list() -> String {
    let mut table = Table::new(["paper", "figure", "what it shows"]);
    for experiment in EXPERIMENTS {
        table.row([experiment.paper, experiment.name, experiment.summary]);
    }
    format!(
        "{}\n`moretta reproduce PAPER [FIGURE]` runs them. They need a folder (--data, or the variable MORETTA_DATA) with\n{}.\n",
        table.render(),
        adult::NEEDED
    )
}

fn render(results: &ResultTable) -> String {
    let mut table = Table::new(results.columns.clone());
    for row in &results.rows {
        table.row(row.clone());
    }
    let mut text = format!("{STRONG}{}{STRONG:#}\n{}", results.title, table.render());
    for note in &results.notes {
        let _ = writeln!(text, "  {note}");
    }
    text.push('\n');
    text
}
