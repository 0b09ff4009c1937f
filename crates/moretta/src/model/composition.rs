//! What a promise says of the sensitive values of a group, in a form that bounds can be made of.

/// What is true of the counts of a sensitive attribute in every group that keeps a promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Composition {
    /// There are at least so many different values.
    Distinct(u64),
    /// Σ min(c(v) / |G|, caps(v) / whole) ≥ least / whole over all values v: people beyond a value's cap do not count.
    Shares {
        /// Of each value.
        caps: Vec<u64>,
        /// What caps are parts of.
        whole: u64,
        /// How much must count.
        least: u64,
    },
}
