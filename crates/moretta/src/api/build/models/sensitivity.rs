//! k-anonymity, and what the people of a group may have.

use super::{about_one, promises};

promises! {
    /// k-anonymity, and no sensitive value is that of more than the share `alpha` of a group.
    AlphaKAnonymity = "alpha-k-anonymity"(alpha: f64, k: u64);

    /// k-anonymity, and every group has at least p different sensitive values.
    PSensitive = "p-sensitive"(p: u64, k: u64);

    /// k-anonymity, and the values of every group come from at least p categories. The attribute needs categories.
    PPlusSensitive = "p-plus-sensitive"(p: u64, k: u64);

    /// k-anonymity, at least p different values, and a total weight of at least `alpha` in every group. The attribute needs categories.
    PAlphaSensitive = "p-alpha-sensitive"(p: u64, alpha: f64, k: u64);
}

about_one!(AlphaKAnonymity, PSensitive, PPlusSensitive, PAlphaSensitive);

impl AlphaKAnonymity {
    /// Only these values are kept rare.
    #[must_use]
    pub fn values(self, values: impl IntoIterator<Item: Into<String>>) -> Self {
        let values: Vec<String> = values.into_iter().map(Into::into).collect();
        Self(self.0.with("values", values))
    }
}
