//! The `[accept]` of a policy: what attacks may reach at most, whatever was promised.

use crate::config::Section;
use crate::error::Result;

/// What an attack reaches, as far as it can be accepted or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Danger {
    /// The belief in somebody's sensitive value.
    Belief,
    /// The chance that a certain record is somebody's.
    ReIdentification,
    /// How much better than by guessing those who are in the data are told from others.
    Membership,
    /// The belief that somebody is in the data.
    Presence,
}

impl Danger {
    /// All of them, with the keys by which policies call them.
    pub const NAMES: [(&'static str, Self); 4] = [
        ("belief", Self::Belief),
        ("re_identification", Self::ReIdentification),
        ("membership", Self::Membership),
        ("presence", Self::Presence),
    ];

    /// The key by which policies call it.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, danger)| *danger == self).map_or("", |(name, _)| name)
    }
}

/// The most that is accepted of each danger; nothing where everything is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Accept {
    limits: Vec<(Danger, f64)>,
}

impl Accept {
    pub(super) fn read(section: &mut Section<'_>) -> Result<Self> {
        let mut limits = Vec::new();
        for (key, danger) in Danger::NAMES {
            let limit = section.number(key, "from 0 to 1", |x| (0.0..=1.0).contains(&x))?;
            limits.extend(limit.map(|limit| (danger, limit)));
        }
        Ok(Self { limits })
    }

    /// What is bound, and by how much.
    pub fn limits(&self) -> &[(Danger, f64)] {
        &self.limits
    }

    /// The most that is accepted of a danger.
    pub fn limit(&self, danger: Danger) -> Option<f64> {
        self.limits.iter().find(|(other, _)| *other == danger).map(|&(_, limit)| limit)
    }
}
