//! Tables of people: typed, dictionary-encoded, counted.

pub mod domain;
pub mod value;
