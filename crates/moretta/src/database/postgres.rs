//! A release in a schema of a PostgreSQL server. Rows go there and come back by COPY in its text form.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;

use postgres::Client;
use postgres::error::SqlState;
use postgres::types::Type;

use super::layout::{RELEASE, ROW, TableLayout};
use super::rows::{EachRow, Sink};
use super::{Base, Destination, Found, RowOrder};
use crate::data::{source, timestamp};
use crate::error::{Code, Error, Fault, Result};
use crate::release::{Dialect, quoted};

/// How many bytes are sent at a time.
const CHUNK: usize = 1 << 18;

/// What makes a transaction that waits while promises are proved live, and texts come in one spelling.
const SETTINGS: &str = "SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL statement_timeout = 0; \
                        SET LOCAL synchronize_seqscans = off; SET LOCAL max_parallel_workers_per_gather = 0; \
                        SET LOCAL datestyle = 'ISO, YMD'; SET LOCAL extra_float_digits = 1";

struct Server {
    client: Client,
    address: PathBuf,
    schema: String,
}

pub(super) fn connect(destination: &Destination) -> Result<Box<dyn Base>> {
    let client = source::connect(&destination.address, &source::ServerPassword::default())?;
    Ok(Box::new(Server { client, address: destination.shown(), schema: destination.schema.clone() }))
}

impl Server {
    fn run(&mut self, sql: &str) -> Result<()> {
        let address = &self.address;
        self.client.batch_execute(sql).map_err(|e| unwritable(address, &e))
    }

    /// A table's name with its schema, quoted.
    fn called(&self, table: &str) -> String {
        format!("{}.{}", quoted(&self.schema), quoted(table))
    }

    /// Whether a query gives a row.
    fn holds(&mut self, sql: &str, schema: &str) -> Result<bool> {
        let address = &self.address;
        let rows = self.client.query(sql, &[&schema]).map_err(|e| unwritable(address, &e))?;
        Ok(!rows.is_empty())
    }

    /// The columns of a table, without the number of its row, and how their values are spelled.
    fn typed_columns(&mut self, table: &str) -> Result<Vec<(String, Spelled)>> {
        let sql = format!("SELECT * FROM {}", self.called(table));
        let address = &self.address;
        let statement = self.client.prepare(&sql).map_err(|e| source::refused(address, &e))?;
        let columns = statement.columns().iter().filter(|column| column.name() != ROW);
        Ok(columns.map(|column| (column.name().to_owned(), Spelled::of(column.type_()))).collect())
    }
}

impl Base for Server {
    fn found(&mut self) -> Result<Found> {
        let schema = self.schema.clone();
        if !self.holds("SELECT 1 FROM pg_namespace WHERE nspname = $1", &schema)? {
            return Ok(Found::Nothing);
        }
        let sql = format!(
            "SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
             WHERE n.nspname = $1 AND c.relname = '{RELEASE}' AND c.relkind = 'r'"
        );
        Ok(if self.holds(&sql, &schema)? { Found::Release } else { Found::Other })
    }

    fn rehearse(&mut self) -> Result<()> {
        let schema = quoted(&self.schema);
        self.run(&format!("BEGIN; CREATE SCHEMA {schema}; ROLLBACK"))
    }

    fn begin(&mut self, to_write: bool) -> Result<()> {
        let mode = if to_write { "READ COMMITTED" } else { "REPEATABLE READ, READ ONLY" };
        self.run(&format!("BEGIN TRANSACTION ISOLATION LEVEL {mode}; {SETTINGS}"))
    }

    fn make_schema(&mut self) -> Result<()> {
        let schema = quoted(&self.schema);
        self.run(&format!("CREATE SCHEMA {schema}"))
    }

    fn remove(&mut self, tables: &[String]) -> Result<()> {
        // Without CASCADE: what others have made of these tables is not ours to remove.
        let tables: Vec<String> = tables.iter().map(|table| self.called(table)).collect();
        let schema = quoted(&self.schema);
        self.run(&format!("DROP TABLE {}; DROP SCHEMA {schema}", tables.join(", ")))
    }

    fn create(&mut self, table: &TableLayout) -> Result<()> {
        let called = self.called(&table.name);
        self.run(&table.statement(&called, "BIGINT", Dialect::Postgres))
    }

