//! How likely chance alone puts things in such an order: bounds that hold for every size, small tables included.
//!
//! A [`Surprise`] bounds the probability that a random order is as telling as the one found. No normal approximation is in it: inversions of a
//! random arrangement have a known generating function, so that Chernoff's bound is a theorem for any number of things, and matches of two random
//! arrangements are bounded by Chatterjee's inequality. Tests of one audit are joined by the union bound ([`line()`]).

use crate::numeric::tolerance;

/// The logarithm of a bound on the probability that chance alone does as much.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(super) struct Surprise(f64);

impl Surprise {
    /// On the scale of standard deviations: a normal variable is beyond z with less than 2·exp(−z²/2), and this is the z of the bound.
    pub(super) fn level(self) -> f64 {
        deviations(self.0)
    }
}

fn deviations(log_probability: f64) -> f64 {
    (2.0 * (std::f64::consts::LN_2 - log_probability)).max(0.0).sqrt()
}

/// The level beyond which one of so many tests calls an order no accident: each gets an even share of the false alarms that are allowed.
pub(super) fn line(tests: usize) -> f64 {
    deviations((tolerance::FALSE_ALARMS / tests.max(1) as f64).ln())
}

/// Pairs in the wrong order, over arrangements that are independent of each other.
#[derive(Clone, Debug, Default)]
pub(super) struct Inversions {
    found: u64,
    pairs: u64,
    /// For each arrangement how many things it has, with +1; for each run of equal things how many these are, with −1.
    sizes: Vec<(u32, i32)>,
}

impl Inversions {
    /// Adds an arrangement. Under chance every order of its keys is as likely; equal keys are in no order.
    pub(super) fn add(&mut self, keys: &[u32]) {
        let mut sorted = keys.to_vec();
        self.found += sort_counting(&mut sorted, &mut Vec::new());
        let things = keys.len() as u64;
        self.pairs += things * things.saturating_sub(1) / 2;
        self.sizes.push((keys.len() as u32, 1));
        for equal in sorted.chunk_by(|a, b| a == b).filter(|equal| equal.len() > 1) {
            let same = equal.len() as u64;
            self.pairs -= same * (same - 1) / 2;
            self.sizes.push((equal.len() as u32, -1));
        }
    }

    /// How surprising it is that so few, or so many, pairs are in the wrong order; nothing where there are no pairs.
    ///
    /// Of n things with runs of m equal ones, inversions have the generating function ∏\[i\] over i ≤ n, by the same of each run, where \[i\] is the mean of
    /// q⁰ … qⁱ⁻¹. It is symmetric around half the pairs, so that P(|I − pairs/2| ≥ d) ≤ 2·exp(K(θ) − θ·d) for every θ > 0, with K the logarithm of
    /// the centred generating function. Any θ gives a bound; a few around the best one of a normal variable are tried.
    pub(super) fn surprise(&self) -> Option<Surprise> {
        if self.pairs == 0 {
            return None;
        }
        let off = (self.found as f64 - self.pairs as f64 / 2.0).abs();
        // The variance of a sum of uniform numbers below 1, 2, 3 … is Σ(i² − 1)/12.
        let spread = |n: u32| f64::from(n) * (f64::from(n) - 1.0) * (2.0 * f64::from(n) + 5.0) / 72.0;
        let variance: f64 = self.sizes.iter().map(|&(n, sign)| f64::from(sign) * spread(n)).sum();
        let best = off / variance;
        let tried = [0.5, 1.0, 1.4, 2.0, 3.0, 5.0, 10.0, 40.0];
        let bound = |factor: f64| self.log_moment(best * factor) - best * factor * off;
        let least = tried.into_iter().map(bound).fold(0.0, f64::min);
        Some(Surprise((std::f64::consts::LN_2 + least).min(0.0)))
    }

    /// The logarithm of E exp(θ·(I − pairs/2)).
    fn log_moment(&self, theta: f64) -> f64 {
        if theta <= 0.0 {
            return 0.0;
        }
        let largest = self.sizes.iter().map(|&(n, _)| n).max().unwrap_or(0);
        // Of a uniform number below i, centred: sinh(θi/2) / (i·sinh(θ/2)).
        let one = (-(-theta).exp_m1()).ln();
        let mut up_to = Vec::with_capacity(largest as usize + 1);
        up_to.push(0.0);
        let mut sum = 0.0;
        for i in 1..=largest {
            let i = f64::from(i);
            sum += theta * (i - 1.0) / 2.0 + (-(-theta * i).exp_m1()).ln() - one - i.ln();
            up_to.push(sum);
        }
        self.sizes.iter().map(|&(n, sign)| f64::from(sign) * up_to[n as usize]).sum()
    }
}

