//! Slow oracles and random tables: what the fast code must agree with.

pub(crate) mod adult;
pub(crate) mod oracle;
pub(crate) mod published;
pub(crate) mod tables;
pub(crate) mod worlds;
