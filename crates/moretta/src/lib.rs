//! moretta publishes tables about people so that others can analyse them and nobody in them is exposed.

pub mod data;
pub mod distance;
pub mod error;
pub mod hierarchy;

pub use error::{Error, Fault, Result};
