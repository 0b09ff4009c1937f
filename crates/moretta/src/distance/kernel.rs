//! The Jensen–Shannon divergence of smoothed distributions, which knows that some values are alike.

use std::ops::Range;
use std::sync::Arc;

use super::divergence::js_of_shares;
use super::ground::{Ground, GroundShape};
use super::histogram::{Pair, pair};
use super::tree::GroundTree;
use crate::error::{Error, Result};

/// `JS[P̂, Q̂]` where P̂ and Q̂ are P and Q smoothed over the ground distance; in nats, from 0 to ln 2.
///
/// ```text
/// p̂ᵢ ∝ Σⱼ pⱼ·K(dᵢⱼ) / Σⱼ K(dᵢⱼ)        K(x) = 1 − (x/B)² if x < B, else 0
/// ```
///
/// The Nadaraya–Watson average with the Epanechnikov kernel, whose factor 3/(4B) cancels. The averages do not sum to
/// 1, so we renormalize, which the dissertation omits. With a bandwidth B at or below the least ground
/// distance nothing is smoothed, and this is plain JS. Li (2010), section 2.3.2.
///
/// The kernel matrix is never written out. A tree needs one pass up and one down, since all leaves that meet at
/// a node are equally far apart: O(m). On a line, only values closer than B meet: O(values held · values within B).
#[derive(Clone, Debug)]
pub struct Kernel {
    bandwidth: f64,
    support: Support,
    /// `Σⱼ K(dᵢⱼ)`; shared by clones, and so also the mark by which [`Smoothed`] knows its kernel.
    norm: Arc<[f64]>,
}

#[derive(Clone, Debug)]
enum Support {
    /// Where each code lies, and the codes closer to it than the bandwidth.
    Line {
        indices: Vec<f64>,
        near: Vec<Range<u32>>,
    },
    Star,
    Tree(GroundTree),
}

/// Room to work in, and the smoothed table, kept as long as the same table is asked for again.
#[derive(Clone, Debug, Default)]
pub struct Smoothed {
    group: Vec<f64>,
    whole: Vec<f64>,
    /// What `whole` was smoothed from, and by which kernel.
    whole_of: Vec<u64>,
    kernel: Option<Arc<[f64]>>,
    below: Vec<f64>,
}

impl Kernel {
    /// Makes the kernel ready for an attribute with this many codes. Ground distances lie in 0 to 1, and
    /// the bandwidth is measured in them.
    pub fn new(ground: Ground<'_>, codes: usize, bandwidth: f64) -> Result<Self> {
        if !(bandwidth.is_finite() && bandwidth > 0.0) {
            return Err(Error::input(format!("the bandwidth is {bandwidth}"))
                .help("a bandwidth is a number above 0, in ground distances from 0 to 1; for example 0.2"));
        }
        let support = match ground.shape(codes)? {
            GroundShape::Line(line) => {
                let indices = line.locations();
                let near = neighbours(&indices, bandwidth);
                Support::Line { indices, near }
            }
            GroundShape::Star => Support::Star,
            GroundShape::Tree(tree) => Support::Tree(tree),
        };
        let mut kernel = Self { bandwidth, support, norm: Arc::default() };
        let mut norm = Vec::new();
        kernel.weighted_sums(&vec![1; codes], &mut norm, &mut Vec::new());
        kernel.norm = norm.into();
        Ok(kernel)
    }

    /// The distance of a group from the table.
    pub fn measure(&self, group: &[u64], whole: &[u64], room: &mut Smoothed) -> f64 {
        if let Pair::Settled(distance) = pair(group, whole) {
            return distance;
        }
        if group.len() != self.norm.len() {
            return f64::INFINITY;
        }
        let same_kernel = room.kernel.as_ref().is_some_and(|kernel| Arc::ptr_eq(kernel, &self.norm));
        if !same_kernel || room.whole_of != whole {
            self.smooth(whole, &mut room.whole, &mut room.below);
            room.whole_of.clear();
            room.whole_of.extend_from_slice(whole);
            room.kernel = Some(Arc::clone(&self.norm));
        }
        self.smooth(group, &mut room.group, &mut room.below);
        js_of_shares(&room.group, &room.whole)
    }

