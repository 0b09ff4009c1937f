//! The realized rank: how many records fit a published location at least as well as its owner. An expectation of k can
//! hide bad luck; this is what became of it.

use super::anonymity::Visit;
use super::normal::FastTail;
use super::tree::LEAF;
use super::{AskedPoint, Family, Frame, KdTree, TraversalScratch};
use crate::numeric::tolerance;

struct Count<'a> {
    tree: &'a KdTree,
    family: Family,
    /// The squared distance of the owner (Gaussian), or half a side (uniform).
    reach: f64,
    /// The chance that a traversal computes at that distance.
    chance: f64,
    people: f64,
}

impl Visit for Count<'_> {
    fn node(&mut self, people: f64, least: f64, largest: f64) -> bool {
        match self.family {
            Family::Gaussian => {
                let doubt = 2.0 * tolerance::FAST_TAIL;
                let all = least > self.chance + doubt;
                if all {
                    self.people += people;
                }
                all || largest < self.chance - doubt
            }
            // Looked at with a box a little too large: who has no chance in it is out.
            Family::Uniform => largest == 0.0,
        }
    }

    fn leaf(&mut self, indices: std::ops::Range<usize>, scratch: &TraversalScratch) -> bool {
        for (i, index) in indices.enumerate() {
            let fits = match self.family {
                Family::Gaussian => scratch.squares[i] <= self.reach,
                Family::Uniform => scratch.seen.chunks(LEAF).all(|seen| seen[i] <= self.reach),
            };
            if fits {
                self.people += self.tree.points.people[index] as f64;
            }
        }
        true
    }
}

impl KdTree {
    /// How many people fit a published location at least as well as somebody who stands at `owner`; the owner included.
    #[expect(clippy::cast_sign_loss, reason = "a count")]
    pub fn rank(
        &self,
        location: &[f64],
        owner: &[f64],
        family: Family,
        frame: Option<&Frame>,
        scratch: &mut TraversalScratch,
    ) -> u64 {
        // A hair more, so that the owner fits as well as the owner whatever was rounded.
        const HAIR: f64 = 1.0 + tolerance::AS_GOOD_A_FIT;
        let (reach, scale, chance) = match family {
            Family::Gaussian => {
                let mut away: Vec<f64> = owner.iter().zip(location).map(|(x, z)| x - z).collect();
                if let Some(frame) = frame {
                    let apart = away.clone();
                    frame.apply(&apart, &mut away);
                }
                let square = away.iter().map(|w| w * w).sum::<f64>() * HAIR;
                // Any scale orders distances alike; this one keeps the owner's in the middle of the table.
                let scale = square.sqrt().max(tolerance::SAME_PLACE) / 2.0;
                (square, scale, FastTail::get().at(square.sqrt() / (2.0 * scale)))
            }
            Family::Uniform => (0.5 * HAIR, 0.501, 0.0),
        };
        let mut count = Count { tree: self, family, reach, chance, people: 0.0 };
        self.visit(&AskedPoint { center: location, own: 0, frame }, family, scale, scratch, &mut count);
        // Counts of people, exact in a float.
        count.people as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::uncertain::math::testing::points;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ranks_are_counted_straight(points in points(1..4, 150), shift in -0.5..0.5_f64, uniform in any::<bool>()) {
            let family = if uniform { Family::Uniform } else { Family::Gaussian };
            let frame = Frame::stretched((0..points.dims()).map(|d| 0.8 + d as f64).collect());
            let tree = KdTree::new(&points);
            let mut scratch = TraversalScratch::default();
            for of in 0..points.len().min(10) {
                let owner = points.at(of);
                let location: Vec<f64> = owner.iter().map(|x| x + shift * 0.79).collect();
                let far = |p: usize| -> Vec<f64> {
                    points.at(p).iter().zip(&location).zip(&frame.scales).map(|((x, z), s)| ((x - z) / s).abs()).collect()
                };
                let square = |p: usize| far(p).iter().map(|w| w * w).sum::<f64>();
                let fits = |p: &usize| match family {
                    Family::Gaussian => square(*p) <= square(of) * (1.0 + 1e-9),
                    Family::Uniform => far(*p).iter().all(|w| *w <= 0.5 * (1.0 + 1e-9)),
                };
                let expected: u64 = (0..points.len()).filter(fits).map(|p| points.people[p]).sum();
                prop_assert_eq!(tree.rank(&location, &owner, family, Some(&frame), &mut scratch), expected);
            }
        }
    }
}
