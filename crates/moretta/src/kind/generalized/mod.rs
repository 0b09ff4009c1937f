//! Generalized releases: groups that publish the same generalized quasi-identifiers.

mod adversary;
mod answers;
#[cfg(test)]
mod beliefs;
#[cfg(test)]
mod both_forms;
#[cfg(test)]
mod bounds;
mod costs;
mod export;
mod label_weights;
mod meaning;
mod members;
mod plan;
mod read;
mod release;
#[cfg(test)]
mod short_labels;
mod usage;
mod write;

use serde::{Deserialize, Serialize};

pub(super) use meaning::meaning;
pub(crate) use plan::PlanDraft;
pub use plan::{Grouping, PlannedAttribute};
pub use read::Generalized;

use super::{KindEntry, KindId};
use crate::release::{ColumnType, PartitionTree, notes};

/// The kind.
pub const ENTRY: KindEntry = KindEntry {
    id: KindId::Generalized,
    name: "generalized",
    how_to_read: "\
Each row of the table `data` is one person. Values by which a person could be recognized are published as
ranges, sets or labels that stand for several values; people who publish the same ones form a group.",
    not_protected: "\
That somebody is in the table, or is not. What is known about a person beforehand, and what a group tells of all its
people alike.",
    how_to_compute: usage::how_to_compute,
    records_have_owners: false,
    pseudonyms: Ok(()),
    from_counts: Ok(()),
    read: |files, progress| Ok(Box::new(Generalized::read(files, progress)?)),
    column_type: |columns, _, column| ColumnType::of_attribute(columns, column).unwrap_or(ColumnType::Text),
    about: |columns, _, column| notes::spoken_of(columns, column),
    sql_epilogue: export::epilogue,
};

/// The name of the table.
const DATA: &str = "data";

/// What the manifest of a release with groups says beside what all manifests say.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Detail {
    /// For models that speak of larger parts around a group: the parts, and the groups in them, which are
    /// counted in the order in which they first occur in the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) partition: Option<PartitionTree>,
}
