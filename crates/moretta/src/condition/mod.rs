//! Conditions over attributes: predicates as people write them, and the disjoint boxes that releases are asked for.

mod boxes;
mod parse;
mod predicate;
mod value_set;

pub use boxes::{QueryBox, boxes};
pub(crate) use parse::{attribute, condition, literal, reason, refuse_long};
pub use predicate::{Bound, Comparator, Literal, Predicate};
pub use value_set::ValueSet;
