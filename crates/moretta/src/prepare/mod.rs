//! A table made ready once: read, encoded, counted, with the scales of its attributes and a summary of its sensitive values.

#[cfg(test)]
mod folding;
mod prepared;

pub use prepared::{Held, Prepared, count_cells, read_for_questions};
