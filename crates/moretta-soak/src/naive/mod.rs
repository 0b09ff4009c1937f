//! The definitions, slow and plain. Nothing here looks at the library.

pub mod cover;
pub mod densities;
pub mod distance;
pub mod exact;
pub mod files;
pub mod groups;
pub mod matching;
mod parquet;
pub mod persons;
pub mod presence;
pub mod sliced;
pub mod target;
