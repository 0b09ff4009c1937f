//! Rows on their way into a database.

use crate::data::source::Source;
use crate::error::Result;
use crate::progress::Progress;

/// How often somebody is told how many rows have passed.
pub(super) const SHOWN: u64 = 1 << 14;

/// Whoever takes rows, one by one.
pub(super) type Sink<'a> = &'a mut dyn FnMut(&[Option<&str>]) -> Result<()>;

/// Whoever hands all rows over.
pub(super) type EachRow<'a> = &'a dyn Fn(Sink<'_>) -> Result<()>;

/// The rows of a table's file.
pub(super) fn each_row(source: &Source, progress: &Progress, sink: Sink<'_>) -> Result<()> {
    let wanted: Vec<usize> = (0..source.names().len()).collect();
    let mut passed = 0_u64;
    source.each_row(&wanted, &mut |fields| {
        passed += 1;
        if passed.is_multiple_of(SHOWN) {
            progress.check()?;
            progress.advance(SHOWN);
        }
        sink(fields)
    })
}

/// Rows that are at hand.
pub(super) fn each_of(rows: &[Vec<Option<String>>], sink: Sink<'_>) -> Result<()> {
    rows.iter().try_for_each(|row| sink(&row.iter().map(Option::as_deref).collect::<Vec<_>>()))
}
