//! A release as Arrow record batches: what stands in its files, typed, with what the manifest says of every column.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray,
    TimestampMicrosecondArray, UInt32Array, UInt64Array,
};
use arrow_schema::{DataType, Field, Metadata, Schema, SchemaRef, TimeUnit};
use rayon::prelude::*;

use crate::data::domain::Domain;
use crate::data::source::{ColumnData, ColumnNeed, Source};
use crate::data::value::{Type, Value};
use crate::error::{Error, Result};
use crate::kind::{KindEntry, registry};
use crate::progress::Progress;
use crate::release::{ColumnType, Files, notes};

const BATCH_ROWS: usize = 1 << 16;

/// All tables of a release, in the order of its manifest, each with its name. They are the same whether the files are CSV or Parquet.
///
/// A table has at least one batch, so that its schema is told even if it has no row. Fields and schemas carry the words of
/// [`notes`] as metadata.
pub fn tables(files: &Files<'_>) -> Result<Vec<(String, Vec<RecordBatch>)>> {
    let kind = registry::of_files(files)?;
    files.manifest.tables.iter().map(|table| Ok((table.name.clone(), batches(files, kind, &table.name)?))).collect()
}

/// A column, whole.
struct Read {
    field: Field,
    held: ColumnType,
    domain: Domain,
    codes: Vec<u32>,
}

fn batches(files: &Files<'_>, kind: &KindEntry, table: &str) -> Result<Vec<RecordBatch>> {
    let source = files.source(table)?;
    let needs: Vec<(usize, ColumnNeed)> = (0..source.names().len()).map(|index| (index, ColumnNeed::Codes)).collect();
    let encoded = source.encode(&needs, &Progress::default())?;
    let columns: Vec<(&String, ColumnData)> = source.names().iter().zip(encoded).collect();
    let columns = columns.into_par_iter().map(|(name, data)| read(files, kind, table, &source, name, data));
    let columns = columns.collect::<Result<Vec<Read>>>()?;
    let rows = columns.first().map_or(0, |column| column.codes.len());
    files.compare("rows", files.manifest.table(table)?.rows, rows as u64)?;
    let fields: Vec<Field> = columns.iter().map(|column| column.field.clone()).collect();
    let noted = notes::of_table(kind.name, table).into_iter().map(|(key, word)| (key.to_owned(), word));
    let schema: SchemaRef = Arc::new(Schema::new(fields).with_metadata(noted.collect::<Metadata>()));
    let starts = (0..rows.max(1)).step_by(BATCH_ROWS);
    let batch = |start: usize| {
        let end = rows.min(start + BATCH_ROWS);
        let arrays =
            columns.iter().map(|column| array(column, &column.codes[start..end])).collect::<Result<Vec<_>>>()?;
        RecordBatch::try_new(schema.clone(), arrays).map_err(|e| Error::bug(e.to_string()))
    };
    starts.map(batch).collect()
}

fn read(
    files: &Files<'_>,
    kind: &KindEntry,
    table: &str,
    source: &Source,
    name: &str,
    data: ColumnData,
) -> Result<Read> {
    let ColumnData::Codes(encoded) = data else {
        return Err(Error::bug(format!("the column {name:?} was not read whole")));
    };
    let columns = &files.manifest.columns;
    let held = (kind.column_type)(columns, table, name);
    let (data_type, stated) = types(held);
    let (domain, codes) = encoded.typed(Some(stated), source.options().decimal, None, name, source.input())?;
    let noted = kind.notes_of(table, name, columns, files.manifest.unit);
    let noted = noted.into_iter().map(|(key, word)| (key.to_owned(), word));
    let field = Field::new(name, data_type, true).with_metadata(noted.collect::<Metadata>());
    Ok(Read { field, held, domain, codes })
}

/// The type of an array, and that of the values in it.
fn types(held: ColumnType) -> (DataType, Type) {
    match held {
        ColumnType::Whole => (DataType::Int64, Type::Integer),
        ColumnType::Group => (DataType::UInt32, Type::Integer),
        ColumnType::Count => (DataType::UInt64, Type::Integer),
        // A Parquet file holds them as floating-point numbers.
        ColumnType::Exact | ColumnType::Float => (DataType::Float64, Type::Number),
        ColumnType::Date => (DataType::Date32, Type::Date),
        ColumnType::Timestamp => (DataType::Timestamp(TimeUnit::Microsecond, None), Type::Timestamp),
        ColumnType::Boolean => (DataType::Boolean, Type::Boolean),
        ColumnType::Large | ColumnType::Text => (DataType::Utf8, Type::Text),
    }
}

fn as_text(value: &Value) -> Option<&str> {
    if let Value::Text(text) = value { Some(text) } else { None }
}

