//! A release for other programs: as a script of SQL, and as Arrow record batches.

mod arrow;
mod sql;

pub use arrow::tables;
pub use sql::sql;
