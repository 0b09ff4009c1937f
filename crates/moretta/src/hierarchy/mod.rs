//! Generalization trees, the ways to make them, and what they do to values.

mod build;
mod codes;
mod cuts;
mod draft;
mod file;
mod grown;
mod limits;
mod parts;
mod scale;
mod spec;
mod tree;

pub use cuts::{OpenInterval, open_intervals};
pub use file::HierarchyFile;
pub use grown::{by_columns, by_frequency};
pub use limits::Limits;
pub use scale::{GeneralizedValue, Scale};
pub use spec::{CodeSystem, DateUnit, HierarchySpec, Side};
pub use tree::{Hierarchy, NodeId, Path};
