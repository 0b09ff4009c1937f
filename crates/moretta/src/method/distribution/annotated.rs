//! Trees of subdomains with a weight on every edge: distributions that generalization can keep exactly.

use super::Shape;
use crate::error::{Error, Result};
use crate::kind::distribution::share::Share;
use crate::numeric::{gcd, tolerance};

/// A privacy-annotated hierarchy: the share of each child in its parent, as a small whole-numbered weight.
///
/// The weights *are* a distribution over the leaves, the effective one; a release follows it exactly. A child of
/// weight 0 gets nothing. Koudas et al. (2009), section 3.1.
#[derive(Clone, Debug)]
pub struct Annotated {
    /// The subdomains.
    pub shape: Shape,
    /// The weight of each node among its siblings; 1 for the root.
    weights: Vec<u32>,
}

impl Annotated {
    /// Approximates a distribution over the leaves: at each node the nearest ratio of whole numbers whose sum is at
    /// most `max_denominator`, or the number of children where that is more.
    pub fn nearest(shape: Shape, wished: &[f64], max_denominator: u32) -> Self {
        let masses = shape.sum_up(wished);
        let mut weights = vec![1; shape.len()];
        let mut shares = Vec::new();
        for node in 0..shape.len() as u32 {
            shares.clear();
            shares.extend(shape.children(node).map(|child| masses[child as usize]));
            let small = small_ratio(&shares, max_denominator);
            shape.children(node).zip(small).for_each(|(child, weight)| weights[child as usize] = weight);
        }
        Self { shape, weights }
    }

    /// A tree with these weights, one for each node.
    #[cfg(test)]
    pub(crate) fn with_weights(shape: Shape, weights: Vec<u32>) -> Self {
        let mut tree = Self { shape, weights };
        tree.reduce();
        tree
    }

    /// Brings the weights of siblings to lowest terms: a unit of them is then as small as can be.
    fn reduce(&mut self) {
        for node in 0..self.shape.len() as u32 {
            let common = self.shape.children(node).fold(0, |common, child| gcd(common, self.weight(child)));
            for child in self.shape.children(node) {
                self.weights[child as usize] /= (common as u32).max(1);
            }
        }
    }

    /// The weight of a node among its siblings.
    pub(crate) fn weight(&self, node: u32) -> u64 {
        u64::from(self.weights[node as usize])
    }

    /// The same distribution over a tree in which no node has more than two children.
    #[must_use]
    pub fn binary(&self, indices: &[u64]) -> Self {
        let (mut shape, stands_for) = self.shape.binary();
        shape.measure(indices);
        let sum = |run: &Vec<u32>| run.iter().map(|&node| self.weights[node as usize]).sum();
        let mut tree = Self { shape, weights: stands_for.iter().map(sum).collect() };
        tree.reduce();
        tree
    }

    /// The effective probability of every node.
    pub(crate) fn shares(&self) -> Result<Vec<Share>> {
        let mut shares = vec![Share { num: 1, den: 1 }; self.shape.len()];
        for node in 0..self.shape.len() as u32 {
            let own = shares[node as usize];
            let sum: u64 = self.shape.children(node).map(|child| self.weight(child)).sum();
            for child in self.shape.children(node) {
                shares[child as usize] = product(own, self.weight(child), sum).ok_or_else(|| {
                    Error::input("the target's probabilities need numbers beyond 128 bits")
                        .help("lower `max_denominator`, or raise the method's `arity` so that the tree is less deep")
                })?;
            }
        }
        Ok(shares)
    }

    /// The effective probability of every leaf, in rank order.
    pub(crate) fn leaf_shares(&self) -> Result<Vec<Share>> {
        let shares = self.shares()?;
        Ok((0..self.shape.len() as u32).filter(|&n| self.shape.is_leaf(n)).map(|n| shares[n as usize]).collect())
    }
}

fn product(share: Share, weight: u64, sum: u64) -> Option<Share> {
    if share.num == 0 || weight == 0 {
        return Some(Share { num: 0, den: 1 });
    }
    let common = gcd(weight, sum);
    let (num, den) = (u128::from(weight / common), u128::from(sum / common));
    let (a, b) = (gcd(share.num, den), gcd(num, share.den));
    let num = (share.num / a).checked_mul(num / b)?;
    Some(Share { num, den: (share.den / b).checked_mul(den / a)? })
}

