//! Writing small tables: those that fit into memory.

use super::{Context, Dealt};
use crate::data::format::FileFormat;
use crate::data::value::Type;
use crate::data::write::{Header, Note, Values, noted_writer, table_writer};
use crate::error::Result;
use crate::release::TableFile;
use crate::storage::Storage;

const BATCH_ROWS: usize = 1 << 16;

/// Writes a table whose columns are all there, with what is said of it.
pub(crate) fn write_table(
    context: &Context<'_>,
    storage: &Storage,
    name: &str,
    (headers, notes): (&[Header], &[Note]),
    columns: &[Values<'_>],
) -> Result<TableFile> {
    let format = context.output;
    let file = file_name(name, format);
    let mut sink = storage.create(&file)?;
    let unwritable = |e: std::io::Error| storage.unwritable(&file, e);
    let mut writer = noted_writer(format, &mut sink, headers, notes).map_err(unwritable)?;
    let rows = columns.first().map_or(0, Values::len);
    for start in (0..rows).step_by(BATCH_ROWS) {
        context.progress.check()?;
        let some = start..rows.min(start + BATCH_ROWS);
        let batch: Vec<Values<'_>> = columns.iter().map(|column| column.rows(some.clone())).collect();
        writer.write(&batch).map_err(unwritable)?;
    }
    writer.finish().map_err(unwritable)?;
    let print = sink.finish()?;
    Ok(TableFile {
        name: name.to_owned(),
        file,
        format,
        rows: rows as u64,
        bytes: print.bytes,
        sha256: print.sha256,
        parts: Vec::new(),
    })
}

/// The file of a table. Attributes may have names that no file can have; numbers of tables tell them apart.
pub(crate) fn file_name(table: &str, format: FileFormat) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ' | '+');
    if table.chars().all(plain) {
        return format!("{table}.{}", format.extension());
    }
    // Two names that differ only in what a file name can't hold still differ in their codes.
    let safe: String =
        table.chars().map(|c| if plain(c) { c.to_string() } else { format!("%{:X}", c as u32) }).collect();
    format!("{safe}.{}", format.extension())
}

/// Writes the private map: for each row of the source that was published, its group, and where rows stand for several people how many of them are there.
pub(crate) fn write_map(context: &Context<'_>, dealt: &Dealt, storage: &Storage) -> Result<()> {
    let format = context.output;
    let file = format!("map.{}", format.extension());
    let mut sink = storage.create(&file)?;
    let unwritable = |e: std::io::Error| storage.unwritable(&file, e);
    let mut headers = vec![Header::plain("row", Type::Integer), Header::plain("group", Type::Integer)];
    headers.extend(context.is_weighted().then(|| Header::plain("people", Type::Integer)));
    let mut writer = table_writer(format, &mut sink, &headers).map_err(unwritable)?;
    let mut columns: [Vec<i64>; 3] = std::array::from_fn(|_| Vec::with_capacity(BATCH_ROWS));
    let mut flush = |columns: &mut [Vec<i64>; 3]| -> Result<()> {
        let values: Vec<Values<'_>> = columns[..headers.len()].iter().map(|column| Values::Integers(column)).collect();
        context.progress.check()?;
        writer.write(&values).map_err(unwritable)?;
        columns.iter_mut().for_each(Vec::clear);
        Ok(())
    };
    for (row, &source_row) in context.table.source_rows.iter().enumerate() {
        dealt.of_row(context.table, row, |group, people| {
            let record = [i64::from(source_row) + 1, i64::from(group) + 1, people.cast_signed()];
            columns.iter_mut().zip(record).for_each(|(column, one)| column.push(one));
        });
        if columns[0].len() >= BATCH_ROWS {
            flush(&mut columns)?;
        }
    }
    flush(&mut columns)?;
    writer.finish().map_err(unwritable)?;
    sink.finish().map(drop)
}
