//! Bucketized releases: exact quasi-identifiers in one table, the sensitive values of their groups in others.

mod adversary;
mod answers;
mod export;
mod members;
mod plan;
mod read;
mod release;
mod usage;
pub(super) mod write;

pub(super) use answers::overlap;
pub use plan::BucketizedPlan;
pub use read::Bucketized;
pub(super) use read::read_groups;

use super::{KindEntry, KindId};
use crate::release::{ColumnType, named};

/// The kind.
pub const ENTRY: KindEntry = KindEntry {
    id: KindId::Bucketized,
    name: "bucketized",
    how_to_read: "\
Each row of `qit` is one person with exact values and the number of a group. The tables `st_…` say how many
people of each group have which sensitive value, not who.",
    not_protected: "\
Who has which row of `qit`: its values are exact, so that a person who is unique is found, and seen to be in the
table.",
    how_to_compute: usage::how_to_compute,
    records_have_owners: false,
    pseudonyms: Ok(()),
    from_counts: Err("its tables stand for each other row by row"),
    read: |files, progress| Ok(Box::new(Bucketized::read(files, progress)?)),
    column_type: |columns, table, column| match (column, table.strip_prefix(ST)) {
        (GROUP, _) => ColumnType::Group,
        (COUNT, Some(_)) => ColumnType::Count,
        (VALUE, Some(name)) => ColumnType::of_attribute(columns, name).unwrap_or(ColumnType::Text),
        _ => ColumnType::of_attribute(columns, column).unwrap_or(ColumnType::Text),
    },
    about: |columns, table, column| match (column, table.strip_prefix(ST)) {
        (VALUE, Some(name)) => named(columns, name),
        (_, Some(_)) => None,
        _ => named(columns, column),
    },
    sql_epilogue: export::epilogue,
};

/// The name of the table of quasi-identifiers.
pub const QIT: &str = "qit";

/// The column of group numbers.
pub const GROUP: &str = "group";

/// The columns of a table of sensitive values.
pub(super) const VALUE: &str = "value";
pub(super) const COUNT: &str = "count";

/// What the names of tables of sensitive values begin with.
pub(super) const ST: &str = "st_";

/// The name of the table of a sensitive attribute.
pub fn st_name(attribute: &str) -> String {
    format!("{ST}{attribute}")
}
