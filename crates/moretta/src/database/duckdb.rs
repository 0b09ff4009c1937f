//! A release in a schema of a DuckDB file, through the command `duckdb`. One process has the transaction; rows go there and come back in
//! files that only the user can read.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::layout::{RELEASE, ROW, TableLayout};
use super::rows::{EachRow, Sink};
use super::{Base, Destination, Found, RowOrder};
use crate::data::value::{Decimal, Type, Value};
use crate::error::{Code, Error, Fault, Result};
use crate::release::{Dialect, quoted};

/// What the command says when it has done all that it was told so far.
const DONE: &str = "moretta has its answer";

struct Shell {
    process: Child,
    told: Option<ChildStdin>,
    says: BufReader<ChildStdout>,
    file: PathBuf,
    schema: String,
    /// The folder of the files with rows.
    folder: PathBuf,
    is_new: bool,
    committed: bool,
}

pub(super) fn connect(file: &Path, destination: &Destination) -> Result<Box<dyn Base>> {
    let is_new = !file.exists();
    let folder = private_folder()?;
    let arguments = ["-init", "/dev/null", "-bail", "-batch", "-list", "-noheader"].map(OsStr::new);
    let mut command = Command::new("duckdb");
    command.args(arguments).arg(file).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn().map_err(|e| {
        let _ = fs::remove_dir(&folder);
        match e.kind() {
            ErrorKind::NotFound => Error::input("DuckDB files are written by the command `duckdb`, which is not there")
                .coded(Code::FileNotFound)
                .at_file(file)
                .help("install it: pip install duckdb-cli, or from duckdb.org"),
            _ => Error::machine("run the command duckdb", file, e),
        }
    })?;
    let (Some(told), Some(says)) = (process.stdin.take(), process.stdout.take()) else {
        return Err(Error::bug("a command without pipes"));
    };
    let (file, schema) = (file.to_path_buf(), destination.schema.clone());
    let says = BufReader::new(says);
    Ok(Box::new(Shell { process, told: Some(told), says, file, schema, folder, is_new, committed: false }))
}

/// A folder that nobody else can look into.
fn private_folder() -> Result<PathBuf> {
    let random =
        getrandom::u64().map_err(|e| Error::new(Fault::Machine, format!("the system gives no randomness: {e}")))?;
    let folder = std::env::temp_dir().join(format!("moretta-{random:016x}"));
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(&folder).map_err(|e| Error::machine("make a folder for rows", &folder, e))?;
    Ok(folder)
}

impl Shell {
    /// Has statements carried out, and waits until they are.
    fn run(&mut self, sql: &str) -> Result<()> {
        let Some(told) = &mut self.told else { return Err(Error::bug("a command that was left")) };
        // A command that has ended is found by what it does not say.
        let _ = writeln!(told, "{sql};\nSELECT '{DONE}';").and_then(|()| told.flush());
        let mut line = String::new();
        loop {
            line.clear();
            let read =
                self.says.read_line(&mut line).map_err(|e| Error::machine("hear the command duckdb", &self.file, e))?;
            if read == 0 {
                return Err(self.refused());
            }
            if line.trim_end() == DONE {
                return Ok(());
            }
        }
    }

    /// What the command had against its last statement: it ends at the first one that fails.
    fn refused(&mut self) -> Error {
        self.told = None;
        let mut told = String::new();
        if let Some(errors) = &mut self.process.stderr {
            let _ = errors.read_to_string(&mut told);
        }
        let _ = self.process.wait();
        let first = told.lines().find(|line| line.contains("Error")).or_else(|| told.lines().last());
        let said = |fault, what: &str| Error::new(fault, format!("duckdb says: {what}")).at_file(&self.file);
        match first {
            None => said(Fault::Machine, "nothing, and it has ended").help("nothing was written"),
            Some(line) if line.contains("No space left") => {
                said(Fault::Machine, line).coded(Code::DiskFull).help("nothing was written; make room")
            }
            Some(line) if line.contains("IO Error") => {
                said(Fault::Machine, line).help("a file that another program has open can't be written; nothing was")
            }
            Some(line) => said(Fault::Input, line).help("nothing was written"),
        }
    }

