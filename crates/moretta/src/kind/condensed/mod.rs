//! Condensed releases: records drawn anew from the moments of groups.

mod adversary;
mod answers;
mod locator;
mod nearness;
mod plan;
mod read;
mod release;
mod write;

pub use plan::Condensate;
pub use read::Condensed;

use super::bucketized::GROUP;
use super::{KindEntry, KindId};
use crate::release::{ColumnType, named};

/// The kind.
pub const ENTRY: KindEntry = KindEntry {
    id: KindId::Condensed,
    name: "condensed",
    how_to_read: "\
The rows are nobody's: they were drawn anew so that means and covariances of small groups of people are kept.",
    not_protected: "\
The sensitive values of each group: they are exact, in another order. That a drawn record comes near to a real one,
or equals it.",
    how_to_compute: |_| {
        "\
Means, variances and covariances of the drawn columns are about those of the people, group by group; single rows, extremes and the shape of
distributions inside a group are not. Standard errors as if the rows were people are too small: the draw adds to them."
            .to_owned()
    },
    records_have_owners: false,
    pseudonyms: Err("its records are nobody's"),
    from_counts: Err("its records are drawn one by one"),
    read: |files, progress| Ok(Box::new(Condensed::read(files, progress)?)),
    column_type: |columns, _, column| match column {
        GROUP => ColumnType::Group,
        _ => ColumnType::of_attribute(columns, column).unwrap_or(ColumnType::Text),
    },
    about: |columns, _, column| named(columns, column),
    sql_epilogue: |_| None,
};

/// The name of the table.
const DATA: &str = "data";
