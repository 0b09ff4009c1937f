//! What a server is told that asks who we are.

use std::fmt;

/// Where the password of a server comes from if neither the environment nor `~/.pgpass` has it.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum ServerPassword {
    /// From the person at the terminal, if there is one.
    #[default]
    AskedAtTerminal,
    /// It was asked for already, and goes before all others.
    Given(String),
    /// From nobody: there may be a terminal, and nobody who waits at it.
    NotAsked,
}

impl ServerPassword {
    /// The password that was given.
    #[cfg(any(feature = "postgres", test))]
    pub(super) fn given(&self) -> Option<&str> {
        match self {
            Self::Given(password) => Some(password),
            Self::AskedAtTerminal | Self::NotAsked => None,
        }
    }
}

/// Nothing of it is ever shown.
impl fmt::Debug for ServerPassword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AskedAtTerminal => "AskedAtTerminal",
            Self::Given(_) => "Given(…)",
            Self::NotAsked => "NotAsked",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_not_shown() {
        let given = ServerPassword::Given("geheim".to_owned());
        assert_eq!((format!("{given:?}").as_str(), given.given()), ("Given(…)", Some("geheim")));
        assert_eq!(ServerPassword::NotAsked.given(), None);
    }
}
