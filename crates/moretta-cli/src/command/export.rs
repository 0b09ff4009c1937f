//! `moretta export`: a release for other programs.

use std::path::PathBuf;

use moretta::release::Files;
use moretta::{Result, check, export};

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
    let storage = check::release_storage(&options.release)?;
    let shown = ProgressShown::start(console);
    let files = Files::open(&storage, shown.progress())?;
    output::data(|out| export::sql(&files, out, shown.progress()))?;
    Ok(Outcome::Done)
}
