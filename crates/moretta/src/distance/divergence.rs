//! Divergences that treat values as unrelated to each other.

use std::f64::consts::LN_2;

use super::histogram::{Pair, pair};

/// The variational distance `½ Σ |pᵢ − qᵢ|`, from 0 to 1.
///
/// The same number as the earth mover's distance with equal ground distance; where a promise
/// hangs on it, [`super::PreparedDistance`] decides it in fractions. O(m). Li (2010), section 2.3.
pub fn variational(group: &[u64], whole: &[u64]) -> f64 {
    let (n_group, n_whole) = match pair(group, whole) {
        Pair::Settled(distance) => return distance,
        Pair::Totals { group, whole } => (u128::from(group), u128::from(whole)),
    };
    let difference = |(&p, &q): (&u64, &u64)| (u128::from(p) * n_whole).abs_diff(u128::from(q) * n_group) as f64;
    let sum: f64 = group.iter().zip(whole).map(difference).sum();
    (sum / 2.0 / (n_group as f64 * n_whole as f64)).min(1.0)
}

/// The Kullback–Leibler divergence `Σ pᵢ ln(pᵢ/qᵢ)` in nats, from 0 up.
///
/// Infinite where the group holds a value that the table lacks. Not symmetric. O(m).
/// Li (2010), section 2.3.1.
pub fn kl(group: &[u64], whole: &[u64]) -> f64 {
    let (n_group, n_whole) = match pair(group, whole) {
        Pair::Settled(distance) => return distance,
        Pair::Totals { group, whole } => (group as f64, whole as f64),
    };
    // p/q as (p·N_Q)/(q·N_P): equal shares then give exactly ln 1, which shares rounded one by one need not.
    let term = |(&p, &q): (&u64, &u64)| match (p, q) {
        (0, _) => 0.0,
        (_, 0) => f64::INFINITY,
        _ => p as f64 * ((p as f64 * n_whole) / (q as f64 * n_group)).ln(),
    };
    let sum: f64 = group.iter().zip(whole).map(term).sum();
    // Rounding may leave a sum that is 0 a little below it.
    (sum / n_group).max(0.0)
}

/// The Jensen–Shannon divergence `½ KL(P‖M) + ½ KL(Q‖M)`, `M = (P + Q)/2`, in nats, from 0 to ln 2.
///
/// Symmetric, and finite also where one of the two lacks a value. O(m), with a logarithm only for
/// the values that the group holds. Li (2010), section 2.3.1, equation 2.1.
pub fn js(group: &[u64], whole: &[u64]) -> f64 {
    let (n_group, n_whole) = match pair(group, whole) {
        Pair::Settled(distance) => return distance,
        Pair::Totals { group, whole } => (group as f64, whole as f64),
    };
    let scaled = group.iter().zip(whole).map(|(&p, &q)| (p as f64 * n_whole, q as f64 * n_group));
    (js_sum(scaled) / (n_group * n_whole)).min(LN_2)
}

/// The Jensen–Shannon divergence of two distributions given by their shares, which sum to 1.
///
/// For beliefs and smoothed histograms, where there is nothing to count. O(m).
pub fn js_of_shares(p: &[f64], q: &[f64]) -> f64 {
    if p.len() != q.len() {
        return f64::INFINITY;
    }
    js_sum(p.iter().copied().zip(q.iter().copied())).min(LN_2)
}

/// `½ Σ x ln(2x/(x+y)) + y ln(2y/(x+y))`, where nothing counts as nothing.
fn js_sum(pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
    let term = |(x, y): (f64, f64)| {
        if x <= 0.0 {
            return y * LN_2;
        }
        let half = f64::midpoint(x, y);
        x * (x / half).ln() + if y > 0.0 { y * (y / half).ln() } else { 0.0 }
    };
    (pairs.map(term).sum::<f64>() / 2.0).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{close, histograms};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn hand_computed_values() {
        assert!(close(variational(&[1, 0, 1], &[1, 1, 0]), 0.5));
        assert!(close(kl(&[1, 1], &[1, 3]), 0.5 * 2_f64.ln() + 0.5 * (2.0 / 3.0_f64).ln()));
        assert!(kl(&[1, 1], &[1, 0]).is_infinite());
        assert!(kl(&[1, 0], &[1, 1]).is_finite());
        assert!(close(js(&[1, 0], &[0, 1]), LN_2));
        assert!(close(js(&[1, 0], &[1, 1]), 0.5 * (4.0 / 3.0_f64).ln() + 0.25 * ((2.0 / 3.0_f64).ln() + LN_2)));
    }

    #[test]
    fn equal_shares_are_at_distance_zero_to_the_last_bit() {
        let (group, whole) = ([1, 2, 0, 7], [3, 6, 0, 21]);
        for distance in [variational, kl, js] {
            assert!(distance(&group, &whole) <= 0.0);
        }
    }

    #[test]
    fn what_can_not_be_compared_is_infinitely_far_and_nobody_is_near_anything() {
        for distance in [variational, kl, js] {
            assert!(distance(&[0, 0], &[1, 2]) <= 0.0);
            assert!(distance(&[0, 0], &[0, 0]) <= 0.0);
            assert!(distance(&[], &[]) <= 0.0);
            assert!(distance(&[1, 0], &[0, 0]).is_infinite());
            assert!(distance(&[1], &[1, 2]).is_infinite());
            assert!(distance(&[u64::MAX, 1], &[1, 2]).is_infinite());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn ranges_symmetry_and_pinsker((p, q) in histograms()) {
            let (v, k, j) = (variational(&p, &q), kl(&p, &q), js(&p, &q));
            prop_assert!((0.0..=1.0).contains(&v));
            prop_assert!((0.0..=LN_2).contains(&j));
            prop_assert!(close(v, variational(&q, &p)) && close(j, js(&q, &p)));
            prop_assert!(close(variational(&p, &p), 0.0) && close(kl(&p, &p), 0.0) && close(js(&p, &p), 0.0));
            // Pinsker's inequality, and the bound of JS by the variational distance.
            prop_assert!(k + 1e-12 >= 2.0 * v * v);
            prop_assert!(j <= v * LN_2 + 1e-12);
            prop_assert!(p != q || k <= 0.0);
        }
    }
}
