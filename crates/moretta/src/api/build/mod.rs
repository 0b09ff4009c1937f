//! Policies built by a program, of the same parts as policy files and checked by the same reader.

mod attribute;
mod builder;
pub mod methods;
pub mod models;
mod parameters;

pub use attribute::AttributeSpec;
pub use builder::PolicyBuilder;
pub use parameters::{MethodSpec, Promise};
