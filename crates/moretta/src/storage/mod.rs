//! Where files stand: a folder or memory, written whole or not at all.

mod atomic;
mod output;
mod place;

pub use atomic::{Readers, write_atomically};
pub use output::{AtomicOutput, refuse_existing, remove_what_dead_runs_left};
pub(crate) use place::hexadecimal;
pub use place::{Fingerprint, Storage, StorageWriter, fingerprint};

/// The name of the file by which a folder is known to hold a release.
pub const MANIFEST: &str = "manifest.json";
