//! Expected anonymity (theorems 2.1 and 2.3): how many records are expected to fit at least as well as the owner.
//!
//! `A(i) = Σⱼ P(record j fits at least as well as record i)`. The record itself and its exact duplicates count 1 each (the
//! Gaussian formula would say 1/2). Sums run over a k-d tree; what is not looked at in detail is bounded from both sides.

use super::normal::FastTail;
use super::tree::LEAF;
use super::{Frame, KdTree};
use crate::numeric::tolerance;

/// The family of densities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Normal along every axis; the scale is the standard deviation.
    Gaussian,
    /// The same everywhere in a box; the scale is the length of its side.
    Uniform,
}

/// Who is asked about: a location, and the shape of its density.
#[derive(Clone, Copy, Debug)]
pub struct AskedPoint<'a> {
    /// The index.
    pub center: &'a [f64],
    /// The people who stand exactly there.
    pub own: u64,
    /// The shape; a sphere or cube where there is none.
    pub frame: Option<&'a Frame>,
}

/// Room to work in, one for each thread.
#[derive(Debug, Default)]
pub struct TraversalScratch {
    stack: Vec<u32>,
    low: Vec<f64>,
    high: Vec<f64>,
    least: Vec<f64>,
    largest: Vec<f64>,
    /// `seen[d * LEAF + i]`: the magnitude of coordinate d of the i-th point of a leaf.
    pub(crate) seen: Vec<f64>,
    /// The squared distance of each point of a leaf.
    pub(crate) squares: [f64; LEAF],
    difference: Vec<f64>,
    turned: Vec<f64>,
}

impl TraversalScratch {
    fn fit(&mut self, dims: usize) {
        self.seen.resize(dims * LEAF, 0.0);
        for room in
            [&mut self.low, &mut self.high, &mut self.least, &mut self.largest, &mut self.difference, &mut self.turned]
        {
            room.resize(dims, 0.0);
        }
    }
}

/// The chance, at least and at most, that somebody in a box fits as well.
fn chances(family: Family, scale: f64, least: &[f64], largest: &[f64]) -> (f64, f64) {
    match family {
        Family::Gaussian => {
            let tail = FastTail::get();
            let far = |sides: &[f64]| sides.iter().map(|w| w * w).sum::<f64>().sqrt() / (2.0 * scale);
            let (near, far) = (far(least), far(largest));
            let high = if near < 7.9 { tail.at(near) + tolerance::FAST_TAIL } else { tolerance::FAR_TAIL };
            ((tail.at(far) - tolerance::FAST_TAIL).max(0.0), high)
        }
        Family::Uniform => {
            let share = |sides: &[f64]| sides.iter().map(|w| (1.0 - w / scale).max(0.0)).product::<f64>();
            (share(largest), share(least))
        }
    }
}

/// What a traversal does with what it meets.
pub(crate) trait Visit {
    /// A node with the least and the largest chance of each of its people; false asks for the details.
    fn node(&mut self, people: f64, least: f64, largest: f64) -> bool;

    /// The points of a leaf, their indices and the magnitudes of their coordinates; false ends the traversal.
    fn leaf(&mut self, indices: std::ops::Range<usize>, scratch: &TraversalScratch) -> bool;
}

impl KdTree {
    /// Meets every point once, alone or in a node, the nearest first.
    pub(crate) fn visit(
        &self,
        asked: &AskedPoint<'_>,
        family: Family,
        scale: f64,
        scratch: &mut TraversalScratch,
        visit: &mut impl Visit,
    ) {
        scratch.fit(self.dims());
        let mut stack = std::mem::take(&mut scratch.stack);
        stack.clear();
        if !self.is_empty() {
            stack.push(0);
        }
        while let Some(id) = stack.pop() {
            let node = self.node(id);
            self.magnitudes(id, asked, scratch);
            let (least, largest) = chances(family, scale, &scratch.least, &scratch.largest);
            if visit.node(node.people, least, largest) {
                continue;
            }
            if node.is_leaf() {
                let indices = node.start as usize..node.end as usize;
                self.look(indices.clone(), asked, family, scratch);
                if !visit.leaf(indices, scratch) {
                    break;
                }
            } else {
                let (left, right) = (id + 1, node.right);
                let left_first = self.distance(left, asked.center) <= self.distance(right, asked.center);
                stack.extend(if left_first { [right, left] } else { [left, right] });
            }
        }
        scratch.stack = stack;
    }

