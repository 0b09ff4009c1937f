//! Proving promises from files.

mod boxes;
mod owners;
mod people;
mod release;
mod table;

pub use owners::{claim, placement};
pub use people::{LEFT_OUT, group_of_cells};
pub use release::{Unprovable, Verified, models, release, release_storage, release_to_prove};
pub use table::{ClassSizes, GroupName, TableLevels, WorstGroups, encoded_table, table};
