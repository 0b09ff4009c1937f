//! What may be promised of which kind of release: the table of sentences, and each sentence's claim, recomputed naively from the
//! released files.
#![expect(
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "numbers are small, and not negative where they are cast"
)]

mod beliefs;
mod claims;
mod files;
mod pairs;
mod parts;
mod table;
