//! A release as a script of ordinary SQL, for databases.
//!
//! Only what SQLite and PostgreSQL both understand: quoted names, plain types, INSERT with lists of rows.

use std::io::Write;

use crate::data::role::Role;
use crate::data::value::Type;
use crate::error::{Error, Result};
use crate::release::distribution::{BOUNDS, SENSITIVE};
use crate::release::{Files, GROUP, QIT, published_type};

/// How many rows an INSERT holds.
const ROWS: usize = 500;

/// Writes a script that makes the tables of a release and fills them; where sums have bounds, with the query that
/// finds them.
pub fn sql(files: &Files<'_>, out: &mut dyn Write) -> Result<()> {
    let manifest = &files.manifest;
    let text = format!("-- A {} release, made by {}.\n\nBEGIN;\n\n", manifest.kind, manifest.method);
    put(out, &text)?;
    for table in &manifest.tables {
        write_table(files, &table.name, out)?;
    }
    put(out, "COMMIT;\n")?;
    if manifest.tables.iter().any(|table| table.name == BOUNDS) {
        put(out, &index_and_query(files))?;
    }
    Ok(())
}

fn put(out: &mut dyn Write, text: &str) -> Result<()> {
    out.write_all(text.as_bytes()).map_err(|e| Error::system("the script can't be written", e))
}

fn write_table(files: &Files<'_>, table: &str, out: &mut dyn Write) -> Result<()> {
    let source = files.source(table)?;
    let kinds: Vec<Sql> = source.names().iter().map(|column| kind(files, table, column)).collect();
    let columns: Vec<String> =
        source.names().iter().zip(&kinds).map(|(name, kind)| format!("    {} {}", quoted(name), kind.name())).collect();
    put(out, &format!("CREATE TABLE {} (\n{}\n);\n", quoted(table), columns.join(",\n")))?;
    let wanted: Vec<usize> = (0..kinds.len()).collect();
    let mut open = 0;
    let mut text = String::new();
    source.stream(&wanted, &mut |batch| {
        for row in 0..batch.rows {
            match open {
                0 => text.extend(["INSERT INTO ", &quoted(table), " VALUES\n"]),
                _ => text.push_str(",\n"),
            }
            let values = batch.columns.iter().zip(&kinds).map(|(column, kind)| kind.literal(column[row].as_deref()));
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

/// A column's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sql {
    Whole,
    Exact,
    Float,
    Date,
    Boolean,
    Text,
}

impl Sql {
    fn name(self) -> &'static str {
        match self {
            Self::Whole => "BIGINT",
            Self::Exact => "NUMERIC",
            Self::Float => "DOUBLE PRECISION",
            Self::Date => "DATE",
            Self::Boolean => "BOOLEAN",
            Self::Text => "TEXT",
        }
    }

    fn literal(self, text: Option<&str>) -> String {
        match (self, text) {
            (_, None) => "NULL".to_owned(),
            (Self::Whole | Self::Exact | Self::Float | Self::Boolean, Some(text)) => text.trim().to_owned(),
            (Self::Date | Self::Text, Some(text)) => format!("'{}'", text.replace('\'', "''")),
        }
    }
}

impl From<Type> for Sql {
    fn from(kind: Type) -> Self {
        match kind {
            Type::Integer => Self::Whole,
            Type::Number => Self::Float,
            Type::Date => Self::Date,
            Type::Boolean => Self::Boolean,
            Type::Text => Self::Text,
        }
    }
}

/// The type of a column: of an attribute as the manifest states it, of our own columns as we write them.
fn kind(files: &Files<'_>, table: &str, column: &str) -> Sql {
    let columns = &files.manifest.columns;
    let attribute = columns.iter().find(|known| known.name == column && table != SENSITIVE && table != BOUNDS);
    if let Some(attribute) = attribute {
        return published_type(attribute).into();
    }
    let sensitive = || columns.iter().find(|known| known.role == Role::Sensitive.name());
    match column {
        GROUP | "bucket" | "m" | "count" => Sql::Whole,
        // Sums of decimals are compared and added without rounding.
        "sum_low" | "sum_high" if sensitive().is_some_and(|column| column.kind == Type::Integer) => Sql::Whole,
        "sum_low" | "sum_high" | "numerator" | "denominator" => Sql::Exact,
        "low" | "high" | "value" => match sensitive() {
            Some(column) => published_type(column).into(),
            _ => Sql::Text,
        },
        _ => Sql::Text,
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Looks bounds up by the number of people that a condition selects in each group. Koudas et al. (2009), section 3.3.
fn index_and_query(files: &Files<'_>) -> String {
    let weight = files.manifest.columns.iter().find(|column| column.role == Role::Weight.name());
    let people = weight.map_or("COUNT(*)".to_owned(), |column| format!("SUM({})", quoted(&column.name)));
    let (qit, bounds, group) = (quoted(QIT), quoted(BOUNDS), quoted(GROUP));
    format!(
        "CREATE INDEX {index} ON {bounds} ({group}, \"m\");

-- Bounds of SUM and AVG for the people whom a condition on quasi-identifiers selects: put it in the place of 1 = 1.
SELECT SUM(b.\"sum_low\") AS sum_low,
       SUM(b.\"sum_high\") AS sum_high,
       SUM(b.\"sum_low\") * 1.0 / SUM(s.m) AS avg_low,
       SUM(b.\"sum_high\") * 1.0 / SUM(s.m) AS avg_high
FROM (SELECT {group} AS g, {people} AS m FROM {qit} WHERE 1 = 1 GROUP BY {group}) AS s
JOIN {bounds} AS b ON b.{group} = s.g AND b.\"m\" = s.m;
",
        index = quoted("bounds_by_people"),
    )
}
