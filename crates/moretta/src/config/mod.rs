//! Settings with the places of mistakes: what a policy, a plan of comparison or a manifest is read from and written to.
//!
//! A text becomes a tree of values that know where they stand ([`tree`]), read key by key ([`section`]).

mod additions;
pub mod resolve;
pub mod section;
pub mod tree;
mod write;

pub use additions::Additions;
pub use resolve::{Folder, NoFiles, Opened, Resolver};
pub use section::{Section, suggestion};
pub use tree::{Content, Node, Origin};