    /// The smoothed distribution of a histogram that holds someone.
    fn smooth(&self, counts: &[u64], out: &mut Vec<f64>, below: &mut Vec<f64>) {
        self.weighted_sums(counts, out, below);
        // Every value is at distance 0 from itself, so no norm is 0.
        for (share, norm) in out.iter_mut().zip(&*self.norm) {
            *share /= norm;
        }
        let total: f64 = out.iter().sum();
        for share in out {
            *share /= total;
        }
    }

    /// `Σⱼ countⱼ·K(dᵢⱼ)` for each code i.
    fn weighted_sums(&self, counts: &[u64], out: &mut Vec<f64>, below: &mut Vec<f64>) {
        out.clear();
        match &self.support {
            Support::Line { indices, near } => {
                out.resize(counts.len(), 0.0);
                for ((&count, &index), near) in counts.iter().zip(indices).zip(near) {
                    // A group holds few of the values; only those spread.
                    if count > 0 {
                        let near = near.start as usize..near.end as usize;
                        for (sum, other) in out[near.clone()].iter_mut().zip(&indices[near]) {
                            *sum += count as f64 * self.weight(other - index);
                        }
                    }
                }
            }
            Support::Star => {
                let total: f64 = counts.iter().map(|&count| count as f64).sum();
                let far = self.weight(1.0);
                out.extend(counts.iter().map(|&count| count as f64 * (1.0 - far) + total * far));
            }
            Support::Tree(tree) => self.sums_in_tree(tree, counts, out, below),
        }
    }

    /// A leaf's sum is, over its ancestors from the top, the people below each times how much its weight exceeds its parent's.
    fn sums_in_tree(&self, tree: &GroundTree, counts: &[u64], out: &mut Vec<f64>, below: &mut Vec<f64>) {
        below.clear();
        below.resize(tree.nodes.len(), 0.0);
        for (&leaf, &count) in tree.leaf_of_code.iter().zip(counts) {
            below[leaf as usize] += count as f64;
        }
        for index in (1..tree.nodes.len()).rev() {
            below[tree.nodes[index].parent as usize] += below[index];
        }
        let weight = |height: u32| self.weight(f64::from(height) / f64::from(tree.height));
        for (index, node) in tree.nodes.iter().enumerate() {
            // A parent comes before its children, so its place already holds its sum.
            below[index] = if index == 0 {
                below[0] * weight(node.height)
            } else {
                below[node.parent as usize] + below[index] * (weight(node.height) - weight(node.height + node.drop))
            };
        }
        out.extend(tree.leaf_of_code.iter().map(|&leaf| below[leaf as usize]));
    }

    fn weight(&self, distance: f64) -> f64 {
        let x = distance / self.bandwidth;
        (1.0 - x * x).max(0.0)
    }
}

/// For each of the ascending places, the range of those closer than `bandwidth`.
fn neighbours(indices: &[f64], bandwidth: f64) -> Vec<Range<u32>> {
    let (mut start, mut end) = (0, 0);
    let mut range = |&index: &f64| {
        while index - indices[start] >= bandwidth {
            start += 1;
        }
        while end < indices.len() && indices[end] - index < bandwidth {
            end += 1;
        }
        start as u32..end as u32
    };
    indices.iter().map(&mut range).collect()
}

#[cfg(test)]
mod tests {
    use super::super::divergence;
    use super::super::testing::{self, close, ground_distance, histogram, histograms};
    use super::*;
    use crate::data::value::Value;
    use proptest::prelude::*;

