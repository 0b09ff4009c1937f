//! What becomes of a promise or a method where several rows may belong to one person.

/// Whether something counts people where a table has rows, and how; or why not. The role `person` is refused beside what does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeveralRows {
    /// It counts different people: how.
    Counted(&'static str),
    /// It is about rows: why.
    Refused(&'static str),
}

impl SeveralRows {
    /// Whether it counts people.
    pub const fn are_counted(self) -> bool {
        matches!(self, Self::Counted(_))
    }

    /// How, or why not.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Counted(how) => how,
            Self::Refused(why) => why,
        }
    }
}
