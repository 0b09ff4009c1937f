//! Generalization trees and the ways to make them.

pub mod tree;

pub use tree::{Hierarchy, NodeId, Path};
