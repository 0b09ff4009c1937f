//! Random histograms, trees and ground distances for the tests of this module.

use proptest::prelude::*;

use super::Ground;
use crate::data::value::Value;
use crate::hierarchy::{Hierarchy, Path};

/// Equal up to the rounding of a few dozen additions.
pub(crate) fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// Two histograms over 1 to 8 codes, each with at least one person and many zeros.
pub(crate) fn histograms() -> impl Strategy<Value = (Vec<u64>, Vec<u64>)> {
    (1_usize..9).prop_flat_map(|codes| (histogram(codes), histogram(codes)))
}

/// A histogram with at least one person.
pub(crate) fn histogram(codes: usize) -> impl Strategy<Value = Vec<u64>> {
    let count = prop_oneof![2 => Just(0), 3 => 1_u64..8, 1 => 1_u64..2_000_000_000];
    (proptest::collection::vec(count, codes), 0..codes).prop_map(|(mut counts, someone)| {
        counts[someone] = counts[someone].max(1);
        counts
    })
}

/// A tree of uneven depths, and an index in it for each of some codes; leaves may be unused or shared.
pub(crate) fn tree_and_ranks(codes: usize) -> impl Strategy<Value = (Hierarchy, Vec<u32>)> {
    let parents = proptest::collection::vec(any::<prop::sample::Index>(), 0..14);
    let indices = proptest::collection::vec(any::<prop::sample::Index>(), codes);
    (parents, indices).prop_map(|(parents, indices)| {
        let tree = random_tree(&parents.iter().enumerate().map(|(i, p)| p.index(i + 1)).collect::<Vec<_>>());
        let ranks = indices.iter().map(|index| index.index(tree.leaves() as usize) as u32).collect();
        (tree, ranks)
    })
}

/// The tree in which node `i + 1` hangs below node `parents[i]`.
fn random_tree(parents: &[usize]) -> Hierarchy {
    let label = |node: usize| format!("n{node}").into_boxed_str();
    let leaves = (0..=parents.len()).filter(|node| !parents.contains(node));
    let paths: Vec<Path> = leaves
        .map(|leaf| {
            let up = std::iter::successors(Some(leaf), |&node| node.checked_sub(1).map(|i| parents[i]));
            Path { labels: up.map(label).collect(), line: 0 }
        })
        .collect();
    Hierarchy::from_paths(&paths).unwrap()
}

/// A tree from lines of labels, leaf first.
pub(crate) fn tree(text: &str) -> Hierarchy {
    let row = |line: &str| Path { labels: line.split(',').map(|label| label.trim().into()).collect(), line: 0 };
    Hierarchy::from_paths(&text.lines().map(row).collect::<Vec<_>>()).unwrap()
}

/// The ground distance of two codes, straight from its definition.
pub(crate) fn ground_distance(ground: Ground<'_>, codes: usize, i: usize, j: usize) -> f64 {
    if i == j {
        return 0.0;
    }
    match ground {
        Ground::Rank => i.abs_diff(j) as f64 / (codes - 1) as f64,
        Ground::Value(values) => {
            let index = |value: &Value| value.as_number().unwrap();
            let range = index(&values[codes - 1]) - index(&values[0]);
            if range > 0.0 { (index(&values[i]) - index(&values[j])).abs() / range } else { 0.0 }
        }
        Ground::Equal => 1.0,
        Ground::Tree { tree, ranks } => {
            let (first, last) = (ranks[i].min(ranks[j]), ranks[i].max(ranks[j]));
            f64::from(tree.height(tree.common_ancestor(first, last))) / f64::from(tree.height(0)).max(1.0)
        }
    }
}
