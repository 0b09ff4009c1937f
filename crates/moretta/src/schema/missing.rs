//! What to do with rows that lack a value.

/// What to do with rows that lack a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MissingRule {
    /// Leave out rows that lack an attribute in use.
    #[default]
    Drop,
    /// Leave out rows that lack anything.
    DropAny,
    /// A missing value is a value of its own.
    Keep,
    /// Refuse the table.
    Error,
}
