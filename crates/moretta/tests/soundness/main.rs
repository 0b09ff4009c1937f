//! What may be promised of which kind of release: the table of sentences, and each sentence's claim, recomputed naively from the
//! released files.

mod claims;
mod files;
mod pairs;
mod table;
