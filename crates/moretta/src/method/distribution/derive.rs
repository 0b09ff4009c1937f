//! Targets derived from a model: the distribution closest to the group's own that keeps its promise.

use super::annotated::Annotated;
use super::target::{TargetResolver, floats};
use crate::error::{Code, Error, Result};
use crate::model::PrivacyModel;
use crate::model::p_private::derived::{Derived, Kind};
use crate::numeric::tolerance;

/// In how many steps a target is made stricter than need be, until its small ratios keep the promise too.
const STEPS: u32 = 16;

/// The closest distribution, and the annotated tree nearest to it that keeps the promise exactly.
///
/// - probabilistic ℓ: shares above 1/ℓ are cut to it and the others scaled up alike, which moves as little mass as possible, and
///   of those ways is the closest by divergence; if the group has too few values, others come in as in the table.
/// - entropy ℓ: p ∝ gᶿ with the largest θ ≤ 1 that is even enough: the closest by divergence, by Lagrange's rule.
/// - t-closeness: the first point on the straight way from the group's distribution to the table's. For an earth
///   mover's distance no distribution within t is closer to the group's: the triangle inequality is an equality along that way.
pub(super) fn closest(
    model: &dyn PrivacyModel,
    archer: &TargetResolver<'_>,
    group: &[u64],
    label: &str,
) -> Result<(Vec<f64>, Annotated)> {
    let ladder = archer.ladder;
    let whole = ladder.whole(&archer.table);
    let promise = Derived::new(model, &whole)?;
    let own = normalized(&floats(group));
    let table = normalized(&floats(&archer.table));
    let mut wished = Vec::new();
    for step in 0..=STEPS {
        let stricter = f64::from(step) / f64::from(STEPS);
        let candidate = towards(&promise, &own, &table, stricter).ok_or_else(|| {
            Error::data(format!("no distribution over the values of {:?} keeps {}", ladder.name, model.name()))
                .coded(Code::PromiseImpossible)
                .help("the attribute has too few values: ask for less")
        })?;
        let tree = Annotated::nearest(ladder.shape.clone(), &candidate, archer.promise.max_denominator);
        if step == 0 {
            wished = candidate;
        }
        if promise.holds(&tree.leaf_shares()?) {
            return Ok((wished, tree));
        }
    }
    Err(Error::data(format!("no target of group {label:?} with such small ratios keeps {}", model.name()))
        .coded(Code::PromiseImpossible)
        .help("raise `max_denominator`, or ask for less"))
}

/// The closest distribution that keeps the promise, made stricter by a share of what is possible.
fn towards(promise: &Derived, own: &[f64], table: &[f64], stricter: f64) -> Option<Vec<f64>> {
    let most = own.len() as f64;
    match promise.kind {
        Kind::Probabilistic { l, .. } | Kind::Entropy { l } if l > most => None,
        Kind::Probabilistic { l, .. } => Some(cut(own, table, 1.0 / (l + (most - l) * stricter))),
        Kind::Entropy { l } => Some(even(own, l + (most - l) * stricter)),
        Kind::Closeness { t } => {
            let t = t * (1.0 - stricter);
            let at = |part: f64| mix(own, table, part);
            Some(at(first_within(|part| promise.distance(&at(part)) <= t)))
        }
    }
}

fn normalized(masses: &[f64]) -> Vec<f64> {
    let sum: f64 = masses.iter().sum();
    masses.iter().map(|mass| mass / sum.max(f64::MIN_POSITIVE)).collect()
}

fn mix(own: &[f64], table: &[f64], part: f64) -> Vec<f64> {
    own.iter().zip(table).map(|(own, table)| (1.0 - part) * own + part * table).collect()
}

/// The smallest part from 0 to 1 that is within, where more always is.
fn first_within(within: impl Fn(f64) -> bool) -> f64 {
    if within(0.0) {
        return 0.0;
    }
    let (mut outside, mut inside) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = f64::midpoint(outside, inside);
        if within(middle) { inside = middle } else { outside = middle }
    }
    inside
}

