//! What promises mean for an adversary: how much an attack may reach at most.

use crate::numeric::tolerance;

/// What an attack measures, as far as promises bound it directly.
///
/// A promise that bounds something else (an earth mover's distance, a gain over a kernel prior) says nothing here; it is
/// judged by its own definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Risk<'a> {
    /// The chance that a certain released record is a person's.
    Linkage,
    /// The belief that a person is in the data, from one group.
    GroupPresence,
    /// The same from all groups that cover the person.
    Presence,
    /// The strongest belief in a value of a sensitive attribute.
    Belief(&'a str),
    /// How few values of a sensitive attribute remain possible.
    Values(&'a str),
    /// How few of its categories do.
    Categories(&'a str),
    /// The variational distance between belief and the overall distribution.
    Variation(&'a str),
    /// |ln(p/q)| of a belief p and an overall share q, for the value where it is largest.
    Ratio(&'a str),
}

impl Risk<'_> {
    /// Whether a promise states the least that must remain, not the most that may be reached.
    pub fn is_from_below(self) -> bool {
        matches!(self, Self::Values(_) | Self::Categories(_))
    }

    /// The stricter of two limits.
    pub fn stricter(self, a: f64, b: f64) -> f64 {
        if self.is_from_below() { a.max(b) } else { a.min(b) }
    }

    /// Whether what was measured keeps a limit, up to `tolerance::MEASURED`: a finding, and no proof.
    pub fn keeps(self, measured: f64, limit: f64) -> bool {
        if self.is_from_below() {
            measured >= limit - tolerance::MEASURED
        } else {
            measured <= limit + tolerance::MEASURED
        }
    }
}

/// The strictest limit that promises set.
pub fn limit(models: &[Box<dyn super::PrivacyModel>], risk: Risk<'_>) -> Option<f64> {
    models.iter().filter_map(|model| model.limit(risk)).reduce(|a, b| risk.stricter(a, b))
}