fn array(column: &Read, codes: &[u32]) -> Result<ArrayRef> {
    let values = codes.iter().map(|&code| column.domain.value(code));
    let whole = |value: &Value| if let Value::Integer(i) = value { Some(*i) } else { None };
    let day = |value: &Value| if let Value::Date(days) = value { Some(*days) } else { None };
    let time = |value: &Value| if let Value::Timestamp(time) = value { Some(*time) } else { None };
    let truth = |value: &Value| if let Value::Boolean(truth) = value { Some(*truth) } else { None };
    let array: ArrayRef = match column.held {
        ColumnType::Whole => Arc::new(values.map(whole).collect::<Int64Array>()),
        ColumnType::Group => {
            Arc::new(values.map(|value| whole(value).and_then(|i| u32::try_from(i).ok())).collect::<UInt32Array>())
        }
        ColumnType::Count => {
            Arc::new(values.map(|value| whole(value).and_then(|i| u64::try_from(i).ok())).collect::<UInt64Array>())
        }
        ColumnType::Exact | ColumnType::Float => Arc::new(values.map(Value::as_number).collect::<Float64Array>()),
        ColumnType::Date => Arc::new(values.map(day).collect::<Date32Array>()),
        ColumnType::Timestamp => Arc::new(values.map(time).collect::<TimestampMicrosecondArray>()),
        ColumnType::Boolean => Arc::new(values.map(truth).collect::<BooleanArray>()),
        ColumnType::Large | ColumnType::Text => Arc::new(values.map(as_text).collect::<StringArray>()),
    };
    let lost = codes.iter().filter(|&&code| Some(code) != column.domain.missing()).count() + array.null_count();
    if lost != codes.len() {
        let message =
            format!("the column {:?} holds a number that no {} is", column.field.name(), column.field.data_type());
        return Err(Error::data(message).coded(crate::error::Code::ReleaseDamaged));
    }
    Ok(array)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fmt::Write as _;
    use std::fs::File;

    use arrow_array::cast::AsArray;
    use arrow_array::types::{Date32Type, Float64Type, Int64Type, UInt32Type, UInt64Type};

    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    use super::*;
    use crate::data::value::date_of_days;
    use crate::kind::KindId;
    use crate::progress::Progress;
    use crate::testkit::published::{Published, publish};

    /// A way to each kind of release: its method, its promise, and whether it publishes insensitive attributes.
    const WAYS: &[(&str, &str, bool)] = &[
        ("name = \"mondrian\"\nsuppression = 0.2", "model = \"k-anonymity\"\nk = 3", true),
        ("name = \"least-loss\"", "model = \"k-anonymity\"\nk = 3", true),
        ("name = \"anatomy\"", "model = \"distinct-l-diversity\"\nl = 2", true),
        ("name = \"distribution\"\nfakes = 0.2", "model = \"p-private\"\ntarget = \"uniform\"", true),
        ("name = \"slicing\"\ncolumns = 2\nsensitive_column = 1", "model = \"l-diverse-slicing\"\nl = 2", true),
        ("name = \"ambiguity\"", "model = \"alpha-beta-privacy\"\nalpha = 0.9\nbeta = 0.5", false),
        ("name = \"uncertain\"\ncategorical = \"drop\"", "model = \"uncertain-k-anonymity\"\nk = 3", false),
        ("name = \"condensation\"\ncategorical = \"one-hot\"", "model = \"condensed-k\"\nk = 3", false),
    ];

    const TABLE_ROWS: u32 = 60;

    fn release(way: &(&str, &str, bool), salary: bool, format: &str) -> Published {
        let (method, promise, insensitive) = way;
        let mut csv = "age,born,zip,disease,visits,share,member,ticket\n".to_owned();
        for row in 0..TABLE_ROWS {
            let mixed = row.wrapping_mul(2_654_435_761) >> 12;
            let missing =
                |text: String, every: u32| if *insensitive && mixed % every == 0 { String::new() } else { text };
            let _ = writeln!(
                csv,
                "{},19{}-03-0{},z{},{},{},{},{},{}",
                20 + mixed % 9,
                60 + mixed % 7,
                1 + mixed % 3,
                missing((mixed / 9 % 4).to_string(), 11),
                if salary { (1000 + mixed / 40 % 5 * 500).to_string() } else { format!("d{}", mixed / 40 % 5) },
                missing((i64::from(mixed % 12) - 3).to_string(), 7),
                missing(format!("{}", f64::from(mixed % 30) / 8.0), 5),
                missing((mixed % 2 == 0).to_string(), 9),
                missing(format!("\"t{}, {}\"", mixed % 17, row % 4), 6),
            );
        }
        let open = if *insensitive { "insensitive" } else { "drop" };
        let policy = format!(
            "missing = \"keep\"\n[attributes]\nage = {{ role = \"quasi\" }}\nborn = {{ role = \"quasi\" }}\nzip = {{ role = \"quasi\" }}\n\
             disease = {{ role = \"sensitive\" }}\nvisits = {{ role = \"{open}\" }}\nshare = {{ role = \"{open}\", type = \"number\" }}\n\
             member = {{ role = \"{open}\" }}\nticket = {{ role = \"{open}\" }}\n[[require]]\n{promise}\n[method]\n{method}\n\
             [output]\nformat = \"{format}\"\n"
        );
        publish(&csv, &policy, 7).unwrap_or_else(|error| panic!("{way:?}: {error}"))
    }

    fn exported(published: &Published) -> Vec<(String, Vec<RecordBatch>)> {
        let storage = published.storage();
        tables(&Files::open(&storage, &Progress::new()).unwrap()).unwrap()
    }

    /// A value as the CSV file has it; numbers in floating point as they are, for the file may have more zeros.
    fn text(array: &ArrayRef, row: usize) -> String {
        if array.is_null(row) {
            return String::new();
        }
        match array.data_type() {
            DataType::Int64 => array.as_primitive::<Int64Type>().value(row).to_string(),
            DataType::UInt32 => array.as_primitive::<UInt32Type>().value(row).to_string(),
            DataType::UInt64 => array.as_primitive::<UInt64Type>().value(row).to_string(),
            DataType::Float64 => array.as_primitive::<Float64Type>().value(row).to_string(),
            DataType::Date32 => date_of_days(array.as_primitive::<Date32Type>().value(row)).unwrap().to_string(),
            DataType::Boolean => array.as_boolean().value(row).to_string(),
            _ => array.as_string::<i32>().value(row).to_owned(),
        }
    }

    #[test]
    fn batches_hold_what_stands_in_the_files_of_every_kind() {
        let mut kinds: Vec<String> = Vec::new();
        for (way, salary) in WAYS.iter().flat_map(|way| [(way, false), (way, true)]) {
            // Ranges of sums are for numbers only.
            let csv = release(way, salary, "csv");
            let storage = csv.storage();
            let files = Files::open(&storage, &Progress::new()).unwrap();
            kinds.push(files.manifest.kind.clone());
            let exported = tables(&files).unwrap();
            assert_eq!(exported.len(), files.manifest.tables.len());
            for (name, batches) in &exported {
                let rows = csv.rows_unquoted(name);
                assert_eq!(rows.len(), batches.iter().map(RecordBatch::num_rows).sum::<usize>());
                let mut fields = rows.iter();
                for batch in batches {
                    for (row, expected) in (0..batch.num_rows()).zip(fields.by_ref()) {
                        for (array, field) in batch.columns().iter().zip(expected) {
                            let is_float = *array.data_type() == DataType::Float64 && !field.is_empty();
                            let field =
                                if is_float { field.parse::<f64>().unwrap().to_string() } else { field.clone() };
                            assert_eq!(text(array, row), field, "{way:?} {name}");
                        }
                    }
                }
            }
        }
        kinds.sort();
        kinds.dedup();
        let published = registry::KINDS.iter().filter(|kind| !matches!(kind.id, KindId::Other(_)));
        assert_eq!(kinds.len(), published.count(), "{kinds:?}");
    }

    #[test]
    fn csv_and_parquet_files_give_the_same_batches() {
        for (way, salary) in WAYS.iter().flat_map(|way| [(way, false), (way, true)]) {
            let (csv, parquet) = (release(way, salary, "csv"), release(way, salary, "parquet"));
            let batches = exported(&csv);
            assert_eq!(batches, exported(&parquet), "{way:?}");
            for (table, batches) in batches {
                let file = File::open(parquet.file(&table).with_extension("parquet")).unwrap();
                let stored = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().schema().clone();
                let said = batches[0].schema();
                assert_eq!(stored.metadata(), said.metadata(), "{way:?} {table}");
                for (stored, said) in stored.fields().iter().zip(said.fields()) {
                    assert_eq!((stored.name(), stored.metadata()), (said.name(), said.metadata()), "{way:?} {table}");
                }
            }
        }
    }

    #[test]
    fn fields_say_what_the_manifest_says() {
        let of = |way: usize, table: &str, column: &str| -> (DataType, BTreeMap<String, String>) {
            let exported = exported(&release(&WAYS[way], true, "csv"));
            let (_, batches) = exported.iter().find(|(name, _)| name == table).unwrap();
            assert_eq!(batches[0].schema_ref().metadata()[notes::TABLE], table);
            let schema = batches[0].schema();
            let field = schema.field_with_name(column).unwrap();
            let words = field.metadata().iter().map(|(key, word)| (key.replace("moretta.", ""), word.clone()));
            (field.data_type().clone(), words.collect())
        };
        let words = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
            pairs.iter().map(|&(key, word)| (key.to_owned(), word.to_owned())).collect()
        };
        let quasi = words(&[("role", "quasi"), ("type", "integer"), ("meaning", "interval")]);
        assert_eq!(of(0, "data", "age"), (DataType::Utf8, quasi));
        let open = words(&[("role", "insensitive"), ("type", "boolean"), ("meaning", "exact")]);
        assert_eq!(of(0, "data", "member"), (DataType::Boolean, open));
        assert_eq!(of(2, "qit", "group"), (DataType::UInt32, words(&[("meaning", "group")])));
        assert_eq!(
            of(2, "st_disease", "count"),
            (DataType::UInt64, words(&[("meaning", "count"), ("unit", "people")]))
        );
        let value =
            words(&[("role", "sensitive"), ("type", "integer"), ("meaning", "exact"), ("attribute", "disease")]);
        assert_eq!(of(2, "st_disease", "value"), (DataType::Int64, value));
        assert_eq!(of(2, "qit", "born").0, DataType::Date32);
    }
}
