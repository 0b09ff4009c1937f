//! Slow oracles and random tables: what the fast code must agree with.

pub(crate) mod adult;
pub(crate) mod arrays;
pub(crate) mod chi_square;
pub(crate) mod oracle;
pub(crate) mod published;
pub(crate) mod tables;
pub(crate) mod transport;
pub(crate) mod worlds;

/// A plan or a release as what it is, for tests that know.
pub(crate) fn concrete<T: std::any::Any>(it: Box<dyn std::any::Any>) -> T {
    *it.downcast().unwrap_or_else(|_| panic!("another kind"))
}
