//! `moretta export`: a release for other programs.

use std::path::PathBuf;

use moretta::{Release, Result};

use super::Outcome;
use crate::console::Console;
use crate::output;
use crate::progress::ProgressShown;

/// Write a release as a script for a database
///
/// The script makes the release's tables, fills them, and, where sums have bounds, ends with the query that finds them: moretta export
/// release --sql | sqlite3 release.db
#[derive(Debug, clap::Args)]
pub(crate) struct ExportArgs {
    /// The folder of a release
    release: PathBuf,
    /// As ordinary SQL, on standard output
    #[arg(long, required = true)]
    sql: bool,
}

pub(crate) fn run(options: &ExportArgs, console: &Console) -> Result<Outcome> {
    let shown = ProgressShown::start(console);
    let release = Release::open(&options.release)?;
    output::data(|out| release.write_sql(out, &shown.run()))?;
    Ok(Outcome::Done)
}
