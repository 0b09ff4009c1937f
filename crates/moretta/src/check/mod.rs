//! Proving promises from files.

mod boxes;
mod owners;
mod release;
mod table;

pub use owners::owners;
pub use release::{Unprovable, Verified, release, release_storage};
pub use table::{ClassSizes, GroupName, TableLevels, WorstGroups, table};
