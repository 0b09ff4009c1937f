//! The query language: conditions over attributes.

mod parse;
pub mod predicate;

pub use predicate::{Comparison, Literal, Predicate};
