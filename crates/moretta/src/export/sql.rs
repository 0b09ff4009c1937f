//! A release as a script of ordinary SQL, for databases.
//!
//! Only what PostgreSQL, SQLite and DuckDB all understand: quoted names, plain types, INSERT with lists of rows. Types that they call otherwise have the
//! names of the dialect that is asked for.

use std::io::Write;

use crate::error::{Error, Result};
use crate::kind::{KindEntry, registry};
use crate::progress::Progress;
use crate::release::{ColumnType, Dialect, Files, quoted};

/// How many rows an INSERT holds.
const ROWS: usize = 500;

/// Writes a script that makes the tables of a release and fills them; where counts and sums have estimates and bounds in plain SQL, with
/// the views and queries that find them.
pub fn sql(files: &Files<'_>, dialect: Dialect, out: &mut dyn Write, progress: &Progress) -> Result<()> {
    progress.start("exporting", files.manifest.tables.iter().map(|table| table.rows).fold(0, u64::saturating_add));
    let (manifest, kind) = (&files.manifest, registry::of_files(files)?);
    let text = format!("-- A {} release, made by {}.\n\nBEGIN;\n\n", manifest.kind, manifest.method);
    put(out, &text)?;
    for table in &manifest.tables {
        write_table(files, (kind, dialect), &table.name, out, progress)?;
    }
    put(out, "COMMIT;\n")?;
    (kind.sql_epilogue)(files).map_or(Ok(()), |text| put(out, &text))
}

fn put(out: &mut dyn Write, text: &str) -> Result<()> {
    out.write_all(text.as_bytes()).map_err(|e| Error::system("the script can't be written", e))
}

fn write_table(
    files: &Files<'_>,
    (kind, dialect): (&KindEntry, Dialect),
    table: &str,
    out: &mut dyn Write,
    progress: &Progress,
) -> Result<()> {
    let source = files.source(table)?;
    let mut kinds: Vec<ColumnType> =
        source.names().iter().map(|column| (kind.column_type)(&files.manifest.columns, table, column)).collect();
    if dialect != Dialect::Common {
        dialect.narrow(&mut kinds, &source, progress)?;
    }
    let columns: Vec<String> = source
        .names()
        .iter()
        .zip(&kinds)
        .map(|(name, kind)| format!("    {} {}", quoted(name), dialect.type_name(*kind)))
        .collect();
    put(out, &format!("CREATE TABLE {} (\n{}\n);\n", quoted(table), columns.join(",\n")))?;
    let wanted: Vec<usize> = (0..kinds.len()).collect();
    let mut open = 0;
    let mut text = String::new();
    source.stream(&wanted, &mut |batch| {
        progress.check()?;
        progress.advance(batch.rows as u64);
        for row in 0..batch.rows {
            match open {
                0 => text.extend(["INSERT INTO ", &quoted(table), " VALUES\n"]),
                _ => text.push_str(",\n"),
            }
            let values = batch.columns.iter().zip(&kinds).map(|(column, kind)| literal(*kind, column[row].as_deref()));
            text.extend(["(", &values.collect::<Vec<_>>().join(", "), ")"]);
            open += 1;
            if open == ROWS {
                text.push_str(";\n");
                put(out, &text)?;
                text.clear();
                open = 0;
            }
        }
        Ok(())
    })?;
    if open > 0 {
        text.push_str(";\n");
    }
    text.push('\n');
    put(out, &text)
}

fn literal(kind: ColumnType, text: Option<&str>) -> String {
    match (kind, text) {
        (_, None) => "NULL".to_owned(),
        (ColumnType::Date | ColumnType::Timestamp | ColumnType::Text, Some(text)) => {
            format!("'{}'", text.replace('\'', "''"))
        }
        (_, Some(text)) => text.trim().to_owned(),
    }
}
