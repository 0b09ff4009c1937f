//! The cost of standing in groups.

use serde::Serialize;

use super::{Groups, TableSummary};

/// What a release costs. Suppressed people count as full loss in every figure; a figure that means nothing for a kind
/// of release is left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Utility {
    /// Discernibility: Σ|G|² over groups, and for each suppressed person the size of the table; nothing beyond 2⁶⁴.
    pub dm: Option<u64>,
    /// (people / groups) / k: 1 where every group is as small as allowed; nothing where no k is promised.
    pub cavg: Option<f64>,
    /// Global certainty penalty, 0 to 1: mean over people and quasi-identifiers of NCP.
    pub gcp: Option<f64>,
    /// The same mean, in which each quasi-identifier weighs by its importance; left out where all weigh the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weighted_gcp: Option<f64>,
    /// Mean over people and quasi-identifiers of (leaves − 1)/(domain − 1), 0 to 1.
    pub loss: Option<f64>,
    /// Distortion ratio: the sum of heights climbed by the sum of heights that could be climbed, 0 to 1.
    pub distortion: Option<f64>,
    /// Generalization height: the steps that a person's values climb together, on average.
    pub height: Option<f64>,
    /// 1 − mean over people and quasi-identifiers of height climbed by height of the hierarchy (Sweeney's Prec).
    pub precision: Option<f64>,
    /// Classification metric: the share of people who lack their group's most frequent sensitive value, or were
    /// left out; the mean over sensitive attributes, nothing without one.
    pub classification: Option<f64>,
    /// Σ |G|/|T| · H(G) in nats, summed over the sensitive attributes, those left out as one group with the
    /// entropy of the table; nothing without a sensitive attribute.
    pub entropy_loss: Option<f64>,
    /// What the groups tell: the entropy of the table less the entropy loss.
    pub entropy_utility: Option<f64>,
    /// What is left of how quasi-identifiers and sensitive attributes go together, 0 to 1: the mean over their pairs of
    /// [`AssociationKept::kept`]; nothing where it was not asked for, or where nothing goes together. Of more than 20,000 pairs
    /// those of the first sensitive attributes are measured.
    pub association: Option<f64>,
    /// How far off answers to a small set of counts are; nothing where it was not asked for.
    pub query_error: Option<QueryErrorCost>,
    /// The same for each quasi-identifier.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<ColumnCost>,
}

/// How far off counts are: |estimate − truth| / truth over those whose truth is not 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct QueryErrorCost {
    /// The mean.
    pub mean: f64,
    /// Half of the counts are no farther off.
    pub median: f64,
    /// How many counts there are.
    pub queries: usize,
}

/// What a release costs in one quasi-identifier.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ColumnCost {
    /// The attribute.
    pub name: String,
    /// Its part of [`Utility::loss`], 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<f64>,
    /// Its part of [`Utility::gcp`], 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gcp: Option<f64>,
    /// What is left of how it goes together with each sensitive attribute.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub association: Vec<AssociationKept>,
}

/// How a quasi-identifier and a sensitive attribute go together: mutual information in nats.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AssociationKept {
    /// The sensitive attribute.
    pub sensitive: String,
    /// In the original.
    pub original: f64,
    /// As the release's estimates say.
    pub release: f64,
    /// The share that is left, at most 1; nothing where the original has none.
    pub kept: Option<f64>,
}

/// Measures groups that were read back from a release.
pub(crate) fn measure(groups: &Groups, original: &TableSummary, suppressed: u64, k: Option<u64>) -> Utility {
    let everyone = original.people;
    let entropy_loss = entropy_loss(groups, original, suppressed);
    Utility {
        dm: sum_of_squares(&groups.people, u128::from(suppressed) * u128::from(everyone)),
        cavg: k.map(|k| everyone as f64 / groups.len().max(1) as f64 / k as f64),
        classification: classification(groups, everyone, suppressed),
        entropy_loss,
        entropy_utility: entropy_loss.map(|loss| entropy_of_table(original) - loss),
        ..Utility::default()
    }
}

/// The squares of sizes and what is to be added to them; nothing beyond 2⁶⁴, which weights of billions reach.
pub(crate) fn sum_of_squares(sizes: &[u64], others: u128) -> Option<u64> {
    let square = |&size: &u64| u128::from(size) * u128::from(size);
    u64::try_from(sizes.iter().map(square).sum::<u128>() + others).ok()
}

/// The share of people who lack their group's most frequent value, or were left out.
fn classification(groups: &Groups, everyone: u64, suppressed: u64) -> Option<f64> {
    let attributes = groups.whole.sensitive.len();
    if attributes == 0 {
        return None;
    }
    let mut scratch = groups.scratch();
    let mut wrong = suppressed * attributes as u64;
    for group in 0..groups.len() {
        groups.fill(group, &mut scratch);
        let most = |histogram: &Vec<u64>| histogram.iter().copied().max().unwrap_or(0);
        wrong += scratch.iter().map(|histogram| groups.people[group] - most(histogram)).sum::<u64>();
        groups.clear(group, &mut scratch);
    }
    Some(wrong as f64 / (attributes as u64 * everyone.max(1)) as f64)
}

/// H(T), summed over the sensitive attributes.
fn entropy_of_table(original: &TableSummary) -> f64 {
    let all: f64 = original.sensitive.iter().map(|attribute| entropy_of_all(&attribute.people)).sum();
    all / original.people.max(1) as f64
}

/// Σ |G| · H(G) over groups, where those left out are as uncertain as the whole table, by everybody.
fn entropy_loss(groups: &Groups, original: &TableSummary, suppressed: u64) -> Option<f64> {
    if groups.whole.sensitive.is_empty() {
        return None;
    }
    let mut scratch = groups.scratch();
    let mut sum = 0.0;
    for group in 0..groups.len() {
        groups.fill(group, &mut scratch);
        sum += scratch.iter().map(|histogram| entropy_of_all(histogram)).sum::<f64>();
        groups.clear(group, &mut scratch);
    }
    let everyone = original.people.max(1) as f64;
    Some((sum + suppressed as f64 * entropy_of_table(original)) / everyone)
}

/// n · H = n ln n − Σ c ln c for the n people of a histogram.
fn entropy_of_all(histogram: &[u64]) -> f64 {
    let n_ln_n = |count: u64| if count > 1 { count as f64 * (count as f64).ln() } else { 0.0 };
    n_ln_n(histogram.iter().sum()) - histogram.iter().map(|&count| n_ln_n(count)).sum::<f64>()
}
