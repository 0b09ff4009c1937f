//! Tables of SQLite files. One read transaction lasts from the first pass to the last: nobody's changes come between them.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::address::{self, quoted};
use super::loose::{Cell, CellSorts, LooseBuilder};
use super::relation::{BATCH_ROWS, Relation, RelationColumn, Steady};
use super::{Input, ReadOptions};
use crate::error::{Code, Error, Fault, Result};

/// The rows of a table, or of a query.
struct Rows {
    file: Box<Path>,
    connection: Mutex<Connection>,
    sql: String,
    missing_values: Vec<String>,
    columns: Vec<RelationColumn>,
    schema: SchemaRef,
}

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows").field("file", &self.file).field("sql", &self.sql).finish_non_exhaustive()
    }
}

/// Opens the table that the options name, and looks at all its rows: only they tell what a column holds.
pub(super) fn open(input: &Input, file: &Path, options: &ReadOptions) -> Result<Steady> {
    std::fs::metadata(file).map_err(|e| Error::machine("read the file", file, e))?;
    let connection =
        Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)
            .and_then(|connection| connection.execute_batch("BEGIN").map(|()| connection))
            .map_err(|e| refused(file, &e))?;
    let sql = address::statement(input, options, || tables(&connection).map_err(|e| refused(file, &e)))?;
    let names: Vec<String> = {
        let statement = connection.prepare(&sql).map_err(|e| refused(file, &e))?;
        statement.column_names().map(ToOwned::to_owned).collect()
    };
    if names.is_empty() {
        return Err(Error::input("the query gives no columns")
            .coded(Code::TableUnreadable)
            .at_file(file)
            .help("write a SELECT: query = \"SELECT * FROM people\""));
    }
    let mut sorts = vec![CellSorts::default(); names.len()];
    each_row(&connection, file, &sql, &options.missing_values, &mut |row, place, cell| {
        sorts[place].observe(cell, row);
        Ok(())
    })?;
    let columns: Vec<RelationColumn> =
        sorts.iter().zip(&names).map(|(sorts, name)| sorts.column(name, &mixed_help(name))).collect();
    let schema = Arc::new(Schema::new(columns.iter().map(|column| column.field.clone()).collect::<Vec<_>>()));
    let missing_values = options.missing_values.clone();
    let connection = Mutex::new(connection);
    Ok(Steady::new(Box::new(Rows { file: file.into(), connection, sql, missing_values, columns, schema })))
}

fn mixed_help(name: &str) -> String {
    let column = quoted(name);
    format!(
        "let `query` make them one type, such as CAST({column} AS TEXT) AS {column}; or add a text that means a missing value to \
         `missing_values`"
    )
}

impl Relation for Rows {
    fn columns(&self) -> &[RelationColumn] {
        &self.columns
    }

    fn scan(&self, sink: &mut dyn FnMut(RecordBatch) -> Result<()>) -> Result<()> {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let mut builders: Vec<LooseBuilder> = self.columns.iter().map(LooseBuilder::new).collect();
        let mut batch = |builders: &mut Vec<LooseBuilder>| {
            let arrays = builders.iter_mut().map(LooseBuilder::finish).collect();
            let batch = RecordBatch::try_new(self.schema.clone(), arrays);
            sink(batch.map_err(|e| Error::bug(format!("columns of SQLite make no batch: {e}")))?)
        };
        let mut begun = 0;
        each_row(&connection, &self.file, &self.sql, &self.missing_values, &mut |row, place, cell| {
            if place == 0 && row > 1 && (row - 1).is_multiple_of(BATCH_ROWS as u64) {
                batch(&mut builders)?;
                begun = 0;
            }
            begun += usize::from(place == 0);
            if builders[place].push(cell) { Ok(()) } else { Err(changed(&self.file)) }
        })?;
        if begun == 0 { Ok(()) } else { batch(&mut builders) }
    }
}

