//! What an analyst asks of a numeric attribute.

/// An aggregate of a numeric attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// The sum.
    Sum,
    /// The mean.
    Avg,
    /// The smallest.
    Min,
    /// The largest.
    Max,
}

impl Aggregate {
    /// Its name in SQL.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "SUM",
            Self::Avg => "AVG",
            Self::Min => "MIN",
            Self::Max => "MAX",
        }
    }
}
