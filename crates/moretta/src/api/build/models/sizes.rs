//! How many people somebody is hidden among.

use super::promises;
use crate::Promise;

promises! {
    /// Every person's quasi-identifiers are published alike for at least k people: a promise of generalized releases.
    KAnonymity = "k-anonymity"(k: u64);

    /// Every bucket holds at least k people. It says nothing about how many different values it has.
    BucketSize = "bucket-size"(k: u64);

    /// Each record is drawn from the moments of at least k people: a promise of condensed releases.
    CondensedK = "condensed-k"(k: u64);

    /// Of each density, k people are expected to fit it at least as well as its owner: a promise of uncertain releases.
    UncertainKAnonymity = "uncertain-k-anonymity"(k: f64);
}

impl UncertainKAnonymity {
    /// As many as a column of the table says for each person.
    pub fn by_attribute(attribute: &str) -> Self {
        Self(Promise::new("uncertain-k-anonymity").with("k", attribute))
    }
}