/// The whole numbers, of the smallest sum up to `bound`, whose ratios are nearest to those of `masses`, as the sum of
/// absolute differences of shares. Every sum is apportioned by largest remainders, which is optimal for it.
pub(crate) fn small_ratio(masses: &[f64], bound: u32) -> Vec<u32> {
    let total: f64 = masses.iter().sum();
    if total <= 0.0 {
        return vec![0; masses.len()];
    }
    let mut best = (f64::INFINITY, Vec::new());
    let mut order: Vec<usize> = (0..masses.len()).collect();
    for sum in 1..=bound.max(masses.len() as u32) {
        let ideal = |index: usize| masses[index] / total * f64::from(sum);
        #[expect(clippy::cast_sign_loss, reason = "masses are not negative")]
        let mut weights: Vec<u32> = (0..masses.len()).map(|index| ideal(index).floor() as u32).collect();
        let given: u32 = weights.iter().sum();
        order.sort_by(|&a, &b| ideal(b).fract().total_cmp(&ideal(a).fract()).then(a.cmp(&b)));
        order.iter().take(sum.saturating_sub(given) as usize).for_each(|&index| weights[index] += 1);
        let gaps = weights.iter().enumerate().map(|(index, &weight)| (f64::from(weight) - ideal(index)).abs());
        let distance = gaps.sum::<f64>() / f64::from(sum);
        if distance + tolerance::SHARE_TIE < best.0 {
            best = (distance, weights);
        }
        if best.0 <= tolerance::SHARE_TIE {
            break;
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn small_ratios_are_exact_where_they_can_be() {
        assert_eq!(small_ratio(&[1.0, 1.0], 16), [1, 1]);
        assert_eq!(small_ratio(&[1.0, 2.0], 16), [1, 2]);
        assert_eq!(small_ratio(&[0.1, 0.2, 0.3], 16), [1, 2, 3]);
        assert_eq!(small_ratio(&[45.0, 44.0], 16), [1, 1]);
        assert_eq!(small_ratio(&[45.0, 44.0], 89), [45, 44]);
        assert_eq!(small_ratio(&[0.0, 3.0], 16), [0, 1]);
        assert_eq!(small_ratio(&[0.0, 0.0], 16), [0, 0]);
        assert_eq!(small_ratio(&[1.0; 40], 16), [1; 40]);
        assert_eq!(small_ratio(&[1e-9, 1.0], 16), [0, 1]);
    }

    proptest! {
        #[test]
        fn no_pair_of_small_numbers_is_nearer(left in 0.0_f64..1.0, bound in 1_u32..30) {
            let [a, b] = small_ratio(&[left, 1.0 - left], bound)[..] else { unreachable!() };
            let found = (f64::from(a) / f64::from(a + b) - left).abs();
            for sum in 1..=bound.max(2) {
                for other in 0..=sum {
                    prop_assert!(found <= (f64::from(other) / f64::from(sum) - left).abs() + 1e-9);
                }
            }
        }

        #[test]
        fn a_binary_tree_keeps_the_distribution(masses in proptest::collection::vec(0_u32..5, 1..20), arity in 2_u32..6) {
            let indices: Vec<u64> = (0..masses.len() as u64).collect();
            let wished: Vec<f64> = masses.iter().map(|&mass| mass.into()).collect();
            let wide = Annotated::nearest(Shape::balanced(&indices, arity), &wished, 7);
            let binary = wide.binary(&indices);
            prop_assert_eq!(wide.leaf_shares().unwrap(), binary.leaf_shares().unwrap());
            let sum: f64 = wide.leaf_shares().unwrap().iter().map(|share| share.to_f64()).sum();
            prop_assert!((sum - 1.0).abs() < 1e-9 || masses.iter().all(|&mass| mass == 0));
        }

        #[test]
        fn a_large_denominator_gives_the_distribution_itself(masses in proptest::collection::vec(0_u32..5, 1..12)) {
            let total: u32 = masses.iter().sum();
            prop_assume!(total > 0);
            let indices: Vec<u64> = (0..masses.len() as u64).collect();
            let wished: Vec<f64> = masses.iter().map(|&mass| mass.into()).collect();
            let tree = Annotated::nearest(Shape::balanced(&indices, 2), &wished, 60);
            for (share, &mass) in tree.leaf_shares().unwrap().iter().zip(&masses) {
                prop_assert_eq!(share.num * u128::from(total), u128::from(mass) * share.den);
            }
        }
    }
}
