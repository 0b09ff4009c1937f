//! Rows on their way into a database.

use crate::data::source::Source;
use crate::error::Result;
use crate::progress::Progress;

/// Whoever takes rows, one by one.
pub(super) type Sink<'a> = &'a mut dyn FnMut(&[Option<&str>]) -> Result<()>;

/// Whoever hands all rows over.
pub(super) type EachRow<'a> = &'a dyn Fn(Sink<'_>) -> Result<()>;

/// The rows of a table's file.
pub(super) fn each_row(source: &Source, progress: &Progress, sink: Sink<'_>) -> Result<()> {
    let wanted: Vec<usize> = (0..source.names().len()).collect();
    source.stream(&wanted, &mut |batch| {
        progress.check()?;
        progress.advance(batch.rows as u64);
        let mut fields: Vec<Option<&str>> = Vec::with_capacity(batch.columns.len());
        for row in 0..batch.rows {
            fields.clear();
            fields.extend(batch.columns.iter().map(|column| column[row].as_deref()));
            sink(&fields)?;
        }
        Ok(())
    })
}

/// Rows that are at hand.
pub(super) fn each_of(rows: &[Vec<Option<String>>], sink: Sink<'_>) -> Result<()> {
    rows.iter().try_for_each(|row| sink(&row.iter().map(Option::as_deref).collect::<Vec<_>>()))
}
