//! A release in an SQLite file, whose tables have the name of its schema before theirs.

use std::path::{Path, PathBuf};

use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, params_from_iter};

use super::layout::{RELEASE, ROW, TableLayout};
use super::rows::{EachRow, Sink};
use super::{Base, Destination, Found, RowOrder};
use crate::error::{Code, Error, Fault, Result};
use crate::release::{ColumnType, Dialect, quoted};

struct File {
    /// Nothing only while it is dropped.
    connection: Option<Connection>,
    path: PathBuf,
    schema: String,
    /// Whether the file was made for this release, so that it goes where the release does not stay.
    is_new: bool,
}

pub(super) fn connect(file: &Path, destination: &Destination) -> Result<Box<dyn Base>> {
    let is_new = !file.exists();
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags).map_err(|e| refused(file, &e))?;
    let (path, schema) = (file.to_path_buf(), destination.schema.clone());
    Ok(Box::new(File { connection: Some(connection), path, schema, is_new }))
}

impl File {
    fn connection(&self) -> Result<&Connection> {
        self.connection.as_ref().ok_or_else(|| Error::bug("an SQLite file that is closed"))
    }

    fn run(&self, sql: &str) -> Result<()> {
        self.connection()?.execute_batch(sql).map_err(|e| refused(&self.path, &e))
    }

    fn called(&self, table: &str) -> String {
        quoted(&self.prefixed(table))
    }

    fn prefixed(&self, table: &str) -> String {
        format!("{}_{table}", self.schema)
    }

