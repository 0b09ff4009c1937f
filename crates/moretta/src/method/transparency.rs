//! Whether promises hold against somebody who knows the program.

/// Whether the promises of a method hold against somebody who knows the program, the policy and everybody's quasi-identifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transparency {
    /// They do, for this reason, as long as nobody is left out.
    Holds(&'static str),
    /// That is not shown, and this may tell something.
    Open(&'static str),
}

impl Transparency {
    /// What recipients and stewards are told.
    pub fn sentence(self) -> String {
        match self {
            Self::Holds(why) => format!(
                "What is promised about sensitive values holds against somebody who knows the program and everybody's quasi-identifiers too, as long as nobody is left out: {why}."
            ),
            Self::Open(what) => format!(
                "What is promised about sensitive values is not shown to hold against somebody who knows the program and everybody's quasi-identifiers: {what}."
            ),
        }
    }
}
