//! Ambiguous releases: the values of each attribute by group, apart from each other.

mod adversary;
mod answers;
mod combined;
mod export;
mod plan;
mod read;
mod release;
mod write;

pub use combined::{CombinedPresence, firsts};
pub use plan::AmbiguousPlan;
pub use read::{Ambiguous, Auxiliary};

use super::bucketized::{COUNT, GROUP, ST, VALUE};
use super::{KindEntry, KindId};
use crate::release::{ColumnType, named};

/// The kind.
pub const ENTRY: KindEntry = KindEntry {
    id: KindId::Ambiguous,
    name: "ambiguous",
    how_to_read: "\
The tables `at_…` list, for each attribute by itself, the values that occur in each group; the tables `st_…`
how many people of each group have which sensitive value. Which values belong to one person is not told.",
    not_protected: "\
That a value of an attribute occurs in a group: the lists are exact.",
    how_to_compute: |_| {
        "\
Sums and counts of one sensitive attribute by group are exact. Whatever relates two attributes is a guess: inside a group every
combination of what its tables list is possible. Relations come out too weak, and standard errors that take the guess
for data are too small; use the bounds of `moretta query`."
            .to_owned()
    },
    records_have_owners: false,
    pseudonyms: Err("it has no row of anybody, only lists of values"),
    from_counts: Err("its lists of values are drawn from the rows of groups"),
    read: |files, progress| Ok(Box::new(Ambiguous::read(files, progress)?)),
    column_type: |columns, table, column| match (column, table.strip_prefix(AT).or(table.strip_prefix(ST))) {
        (GROUP, Some(_)) => ColumnType::Group,
        (COUNT, Some(_)) => ColumnType::Count,
        (VALUE, Some(name)) => ColumnType::of_attribute(columns, name).unwrap_or(ColumnType::Text),
        _ => ColumnType::Text,
    },
    about: |columns, table, column| match (column, table.strip_prefix(AT).or(table.strip_prefix(ST))) {
        (VALUE, Some(name)) => named(columns, name),
        _ => None,
    },
    sql_epilogue: export::epilogue,
};

/// What the names of auxiliary tables begin with.
const AT: &str = "at_";

/// The name of the auxiliary table of a quasi-identifier.
pub fn at_name(attribute: &str) -> String {
    format!("{AT}{attribute}")
}
