//! What a pair of histograms says before any distance looks at it.

/// A group's histogram beside the table's.
pub(crate) enum Pair {
    /// The distance is this, whatever the measure.
    Settled(f64),
    /// How many people each of the two holds; neither number is 0.
    Totals { group: u64, whole: u64 },
}

/// Weighs two histograms; the conventions at the edges are those in the docs of [`super`].
pub(crate) fn pair(group: &[u64], whole: &[u64]) -> Pair {
    if group.len() != whole.len() {
        return Pair::Settled(f64::INFINITY);
    }
    match (total(group), total(whole)) {
        (Some(0), Some(_)) => Pair::Settled(0.0),
        (None, _) | (_, None | Some(0)) => Pair::Settled(f64::INFINITY),
        (Some(group), Some(whole)) => Pair::Totals { group, whole },
    }
}

fn total(counts: &[u64]) -> Option<u64> {
    counts.iter().try_fold(0_u64, |sum, &count| sum.checked_add(count))
}
