//! What aggregates over some of a group's people can be, given only the group's subdomains.

/// The subdomains of a group, ordered for bounds.
///
/// A query selects m of a group's people; which subdomains are theirs is not known, nor which are fakes, so any m may be.
/// Koudas et al. (2009), section 3.3.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// From the smallest minimum up.
    lows: Vec<Step>,
    /// From the largest maximum down.
    highs: Vec<Step>,
}

/// Subdomains that end at the same value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    value: i64,
    /// How many there are up to here, and the sum of their values.
    count: u64,
    sum: i128,
}

/// A lower and an upper bound, both attained.
pub(crate) type Interval = (i128, i128);

impl Bounds {
    /// The bounds that subdomains, as `(low, high, count)`, allow.
    pub fn of(subdomains: &[(i64, i64, u64)]) -> Self {
        let mut lows: Vec<(i64, u64)> = subdomains.iter().map(|&(low, _, count)| (low, count)).collect();
        let mut highs: Vec<(i64, u64)> = subdomains.iter().map(|&(_, high, count)| (high, count)).collect();
        lows.sort_unstable();
        highs.sort_unstable_by_key(|&(high, _)| std::cmp::Reverse(high));
        Self { lows: steps(&lows), highs: steps(&highs) }
    }

    /// SUM over m people: from the m smallest minima to the m largest maxima.
    pub fn sum(&self, m: u64) -> Interval {
        (first(&self.lows, m).0, first(&self.highs, m).0)
    }

    /// MIN over m > 0 people: from the smallest minimum to the m-th largest maximum.
    pub(crate) fn least(&self, m: u64) -> Interval {
        (first(&self.lows, 1).1, first(&self.highs, m).1)
    }

    /// MAX over m > 0 people: from the m-th smallest minimum to the largest maximum.
    pub(crate) fn greatest(&self, m: u64) -> Interval {
        (first(&self.lows, m).1, first(&self.highs, 1).1)
    }

    /// SUM for m = 1, 2, …: what the auxiliary table lists.
    pub(crate) fn sums(&self, people: u64) -> impl Iterator<Item = Interval> + '_ {
        running(&self.lows).zip(running(&self.highs)).take(people as usize)
    }
}

fn steps(sorted: &[(i64, u64)]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for &(value, count) in sorted.iter().filter(|(_, count)| *count > 0) {
        let before = steps.last().copied().unwrap_or(Step { value, count: 0, sum: 0 });
        let step = Step { value, count: before.count + count, sum: before.sum + i128::from(value) * i128::from(count) };
        match steps.last_mut() {
            Some(last) if last.value == value => *last = step,
            _ => steps.push(step),
        }
    }
    steps
}

/// The sum of the first m values, and the m-th.
fn first(steps: &[Step], m: u64) -> Interval {
    let index = steps.partition_point(|step| step.count < m);
    let before = index.checked_sub(1).map_or((0, 0), |index| (steps[index].count, steps[index].sum));
    let Some(step) = steps.get(index) else { return (before.1, 0) };
    (before.1 + i128::from(step.value) * i128::from(m - before.0), step.value.into())
}

fn running(steps: &[Step]) -> impl Iterator<Item = i128> + '_ {
    let mut before = 0;
    let values = steps.iter().flat_map(move |step| {
        let times = step.count - std::mem::replace(&mut before, step.count);
        std::iter::repeat_n(step.value, times as usize)
    });
    values.scan(0, |sum, value| {
        *sum += i128::from(value);
        Some(*sum)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_paper_s_averages() {
        // Women of Figure 2: two of group 1, all three of group 2, one of group 3.
        let first = Bounds::of(&[(30, 30, 1), (40, 40, 1), (50, 50, 1), (60, 60, 1)]);
        let second = Bounds::of(&[(30, 40, 1), (50, 60, 1), (30, 60, 1)]);
        let third = Bounds::of(&[(30, 60, 2), (50, 60, 1), (30, 40, 1)]);
        let parts = [first.sum(2), second.sum(3), third.sum(1)];
        assert_eq!(parts, [(70, 110), (110, 160), (30, 60)]);
        assert_eq!(parts.iter().map(|p| p.0).sum::<i128>(), 35 * 6);
        assert_eq!(parts.iter().map(|p| p.1).sum::<i128>(), 55 * 6);
        // With the fake value 60 the three of group 2 hold three of four values.
        assert_eq!(first.sum(3), (120, 150));
        assert_eq!(third.sum(4), (140, 220));
    }

    /// Every way to deal subdomains to `m` people, and a value to each subdomain: the extremes of an aggregate.
    fn extremes(subdomains: &[(i64, i64)], m: usize, aggregate: fn(&[i64]) -> i64) -> (i64, i64) {
        fn go(left: &[(i64, i64)], m: usize, chosen: &mut Vec<i64>, aggregate: fn(&[i64]) -> i64, e: &mut (i64, i64)) {
            if chosen.len() == m {
                *e = (e.0.min(aggregate(chosen)), e.1.max(aggregate(chosen)));
                return;
            }
            let Some((&(low, high), rest)) = left.split_first() else { return };
            go(rest, m, chosen, aggregate, e);
            for value in low..=high {
                chosen.push(value);
                go(rest, m, chosen, aggregate, e);
                chosen.pop();
            }
        }
        let mut extremes = (i64::MAX, i64::MIN);
        go(subdomains, m, &mut Vec::new(), aggregate, &mut extremes);
        extremes
    }

    proptest! {
        #[test]
        fn bounds_hold_every_possible_answer_and_are_attained(
            ends in proptest::collection::vec((-3_i64..4, 0_i64..3), 1..6),
            selected in 1_usize..6,
        ) {
            let subdomains: Vec<(i64, i64)> = ends.iter().map(|&(low, range)| (low, low + range)).collect();
            let counted: Vec<(i64, i64, u64)> = subdomains.iter().map(|&(low, high)| (low, high, 1)).collect();
            let bounds = Bounds::of(&counted);
            let m = selected.min(subdomains.len());
            let wide = |(low, high): (i64, i64)| (i128::from(low), i128::from(high));
            prop_assert_eq!(bounds.sum(m as u64), wide(extremes(&subdomains, m, |v| v.iter().sum())));
            prop_assert_eq!(bounds.least(m as u64), wide(extremes(&subdomains, m, |v| v.iter().copied().min().unwrap())));
            prop_assert_eq!(bounds.greatest(m as u64), wide(extremes(&subdomains, m, |v| v.iter().copied().max().unwrap())));
            let all: Vec<Interval> = bounds.sums(subdomains.len() as u64).collect();
            prop_assert_eq!(all, (1..=subdomains.len() as u64).map(|m| bounds.sum(m)).collect::<Vec<_>>());
        }
    }
}
