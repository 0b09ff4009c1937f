//! Conditions over attributes: predicates as people write them, and the disjoint boxes that releases are asked for.

mod boxes;
#[cfg_attr(not(feature = "sql"), path = "no_sql.rs")]
mod parse;
mod predicate;
mod value_set;

pub use boxes::{QueryBox, boxes};
#[cfg(feature = "sql")]
pub(crate) use parse::{attribute, condition, literal, reason, refuse_long};
pub use predicate::{Bound, Comparator, Literal, Predicate};
pub use value_set::ValueSet;
