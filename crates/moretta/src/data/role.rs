//! What attributes mean for privacy.

use serde::{Deserialize, Serialize};

/// What an attribute means for privacy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Names a person; never published.
    Identifier,
    /// Names a person, and is published under a keyed pseudonym: what policies call an identifier with `pseudonym = true`.
    Pseudonym,
    /// Names the person that a row belongs to, where several rows may belong to one; never published.
    Person,
    /// Helps to recognize a person.
    Quasi,
    /// What must not be learned about a person.
    Sensitive,
    /// Published as it is.
    Insensitive,
    /// How many people a row stands for.
    Weight,
    /// Not published.
    Drop,
    /// Rows that share its value form a group.
    Group,
    /// Neither quasi nor sensitive: for methods that need no such distinction.
    Unclassified,
}

impl Role {
    /// The roles that a policy states, with the names by which it calls them.
    pub const NAMES: [(&'static str, Self); 9] = [
        ("identifier", Self::Identifier),
        ("person", Self::Person),
        ("quasi", Self::Quasi),
        ("sensitive", Self::Sensitive),
        ("insensitive", Self::Insensitive),
        ("weight", Self::Weight),
        ("drop", Self::Drop),
        ("group", Self::Group),
        ("unclassified", Self::Unclassified),
    ];

    /// The name by which policies call it.
    pub fn name(self) -> &'static str {
        if self == Self::Pseudonym {
            return "pseudonym";
        }
        Self::NAMES.iter().find(|(_, role)| *role == self).map_or("", |(name, _)| name)
    }

    /// Whether the attribute is published row by row as the source has it, or under a pseudonym: it is read when rows are written.
    pub fn is_passed_over(self) -> bool {
        matches!(self, Self::Insensitive | Self::Pseudonym)
    }

    /// Whether the attribute's values enter the release or decide about it.
    pub fn is_in_use(self) -> bool {
        !matches!(self, Self::Identifier | Self::Drop)
    }
}
