//! `moretta init`: a policy to start from.

use std::path::PathBuf;

use moretta::{Result, inspect};
use serde_json::json;

use super::inspect::ReadingOptions;
use super::{Outcome, versioned};
use crate::console::Console;
use crate::output;
use crate::progress::ProgressShown;

/// Print a commented policy for a table, to be looked at and then published
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: moretta init patients.csv > policy.toml")]
pub(crate) struct InitArgs {
    /// The table: .csv, .csv.gz, .parquet, .xlsx, .ods, a folder of parts, - , sqlite:FILE, duckdb:FILE, postgresql://USER@HOST/DATABASE
    table: PathBuf,
    #[command(flatten)]
    reading: ReadingOptions,
}

pub(crate) fn run(options: &InitArgs, console: &Console) -> Result<Outcome> {
    let source = options.reading.open(&options.table)?;
    let shown = ProgressShown::start(console);
    let inspection = inspect(&source, &shown.run())?;
    drop(shown);
    let policy = inspection.suggested_policy(&options.table.display().to_string());
    if console.wants_json() {
        console.result(|| versioned(json!({ "policy": policy })), String::new)?;
    } else {
        output::data(|out| out.put(&policy))?;
    }
    Ok(Outcome::Done)
}
