//! Tables of people: typed, dictionary-encoded, counted.

pub mod cells;
pub mod day_format;
pub mod domain;
pub mod format;
pub mod guess;
pub mod lookup;
mod merge;
pub mod pseudonym;
pub mod role;
pub mod source;
pub mod table;
pub mod thousands;
pub mod timestamp;
pub mod value;
pub mod write;

pub use cells::{Cells, count_distinct};
pub use domain::Domain;
pub use merge::merge_counts;
pub use source::{Input, ReadOptions, Source};
pub use table::{CodedTable, Column};
pub use value::{Decimal, Type, Value};