    /// The rows that a query gives.
    fn each_row(&mut self, query: &str, sink: Sink<'_>) -> Result<()> {
        let path = self.folder.join("rows.csv");
        let format = "(FORMAT csv, HEADER false, DELIMITER ',', QUOTE '\"', ESCAPE '\"', FORCE_QUOTE *, NULLSTR '')";
        self.run(&format!("COPY ({query}) TO {} {format}", literal(&path.to_string_lossy())))?;
        let unreadable = |e: std::io::Error| Error::machine("read the rows that duckdb has written", &path, e);
        let file = BufReader::with_capacity(1 << 18, File::open(&path).map_err(unreadable)?);
        let mut rows = csv::ReaderBuilder::new().has_headers(false).from_reader(file);
        let mut record = csv::StringRecord::new();
        while rows.read_record(&mut record).map_err(|e| unreadable(e.into()))? {
            let fields: Vec<Option<&str>> =
                record.iter().map(|field| Some(field).filter(|text| !text.is_empty())).collect();
            sink(&fields)?;
        }
        fs::remove_file(&path).map_err(unreadable)
    }

    fn called(&self, table: &str) -> String {
        format!("{}.{}", quoted(&self.schema), quoted(table))
    }

    /// The columns of a table without the number of its row, and which of them are to be spelled anew.
    fn typed_columns(&mut self, table: &str) -> Result<Vec<(String, Option<Type>)>> {
        let query = format!(
            "SELECT column_name, data_type FROM duckdb_columns() WHERE schema_name = {} AND table_name = {} \
             AND column_name <> '{ROW}' ORDER BY column_index",
            literal(&self.schema),
            literal(table)
        );
        let mut columns = Vec::new();
        self.each_row(&query, &mut |fields| {
            if let [Some(name), held] = fields {
                let anew = match *held {
                    Some("DOUBLE") => Some(Type::Number),
                    Some("TIMESTAMP") => Some(Type::Timestamp),
                    _ => None,
                };
                columns.push(((*name).to_owned(), anew));
            }
            Ok(())
        })?;
        Ok(columns)
    }

    fn holds(&mut self, query: &str) -> Result<bool> {
        let mut holds = false;
        self.each_row(query, &mut |_| {
            holds = true;
            Ok(())
        })?;
        Ok(holds)
    }
}

fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

impl Drop for Shell {
    fn drop(&mut self) {
        // At the end of what it is told the command ends, and takes back what was not committed.
        drop(self.told.take());
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
        if self.is_new && !self.committed {
            let _ = fs::remove_file(&self.file);
            let _ = fs::remove_file(self.file.with_added_extension("wal"));
        }
    }
}

impl Base for Shell {
    fn found(&mut self) -> Result<Found> {
        let schema = literal(&self.schema);
        if !self.holds(&format!("SELECT 1 FROM duckdb_schemas() WHERE schema_name = {schema}"))? {
            return Ok(Found::Nothing);
        }
        let sql = format!("SELECT 1 FROM duckdb_tables() WHERE schema_name = {schema} AND table_name = '{RELEASE}'");
        Ok(if self.holds(&sql)? { Found::Release } else { Found::Other })
    }

    fn rehearse(&mut self) -> Result<()> {
        let schema = quoted(&self.schema);
        self.run(&format!("BEGIN; CREATE SCHEMA {schema}; ROLLBACK"))
    }

    fn begin(&mut self, to_write: bool) -> Result<()> {
        self.run(if to_write { "BEGIN" } else { "BEGIN TRANSACTION READ ONLY" })
    }

    fn make_schema(&mut self) -> Result<()> {
        let schema = quoted(&self.schema);
        self.run(&format!("CREATE SCHEMA {schema}"))
    }

    fn remove(&mut self, tables: &[String]) -> Result<()> {
        let sql: String = tables.iter().map(|table| format!("DROP TABLE {}; ", self.called(table))).collect();
        let schema = quoted(&self.schema);
        self.run(&format!("{sql} DROP SCHEMA {schema}"))
    }

