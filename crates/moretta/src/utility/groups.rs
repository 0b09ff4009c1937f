//! The cost of standing in groups.

use super::Utility;
use crate::model::{Groups, Whole};

/// Measures groups that were read back from a release.
pub(super) fn measure(groups: &Groups, original: &Whole, suppressed: u64, k: Option<u64>) -> Utility {
    let everyone = original.people;
    let entropy_loss = entropy_loss(groups, original, suppressed);
    Utility {
        dm: Some(groups.people.iter().map(|size| size * size).sum::<u64>() + suppressed * everyone),
        cavg: k.map(|k| everyone as f64 / groups.len().max(1) as f64 / k as f64),
        classification: classification(groups, everyone, suppressed),
        entropy_loss,
        entropy_utility: entropy_loss.map(|loss| entropy_of_table(original) - loss),
        ..Utility::default()
    }
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
fn entropy_of_table(original: &Whole) -> f64 {
    let all: f64 = original.sensitive.iter().map(|attribute| entropy_of_all(&attribute.people)).sum();
    all / original.people.max(1) as f64
}

/// Σ |G| · H(G) over groups, where those left out are as uncertain as the whole table, by everybody.
fn entropy_loss(groups: &Groups, original: &Whole, suppressed: u64) -> Option<f64> {
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
