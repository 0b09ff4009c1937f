//! Generalization trees, the ways to make them, and what they do to values.

mod build;
mod draft;
mod file;
mod scale;
mod spec;
mod tree;

pub use file::HierarchyFile;
pub use scale::{GeneralizedValue, Scale};
pub use spec::{DateUnit, HierarchySpec, Side};
pub use tree::{Hierarchy, NodeId, Path};
