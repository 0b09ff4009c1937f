//! Slow answers, straight from the definitions, and the quick ones compared with them.

use proptest::prelude::*;

use super::Shape;
use super::annotated::Annotated;
use super::fakes::generalize_with_fakes;
use super::generalize::{generalize, sum_of_ranges};
use crate::kind::distribution::bounds::Bounds;
use crate::kind::distribution::share::Share;
use crate::progress::CancelToken;

/// A fraction that never leaves small numbers.
fn add(a: Share, b: Share) -> Share {
    let (num, den) = (a.num * b.den + b.num * a.den, a.den * b.den);
    let common = crate::numeric::gcd(num, den);
    Share { num: num / common, den: den / common }
}

/// Definition 3.2: (1/n) Σ P(x = t | x ∈ Dᵢ) = P(t) for every value t.
fn follows(tree: &Annotated, kept: &[u64]) -> bool {
    let shares = tree.shares().unwrap();
    let n = u128::from(kept.iter().sum::<u64>());
    let nodes = || 0..tree.shape.len() as u32;
    if nodes().any(|node| kept[node as usize] > 0 && shares[node as usize].num == 0) {
        return false;
    }
    nodes().filter(|&leaf| tree.shape.is_leaf(leaf)).all(|leaf| {
        let rank = tree.shape.ranks(leaf).start;
        let own = shares[leaf as usize];
        let over = nodes().filter(|&node| tree.shape.ranks(node).contains(&rank) && kept[node as usize] > 0);
        let sum = over.fold(Share { num: 0, den: 1 }, |sum, node| {
            let share = shares[node as usize];
            let term = Share { num: u128::from(kept[node as usize]) * own.num * share.den, den: own.den * share.num };
            add(sum, term)
        });
        sum.num * own.den == n * own.num * sum.den
    })
}

/// Definition 3.1: the values can be dealt to the subdomains, one to each, so that every subdomain holds its own.
fn generalizes(shape: &Shape, kept: &[u64], values: &[u64]) -> bool {
    fn deal(shape: &Shape, subdomains: &[u32], values: &mut [u64]) -> bool {
        let Some((&node, rest)) = subdomains.split_first() else { return true };
        shape.ranks(node).any(|rank| {
            if values[rank as usize] == 0 {
                return false;
            }
            values[rank as usize] -= 1;
            let dealt = deal(shape, rest, values);
            values[rank as usize] += 1;
            dealt
        })
    }
    let mut subdomains: Vec<u32> = Vec::new();
    // Smaller subdomains first: they have fewer choices.
    for node in (0..shape.len() as u32).rev() {
        subdomains.extend(std::iter::repeat_n(node, kept[node as usize] as usize));
    }
    deal(shape, &subdomains, &mut values.to_vec())
}

/// The least sum of ranges over every multiset of as many subdomains as there are values.
fn least(tree: &Annotated, values: &[u64]) -> u128 {
    fn go(tree: &Annotated, values: &[u64], node: usize, left: u64, kept: &mut Vec<u64>, best: &mut u128) {
        if node + 1 == tree.shape.len() {
            kept.push(left);
            if sum_of_ranges(tree, kept) < *best && follows(tree, kept) && generalizes(&tree.shape, kept, values) {
                *best = sum_of_ranges(tree, kept);
            }
            kept.pop();
            return;
        }
        for count in 0..=left {
            kept.push(count);
            go(tree, values, node + 1, left - count, kept, best);
            kept.pop();
        }
    }
    let mut best = u128::MAX;
    go(tree, values, 0, values.iter().sum(), &mut Vec::new(), &mut best);
    best
}

/// The least sum of ranges, and the fewest fakes that reach it, over every multiset of at most `most` fakes.
fn least_with_fakes(tree: &Annotated, values: &mut Vec<u64>, most: u64) -> (u128, u64) {
    fn go(tree: &Annotated, values: &mut Vec<u64>, from: usize, added: u64, most: u64, best: &mut (u128, u64)) {
        *best = (*best).min((sum_of_ranges(tree, &generalize(tree, values)), added));
        if added == most {
            return;
        }
        for rank in from..values.len() {
            values[rank] += 1;
            go(tree, values, rank, added + 1, most, best);
            values[rank] -= 1;
        }
    }
    let mut best = (u128::MAX, 0);
    go(tree, values, 0, 0, most, &mut best);
    best
}

