//! `moretta export`: a release for other programs.

use std::path::PathBuf;

use moretta::{Dialect, Release, Result};

use super::Outcome;
use crate::console::Console;
use crate::output;
use crate::progress::ProgressShown;

/// Write a release as a script for a database
///
/// The script makes the release's tables, fills them, and, where SQL can find what is expected and what is certain of counts and sums, ends
/// with views and queries for it: moretta export release --sql | sqlite3 release.db
#[derive(Debug, clap::Args)]
pub(crate) struct ExportArgs {
    /// The folder of a release, or ADDRESS#SCHEMA of one in a database
    release: PathBuf,
    /// As ordinary SQL, on standard output
    #[arg(long, required = true)]
    sql: bool,
    /// The database that the script is for: its types hold every value as it was published. Without it, what all of them understand
    #[arg(long, value_name = "NAME", value_parser = dialect)]
    dialect: Option<Dialect>,
}

pub(crate) fn run(options: &ExportArgs, console: &Console) -> Result<Outcome> {
    let shown = ProgressShown::start(console);
    let release = Release::open(&options.release)?;
    output::data(|out| release.write_sql_for(options.dialect.unwrap_or_default(), out, &shown.run()))?;
    Ok(Outcome::Done)
}

fn dialect(name: &str) -> Result<Dialect, String> {
    let found = Dialect::NAMES.iter().find(|(known, _)| *known == name);
    let names = || Dialect::NAMES.map(|(name, _)| name).join(", ");
    found.map(|(_, dialect)| *dialect).ok_or_else(|| format!("one of: {}", names()))
}
