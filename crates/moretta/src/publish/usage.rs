//! How the tables of a release are loaded by other programs: the snippets of its README.txt, which tests run.

use std::fmt::Write as _;

use serde_json::Value as Json;

use crate::data::format::FileFormat;
use crate::data::value::Type;
use crate::error::Result;
use crate::kind::KindEntry;
use crate::release::bounds::{BoundPart, about};
use crate::release::{ColumnMeaning, ColumnType, Dialect, Manifest, TableFile, ValueMeaning, quoted, source_of};
use crate::storage::Storage;

/// The columns of a released table, with what they hold and what that means.
pub(super) struct PublishedColumns {
    pub(super) columns: Vec<(String, ColumnType, String)>,
}

impl PublishedColumns {
    /// Those of every table, from the files.
    pub(super) fn of(
        manifest: &Manifest,
        kind: &KindEntry,
        storage: &Storage,
        meaning: fn(&ColumnMeaning) -> String,
    ) -> Result<Vec<Self>> {
        let of_table = |table: &TableFile| {
            let source = source_of(storage, table)?;
            let column = |name: &String| {
                let held = (kind.column_type)(&manifest.columns, &table.name, name);
                let spoken_of = (kind.about)(&manifest.columns, &table.name, name);
                let words = match (held, spoken_of, about(&manifest.columns, name)) {
                    (ColumnType::Group, ..) => "the number of a group".to_owned(),
                    (ColumnType::Count, ..) => "how many".to_owned(),
                    (_, Some(column), Some((of, part))) if std::ptr::eq(column, of) && part != BoundPart::Whole => {
                        bound(column, part)
                    }
                    (_, Some(column), _) => meaning(column),
                    (_, None, _) => String::new(),
                };
                (name.clone(), held, words)
            };
            Ok(Self { columns: source.names().iter().map(column).collect() })
        };
        manifest.tables.iter().map(of_table).collect()
    }

    /// Texts and labels, which programs must not take for numbers.
    fn texts(&self) -> Vec<&str> {
        let is_text = |held: ColumnType| matches!(held, ColumnType::Text | ColumnType::Large);
        self.columns.iter().filter(|(_, held, _)| is_text(*held)).map(|(name, ..)| name.as_str()).collect()
    }
}

/// What a column of bounds says.
fn bound(column: &ColumnMeaning, part: BoundPart) -> String {
    let of = &column.name;
    let words = match part {
        BoundPart::Low => format!("the smallest value that {of} may have; empty where nothing is said"),
        BoundPart::High => format!("the largest value that {of} may have; empty where nothing is said"),
        BoundPart::HighExcluded => {
            format!("what {of} lies below, or its value where the low end is the same; empty where nothing is said")
        }
        BoundPart::Missing => format!("whether {of} has no value; empty where that is not said"),
        BoundPart::Whole => String::new(),
    };
    format!("{}, {words}", column.role.name())
}

/// The snippets for every program.
pub(super) fn loading(manifest: &Manifest, tables: &[PublishedColumns]) -> String {
    let names = variables(manifest);
    let all = || manifest.tables.iter().zip(tables).zip(&names).map(|((file, columns), name)| (file, columns, name));
    let mut text = "Columns of labels are text, also where some of their values look like numbers: whoever lets a program guess, loses the others.\n".to_owned();
    let mut block = |title: &str, lines: Vec<String>| {
        let _ = write!(text, "\n{title}:\n\n");
        lines.iter().flat_map(|line| line.lines()).for_each(|line| {
            let _ = writeln!(text, "    {line}");
        });
    };
    let python = |first: &str, line: fn(&TableFile, &PublishedColumns, &str) -> String| {
        std::iter::once(first.to_owned()).chain(all().map(|(file, columns, name)| line(file, columns, name))).collect()
    };
    block("pandas", python("import pandas as pd", pandas));
    block("polars", python("import polars as pl", polars));
    block("R", all().map(|(file, columns, name)| r(file, columns, name)).collect());
    block("DuckDB", all().map(|(file, columns, _)| duckdb(file, columns)).collect());
    block("PostgreSQL, in psql", all().map(|(file, columns, _)| postgresql(file, columns)).collect());
    text + &labels(manifest, &names)
}

