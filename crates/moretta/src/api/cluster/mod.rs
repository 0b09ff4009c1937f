//! Tables that are counted elsewhere, and releases that are written elsewhere: a cluster counts the rows, this library plans from the counts
//! as it plans from a table of its own, and the cluster writes.
//!
//! What counting leaves is a table with a row for each combination of quasi-identifiers and sensitive values that occurs, and a column with
//! the people who have it. A release is made of it in the same form, *counted*: a row for each published combination, with its people.
//! Whoever writes every row as often as it counts has the release that [`moretta::publish`](fn@crate::publish) makes of the same people from the same seed.

mod counted;
mod parts;
#[cfg(test)]
mod tests;

pub use self::counted::Counted;
pub use self::parts::{PartsFolder, joined_manifest};
pub use crate::release::PartFile;
