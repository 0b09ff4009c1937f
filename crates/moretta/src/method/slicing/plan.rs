//! The plan of a sliced release.

use crate::hierarchy::Scale;
use crate::method::{Buckets, Grouping};

/// What a sliced release publishes.
#[derive(Clone, Debug)]
pub struct Slices {
    /// The attributes of each column, as places among the quasi-identifiers and, after them, the sensitive attributes.
    pub columns: Vec<Vec<usize>>,
    /// For each column, what its quasi-identifiers became, if they were generalized.
    pub recoded: Vec<Option<Recoded>>,
    /// Who stands in which bucket.
    pub buckets: Buckets,
}

/// A column whose quasi-identifiers were generalized.
#[derive(Clone, Debug)]
pub struct Recoded {
    /// What each of them may become, and what each region publishes, in the order of the column.
    pub grouping: Grouping,
    /// How they generalize.
    pub scales: Vec<Scale>,
    /// The region of each cell.
    pub region_of_cell: Vec<u32>,
}
