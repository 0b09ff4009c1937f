//! Tables of DuckDB files, through the command `duckdb`: its own code reads its own format, and need not be compiled for that.
//!
//! The table comes as Parquet through a pipe and is held in memory: every pass sees what the first one saw, and no file of it is left.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

use arrow_array::RecordBatch;

use super::relation::{Relation, RelationColumn, Steady};
use super::{Input, ReadOptions, address, parquet_file};
use crate::error::{Code, Error, Result};

/// A table as Parquet.
#[derive(Debug)]
struct Piped {
    parquet: Input,
    columns: Vec<RelationColumn>,
}

pub(super) fn open(input: &Input, file: &Path, options: &ReadOptions) -> Result<Steady> {
    std::fs::metadata(file).map_err(|e| Error::machine("read the file", file, e))?;
    let sql = address::statement(input, options, || Ok(ask(file, TABLES)?.lines().map(ToOwned::to_owned).collect()))?;
    refuse_other_statements(file, &sql)?;
    // What a query ends in may be a comment.
    let copied = run(file, &format!("COPY ({sql}\n) TO '/dev/stdout' (FORMAT parquet)"))?;
    let parquet = Input::Memory(file.to_path_buf(), copied.into());
    let columns = parquet_file::fields(&parquet)?.into_iter().map(|field| RelationColumn { field, refused: None });
    let columns = columns.collect();
    Ok(Steady::new(Box::new(Piped { parquet, columns })))
}

impl Relation for Piped {
    fn columns(&self) -> &[RelationColumn] {
        &self.columns
    }

    fn scan(&self, sink: &mut dyn FnMut(RecordBatch) -> Result<()>) -> Result<()> {
        parquet_file::each_batch(&self.parquet, sink)
    }
}

const TABLES: &str = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'main' ORDER BY 1";

/// Refuses a query that is more, or something else, than one SELECT: inside of a COPY it could end it and begin another one.
fn refuse_other_statements(file: &Path, sql: &str) -> Result<()> {
    let literal = format!("'{}'", sql.replace('\'', "''"));
    let found = ask(
        file,
        &format!(
            "SELECT json_extract_string(s, '$.error') || ' ' || coalesce(json_array_length(s, '$.statements'), 0) || ' ' || \
             coalesce(json_extract_string(s, '$.error_message'), '') FROM (SELECT json_serialize_sql({literal})::JSON AS s)"
        ),
    )?;
    match found.trim_end().split_once(' ') {
        Some(("false", "1")) => Ok(()),
        _ => {
            let message = found.trim_end().splitn(3, ' ').nth(2).unwrap_or_default().to_owned();
            Err(Error::input(format!("the query is not one SELECT that DuckDB can read: {message}"))
                .coded(Code::TableUnreadable)
                .at_file(file)
                .help("write a SELECT: query = \"SELECT * FROM people\""))
        }
    }
}

fn ask(file: &Path, sql: &str) -> Result<String> {
    String::from_utf8(run(file, sql)?).map_err(|_| Error::input("duckdb did not answer in UTF-8").at_file(file))
}

/// What the command prints: values alone, without names and frames.
fn run(file: &Path, sql: &str) -> Result<Vec<u8>> {
    let arguments = ["-init", "/dev/null", "-readonly", "-bail", "-batch", "-list", "-noheader"].map(OsStr::new);
    let output =
        Command::new("duckdb").args(arguments).arg(file).arg("-c").arg(sql).output().map_err(|e| match e.kind() {
            ErrorKind::NotFound => Error::input("DuckDB files are read by the command `duckdb`, which is not there")
                .coded(Code::FileNotFound)
                .at_file(file)
                .help(
                    "install it (pip install duckdb-cli, or from duckdb.org), or hand the table to the Python package: \
                 mo.publish(duckdb.connect(FILE).table(NAME), …)",
                ),
            _ => Error::machine("run the command duckdb", file, e),
        })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let told = String::from_utf8_lossy(&output.stderr);
    let first = told.lines().find(|line| line.contains("Error")).or_else(|| told.lines().last()).unwrap_or_default();
    Err(Error::input(format!("duckdb says: {first}"))
        .coded(Code::TableUnreadable)
        .at_file(file)
        .help("check `table` or `query`; a file that another program writes to can't be read meanwhile"))
}
