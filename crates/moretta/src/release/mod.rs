//! Releases: what is given away, and nothing else.

pub(crate) mod distribution;
pub mod manifest;
mod shelf;
mod stage;

pub use manifest::{ColumnMeaning, Guarantee, Manifest, NodeMeaning, TableFile, ValueMeaning};
pub use shelf::{Fingerprint, Shelf, ShelfWriter, fingerprint};
pub use stage::Stage;
