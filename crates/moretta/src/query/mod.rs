//! The query language: questions to a release, and their answers.

#[cfg(test)]
mod against_draws;
#[cfg(test)]
mod against_worlds;
mod answer;
#[cfg(feature = "sql")]
mod batch;
#[cfg(test)]
mod beliefs_against_worlds;
mod beside;
mod labels;
#[cfg_attr(not(feature = "sql"), path = "no_sql.rs")]
mod parse;
#[cfg(test)]
mod properties;
mod question;
mod truth;
mod workload;

pub use answer::{Answer, AnswerRow, answer, spell_time};
#[cfg(feature = "sql")]
pub use batch::{Statement, statements};
pub use labels::Labels;
pub use question::{Key, Query, Selected};
pub use truth::Truth;
pub use workload::{RelativeError, Workload, relative_errors};
