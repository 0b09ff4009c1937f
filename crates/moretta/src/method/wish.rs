//! What a policy wishes for single attributes, and whether a method can honour it.

use std::fmt;

/// A wish about how one attribute is generalized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// That its loss weighs more, or less, than that of others.
    Importance,
    /// That it is never generalized above a level of its hierarchy.
    MaxLevel,
    /// That cells of it may be suppressed.
    SuppressCells,
    /// That it is generalized together with another attribute.
    Linked,
}

impl Wish {
    /// All wishes.
    pub const ALL: [Self; 4] = [Self::Importance, Self::MaxLevel, Self::SuppressCells, Self::Linked];

    /// The key by which policies state it.
    pub fn key(self) -> &'static str {
        match self {
            Self::Importance => "importance",
            Self::MaxLevel => "max_level",
            Self::SuppressCells => "suppress_cells",
            Self::Linked => "linked",
        }
    }
}

impl fmt::Display for Wish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}
