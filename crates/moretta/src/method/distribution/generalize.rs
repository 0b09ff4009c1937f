//! The generalization with the smallest sum of ranges that follows a distribution exactly.

use super::annotated::Annotated;

/// How many of a group's values each node stands for, so that a random one of them follows the tree's distribution
/// and the ranges add up to the least.
///
/// At every node as many values as possible go down, in the ratio of the children's weights; the rest stays.
/// `values` are the group's people by rank. Algorithm 1 (MinSumOfRange) of Koudas et al. (2009); O(values + nodes).
pub fn generalize(tree: &Annotated, values: &[u64]) -> Vec<u64> {
    let shape = &tree.shape;
    let below = shape.sum_up(values);
    let mut kept = vec![0; shape.len()];
    kept[0] = below[0];
    for node in 0..shape.len() as u32 {
        let here = kept[node as usize];
        if here == 0 {
            continue;
        }
        let sum: u64 = shape.children(node).map(|child| tree.weight(child)).sum();
        let held = shape.children(node).filter(|&child| tree.weight(child) > 0);
        let shares = held.map(|child| below[child as usize] / tree.weight(child));
        let Some(times) = shares.chain(here.checked_div(sum)).min().filter(|_| sum > 0) else { continue };
        shape.children(node).for_each(|child| kept[child as usize] = times * tree.weight(child));
        kept[node as usize] = here - times * sum;
    }
    kept
}

/// The sum of ranges of a generalization.
#[cfg(test)]
pub(crate) fn sum_of_ranges(tree: &Annotated, kept: &[u64]) -> u128 {
    let range = |(node, &count): (usize, &u64)| u128::from(count) * u128::from(tree.shape.range(node as u32));
    kept.iter().enumerate().map(range).sum()
}
