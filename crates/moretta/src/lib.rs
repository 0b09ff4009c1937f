//! moretta publishes tables about people so that others can analyse them and nobody in them is exposed.
//!
//! A table and a policy become a *release*: [`policy`] says what the table is and what is promised, [`prepare`] reads and counts
//! it once, a [`method`] plans a release under the [`model`]s required, its [`kind`] writes it and reads it back, and the promise
//! is proved from the files alone ([`publish`], [`check`]).
//!
//! Modules depend on each other in one direction only, which a test checks: `data ← hierarchy ← release ← kind ← model ← method ←
//! policy ← publish ← audit ← compare ← steward`, and what they share below.

pub mod audit;
pub mod chance;
pub mod check;
pub mod compare;
pub mod condition;
pub mod config;
pub mod data;
pub mod distance;
pub mod error;
pub mod export;
pub mod hierarchy;
pub mod inspect;
#[doc(hidden)]
pub mod internals;
pub mod kind;
pub mod knowledge;
pub mod method;
pub mod model;
pub mod numeric;
pub mod policy;
pub mod prepare;
pub mod progress;
pub mod publish;
pub mod query;
pub mod release;
pub mod report;
pub mod schema;
pub mod steward;
pub mod storage;
#[cfg(test)]
pub(crate) mod testkit;
pub mod text;
pub mod utility;

pub use error::{Error, Fault, Result};
pub use policy::Policy;
