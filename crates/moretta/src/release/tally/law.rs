//! How the value of a person is taken to be distributed, given that a condition holds.

/// A distribution of one value.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueDistribution {
    /// Its mean, exactly, though `points` may be a coarse picture of it.
    pub mean: f64,
    /// Values in order, and the probability of each.
    pub points: Vec<(f64, f64)>,
}

/// A range with more values is pictured by this many, at the middles of equal shares.
const MOST_POINTS: usize = 64;

impl ValueDistribution {
    /// Certainly one value.
    pub fn point(value: f64) -> Self {
        Self { mean: value, points: vec![(value, 1.0)] }
    }

    /// Some values with their weights; nothing if they weigh nothing.
    pub fn weighted(mut points: Vec<(f64, f64)>) -> Option<Self> {
        let total: f64 = points.iter().map(|(_, weight)| weight).sum();
        points.retain(|(_, weight)| *weight > 0.0);
        if points.is_empty() {
            return None;
        }
        points.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        points.iter_mut().for_each(|(_, weight)| *weight /= total);
        let mean = points.iter().map(|(value, weight)| value * weight).sum();
        Some(Self { mean, points })
    }

    /// All values as likely.
    pub fn uniform(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        Self::weighted(values.into_iter().map(|value| (value, 1.0)).collect())
    }

    /// All whole numbers in some runs, both ends included, as likely.
    pub fn of_runs(runs: &[(f64, f64)]) -> Option<Self> {
        let total: f64 = runs.iter().map(|(low, high)| high - low + 1.0).sum();
        if total <= MOST_POINTS as f64 {
            let below = |high: f64| move |x: &f64| *x <= high;
            let run =
                |&(low, high): &(f64, f64)| std::iter::successors(Some(low), |x| Some(x + 1.0)).take_while(below(high));
            return Self::uniform(runs.iter().flat_map(run));
        }
        let mean = runs.iter().map(|(low, high)| f64::midpoint(*low, *high) * (high - low + 1.0)).sum::<f64>() / total;
        let wide: Vec<(f64, f64)> = runs.iter().map(|(low, high)| (low - 0.5, high + 0.5)).collect();
        Some(Self { mean, ..Self::of_lengths(&wide)? })
    }

    /// All numbers in some intervals as likely, by length; single numbers if there is no length at all.
    pub fn of_lengths(intervals: &[(f64, f64)]) -> Option<Self> {
        let total: f64 = intervals.iter().map(|(low, high)| high - low).sum();
        if !total.is_finite() {
            return None;
        }
        if total <= 0.0 {
            return Self::uniform(intervals.iter().map(|(low, _)| *low));
        }
        let mean = intervals.iter().map(|(low, high)| f64::midpoint(*low, *high) * (high - low)).sum::<f64>() / total;
        let (mut before, mut at) = (0.0, 0);
        let index = |step: usize| {
            let wanted = (step as f64 + 0.5) / MOST_POINTS as f64 * total;
            while at + 1 < intervals.len() && before + (intervals[at].1 - intervals[at].0) < wanted {
                before += intervals[at].1 - intervals[at].0;
                at += 1;
            }
            (intervals[at].0 + (wanted - before), 1.0)
        };
        let points: Vec<(f64, f64)> = (0..MOST_POINTS).map(index).collect();
        Some(Self { mean, ..Self::weighted(points)? })
    }

    /// A mixture of laws by weight; nothing if they weigh nothing.
    pub fn mixture(parts: &[(Self, f64)]) -> Option<Self> {
        let total: f64 = parts.iter().map(|(_, weight)| weight).sum();
        let points = parts
            .iter()
            .flat_map(|(law, weight)| law.points.iter().map(move |(value, share)| (*value, share * weight)));
        let mixed = Self::weighted(points.collect())?;
        Some(Self { mean: parts.iter().map(|(law, weight)| law.mean * weight).sum::<f64>() / total, ..mixed })
    }
}