fn pandas(file: &TableFile, columns: &PublishedColumns, name: &str) -> String {
    let path = literal(&file.file);
    match (file.format, columns.texts()) {
        (FileFormat::Parquet, _) => format!("{name} = pd.read_parquet({path})"),
        (FileFormat::Xlsx, _) => format!("{name} = pd.read_excel({path}, keep_default_na=False, na_values=[\"\"])"),
        (FileFormat::Csv, texts) => {
            let types = wrapped(texts.iter().map(|text| format!("{}: \"string\"", literal(text))));
            format!("{name} = pd.read_csv({path}, keep_default_na=False, na_values=[\"\"], dtype={{{types}}})")
        }
    }
}

fn polars(file: &TableFile, columns: &PublishedColumns, name: &str) -> String {
    let path = literal(&file.file);
    match (file.format, columns.texts()) {
        (FileFormat::Parquet, _) => format!("{name} = pl.read_parquet({path})"),
        (FileFormat::Xlsx, _) => format!("{name} = pl.read_excel({path})"),
        (FileFormat::Csv, texts) => {
            let types = wrapped(texts.iter().map(|text| format!("{}: pl.String", literal(text))));
            format!("{name} = pl.read_csv({path}, infer_schema_length=None, schema_overrides={{{types}}})")
        }
    }
}

fn r(file: &TableFile, columns: &PublishedColumns, name: &str) -> String {
    let path = literal(&file.file);
    match (file.format, columns.texts()) {
        (FileFormat::Parquet, _) if !file.parts.is_empty() => {
            format!("{name} <- dplyr::collect(arrow::open_dataset({path}))")
        }
        (FileFormat::Parquet, _) => format!("{name} <- arrow::read_parquet({path})"),
        (FileFormat::Xlsx, _) => format!("{name} <- readxl::read_excel({path}, guess_max = Inf)"),
        (FileFormat::Csv, texts) => {
            let types = wrapped(texts.iter().map(|text| format!("{} = \"character\"", literal(text))));
            // R takes no classes of no columns.
            let types = if types.is_empty() { types } else { format!(", colClasses = c({types})") };
            format!("{name} <- read.csv({path}, na.strings = \"\", check.names = FALSE{types})")
        }
    }
}

fn duckdb(file: &TableFile, columns: &PublishedColumns) -> String {
    let files = if file.parts.is_empty() { file.file.clone() } else { format!("{}/*.parquet", file.file) };
    let (table, path) = (quoted(&file.name), sql_text(&files));
    match (file.format, columns.texts()) {
        (FileFormat::Parquet, _) => format!("CREATE TABLE {table} AS SELECT * FROM read_parquet({path});"),
        (FileFormat::Xlsx, _) => {
            format!(
                "INSTALL excel; LOAD excel; CREATE TABLE {table} AS SELECT * FROM read_xlsx({path}, header = true);"
            )
        }
        (FileFormat::Csv, texts) => {
            let types = wrapped(texts.iter().map(|text| format!("{}: 'VARCHAR'", sql_text(text))));
            let types = if types.is_empty() { String::new() } else { format!(", types = {{{types}}}") };
            format!(
                "CREATE TABLE {table} AS SELECT * FROM read_csv({path}, header = true, delim = ',', quote = '\"', escape = '\"', sample_size = -1{types});"
            )
        }
    }
}

fn postgresql(file: &TableFile, columns: &PublishedColumns) -> String {
    if file.format != FileFormat::Csv {
        return format!(
            "-- It does not read such files: with moretta, `moretta export . --sql` writes {} as a script.",
            file.name
        );
    }
    let column = |(name, kind, _): &(String, ColumnType, String)| {
        format!("{} {}", quoted(name), Dialect::Postgres.type_name(*kind))
    };
    let columns = wrapped(columns.columns.iter().map(column));
    let table = quoted(&file.name);
    format!("CREATE TABLE {table} ({columns});\n\\copy {table} FROM {} WITH (FORMAT csv, HEADER)", sql_text(&file.file))
}