/// How surprising so many matches are, where so many are expected of random arrangements.
///
/// Chatterjee (2007), for Σ a(i, π(i)) with a between 0 and 1 and π a random permutation: beyond the mean μ by t with at most exp(−t²/(4μ + 2t)).
/// The proof bounds the moment generating function, so that it holds for sums over independent arrangements too.
pub(super) fn surprise_of_matches(found: f64, expected: f64) -> Surprise {
    let beyond = found - expected;
    if beyond <= 0.0 {
        return Surprise(0.0);
    }
    Surprise(-beyond * beyond / (4.0 * expected + 2.0 * beyond))
}

/// Sorts, and counts the pairs that stood in the wrong order.
fn sort_counting(keys: &mut [u32], room: &mut Vec<u32>) -> u64 {
    if keys.len() < 2 {
        return 0;
    }
    let (left, right) = keys.split_at_mut(keys.len() / 2);
    let mut found = sort_counting(left, room) + sort_counting(right, room);
    room.clear();
    let (mut i, mut j) = (0, 0);
    while i < left.len() && j < right.len() {
        if right[j] < left[i] {
            found += (left.len() - i) as u64;
            room.push(right[j]);
            j += 1;
        } else {
            room.push(left[i]);
            i += 1;
        }
    }
    room.extend_from_slice(&left[i..]);
    room.extend_from_slice(&right[j..]);
    keys.copy_from_slice(room);
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn permutations(keys: &[u32]) -> Vec<Vec<u32>> {
        if keys.is_empty() {
            return vec![Vec::new()];
        }
        let mut all = Vec::new();
        for first in 0..keys.len() {
            let mut rest = keys.to_vec();
            let key = rest.remove(first);
            all.extend(permutations(&rest).into_iter().map(|mut order| {
                order.insert(0, key);
                order
            }));
        }
        all
    }

    fn inversions(keys: &[u32]) -> u64 {
        (0..keys.len()).map(|i| keys[i + 1..].iter().filter(|&&later| later < keys[i]).count() as u64).sum()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// The share of all orders that are as telling is never above the bound, with equal keys and with several arrangements.
        #[test]
        fn chance_is_never_underrated(first in prop::collection::vec(0_u32..5, 0..7), second in prop::collection::vec(0_u32..9, 0..4)) {
            let of = |a: &[u32], b: &[u32]| {
                let mut all = Inversions::default();
                all.add(a);
                all.add(b);
                all
            };
            let own = of(&first, &second);
            prop_assert_eq!(own.found, inversions(&first) + inversions(&second));
            let Some(Surprise(bound)) = own.surprise() else { return Ok(()) };
            let telling = |all: &Inversions| (2 * all.found).abs_diff(all.pairs);
            let (firsts, seconds) = (permutations(&first), permutations(&second));
            let as_telling: usize = firsts
                .iter()
                .map(|a| seconds.iter().filter(|b| telling(&of(a, b)) >= telling(&own)).count())
                .sum();
            let share = as_telling as f64 / (firsts.len() * seconds.len()) as f64;
            prop_assert!(share.ln() <= bound + 1e-9, "{} of all orders, bound {}", share, bound.exp());
        }

        #[test]
        fn matches_are_never_underrated(keys in prop::collection::vec(0_u32..4, 1..7)) {
            let orders = permutations(&keys);
            let matches = |order: &[u32]| order.iter().zip(&keys).filter(|(a, b)| a == b).count();
            let expected = orders.iter().map(|order| matches(order) as f64).sum::<f64>() / orders.len() as f64;
            for found in 0..=keys.len() {
                let share = orders.iter().filter(|order| matches(order) >= found).count() as f64 / orders.len() as f64;
                let Surprise(bound) = surprise_of_matches(found as f64, expected);
                prop_assert!(share.ln() <= bound + 1e-9, "{} of {}: {} against {}", found, expected, share, bound.exp());
            }
        }
    }

    #[test]
    fn the_bound_is_near_the_truth() {
        let mut kept = Inversions::default();
        kept.add(&(0..20).collect::<Vec<_>>());
        let Some(Surprise(bound)) = kept.surprise() else { panic!("there are pairs") };
        let truth: f64 = std::f64::consts::LN_2 - (1..=20).map(|i| f64::from(i).ln()).sum::<f64>();
        assert!(truth <= bound && bound < truth * 0.9, "{truth} {bound}");
    }

    #[test]
    fn the_line_is_that_of_all_tests_together() {
        assert!((line(1) - 5.386_8).abs() < 0.001, "{}", line(1));
        assert!(line(40) > line(4) && line(4) > line(1));
        let probability = |level: f64| 2.0 * (-level * level / 2.0).exp();
        assert!((probability(line(7)) * 7.0 / tolerance::FALSE_ALARMS - 1.0).abs() < 1e-6);
    }
}
