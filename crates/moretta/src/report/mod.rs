//! What people look at: plots, and the page that a person can decide from.

mod before;
mod frontier;
pub mod glossary;
mod page;
pub mod plot;
mod words;

pub use before::{Bin, Binned, OriginalRisk};
pub use page::{FILE, ReportInput};