    /// The columns of a table without the number of its row, and whether they hold truth values.
    fn typed_columns(&self, table: &str) -> Result<Vec<(String, bool)>> {
        let refused = |e: rusqlite::Error| refused(&self.path, &e);
        let mut statement = self
            .connection()?
            .prepare("SELECT name, type = 'BOOLEAN' FROM pragma_table_info(?1) WHERE name <> ?2 ORDER BY cid")
            .map_err(refused)?;
        let columns = statement
            .query_map([self.prefixed(table).as_str(), ROW], |row| Ok((row.get(0)?, row.get(1)?)))
            .map_err(refused)?;
        columns.collect::<rusqlite::Result<_>>().map_err(refused)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let in_transaction = self.connection.as_ref().is_some_and(|connection| !connection.is_autocommit());
        drop(self.connection.take());
        if self.is_new && (in_transaction || std::fs::metadata(&self.path).is_ok_and(|meta| meta.len() == 0)) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

impl Base for File {
    fn found(&mut self) -> Result<Found> {
        // GLOB, since LIKE takes _ for any letter.
        let sql = "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name GLOB ?1 || '_*'";
        let refused = |e: rusqlite::Error| refused(&self.path, &e);
        let mut statement = self.connection()?.prepare(sql).map_err(refused)?;
        let names = statement.query_map([&self.schema], |row| row.get::<_, String>(0)).map_err(refused)?;
        let names = names.collect::<rusqlite::Result<Vec<_>>>().map_err(refused)?;
        // Tables of a release whose name begins with this one are no obstacle.
        let own = self.prefixed(RELEASE);
        Ok(if names.contains(&own) { Found::Release } else { Found::Nothing })
    }

    fn rehearse(&mut self) -> Result<()> {
        self.run("BEGIN IMMEDIATE; ROLLBACK")
    }

    fn begin(&mut self, to_write: bool) -> Result<()> {
        self.run(if to_write { "BEGIN IMMEDIATE" } else { "BEGIN" })
    }

    fn make_schema(&mut self) -> Result<()> {
        Ok(())
    }

    fn remove(&mut self, tables: &[String]) -> Result<()> {
        tables.iter().try_for_each(|table| self.run(&format!("DROP TABLE {}", self.called(table))))
    }

    fn create(&mut self, table: &TableLayout) -> Result<()> {
        self.run(&table.statement(&self.called(&table.name), "INTEGER PRIMARY KEY", Dialect::Sqlite))
    }

    fn fill(&mut self, table: &TableLayout, rows: EachRow<'_>) -> Result<()> {
        let refused = |e: rusqlite::Error| refused(&self.path, &e);
        let places = vec!["?"; table.columns.len() + 1].join(", ");
        let sql = format!("INSERT INTO {} VALUES ({places})", self.called(&table.name));
        let mut statement = self.connection()?.prepare(&sql).map_err(refused)?;
        let mut number = 0;
        rows(&mut |fields| {
            number += 1;
            let values = fields.iter().zip(&table.columns).map(|(field, (_, held))| value(*field, *held));
            let values: Vec<Value> = std::iter::once(Value::Integer(number)).chain(values).collect();
            statement.execute(params_from_iter(values)).map(drop).map_err(refused)
        })
    }

    fn index(&mut self, table: &TableLayout) -> Result<()> {
        for (place, index) in table.indexes.iter().enumerate() {
            let called = quoted(&format!("{}_by_{}", self.prefixed(&table.name), place + 1));
            let columns: Vec<String> = index.iter().map(|name| quoted(name)).collect();
            self.run(&format!("CREATE INDEX {called} ON {} ({})", self.called(&table.name), columns.join(", ")))?;
        }
        Ok(())
    }

    fn columns(&mut self, table: &str) -> Result<Vec<String>> {
        Ok(self.typed_columns(table)?.into_iter().map(|(name, _)| name).collect())
    }

    fn read(&mut self, table: &str, _: RowOrder, sink: Sink<'_>) -> Result<()> {
        let refused = |e: rusqlite::Error| refused(&self.path, &e);
        let columns = self.typed_columns(table)?;
        let selected: Vec<String> = columns.iter().map(|(name, _)| quoted(name)).collect();
        let sql = format!("SELECT {} FROM {} ORDER BY {ROW}", selected.join(", "), self.called(table));
        let mut statement = self.connection()?.prepare(&sql).map_err(refused)?;
        let mut rows = statement.query([]).map_err(refused)?;
        let mut texts: Vec<Option<String>> = vec![None; columns.len()];
        while let Some(row) = rows.next().map_err(refused)? {
            for (place, ((_, is_truth), text)) in columns.iter().zip(&mut texts).enumerate() {
                *text = match row.get_ref(place).map_err(refused)? {
                    ValueRef::Null => None,
                    ValueRef::Integer(value) if *is_truth => Some((value != 0).to_string()),
                    ValueRef::Integer(value) => Some(value.to_string()),
                    ValueRef::Real(value) => Some(value.to_string()),
                    ValueRef::Text(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
                    ValueRef::Blob(_) => return Err(not_ours(&self.path)),
                };
            }
            sink(&texts.iter().map(Option::as_deref).collect::<Vec<_>>())?;
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<()> {
        self.run("COMMIT")
    }
}

/// A text as SQLite holds a value of its type.
fn value(text: Option<&str>, held: ColumnType) -> Value {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Value::Null };
    let as_text = || Value::Text(text.to_owned());
    match held {
        ColumnType::Text | ColumnType::Date | ColumnType::Timestamp => as_text(),
        ColumnType::Boolean => Value::Integer(i64::from(text == "true")),
        ColumnType::Float => text.parse().map_or_else(|_| as_text(), Value::Real),
        ColumnType::Whole | ColumnType::Large | ColumnType::Group | ColumnType::Count | ColumnType::Exact => {
            let number = || text.parse().map_or_else(|_| as_text(), Value::Real);
            text.parse().map_or_else(|_| number(), Value::Integer)
        }
    }
}

fn not_ours(file: &Path) -> Error {
    Error::data("a table of the release holds a blob")
        .coded(Code::ReleaseDamaged)
        .at_file(file)
        .help("get the release again from its publisher")
}

fn refused(file: &Path, error: &rusqlite::Error) -> Error {
    let said = |fault| Error::new(fault, format!("SQLite says: {error}")).at_file(file);
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            said(Fault::Machine).help("another program is writing to it: try again when it is done")
        }
        Some(ErrorCode::DiskFull) => said(Fault::Machine).coded(Code::DiskFull).help("nothing was written; make room"),
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            said(Fault::Machine).coded(Code::PermissionDenied).help("the file and its folder must be yours to write")
        }
        Some(ErrorCode::SystemIoFailure | ErrorCode::OutOfMemory) => said(Fault::Machine),
        _ => said(Fault::Input).help("nothing was written"),
    }
}