/// Passes over all cells; rows count from 1, columns from 0.
fn each_row(
    connection: &Connection,
    file: &Path,
    sql: &str,
    missing_values: &[String],
    sink: &mut dyn FnMut(u64, usize, Cell<'_>) -> Result<()>,
) -> Result<()> {
    let refused = |e: rusqlite::Error| refused(file, &e);
    let mut statement = connection.prepare(sql).map_err(refused)?;
    let columns = statement.column_count();
    let mut rows = statement.query([]).map_err(refused)?;
    let mut number = 0;
    while let Some(row) = rows.next().map_err(refused)? {
        number += 1;
        for place in 0..columns {
            let cell = match row.get_ref(place).map_err(refused)? {
                ValueRef::Null => Cell::Nothing,
                ValueRef::Integer(value) => Cell::Integer(value),
                ValueRef::Real(value) => Cell::Number(value),
                ValueRef::Text(bytes) => {
                    std::str::from_utf8(bytes).map_or(Cell::Other("a text that is not UTF-8"), Cell::Text)
                }
                ValueRef::Blob(_) => Cell::Other("a blob"),
            };
            sink(number, place, cell.or_missing(missing_values))?;
        }
    }
    Ok(())
}

/// The tables and views of a database.
fn tables(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name";
    connection.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
}

fn changed(file: &Path) -> Error {
    Error::new(Fault::Machine, "a column holds another type of values than when it was first read")
        .coded(Code::InputChanged)
        .at_file(file)
        .help("let the query give the same rows every time")
}

fn refused(file: &Path, error: &rusqlite::Error) -> Error {
    let busy = matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked));
    let machine = matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::SystemIoFailure | ErrorCode::PermissionDenied | ErrorCode::OutOfMemory | ErrorCode::CannotOpen)
    );
    let fault = if busy || machine { Fault::Machine } else { Fault::Input };
    let refused =
        Error::new(fault, format!("SQLite can't read this: {error}")).coded(Code::TableUnreadable).at_file(file);
    if busy { refused.help("another program is writing to it: try again when it is done") } else { refused }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::source::{ColumnData, ColumnNeed, Source};
    use crate::progress::Progress;

    fn made(sql: &str) -> (tempfile::TempDir, Connection, Input) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("t.db");
        let base = Connection::open(&file).unwrap();
        base.execute_batch(sql).unwrap();
        (folder, base, Input::at(Path::new(&format!("sqlite:{}#people", file.display()))).unwrap())
    }

    fn texts(source: &Source, column: usize) -> Vec<Option<String>> {
        let mut found = Vec::new();
        let mut take = |batch: crate::data::source::RowBatch| {
            found.extend(batch.columns[0].iter().map(|value| value.as_deref().map(ToOwned::to_owned)));
            Ok(())
        };
        source.stream(&[column], &mut take).unwrap();
        found
    }

    #[test]
    fn what_others_write_between_two_passes_is_not_seen() {
        let (_folder, base, input) = made(
            "PRAGMA journal_mode = wal; CREATE TABLE people (age INTEGER, sex TEXT); \
             INSERT INTO people VALUES (20, 'f'), (NULL, ''), (40, 'm')",
        );
        let source = Source::open(input, ReadOptions::detect()).unwrap();
        let before = (texts(&source, 0), texts(&source, 1));
        base.execute_batch("DELETE FROM people WHERE age = 20; INSERT INTO people VALUES (90, 'x')").unwrap();
        assert_eq!((texts(&source, 0), texts(&source, 1)), before);
        let said = |text: &str| Some(text.to_owned());
        assert_eq!(before.0, [said("20"), None, said("40")]);
        assert_eq!(before.1, [said("f"), None, said("m")]);
    }

    #[test]
    fn a_column_of_two_types_is_refused_with_its_rows_unless_it_is_left_out() {
        let (_folder, _, input) = made(
            "CREATE TABLE people (age, sex TEXT); INSERT INTO people VALUES (20, 'f'), ('old', 'f'), (x'00', 'm')",
        );
        let source = Source::open(input, ReadOptions::detect()).unwrap();
        let error = source.encode(&[(0, ColumnNeed::Codes)], &Progress::default()).unwrap_err().to_string();
        let said = "holds a whole number in row 1 and a text (\"old\") in row 2 and a blob in row 3";
        assert!(error.contains(said), "{error}");
        let left_out = source.encode(&[(0, ColumnNeed::Presence)], &Progress::default()).unwrap();
        assert!(matches!(&left_out[0], ColumnData::NullMask { missing, .. } if missing.is_clear()));
    }

    #[test]
    fn a_query_can_not_write() {
        let (_folder, base, input) = made("CREATE TABLE people (age INTEGER); INSERT INTO people VALUES (20)");
        let Input::Database(place) = input else { panic!("a database") };
        let place = place.to_str().unwrap().trim_end_matches("#people").to_owned();
        for query in ["DELETE FROM people RETURNING *", "SELECT 1; DELETE FROM people", "DROP TABLE people"] {
            let options = ReadOptions { query: Some(query.to_owned()), ..ReadOptions::detect() };
            assert!(Source::open(Input::Database(place.clone().into()), options).is_err(), "{query}");
        }
        assert_eq!(base.query_row("SELECT count(*) FROM people", [], |row| row.get::<_, i64>(0)).unwrap(), 1);
    }
}
