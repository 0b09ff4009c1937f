//! The models straight from their definitions: slow, plain, and written without a look at the fast code.

use std::collections::BTreeMap;

/// People by value. Only values that somebody has are listed.
pub(crate) type Counts = BTreeMap<String, u64>;

/// A bound in hundredths: 15 is 0.15.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hundredths(pub(crate) u64);

impl std::fmt::Display for Hundredths {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

impl Hundredths {
    pub(crate) fn to_f64(self) -> f64 {
        self.0 as f64 / 100.0
    }
}

/// Counts values with their weights.
pub(crate) fn count<'v>(values: impl IntoIterator<Item = (&'v str, u64)>) -> Counts {
    let mut counts = Counts::new();
    for (value, people) in values {
        *counts.entry(value.to_owned()).or_default() += people;
    }
    counts
}

/// People in all.
pub(crate) fn people(group: &Counts) -> u64 {
    group.values().sum()
}

/// Every share at most 1/l, as a fraction.
pub(crate) fn probabilistic(group: &Counts, l: Hundredths) -> bool {
    group.values().all(|count| count * l.0 <= people(group) * 100)
}

/// Every share, or those of some values, at most alpha.
pub(crate) fn alpha(group: &Counts, alpha: Hundredths, values: Option<&[&str]>) -> bool {
    let bounded = |value: &String| values.is_none_or(|values| values.contains(&value.as_str()));
    group.iter().filter(|(value, _)| bounded(value)).all(|(_, count)| count * 100 <= people(group) * alpha.0)
}

/// exp of the entropy, share by share.
pub(crate) fn entropy_l(group: &Counts) -> f64 {
    let share = |&count: &u64| count as f64 / people(group) as f64;
    (-group.values().map(share).map(|p| p * p.ln()).sum::<f64>()).exp()
}

/// The counts in descending order.
fn descending(group: &Counts) -> Vec<u64> {
    let mut counts: Vec<u64> = group.values().copied().collect();
    counts.sort_by_key(|&count| std::cmp::Reverse(count));
    counts
}

/// r₁ < c · (r_l + … + r_m).
pub(crate) fn recursive(group: &Counts, c: Hundredths, l: usize) -> bool {
    let r = descending(group);
    r[0] * 100 < c.0 * r.iter().skip(l - 1).sum::<u64>()
}

/// What c must exceed.
pub(crate) fn recursive_c(group: &Counts, l: usize) -> f64 {
    let r = descending(group);
    match r.iter().skip(l - 1).sum::<u64>() {
        0 => f64::INFINITY,
        tail => r[0] as f64 / tail as f64,
    }
}

/// The category of a value, counted from 0.
fn category(value: &str, categories: &[Vec<String>]) -> usize {
    categories.iter().position(|list| list.iter().any(|listed| listed == value)).unwrap()
}

/// How many categories occur.
pub(crate) fn categories(group: &Counts, categories: &[Vec<String>]) -> usize {
    let mut seen: Vec<usize> = group.keys().map(|value| category(value, categories)).collect();
    seen.sort_unstable();
    seen.dedup();
    seen.len()
}

/// The total weight in parts of 1/(m − 1), person by person; with one category everybody weighs 1.
pub(crate) fn weight_parts(group: &Counts, categories: &[Vec<String>]) -> u64 {
    let weight = |value: &str| if categories.len() == 1 { 1 } else { category(value, categories) as u64 };
    group.iter().map(|(value, people)| people * weight(value)).sum()
}

/// The largest |ln(p/q)| over all values of the table.
pub(crate) fn delta(group: &Counts, whole: &Counts) -> f64 {
    let share =
        |counts: &Counts, value: &String| counts.get(value).copied().unwrap_or(0) as f64 / people(counts) as f64;
    whole.keys().map(|value| (share(group, value) / share(whole, value)).ln().abs()).fold(0.0, f64::max)
}
