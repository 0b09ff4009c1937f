//! Parquet files, record by record, spelled as CSV spells them.

use std::fs::File;
use std::path::Path;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

use super::files::RawTable;
use crate::cell::day_of_1970;

/// Reads a file.
pub(super) fn read(path: &Path) -> Result<RawTable, String> {
    let file = File::open(path).map_err(|e| e.to_string())?;
    let reader = SerializedFileReader::new(file).map_err(|e| e.to_string())?;
    let schema = reader.metadata().file_metadata().schema();
    let header = schema.get_fields().iter().map(|field| field.name().to_owned()).collect();
    let mut rows = Vec::new();
    for record in reader.get_row_iter(None).map_err(|e| e.to_string())? {
        let record = record.map_err(|e| e.to_string())?;
        rows.push(record.get_column_iter().map(|(_, field)| spelled(field)).collect::<Result<_, _>>()?);
    }
    Ok(RawTable { header, rows })
}

fn spelled(field: &Field) -> Result<String, String> {
    Ok(match field {
        Field::Null => String::new(),
        Field::Bool(truth) => truth.to_string(),
        Field::Int(number) => number.to_string(),
        Field::Long(number) => number.to_string(),
        Field::Double(number) => number.to_string(),
        Field::Str(text) => text.clone(),
        Field::Date(days) => day_of_1970(i64::from(*days)).to_string(),
        other => return Err(format!("{other} is of no type that releases have")),
    })
}
