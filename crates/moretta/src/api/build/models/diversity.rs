//! How many values somebody may have.

use super::{about_one, promises};

promises! {
    /// Every group has at least ℓ different sensitive values.
    DistinctLDiversity = "distinct-l-diversity"(l: u64);

    /// No sensitive value is that of more than 1/ℓ of a group.
    ProbabilisticLDiversity = "probabilistic-l-diversity"(l: f64);

    /// The entropy of a group's sensitive values is at least ln ℓ.
    EntropyLDiversity = "entropy-l-diversity"(l: f64);

    /// The most frequent value of a group is less than c times as frequent as all but the ℓ − 1 most frequent ones together.
    RecursiveLDiversity = "recursive-l-diversity"(c: f64, l: u64);

    /// Nobody's value is believed with more than 1/ℓ: a promise of sliced releases.
    LDiverseSlicing = "l-diverse-slicing"(l: f64);

    /// Everybody may have at least ℓ values, whatever the negative rules exclude that hold in the table and have at least this expectation.
    MatchingLDiversity = "matching-l-diversity"(l: u64, min_expectation: f64);
}

about_one!(
    DistinctLDiversity,
    ProbabilisticLDiversity,
    EntropyLDiversity,
    RecursiveLDiversity,
    LDiverseSlicing,
    MatchingLDiversity
);

impl MatchingLDiversity {
    /// With rules of up to so many conditions.
    #[must_use]
    pub fn max_items(self, items: u64) -> Self {
        Self(self.0.with("max_items", items))
    }

    /// With rules that count people near a numeric condition in part.
    #[must_use]
    pub fn fuzzy(self) -> Self {
        Self(self.0.with("fuzzy", true))
    }
}
