//! Counted releases: nothing but the number of people. A kind for tests, which shows what a new kind needs.

mod answers;
mod plan;
mod read;
mod release;
mod tests;
mod write;

use plan::Headcount;
use read::Counted;

use super::{KindEntry, KindId};
use crate::release::ColumnType;

/// The table of such a release.
const TABLE: &str = "counted";
/// Its column.
const PEOPLE: &str = "people";

/// The kind.
pub(super) const ENTRY: KindEntry = KindEntry {
    id: KindId::Other("counted"),
    name: "counted",
    how_to_read: "One number: how many people the table is about.",
    not_protected: "How many people there are.",
    how_to_compute: |_| "There is one number.".to_owned(),
    records_have_owners: false,
    pseudonyms: Err("it has no row of anybody"),
    from_counts: Err("it is for tests"),
    read: |files, progress| Ok(Box::new(Counted::read(files, progress)?)),
    column_type: |_, _, _| ColumnType::Whole,
    about: |_, _, _| None,
    sql_epilogue: |_| None,
};
