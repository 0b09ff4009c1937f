//! The schema of a table: attributes, their roles and types, missing values; and reading a table by it.

mod attribute;
mod choose;
mod draft;
mod encoded;
mod fold;
mod hierarchy;
mod limits;
mod missing;
mod read;

pub use attribute::{Attribute, read_all};
pub use encoded::EncodedTable;
pub use missing::MissingRule;
pub(crate) use read::FoldedRows;
pub use read::{GrownHierarchies, Reading, TableSpec};
