//! Which attacks are run.

use super::registry::attacks;
use crate::config::suggestion;
use crate::error::{Error, Result};

/// All attacks, or only some of them.
///
/// ```
/// use moretta::AttackChoice;
///
/// let quick = AttackChoice::skip(["background-priors"])?;
/// let misspelt = AttackChoice::only(["homogenity"]).unwrap_err();
/// assert_eq!(misspelt.advice(), Some("did you mean `homogeneity`?"));
/// # let _ = quick;
/// # Ok::<(), moretta::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttackChoice {
    only: Option<Vec<&'static str>>,
    skip: Vec<&'static str>,
}

impl AttackChoice {
    /// These, and no others. A name that no attack has is an error.
    pub fn only(names: impl IntoIterator<Item: AsRef<str>>) -> Result<Self> {
        Ok(Self { only: Some(known(names)?), skip: Vec::new() })
    }

    /// All but these. A name that no attack has is an error.
    pub fn skip(names: impl IntoIterator<Item: AsRef<str>>) -> Result<Self> {
        Ok(Self { only: None, skip: known(names)? })
    }

    /// Why an attack is not run, if it is not.
    pub(super) fn leaves_out(&self, name: &str) -> Option<&'static str> {
        match &self.only {
            Some(only) if !only.contains(&name) => Some("not asked for: only others were"),
            _ if self.skip.contains(&name) => Some("left out on request"),
            _ => None,
        }
    }
}

fn known(names: impl IntoIterator<Item: AsRef<str>>) -> Result<Vec<&'static str>> {
    let all: Vec<&'static str> = attacks().map(|attack| attack.name).collect();
    let find = |name: &str| {
        let found = all.iter().find(|known| **known == name).copied();
        found.ok_or_else(|| Error::input(format!("there is no attack {name:?}")).help(suggestion(name, &all)))
    };
    names.into_iter().map(|name| find(name.as_ref())).collect()
}