/// A tree over random places with random weights, some of them 0, and a group of values.
fn instances(leaves: usize, people: u64, arity: u32) -> impl Strategy<Value = (Annotated, Vec<u64>)> {
    (1..=leaves, 2..=arity).prop_flat_map(move |(leaves, arity)| {
        let gaps = proptest::collection::vec(1_u64..5, leaves);
        let weights = proptest::collection::vec(prop_oneof![1 => Just(0_u32), 9 => 1_u32..5], 3 * leaves);
        let values = proptest::collection::vec(0..=people, leaves);
        (gaps, weights, values).prop_map(move |(gaps, mut weights, values)| {
            let indices: Vec<u64> = gaps.iter().scan(0, |sum, gap| Some(std::mem::replace(sum, *sum + gap))).collect();
            let shape = Shape::balanced(&indices, arity);
            weights.resize(shape.len(), 1);
            weights[0] = 1;
            let tree = Annotated::with_weights(shape, weights);
            // A node of which no child weighs anything must not be reached.
            let dead = (0..tree.shape.len() as u32)
                .any(|n| !tree.shape.is_leaf(n) && tree.shape.children(n).all(|c| tree.weight(c) == 0));
            let tree = if dead {
                let ones = vec![1; tree.shape.len()];
                Annotated::with_weights(tree.shape, ones)
            } else {
                tree
            };
            (tree, values)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn as_many_as_possible_downwards_is_the_least_of_all((tree, values) in instances(4, 2, 4)) {
        let kept = generalize(&tree, &values);
        prop_assert!(follows(&tree, &kept) && generalizes(&tree.shape, &kept, &values));
        prop_assert_eq!(kept.iter().sum::<u64>(), values.iter().sum::<u64>());
        prop_assert_eq!(sum_of_ranges(&tree, &kept), least(&tree, &values));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn chosen_fakes_are_the_best_of_all((tree, mut values) in instances(8, 4, 2), most in 0_u64..4) {
        let found = generalize_with_fakes(&tree, &values, most, &CancelToken::new()).unwrap();
        let chosen: u64 = found.fakes.iter().sum();
        let (least, fewest) = least_with_fakes(&tree, &mut values, most);
        prop_assert_eq!((sum_of_ranges(&tree, &found.kept), chosen), (least, fewest));
        values.iter_mut().zip(&found.fakes).for_each(|(value, fakes)| *value += fakes);
        prop_assert!(follows(&tree, &found.kept) && generalizes(&tree.shape, &found.kept, &values));
        prop_assert_eq!(found.kept.iter().sum::<u64>(), values.iter().sum::<u64>());
        // The fakes themselves, added beforehand, lead to the same sum without any choice.
        prop_assert_eq!(sum_of_ranges(&tree, &generalize(&tree, &values)), least);
    }
}

proptest! {
    #[test]
    fn bounds_hold_the_truth_of_every_subset((tree, values) in instances(5, 2, 2), most in 0_u64..3) {
        let found = generalize_with_fakes(&tree, &values, most, &CancelToken::new()).unwrap();
        let subdomains: Vec<(i64, i64, u64)> = (0..)
            .zip(&found.kept)
            .map(|(node, &count)| (tree.shape.ranks(node).start.into(), i64::from(tree.shape.ranks(node).end) - 1, count))
            .collect();
        let bounds = Bounds::of(&subdomains);
        let mut people: Vec<i128> = Vec::new();
        for (rank, &count) in values.iter().enumerate() {
            people.extend(std::iter::repeat_n(rank as i128, count as usize));
        }
        for subset in 1_u32..1 << people.len() {
            let chosen = || people.iter().enumerate().filter(|(index, _)| subset >> index & 1 == 1).map(|(_, value)| *value);
            let m = u64::from(subset.count_ones());
            let holds = |(low, high): (i128, i128), truth: Option<i128>| truth.is_some_and(|t| low <= t && t <= high);
            prop_assert!(holds(bounds.sum(m), Some(chosen().sum())));
            prop_assert!(holds(bounds.least(m), chosen().min()));
            prop_assert!(holds(bounds.greatest(m), chosen().max()));
        }
    }
}

fn uniform(values: impl Iterator<Item = u64>) -> Annotated {
    let indices: Vec<u64> = values.collect();
    let ones = vec![1.0; indices.len()];
    Annotated::nearest(Shape::balanced(&indices, 2), &ones, 16)
}

fn counted(leaves: usize, values: &[usize]) -> Vec<u64> {
    let mut counts = vec![0; leaves];
    values.iter().for_each(|&value| counts[value - 1] += 1);
    counts
}

#[test]
fn the_paper_s_groups() {
    let tree = uniform([30, 40, 50, 60].into_iter());
    assert_eq!(generalize(&tree, &[1, 1, 1, 1]), [0, 0, 1, 1, 0, 1, 1]);
    assert_eq!(generalize(&tree, &[1, 1, 1, 0]), [1, 1, 0, 0, 1, 0, 0], "[30-60], [30-40], [50-60]");
    assert_eq!(generalize(&tree, &[2, 2, 1, 1]), [2, 0, 1, 1, 0, 1, 1], "each value once and two roots");
    let found = generalize_with_fakes(&tree, &[1, 1, 1, 0], 1, &CancelToken::new()).unwrap();
    assert_eq!((found.kept, found.fakes), (vec![0, 0, 1, 1, 0, 1, 1], vec![0, 0, 0, 1]));
}

#[test]
fn the_paper_s_fakes() {
    let tree = uniform(1..=16);
    let values = counted(16, &[1, 1, 1, 2, 3, 4, 5, 6, 7, 9, 9, 11, 11, 13, 13, 15, 15]);
    for (most, sum) in [(0, 47), (1, 38), (2, 35), (3, 24)] {
        let found = generalize_with_fakes(&tree, &values, most, &CancelToken::new()).unwrap();
        assert_eq!(sum_of_ranges(&tree, &found.kept), sum, "up to {most} fakes");
    }
    let tree = uniform(1..=8);
    let found = generalize_with_fakes(&tree, &counted(8, &[1, 3, 5]), 2, &CancelToken::new()).unwrap();
    assert_eq!((sum_of_ranges(&tree, &found.kept), found.fakes.iter().sum::<u64>()), (4, 1));
    let found = generalize_with_fakes(&tree, &counted(8, &[1, 3, 5, 7]), 4, &CancelToken::new()).unwrap();
    assert_eq!((sum_of_ranges(&tree, &found.kept), found.fakes.iter().sum::<u64>()), (0, 4));
}

#[test]
fn a_table_that_would_not_fit_is_refused_before_it_is_made() {
    let tree = uniform(1..=64);
    let error = generalize_with_fakes(&tree, &[1_000_000; 64], 10_000_000, &CancelToken::new()).unwrap_err();
    assert!(error.message().contains("fake values"), "{error}");
    let wide = uniform([0, 1 << 62].into_iter());
    assert!(generalize_with_fakes(&wide, &[9, 9], 1, &CancelToken::new()).unwrap_err().message().contains("64 bits"));
}
