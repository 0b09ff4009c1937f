//! What the writers of all kinds of release share: columns and their meaning, rows in an order that tells nothing, small tables.

mod context;
mod deal;
pub mod meaning;
mod pass;
mod rows;
mod sorter;
mod tables;

pub(crate) use context::detail;
pub use context::{Context, WrittenTables};
pub(crate) use deal::{Dealt, people_of};
pub(crate) use pass::pass_over_kept;
pub(crate) use rows::{RowTable, Slot};
pub(crate) use sorter::{MEMORY_LIMIT, Sorter};
pub(crate) use tables::{file_name, write_map, write_table};
