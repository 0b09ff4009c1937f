//! `moretta generate`: synthetic tables for scale and experiments.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use moretta::data::format::FileFormat;
use moretta::data::write::{Header, TableWriter, Values, table_writer};
use moretta::error::Code;
use moretta::progress::Progress;
use moretta::storage::{Readers, write_atomically};
use moretta::text::counted;
use moretta::{Error, Result};
use moretta_lab::generate::{BLOCK_ROWS, Generator, KINDS, by_name_in};
use rayon::prelude::*;
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
            let written = write(&*generator, options.rows, FileFormat::Csv, out, shown.progress());
            shown.progress().check()?;
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
    let table = |file: &mut &File| write(&*generator, options.rows, format, *file, shown.progress());
    let written = write_atomically(out, Readers::Usual, table);
    shown.progress().check()?;
    written.map_err(|e| Error::machine("write the table", out, e))?;
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

fn write(
    generator: &dyn Generator,
    rows: u64,
    format: FileFormat,
    sink: impl Write + Send,
    progress: &Progress,
) -> std::io::Result<()> {
    let headers: Vec<Header> = generator
        .attributes()
        .iter()
        .map(|attribute| Header::coded(attribute.name, attribute.domain.clone()))
        .collect();
    let mut writer: Box<dyn TableWriter + '_> = table_writer(format, sink, &headers)?;
    progress.start("generating", rows);
    let blocks = rows.div_ceil(BLOCK_ROWS as u64);
    let at_once = rayon::current_num_threads() as u64;
    for first in (0..blocks).step_by(at_once as usize) {
        let made: Vec<Vec<Vec<u32>>> = (first..blocks.min(first + at_once))
            .into_par_iter()
            .map(|block| {
                let start = block * BLOCK_ROWS as u64;
                generator.rows(start, BLOCK_ROWS.min((rows - start) as usize))
            })
            .collect();
        for columns in made {
            progress.check().map_err(std::io::Error::other)?;
            progress.advance(columns.first().map_or(0, Vec::len) as u64);
            let values: Vec<Values<'_>> = columns.iter().map(|codes| Values::Codes(codes)).collect();
            writer.write(&values)?;
        }
    }
    writer.finish()
}