    /// The definition, with the whole matrix.
    fn slow_smooth(ground: Ground<'_>, counts: &[u64], bandwidth: f64) -> Vec<f64> {
        let m = counts.len();
        let kernel = |i, j| {
            let x = ground_distance(ground, m, i, j) / bandwidth;
            if x < 1.0 { 0.75 / bandwidth * (1.0 - x * x) } else { 0.0 }
        };
        let average = |i| {
            let norm: f64 = (0..m).map(|j| kernel(i, j)).sum();
            (0..m).map(|j| counts[j] as f64 * kernel(i, j)).sum::<f64>() / norm
        };
        let averages: Vec<f64> = (0..m).map(average).collect();
        let total: f64 = averages.iter().sum();
        averages.iter().map(|average| average / total).collect()
    }

    fn agrees_with_definition(ground: Ground<'_>, p: &[u64], q: &[u64], bandwidth: f64) -> Result<(), TestCaseError> {
        let kernel = Kernel::new(ground, p.len(), bandwidth).unwrap();
        let mut room = Smoothed::default();
        let distance = kernel.measure(p, q, &mut room);
        let slow = js_of_shares(&slow_smooth(ground, p, bandwidth), &slow_smooth(ground, q, bandwidth));
        prop_assert!(close(distance, slow), "{ground:?}: {distance} against {slow}");
        prop_assert!((0.0..=std::f64::consts::LN_2).contains(&distance));
        // The room is warm with q now: asking for another table must not find the old one.
        prop_assert!(close(kernel.measure(q, p, &mut room), distance));
        prop_assert!(close(kernel.measure(p, p, &mut room), 0.0));
        Ok(())
    }

    #[test]
    fn near_salaries_count_as_less_of_a_surprise_than_far_ones() {
        let values: Vec<Value> = (3..=11).map(Value::Integer).collect();
        let kernel = Kernel::new(Ground::Value(&values), 9, 0.5).unwrap();
        let mut room = Smoothed::default();
        let people = |codes: [usize; 2]| (0..9).map(|code| u64::from(codes.contains(&code))).collect::<Vec<_>>();
        let near = kernel.measure(&people([0, 1]), &people([2, 3]), &mut room);
        let far = kernel.measure(&people([0, 1]), &people([7, 8]), &mut room);
        assert!(near < far);
    }

    #[test]
    fn a_room_that_served_another_kernel_is_not_trusted() {
        let (wide, narrow) = (Kernel::new(Ground::Rank, 3, 0.9).unwrap(), Kernel::new(Ground::Rank, 3, 0.1).unwrap());
        let (p, q, mut room) = ([1, 0, 0], [1, 2, 5], Smoothed::default());
        let first = wide.measure(&p, &q, &mut room);
        assert!(close(narrow.measure(&p, &q, &mut room), divergence::js(&p, &q)));
        assert!(close(wide.measure(&p, &q, &mut room), first));
    }

    #[test]
    fn bandwidths_that_are_none_are_refused() {
        for bandwidth in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Kernel::new(Ground::Rank, 3, bandwidth).is_err());
        }
        assert!(Kernel::new(Ground::Rank, 0, 1.0).is_ok());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn lines_and_stars_follow_the_definition((p, q) in histograms(), bandwidth in 0.01..1.5_f64) {
            let values: Vec<Value> = [1, 2, 4, 5, 5, 9, 20, 21].map(Value::Integer)[..p.len()].to_vec();
            for ground in [Ground::Rank, Ground::Equal, Ground::Value(&values)] {
                agrees_with_definition(ground, &p, &q, bandwidth)?;
            }
        }

        #[test]
        fn trees_follow_the_definition(
            ((tree, ranks), p, q) in (1_usize..9).prop_flat_map(|m| (testing::tree_and_ranks(m), histogram(m), histogram(m))),
            bandwidth in 0.01..1.5_f64,
        ) {
            agrees_with_definition(Ground::Tree { tree: &tree, ranks: &ranks }, &p, &q, bandwidth)?;
        }

        #[test]
        fn a_narrow_kernel_smooths_nothing((p, q) in histograms()) {
            let kernel = Kernel::new(Ground::Rank, p.len(), 1.0 / 8.0).unwrap();
            prop_assert!(close(kernel.measure(&p, &q, &mut Smoothed::default()), divergence::js(&p, &q)));
        }
    }
}
