//! The query language: conditions over attributes, and questions to a release.

#[cfg(test)]
mod against_draws;
#[cfg(test)]
mod against_worlds;
mod aggregate;
mod answer;
mod batch;
#[cfg(test)]
mod beliefs_against_worlds;
mod boxes;
mod labels;
mod parse;
mod parse_condition;
pub mod predicate;
#[cfg(test)]
mod properties;
mod question;
mod truth;
mod value_set;
mod workload;

pub use aggregate::Aggregate;
pub use answer::{Answer, AnswerRow, answer, spell_day};
pub use batch::{Statement, statements};
pub use boxes::{QueryBox, boxes};
pub use labels::Labels;
pub use predicate::{Comparison, Literal, Predicate};
pub use question::{Key, Query, Selected};
pub use truth::Truth;
pub use value_set::ValueSet;
pub use workload::{RelativeError, Workload, relative_errors};