    fn magnitudes(&self, node: u32, asked: &AskedPoint<'_>, scratch: &mut TraversalScratch) {
        let (low, high) = self.corners(node);
        match asked.frame {
            None => {
                for (d, (&low, &high)) in low.iter().zip(high).enumerate() {
                    let (below, above) = (low - asked.center[d], high - asked.center[d]);
                    scratch.least[d] = below.max(-above).max(0.0);
                    scratch.largest[d] = above.max(-below);
                }
            }
            Some(frame) => {
                for (d, (&low, &high)) in low.iter().zip(high).enumerate() {
                    scratch.low[d] = low - asked.center[d];
                    scratch.high[d] = high - asked.center[d];
                }
                frame.magnitudes(&scratch.low, &scratch.high, &mut scratch.least, &mut scratch.largest);
            }
        }
    }

    fn look(
        &self,
        indices: std::ops::Range<usize>,
        asked: &AskedPoint<'_>,
        family: Family,
        scratch: &mut TraversalScratch,
    ) {
        let count = indices.len();
        scratch.squares = [0.0; LEAF];
        if asked.frame.is_none() && family == Family::Gaussian {
            // Only distances matter: no need to keep the coordinates.
            for (column, &x) in self.points.columns.iter().zip(asked.center) {
                let squares = scratch.squares[..count].iter_mut();
                squares.zip(&column[indices.clone()]).for_each(|(sum, &y)| *sum += (y - x) * (y - x));
            }
            return;
        }
        self.look_closely(indices, asked, scratch);
        for seen in scratch.seen.chunks(LEAF) {
            scratch.squares[..count].iter_mut().zip(seen).for_each(|(sum, w)| *sum += w * w);
        }
    }

    fn look_closely(&self, indices: std::ops::Range<usize>, asked: &AskedPoint<'_>, scratch: &mut TraversalScratch) {
        match asked.frame {
            None => {
                for (d, (column, &x)) in self.points.columns.iter().zip(asked.center).enumerate() {
                    let seen = &mut scratch.seen[d * LEAF..][..indices.len()];
                    seen.iter_mut().zip(&column[indices.clone()]).for_each(|(w, &y)| *w = (y - x).abs());
                }
            }
            Some(frame) => {
                for (i, index) in indices.enumerate() {
                    for (d, column) in self.points.columns.iter().enumerate() {
                        scratch.difference[d] = column[index] - asked.center[d];
                    }
                    frame.apply(&scratch.difference, &mut scratch.turned);
                    scratch.turned.iter().enumerate().for_each(|(d, y)| scratch.seen[d * LEAF + i] = y.abs());
                }
            }
        }
    }

    /// Bounds of the expected anonymity at a scale: at least, at most. `slack` is how far apart they may be for each
    /// person who is not looked at in detail; the traversal ends early once `enough` is reached for certain.
    pub fn anonymity(
        &self,
        asked: &AskedPoint<'_>,
        family: Family,
        scale: f64,
        (slack, enough): (f64, f64),
        scratch: &mut TraversalScratch,
    ) -> (f64, f64) {
        let missing = own_beyond_formula(asked.own, family);
        let mut sum = Sum { tree: self, family, scale, slack, enough, low: missing, high: missing, open: false };
        self.visit(asked, family, scale, scratch, &mut sum);
        let high = if sum.open { f64::INFINITY } else { sum.high };
        // The owner and the duplicates count in full whatever a box's bound says.
        (sum.low.max(asked.own as f64), high)
    }

    /// Whether the expected anonymity is certainly at least `k`.
    pub fn reaches(
        &self,
        asked: &AskedPoint<'_>,
        family: Family,
        scale: f64,
        k: f64,
        scratch: &mut TraversalScratch,
    ) -> bool {
        self.level(asked, family, scale, (k, k), scratch) >= k
    }