/// How labels become numbers and members of sets, in pandas.
fn labels(manifest: &Manifest, names: &[String]) -> String {
    let mut text = String::new();
    let is_range = |column: &&ColumnMeaning| {
        matches!(column.values, ValueMeaning::Interval | ValueMeaning::Intervals { .. })
            && matches!(column.kind, Type::Integer | Type::Number)
    };
    let Some(table) = names.first() else { return text };
    if let Some(column) = manifest.columns.iter().find(is_range) {
        let name = &column.name;
        if let Some(bounds) = &column.bounds {
            let (low, high) = (literal(&bounds.low), literal(&bounds.high));
            let middle = literal(&format!("{name}_middle"));
            let _ = write!(
                text,
                "\nThe middle of the ends, in pandas, is a fair guess for means, and wrong for who is at the ends:\n\n    \
                 {table}[{middle}] = ({table}[{low}] + {table}[{high}]) / 2\n"
            );
            return text + &nodes(manifest);
        }
        let (own, low, high, middle) = (
            literal(name),
            literal(&format!("{name}_low")),
            literal(&format!("{name}_high")),
            literal(&format!("{name}_middle")),
        );
        let closed =
            column.values.open().iter().map(|open| format!("{}: {}", literal(&open.label), literal(&open.interval)));
        let closed = match wrapped(closed) {
            none if none.is_empty() => none,
            closed => format!(".replace({{{closed}}})"),
        };
        let _ = write!(
            text,
            "\nNumbers from intervals, in pandas; the middle is a fair guess for means, and wrong for who is at the ends:\n\n    \
             ends = {table}[{own}].astype(\"string\"){closed}.str.extract(r\"^\\[?(-?[0-9.]+)(?:, (-?[0-9.]+)[\\])])?\").astype(float)\n    \
             {table}[{low}], {table}[{high}] = ends[0], ends[1].fillna(ends[0])\n    \
             {table}[{middle}] = ({table}[{low}] + {table}[{high}]) / 2\n"
        );
    }
    text + &nodes(manifest)
}

/// What labels stand for that do not say it themselves, in Python.
fn nodes(manifest: &Manifest) -> String {
    let mut text = String::new();
    let has_nodes = |column: &ColumnMeaning| matches!(&column.values, ValueMeaning::Hierarchy { nodes } | ValueMeaning::Set { nodes } if !nodes.is_empty());
    if manifest.columns.iter().any(has_nodes) {
        text.push_str(
            "\nWhat labels stand for, in Python: members[\"column\"][\"label\"] lists the values.\n\n    \
             import json\n    \
             columns = json.load(open(\"manifest.json\", encoding=\"utf-8\"))[\"columns\"]\n    \
             members = {c[\"name\"]: {n[\"label\"]: n[\"leaves\"] for n in c[\"values\"].get(\"nodes\", [])} for c in columns}\n",
        );
    }
    text
}

/// A name for each table in Python and R.
pub(super) fn variables(manifest: &Manifest) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for table in &manifest.tables {
        let plain: String = table.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let name = if names.contains(&plain) { format!("{plain}_{}", names.len() + 1) } else { plain };
        names.push(name);
    }
    names
}

/// A text as Python and R read it.
fn literal(text: &str) -> String {
    Json::from(text).to_string()
}

/// A text as SQL reads it.
fn sql_text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Items with commas, a few in a line.
fn wrapped(items: impl Iterator<Item = String>) -> String {
    const IN_A_LINE: usize = 4;
    let items: Vec<String> = items.collect();
    let lines: Vec<String> = items.chunks(IN_A_LINE).map(|line| line.join(", ")).collect();
    lines.join(",\n    ")
}
