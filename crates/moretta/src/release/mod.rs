//! What all kinds of release share: the manifest and the files, groups, questions and answers, rows and their order.
//!
//! A release is files in a [`Storage`](crate::storage::Storage) with a [`Manifest`]. Read back it answers the questions of analysts
//! ([`Analyst`]) and adversaries ([`Adversary`]).

mod about;
mod aggregate;
mod answers;
pub(crate) mod bounds;
mod categories;
mod column_type;
pub mod costs;
mod coverage;
pub mod datapackage;
mod dialect;
pub(crate) mod exact_rows;
mod files;
mod group_query;
pub(crate) mod grouped_rows;
mod groups;
pub(crate) mod histograms;
pub mod manifest;
mod members;
pub mod notes;
mod original;
mod partition;
mod persons;
pub mod plan;
mod region;
mod set_labels;
pub(crate) mod shown;
pub(crate) mod shown_rows;
mod table_file;
pub mod tally;
pub(crate) mod together;
pub mod write;

pub use about::About;
pub use aggregate::Aggregate;
pub use answers::{Adversary, Analyst, Askable, Estimate};
pub use bounds::{BoundPart, TypedBounds};
pub use categories::Categories;
pub use column_type::{ColumnType, quoted};
pub use coverage::Coverage;
pub use dialect::Dialect;
pub use files::{Files, auxiliary_attribute, published_type, source_of};
pub(crate) use group_query::{KnownInGroup, group_query};
pub use groups::{Groups, Sensitive, TableSummary};
pub use histograms::Populations;
pub use manifest::{ColumnMeaning, Guarantee, Manifest, NodeMeaning, README, Unit, ValueMeaning};
pub use members::{GroupMembers, add_member};
pub(crate) use members::{foreign_value, not_the_original};
pub use notes::named;
pub use original::{Claim, Original, Placement};
pub use partition::{Ancestor, PartitionTree};
pub use persons::Persons;
pub use region::{Likelihood, Region, regions};
pub use set_labels::{SetLabels, spelled_out};
pub use shown_rows::ShownRows;
pub use table_file::{PartFile, TableFile};
