//! Releases that follow a target distribution.

pub(crate) mod bounds;
pub(crate) mod line;
mod natural;
pub(crate) mod proof;
pub(crate) mod share;
