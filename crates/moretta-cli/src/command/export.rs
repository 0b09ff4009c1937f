//! `moretta export`: a release for other programs.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use moretta::release::Files;
use moretta::{Error, Result, check, export};

use super::Outcome;
use crate::console::Console;

/// Write a release as a script for a database
///
/// The script makes the release's tables, fills them, and, where sums have bounds, ends with the query that finds them: moretta export
/// release --sql | sqlite3 release.db
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// The folder of a release
    release: PathBuf,
    /// As ordinary SQL, on standard output
    #[arg(long, required = true)]
    sql: bool,
}

pub(crate) fn run(options: &Options, _: &Console) -> Result<Outcome> {
    let shelf = check::release_shelf(&options.release)?;
    let files = Files::open(&shelf)?;
    let mut out = BufWriter::new(Reader(std::io::stdout().lock()));
    export::sql(&files, &mut out)?;
    out.flush().map_err(|e| Error::new(moretta::Fault::Machine, format!("the script can't be written: {e}")))?;
    Ok(Outcome::Done)
}

/// Who closes the pipe has read enough.
struct Reader<W>(W);

impl<W: Write> Write for Reader<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self.0.write(bytes) {
            Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(bytes.len()),
            result => result,
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self.0.flush() {
            Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            result => result,
        }
    }
}
