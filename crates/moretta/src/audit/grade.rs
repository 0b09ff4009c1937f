//! How bad a finding is, whatever was promised.
//!
//! A promise may hold while an attack reaches more than anybody would accept. So findings are graded by what they reach, at levels that are the same for
//! every release; a policy may bind itself to levels of its own under `[accept]`.

use serde::Serialize;

use crate::policy::Danger;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// Below every level that is graded, or nothing that is graded.
    #[default]
    None,
    /// Somebody should look at it before the release is given away.
    Amber,
    /// Somebody is as good as exposed.
    Red,
}

/// From which level a finding is amber, and from which it is red.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GradeLevels {
    /// From here on it is amber.
    pub amber: f64,
    /// From here on it is red.
    pub red: f64,
}

/// A value that is believed with 0.9 is likely; with 0.99, certain for every purpose.
pub const BELIEF: GradeLevels = GradeLevels { amber: 0.9, red: 0.99 };

/// Four candidates or fewer; two, or the person alone.
pub const RE_IDENTIFICATION: GradeLevels = GradeLevels { amber: 0.25, red: 0.5 };

/// The difference between the shares of those present and of others who are taken for present.
pub const MEMBERSHIP: GradeLevels = GradeLevels { amber: 0.5, red: 0.9 };

/// That a person is in the data at all, as a belief.
pub const PRESENCE: GradeLevels = GradeLevels { amber: 0.9, red: 0.99 };

/// The levels of a danger.
pub const fn levels(danger: Danger) -> GradeLevels {
    match danger {
        Danger::Belief => BELIEF,
        Danger::ReIdentification => RE_IDENTIFICATION,
        Danger::Membership => MEMBERSHIP,
        Danger::Presence => PRESENCE,
    }
}

impl GradeLevels {
    /// The grade of a level.
    pub fn grade(self, level: f64) -> Grade {
        match level {
            _ if level >= self.red => Grade::Red,
            _ if level >= self.amber => Grade::Amber,
            _ => Grade::None,
        }
    }

    /// Both, as they are spelled.
    pub fn both(self) -> [f64; 2] {
        [self.amber, self.red]
    }
}

impl Grade {
    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Amber => "amber",
            Self::Red => "red",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_graded_from_the_line_on() {
        let grades = [0.899_999, 0.9, 0.989_999, 0.99, 1.0].map(|belief| BELIEF.grade(belief));
        assert_eq!(grades, [Grade::None, Grade::Amber, Grade::Amber, Grade::Red, Grade::Red]);
        let risks = [0.2, 0.25, 1.0 / 3.0, 0.5, 1.0].map(|risk| RE_IDENTIFICATION.grade(risk));
        assert_eq!(risks, [Grade::None, Grade::Amber, Grade::Amber, Grade::Red, Grade::Red]);
        assert!(Grade::Red > Grade::Amber && Grade::Amber > Grade::None);
    }
}
