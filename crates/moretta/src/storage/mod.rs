//! Where files stand: a folder or memory, written whole or not at all.

mod atomic;
mod shelf;
mod stage;

pub use atomic::{Readers, write_atomically};
pub(crate) use shelf::hexadecimal;
pub use shelf::{Fingerprint, Shelf, ShelfWriter, fingerprint};
pub use stage::Stage;

/// The name of the file by which a folder is known to hold a release.
pub const MANIFEST: &str = "manifest.json";
