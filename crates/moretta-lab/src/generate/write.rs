//! Writing synthetic tables.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use moretta::files::FileFormat;
use moretta::internals::data::write::{Header, TableWriter, Values, table_writer};
use moretta::internals::storage::{Readers, write_atomically};
use moretta::{Error, Result, Run};
use rayon::prelude::*;

use super::{BLOCK_ROWS, Generator};

/// Writes so many rows of a table into a file, whole or not at all.
pub fn write_file(generator: &dyn Generator, rows: u64, format: FileFormat, file: &Path, run: &Run) -> Result<()> {
    let table = |out: &mut &File| write(generator, rows, format, *out, run);
    let written = write_atomically(file, Readers::Usual, table);
    run.check()?;
    written.map_err(|e| Error::machine("write the table", file, e))
}

/// Writes so many rows of a table.
pub fn write(
    generator: &dyn Generator,
    rows: u64,
    format: FileFormat,
    sink: impl Write + Send,
    run: &Run,
) -> std::io::Result<()> {
    let headers: Vec<Header> = generator
        .attributes()
        .iter()
        .map(|attribute| Header::coded(attribute.name, attribute.domain.clone()))
        .collect();
    let mut writer: Box<dyn TableWriter + '_> = table_writer(format, sink, &headers)?;
    let progress = run.progress();
    progress.start("generating", rows);
    let blocks = rows.div_ceil(BLOCK_ROWS as u64);
    let at_once = rayon::current_num_threads() as u64;
    for first in (0..blocks).step_by(at_once as usize) {
        progress.check().map_err(std::io::Error::other)?;
        let made: Vec<Vec<Vec<u32>>> = (first..blocks.min(first + at_once))
            .into_par_iter()
            .map(|block| {
                let start = block * BLOCK_ROWS as u64;
                generator.rows(start, BLOCK_ROWS.min((rows - start) as usize))
            })
            .collect();
        for columns in made {
            progress.advance(columns.first().map_or(0, Vec::len) as u64);
            let values: Vec<Values<'_>> = columns.iter().map(|codes| Values::Codes(codes)).collect();
            writer.write(&values)?;
        }
    }
    writer.finish()
}
