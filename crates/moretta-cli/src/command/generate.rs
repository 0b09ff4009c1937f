//! `moretta generate`: synthetic tables for scale and experiments.

use std::path::{Path, PathBuf};

use moretta::files::FileFormat;
use moretta::text::counted;
use moretta::{Code, Error, Result};
use moretta_lab::generate::{KINDS, by_name_in, write, write_file};
use serde_json::json;

use super::{Outcome, versioned};
use crate::console::Console;
use crate::output;
use crate::progress::ProgressShown;

/// Make a synthetic table
///
/// The same kind, rows and seed give the same bytes everywhere; a longer table begins with the shorter one.
#[derive(Debug, clap::Args)]
#[command(after_help = kinds())]
pub(crate) struct GenerateArgs {
    /// What to make
    kind: String,
    /// How many rows
    #[arg(long, value_name = "N", default_value_t = 1000)]
    rows: u64,
    /// How many coordinates, for points in space
    #[arg(long, value_name = "N")]
    dimensions: Option<usize>,
    /// What chance starts from
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    /// The file to make, .csv or .parquet; without it CSV goes to standard output
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long, requires = "out")]
    force: bool,
}

fn kinds() -> String {
    let lines = KINDS.iter().map(|(name, summary)| format!("  {name:10} {summary}\n"));
    format!("Kinds:\n{}", lines.collect::<String>())
}

pub(crate) fn run(options: &GenerateArgs, console: &Console) -> Result<Outcome> {
    let generator = by_name_in(&options.kind, options.rows, options.dimensions, options.seed)?;
    let shown = ProgressShown::start(console);
    let Some(out) = &options.out else {
        output::data(|out| {
            let written = write(&*generator, options.rows, FileFormat::Csv, out, &shown.run());
            shown.run().check()?;
            written.map_err(output::unwritable)
        })?;
        return Ok(Outcome::Done);
    };
    let format = format_of(out)?;
    if out.exists() && !options.force {
        return Err(Error::input("the file exists already")
            .coded(Code::OutputExists)
            .at_file(out)
            .help("choose another, or replace it with --force"));
    }
    write_file(&*generator, options.rows, format, out, &shown.run())?;
    drop(shown);
    let rows = options.rows;
    console.result(
        || {
            versioned(
                json!({ "kind": options.kind, "rows": rows, "seed": options.seed, "file": out.display().to_string() }),
            )
        },
        || format!("Made {} in {}.\n", counted(rows, "row", "rows"), out.display()),
    )?;
    Ok(Outcome::Done)
}

fn format_of(out: &Path) -> Result<FileFormat> {
    match out.extension().and_then(|extension| extension.to_str()) {
        Some("csv") => Ok(FileFormat::Csv),
        Some("parquet") => Ok(FileFormat::Parquet),
        _ => Err(Error::input("the file's name does not tell its format")
            .at_file(out)
            .help("end it in .csv or .parquet")),
    }
}