/// No share above `cap`; what is cut off scales the others up, as long as there are any.
fn cut(own: &[f64], table: &[f64], cap: f64) -> Vec<f64> {
    let mut shares = vec![0.0; own.len()];
    let mut full = vec![false; own.len()];
    let even = vec![1.0; own.len()];
    for source in [own, table, &even] {
        loop {
            let taken: f64 = shares.iter().zip(&full).filter(|(_, full)| **full).map(|(share, _)| share).sum();
            let rest: f64 = source.iter().zip(&full).filter(|(_, full)| !**full).map(|(mass, _)| mass).sum();
            if rest <= 0.0 {
                break;
            }
            let scale = (1.0 - taken) / rest;
            let over: Vec<usize> =
                (0..own.len()).filter(|&index| !full[index] && source[index] * scale > cap).collect();
            if over.is_empty() {
                let open = (0..own.len()).filter(|&index| !full[index]).collect::<Vec<_>>();
                open.into_iter().for_each(|index| shares[index] = source[index] * scale);
                return shares;
            }
            for index in over {
                (shares[index], full[index]) = (cap, true);
            }
        }
    }
    shares
}

/// The largest power of the shares that is as even as `l` equal values; where the group has too few, mixed with all.
fn even(own: &[f64], l: f64) -> Vec<f64> {
    let power =
        |theta: f64| normalized(&own.iter().map(|&p| if p > 0.0 { p.powf(theta) } else { 0.0 }).collect::<Vec<f64>>());
    let entropy = |p: &[f64]| p.iter().filter(|&&p| p > 0.0).map(|&p| -p * p.ln()).sum::<f64>();
    let enough = |p: &[f64]| entropy(p) >= l.ln() - tolerance::LOGARITHM / 2.0;
    if enough(&power(0.0)) {
        return power(1.0 - first_within(|part| enough(&power(1.0 - part))));
    }
    let all = vec![1.0 / own.len() as f64; own.len()];
    let few = power(0.0);
    mix(&few, &all, first_within(|part| enough(&mix(&few, &all, part))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn near(a: &[f64], b: &[f64]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9)
    }

    #[test]
    fn too_large_shares_are_cut_and_the_others_grow_alike() {
        let table = [0.25; 4];
        assert!(near(&cut(&[0.8, 0.1, 0.1, 0.0], &table, 0.5), &[0.5, 0.25, 0.25, 0.0]));
        assert!(near(&cut(&[0.4, 0.3, 0.3, 0.0], &table, 0.5), &[0.4, 0.3, 0.3, 0.0]));
        assert!(near(&cut(&[1.0, 0.0, 0.0, 0.0], &[0.1, 0.6, 0.3, 0.0], 0.5), &[0.5, 1.0 / 3.0, 0.5 / 3.0, 0.0]));
        assert!(near(&cut(&[1.0, 0.0], &[1.0, 0.0], 0.5), &[0.5, 0.5]));
    }

    #[test]
    fn shares_become_as_even_as_asked() {
        assert!(near(&even(&[0.5, 0.25, 0.25], 2.0), &[0.5, 0.25, 0.25]));
        assert!(near(&even(&[0.9, 0.1], 2.0), &[0.5, 0.5]) || (even(&[0.9, 0.1], 2.0)[0] - 0.5).abs() < 1e-3);
        let mixed = even(&[1.0, 0.0, 0.0], 2.0);
        assert!(
            (mixed.iter().map(|p| if *p > 0.0 { -p * p.ln() } else { 0.0 }).sum::<f64>() - 2_f64.ln()).abs() < 1e-6
        );
    }

    proptest! {
        #[test]
        fn no_way_to_cut_moves_less(masses in proptest::collection::vec(0_u32..9, 2..7), l in 1.0_f64..3.0) {
            prop_assume!(masses.iter().any(|&mass| mass > 0) && l <= masses.len() as f64);
            let own = normalized(&masses.iter().map(|&mass| mass.into()).collect::<Vec<f64>>());
            let found = cut(&own, &own, 1.0 / l);
            prop_assert!(found.iter().all(|&share| share <= 1.0 / l + 1e-12));
            prop_assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            // Whoever respects the cap must move at least what stands above it.
            let moved: f64 = own.iter().zip(&found).map(|(own, found)| (own - found).max(0.0)).sum();
            let least: f64 = own.iter().map(|own| (own - 1.0 / l).max(0.0)).sum();
            prop_assert!((moved - least).abs() < 1e-9);
        }
    }
}
