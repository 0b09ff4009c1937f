//! What is done with moretta and is not moretta: experiments, their data, and learning from releases.
//!
//! [`reproduce`] does the papers' experiments again, [`generate`] makes synthetic tables, [`classification`] tells
//! what a decision tree and naive Bayes learn from a release, and [`datasets`] and [`adult`] find and describe the
//! tables that papers use. Nothing in the library depends on it.

pub mod adult;
pub mod classification;
pub mod datasets;
pub mod generate;
pub mod measured;
pub mod reproduce;
