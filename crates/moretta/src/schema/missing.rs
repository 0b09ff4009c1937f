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

impl MissingRule {
    /// All rules with the names by which policies call them.
    pub const NAMES: [(&'static str, Self); 4] =
        [("drop", Self::Drop), ("drop-any", Self::DropAny), ("keep", Self::Keep), ("error", Self::Error)];

    /// The name by which policies call it.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, rule)| *rule == self).map_or("", |(name, _)| name)
    }
}