    /// A lower bound of the expected anonymity that tells whether it is certainly at least `k`; no closer than that, and no
    /// more than `enough` is looked for.
    pub(crate) fn level(
        &self,
        asked: &AskedPoint<'_>,
        family: Family,
        scale: f64,
        (k, enough): (f64, f64),
        scratch: &mut TraversalScratch,
    ) -> f64 {
        let own = asked.own as f64;
        if own >= enough {
            return own;
        }
        let share = k / self.total().max(1) as f64;
        let mut found = own;
        for slack in [0.1 * share, 0.003 * share, 0.0] {
            let (low, high) = self.anonymity(asked, family, scale, (slack, enough), scratch);
            found = found.max(low);
            if found >= k || high < k {
                break;
            }
        }
        found
    }
}

/// The Gaussian formula gives 1/2 to those at distance 0; they count 1.
pub(crate) fn own_beyond_formula(own: u64, family: Family) -> f64 {
    match family {
        Family::Gaussian => own as f64 / 2.0,
        Family::Uniform => 0.0,
    }
}

struct Sum<'a> {
    tree: &'a KdTree,
    family: Family,
    scale: f64,
    slack: f64,
    enough: f64,
    low: f64,
    high: f64,
    /// Whether the traversal ended before everything was met.
    open: bool,
}

impl Visit for Sum<'_> {
    fn node(&mut self, people: f64, least: f64, largest: f64) -> bool {
        let settled = largest - least <= self.slack.max(2.0 * tolerance::FAST_TAIL);
        if settled {
            self.low += people * least;
            self.high += people * largest;
        }
        settled
    }

    fn leaf(&mut self, indices: std::ops::Range<usize>, scratch: &TraversalScratch) -> bool {
        let people = &self.tree.points.people[indices];
        match self.family {
            Family::Gaussian => {
                let tail = FastTail::get();
                let half = 0.5 / self.scale;
                for (square, &people) in scratch.squares.iter().zip(people) {
                    let chance = tail.at(square.sqrt() * half);
                    self.low += people as f64 * (chance - tolerance::FAST_TAIL).max(0.0);
                    self.high += people as f64 * (chance + tolerance::FAST_TAIL);
                }
            }
            Family::Uniform => {
                let mut shares = [1.0; LEAF];
                for seen in scratch.seen.chunks(LEAF) {
                    shares[..people.len()]
                        .iter_mut()
                        .zip(seen)
                        .for_each(|(p, w)| *p *= (1.0 - w / self.scale).max(0.0));
                }
                for (share, &people) in shares.iter().zip(people) {
                    self.low += people as f64 * share;
                    self.high += people as f64 * share;
                }
            }
        }
        self.open = self.low >= self.enough;
        !self.open
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::uncertain::math::frame::eigen;
    use crate::kind::uncertain::math::testing::{direct, points};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn anonymity_is_the_direct_double_sum(
            points in points(1..4, 120),
            scale in prop_oneof![0.01..0.3_f64, 0.3..4.0_f64],
            uniform in any::<bool>(),
            shape in 0..3_u8,
            slack in prop_oneof![Just(0.0), 0.0..0.1_f64],
        ) {
            let family = if uniform { Family::Uniform } else { Family::Gaussian };
            let d = points.dims();
            let frame = match shape {
                0 => None,
                1 => Some(Frame::stretched((0..d).map(|i| 0.5 + i as f64).collect())),
                _ => {
                    let matrix: Vec<f64> = (0..d * d).map(|i| 1.0 + ((i / d) * (i % d)) as f64).collect();
                    Some(Frame { axes: Some(eigen(&matrix, d).1), scales: (0..d).map(|i| 0.7 + i as f64).collect() })
                }
            };
            let tree = KdTree::new(&points);
            let mut scratch = TraversalScratch::default();
            for of in 0..points.len().min(12) {
                let center = points.at(of);
                let asked = AskedPoint { center: &center, own: points.people[of], frame: frame.as_ref() };
                let truth = direct(&points, of, family, scale, frame.as_ref());
                let (low, high) = tree.anonymity(&asked, family, scale, (slack, f64::INFINITY), &mut scratch);
                let rounding = 1e-6;
                prop_assert!(low <= truth + 1e-12 * truth && truth <= high + 1e-12 * truth, "{} {} {}", low, truth, high);
                prop_assert!(high - low <= slack * points.total() as f64 + rounding);
                if (truth - 3.0).abs() > rounding {
                    prop_assert_eq!(tree.reaches(&asked, family, scale, 3.0, &mut scratch), truth >= 3.0);
                }
            }
        }
    }
}
