//! What people look at: plots, and the page that a person can decide from.

mod before;
mod frontier;
pub mod glossary;
#[cfg(feature = "report")]
mod page;
pub mod plot;
#[cfg(feature = "report")]
mod words;

pub use before::{Bin, Binned, OriginalRisk};
#[cfg(feature = "report")]
pub use page::{FILE, ReportInput};
