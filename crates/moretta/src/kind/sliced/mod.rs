//! Sliced releases: columns of attributes, each shuffled inside buckets of people.

mod adversary;
mod answers;
mod export;
pub mod math;
mod plan;
mod read;
mod release;
mod usage;
mod write;

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

pub use adversary::People;
pub use plan::{Recoded, Slices};

use self::math::SlicedIndex;
use super::{KindEntry, KindId};
use crate::data::cells::Cells;
use crate::data::table::{CodedTable, Column};
use crate::data::value::Value;
use crate::release::{ColumnMeaning, ColumnType, Groups, Region, named, regions};

/// The kind.
pub const ENTRY: KindEntry = KindEntry {
    id: KindId::Sliced,
    name: "sliced",
    how_to_read: "\
People stand in buckets. Attributes stand in columns of the table `sliced`; inside a bucket each column was shuffled
by itself, so that what stands in one row belongs together only inside a column.",
    not_protected: "\
What one column holds: its values are exact and belong to one person, so a person unique by them is found there,
and seen to be in the table. Relations between columns are blurred inside buckets only.",
    how_to_compute: usage::how_to_compute,
    records_have_owners: false,
    pseudonyms: Err(
        "its columns are shuffled by themselves, so that a pseudonym would stand beside other people's values",
    ),
    from_counts: Err("its columns are shuffled row by row"),
    read: |files, progress| Ok(Box::new(Sliced::read(files, progress)?)),
    column_type: |columns, _, column| match column {
        BUCKET => ColumnType::Group,
        _ => ColumnType::of_attribute(columns, column).unwrap_or(ColumnType::Text),
    },
    about: |columns, _, column| named(columns, column),
    sql_epilogue: export::epilogue,
};

/// What the manifest of a sliced release says of a column beside what all manifests say.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct ColumnDetail {
    /// The column of attributes that it stands in, counted from 1.
    slice: u32,
}

/// The name of the table.
pub const SLICED: &str = "sliced";

/// The column of bucket numbers.
pub const BUCKET: &str = "bucket";

/// A sliced release.
#[derive(Debug)]
pub struct Sliced {
    /// The columns side by side: what stands in a row together belongs together only inside a column.
    pub table: CodedTable,
    /// The attributes of each column, as places among the quasi-identifiers and, after them, the sensitive attributes.
    pub columns: Vec<Vec<usize>>,
    insensitive: Vec<Column>,
    bucket: Column,
    /// For each column with quasi-identifiers: those, and their distinct combinations.
    known: Vec<Known>,
    index: SlicedIndex,
    /// Whose sensitive values are candidates together: the people of a bucket who agree in what is known in the
    /// sensitive column. Nothing where sensitive attributes stand in several columns with something known.
    groups: Option<Groups>,
    meanings: Vec<ColumnMeaning>,
    regions: OnceLock<Vec<Vec<Region>>>,
    suppressed: u64,
}

/// The quasi-identifiers of a column, and their distinct combinations.
type Known = (Vec<usize>, Cells);

impl Sliced {
    /// The index from column values to buckets.
    pub fn index(&self) -> &SlicedIndex {
        &self.index
    }

    /// People who were left out.
    pub fn suppressed(&self) -> u64 {
        self.suppressed
    }

    /// The bucket of each row.
    pub fn buckets(&self) -> &[u32] {
        &self.bucket.codes
    }

    fn regions(&self) -> &[Vec<Region>] {
        self.regions.get_or_init(|| {
            let of_column = |(meaning, column): (&ColumnMeaning, &Column)| {
                let labels: Vec<String> = column.domain.values().iter().map(Value::to_string).collect();
                let people = column.people_of_values(self.table.weights.as_deref());
                regions(meaning, labels.iter().map(String::as_str).zip(people))
            };
            self.meanings.iter().zip(&self.table.quasi).map(of_column).collect()
        })
    }
}