    fn fill(&mut self, table: &TableLayout, rows: EachRow<'_>) -> Result<()> {
        let copy = format!("COPY {} ({ROW}, {}) FROM STDIN", self.called(&table.name), table.names());
        let address = &self.address;
        let mut sink = self.client.copy_in(&copy).map_err(|e| unwritable(address, &e))?;
        let mut buffer = Vec::with_capacity(CHUNK + CHUNK / 4);
        let mut number = 0_u64;
        rows(&mut |fields| {
            number += 1;
            push_row(&mut buffer, number, fields);
            if buffer.len() >= CHUNK {
                sink.write_all(&buffer).map_err(|e| broken(address, e))?;
                buffer.clear();
            }
            Ok(())
        })?;
        sink.write_all(&buffer).map_err(|e| broken(address, e))?;
        sink.finish().map(drop).map_err(|e| unwritable(address, &e))
    }

    fn index(&mut self, table: &TableLayout) -> Result<()> {
        let called = self.called(&table.name);
        let mut sql = format!("ALTER TABLE {called} ADD PRIMARY KEY ({ROW});");
        for index in &table.indexes {
            let columns: Vec<String> = index.iter().map(|name| quoted(name)).collect();
            sql.extend(["CREATE INDEX ON ", &called, " (", &columns.join(", "), ");"]);
        }
        self.run(&format!("{sql} ANALYZE {called}"))
    }

    fn columns(&mut self, table: &str) -> Result<Vec<String>> {
        Ok(self.typed_columns(table)?.into_iter().map(|(name, _)| name).collect())
    }

    fn read(&mut self, table: &str, order: RowOrder, sink: Sink<'_>) -> Result<()> {
        let columns = self.typed_columns(table)?;
        let spelled: Vec<Spelled> = columns.iter().map(|&(_, spelled)| spelled).collect();
        let selected: Vec<String> = columns.iter().map(|(name, spelled)| spelled.selected(&quoted(name))).collect();
        let called = self.called(table);
        let order = if order == RowOrder::Numbered { format!(" ORDER BY {ROW}") } else { String::new() };
        let copy = format!("COPY (SELECT {} FROM {called}{order}) TO STDOUT", selected.join(", "));
        let address = &self.address;
        let rows = self.client.copy_out(&copy).map_err(|e| source::refused(address, &e))?;
        let mut lines = BufReader::with_capacity(CHUNK, rows);
        let (mut line, mut row) = (Vec::new(), TextRow::default());
        loop {
            line.clear();
            if lines.read_until(b'\n', &mut line).map_err(|e| source::interrupted(address, e))? == 0 {
                return Ok(());
            }
            let broken = || Error::input("what the server sends is no copy of a table").at_file(address);
            row.take(&line, &spelled).ok_or_else(broken)?;
            sink(&row.fields().ok_or_else(broken)?)?;
        }
    }

    fn commit(&mut self) -> Result<()> {
        self.run("COMMIT")
    }
}

/// Adds a row as COPY's text form has it.
fn push_row(buffer: &mut Vec<u8>, number: u64, fields: &[Option<&str>]) {
    let _ = write!(buffer, "{number}");
    for field in fields {
        buffer.push(b'\t');
        let Some(text) = field.filter(|text| !text.is_empty()) else {
            buffer.extend_from_slice(b"\\N");
            continue;
        };
        if !text.bytes().any(|byte| matches!(byte, b'\\' | b'\n' | b'\r' | b'\t')) {
            buffer.extend_from_slice(text.as_bytes());
            continue;
        }
        for byte in text.bytes() {
            match byte {
                b'\\' => buffer.extend_from_slice(b"\\\\"),
                b'\n' => buffer.extend_from_slice(b"\\n"),
                b'\r' => buffer.extend_from_slice(b"\\r"),
                b'\t' => buffer.extend_from_slice(b"\\t"),
                byte => buffer.push(byte),
            }
        }
    }
    buffer.push(b'\n');
}

/// How the server spells the values of a column, where files spell them otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spelled {
    AsItIs,
    /// By COPY as t and f.
    Truth,
    Float,
    Time,
}

impl Spelled {
    fn of(kind: &Type) -> Self {
        match *kind {
            Type::BOOL => Self::Truth,
            Type::FLOAT8 => Self::Float,
            Type::TIMESTAMP => Self::Time,
            _ => Self::AsItIs,
        }
    }

    /// What is asked for. What COPY writes by itself, it writes fastest.
    fn selected(self, name: &str) -> String {
        if self == Self::Truth { format!("{name}::text") } else { name.to_owned() }
    }
}

/// A row of COPY's text form, with its escapes undone.
#[derive(Default)]
struct TextRow {
    bytes: Vec<u8>,
    /// Where each field ends; nothing for a missing value.
    ends: Vec<(usize, bool)>,
}