    fn create(&mut self, table: &TableLayout) -> Result<()> {
        // Its key is made with it: DuckDB adds none to a table that has changed in the same transaction.
        let sql = table.statement(&self.called(&table.name), "BIGINT PRIMARY KEY", Dialect::DuckDb);
        self.run(&sql)
    }

    fn fill(&mut self, table: &TableLayout, rows: EachRow<'_>) -> Result<()> {
        let path = self.folder.join("rows.csv");
        let unwritable = |e: std::io::Error| Error::machine("write rows for duckdb", &path, e);
        let mut file = BufWriter::with_capacity(1 << 18, File::create(&path).map_err(unwritable)?);
        let (mut line, mut number) = (Vec::new(), 0_u64);
        rows(&mut |fields| {
            number += 1;
            line.clear();
            push_row(&mut line, number, fields);
            file.write_all(&line).map_err(unwritable)
        })?;
        file.flush().map_err(unwritable)?;
        let format = "(FORMAT csv, HEADER false, AUTO_DETECT false, DELIMITER ',', QUOTE '\"', ESCAPE '\"', NULLSTR '', \
                      NEW_LINE '\\n', PARALLEL false, MAX_LINE_SIZE 33554432, BUFFER_SIZE 134217728)";
        let called = self.called(&table.name);
        self.run(&format!("COPY {called} FROM {} {format}", literal(&path.to_string_lossy())))?;
        fs::remove_file(&path).map_err(unwritable)
    }

    fn index(&mut self, table: &TableLayout) -> Result<()> {
        for (place, index) in table.indexes.iter().enumerate() {
            let called = quoted(&format!("{}_by_{}", table.name, place + 1));
            let columns: Vec<String> = index.iter().map(|name| quoted(name)).collect();
            let sql = format!("CREATE INDEX {called} ON {} ({})", self.called(&table.name), columns.join(", "));
            self.run(&sql)?;
        }
        Ok(())
    }

    fn columns(&mut self, table: &str) -> Result<Vec<String>> {
        Ok(self.typed_columns(table)?.into_iter().map(|(name, _)| name).collect())
    }

    fn read(&mut self, table: &str, _: RowOrder, sink: Sink<'_>) -> Result<()> {
        let columns = self.typed_columns(table)?;
        let selected: Vec<String> = columns.iter().map(|(name, _)| quoted(name)).collect();
        let query = format!("SELECT {} FROM {} ORDER BY {ROW}", selected.join(", "), self.called(table));
        let anew: Vec<Option<Type>> = columns.iter().map(|&(_, anew)| anew).collect();
        if anew.iter().all(Option::is_none) {
            return self.each_row(&query, sink);
        }
        self.each_row(&query, &mut |fields| {
            // The command writes 1e-07 where files have 0.0000001, and 14:30:05.25 after a blank.
            let spelled = |(field, anew): (Option<&str>, Option<Type>)| match (field, anew) {
                (Some(text), Some(kind)) => Value::parse(text, kind, Decimal::Point).map(|value| value.to_string()),
                (field, _) => field.map(ToOwned::to_owned),
            };
            let pairs = fields.iter().copied().zip(anew.iter().copied());
            let spelled: Vec<Option<String>> = pairs.map(spelled).collect();
            sink(&spelled.iter().map(Option::as_deref).collect::<Vec<_>>())
        })
    }

    fn commit(&mut self) -> Result<()> {
        self.run("COMMIT")?;
        self.committed = true;
        Ok(())
    }
}

/// Adds a row as a line of CSV, in which every value is quoted, and a missing one is nothing.
fn push_row(line: &mut Vec<u8>, number: u64, fields: &[Option<&str>]) {
    let _ = write!(line, "{number}");
    for field in fields {
        line.push(b',');
        let Some(text) = field.filter(|text| !text.is_empty()) else { continue };
        line.push(b'"');
        for byte in text.bytes() {
            if byte == b'"' {
                line.push(b'"');
            }
            line.push(byte);
        }
        line.push(b'"');
    }
    line.push(b'\n');
}
