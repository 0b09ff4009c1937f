//! Releases: what is given away, and nothing else.

mod format;

pub use format::FileFormat;