impl TextRow {
    /// Reads a line; nothing where it is none of so many fields.
    fn take(&mut self, line: &[u8], spelled: &[Spelled]) -> Option<()> {
        self.bytes.clear();
        self.ends.clear();
        let line = line.strip_suffix(b"\n")?;
        for (place, field) in line.split(|&byte| byte == b'\t').enumerate() {
            let spelled = *spelled.get(place)?;
            if field == b"\\N" {
                self.ends.push((self.bytes.len(), false));
                continue;
            }
            match spelled {
                Spelled::AsItIs | Spelled::Truth => self.unescape(field)?,
                // Servers write 1e-07 where files have 0.0000001, and 14:30:05.25 after a blank.
                Spelled::Float => {
                    let number: f64 = std::str::from_utf8(field).ok()?.parse().ok()?;
                    let _ = write!(self.bytes, "{number}");
                }
                Spelled::Time => {
                    let time = timestamp::parse(std::str::from_utf8(field).ok()?)?;
                    self.bytes.extend_from_slice(timestamp::spelled(time.microseconds).as_bytes());
                }
            }
            self.ends.push((self.bytes.len(), true));
        }
        (self.ends.len() == spelled.len()).then_some(())
    }

    fn unescape(&mut self, field: &[u8]) -> Option<()> {
        if !field.contains(&b'\\') {
            self.bytes.extend_from_slice(field);
            return Some(());
        }
        let mut bytes = field.iter();
        while let Some(&byte) = bytes.next() {
            if byte != b'\\' {
                self.bytes.push(byte);
                continue;
            }
            self.bytes.push(match *bytes.next()? {
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'b' => 8,
                b'f' => 12,
                b'v' => 11,
                other => other,
            });
        }
        Some(())
    }

    fn fields(&self) -> Option<Vec<Option<&str>>> {
        let mut start = 0;
        let field = |&(end, is_there): &(usize, bool)| {
            let text = std::str::from_utf8(&self.bytes[start..end]).ok()?;
            start = end;
            Some(is_there.then_some(text))
        };
        self.ends.iter().map(field).collect()
    }
}

/// Rows that did not get to the server.
fn broken(address: &std::path::Path, error: std::io::Error) -> Error {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<postgres::Error>()) {
        Some(told) => unwritable(address, told),
        None => Error::system("the connection to the server broke", error).at_file(address).help(NOTHING),
    }
}

const NOTHING: &str = "nothing was written; try again when the server is ready";

/// What the server has against writing.
fn unwritable(address: &std::path::Path, error: &postgres::Error) -> Error {
    let Some(told) = error.as_db_error() else { return source::refused(address, error).help(NOTHING) };
    let said = |fault| Error::new(fault, format!("the server says: {}", told.message())).at_file(address);
    match told.code() {
        &SqlState::INSUFFICIENT_PRIVILEGE => said(Fault::Input)
            .coded(Code::PermissionDenied)
            .help("nothing was written; the owner of the database lets you make schemas: GRANT CREATE ON DATABASE … TO …"),
        &SqlState::DUPLICATE_SCHEMA => {
            said(Fault::Input).coded(Code::OutputExists).help("somebody has just made it: choose another schema")
        }
        &SqlState::DEPENDENT_OBJECTS_STILL_EXIST => said(Fault::Input)
            .coded(Code::OutputExists)
            .help("something else stands in the schema, or depends on its tables, and is not replaced: remove it, or choose another schema"),
        &SqlState::DISK_FULL => {
            said(Fault::Machine).coded(Code::DiskFull).help("nothing was written; make room on the server")
        }
        code if matches!(code.code().get(..2), Some("08" | "53" | "57" | "58" | "XX")) => {
            said(Fault::Machine).help(NOTHING)
        }
        _ => said(Fault::Input).help("nothing was written"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_they_went() {
        let fields = [Some("a\tb\\N"), None, Some("two\r\nlines"), Some("\\."), Some("0.0000001")];
        let mut line = Vec::new();
        push_row(&mut line, 7, &fields);
        let rest = line.strip_prefix(b"7\t").unwrap();
        let mut row = TextRow::default();
        row.take(rest, &[Spelled::AsItIs, Spelled::AsItIs, Spelled::AsItIs, Spelled::AsItIs, Spelled::Float]).unwrap();
        assert_eq!(row.fields().unwrap(), fields);
        row.take(b"1e-07\t\\N\n", &[Spelled::Float; 2]).unwrap();
        assert_eq!(row.fields().unwrap(), [Some("0.0000001"), None]);
        row.take(b"1994-03-07 14:30:05.25\t\\N\n", &[Spelled::Time; 2]).unwrap();
        assert_eq!(row.fields().unwrap(), [Some("1994-03-07T14:30:05.250"), None]);
        for bad in [&b"one field\n"[..], b"a\tb\tc\n", b"a\tb", b"a\t\\\n"] {
            assert!(row.take(bad, &[Spelled::AsItIs; 2]).is_none());
        }
        assert!(row.take(b"x\n", &[Spelled::Float]).is_none());
    }
}
