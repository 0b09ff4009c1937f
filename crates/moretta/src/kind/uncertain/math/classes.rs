//! Published scales that are no fingerprint.
//!
//! The smallest scale of a record is a function of the data: who holds the public records recomputes it and keeps only
//! the candidates that have the published one. So records publish scales by *class*, and the expected anonymity is
//! counted among the records of the class alone. Which class a record stands in must itself be a function that nobody
//! gains from: classes are an ordered list of shapes, and class c holds the largest set, out of those whom no earlier class
//! took, in which everybody has the anonymity that is asked for. (The union of two such sets is one, so there is a
//! largest.) Anybody with the original can recompute that, which is how a release is checked.

use rayon::prelude::*;

use super::blocks::Blocks;
use super::crowd::{Order, Wanted, sums};
use super::weight::{ONE, Weights, ceil};
use super::{AskedPoint, Coordinates, Family, KdTree, TraversalScratch};
use crate::progress::CancelToken;

/// How much more than asked for is looked for: who has that much stays in when a few others leave.
fn ample(asked: u64) -> u64 {
    asked + asked / 5 * 2
}

/// The largest set of points in which everybody has the anonymity asked for, at scale 1: ascending indices. Anonymity is counted
/// in whole numbers (a lower bound), so that the set is the same whoever computes it.
///
/// Whoever has too little leaves, and what the others lose by that is taken from what they are known to have; who then
/// might have too little is looked at again.
pub fn core(points: &Coordinates, family: Family, asked_for: &[f64], token: &CancelToken) -> Vec<u32> {
    core_while(points, family, asked_for, &|_| true, token).unwrap_or_default()
}

/// The same, given up as soon as so few people may be in it that it is not worth it.
pub(crate) fn core_while(
    points: &Coordinates,
    family: Family,
    asked_for: &[f64],
    worth: &dyn Fn(u64) -> bool,
    token: &CancelToken,
) -> Option<Vec<u32>> {
    let weights = Weights::new(family, points.dims());
    let mut kept: Vec<u32> = (0..points.len() as u32).collect();
    let mut known = vec![Known::default(); kept.len()];
    loop {
        let here = points.select(&kept);
        let asked: Vec<u64> = kept.iter().map(|&p| ceil(asked_for[p as usize])).collect();
        let mut crowd = Crowd::new(&here, &asked, &known, token);
        let mut settled = true;
        while crowd.dismiss(&here, &weights) {
            if !worth(crowd.people) || token.is_cancelled() {
                return None;
            }
            // So many have left that the others are better put into new blocks.
            settled = 2 * crowd.left > kept.len();
            if !settled {
                break;
            }
        }
        let staying = crowd.staying();
        kept = staying.iter().map(|&(at, _)| kept[at as usize]).collect();
        if settled || kept.is_empty() {
            return Some(kept);
        }
        known = staying.into_iter().map(|(_, known)| known).collect();
    }
}

/// What is known of somebody's anonymity.
#[derive(Clone, Copy, Debug, Default)]
enum Known {
    /// Nothing yet.
    #[default]
    Nothing,
    /// It was ample, and since then so many have left that it may no longer be.
    Doubtful,
    /// At least this.
    Ample(u64),
    /// Exactly this.
    Exactly(u64),
}

/// People who leave one after the other.
struct Crowd<'a> {
    token: &'a CancelToken,
    blocks: Blocks,
    /// By index: what is asked for, and what is known to be there.
    asked: Vec<u64>,
    known: Vec<Known>,
    /// How many points are left, and how many people.
    left: usize,
    people: u64,
}

impl<'a> Crowd<'a> {
    fn new(points: &Coordinates, asked: &[u64], known: &[Known], token: &'a CancelToken) -> Self {
        let blocks = Blocks::new(points);
        let asked = blocks.order.iter().map(|&point| asked[point as usize]).collect();
        let known = blocks.order.iter().map(|&point| known[point as usize]).collect();
        Self { token, blocks, asked, known, left: points.len(), people: points.total() }
    }

    fn is_left(&self, index: usize) -> bool {
        self.blocks.people[index] > 0
    }

    /// Lets those go who have too little; whether anybody did.
    fn dismiss(&mut self, points: &Coordinates, weights: &Weights) -> bool {
        self.look(weights);
        let falls_short = |&index: &usize| match self.known[index] {
            Known::Exactly(level) => self.is_left(index) && level < self.asked[index],
            _ => false,
        };
        let leaving: Vec<usize> = (0..self.known.len()).filter(falls_short).collect();
        if leaving.is_empty() {
            return false;
        }
        let mut gone: Vec<u32> = leaving.iter().map(|&index| self.blocks.order[index]).collect();
        gone.sort_unstable();
        for index in leaving {
            self.people -= self.blocks.people[index];
            self.blocks.people[index] = 0;
            self.left -= 1;
        }
        self.forget(&Blocks::new(&points.select(&gone)), weights);
        true
    }

    /// Finds out about those of whom too little is known: at first only whether it is ample.
    fn look(&mut self, weights: &Weights) {
        let beyond = ONE - weights.here();
        let found = sums((&self.blocks, &self.blocks), weights, Order::NearestFirst, self.token, |index| {
            let enough = match self.known.get(index)? {
                Known::Nothing => ample(self.asked[index]),
                Known::Doubtful => u64::MAX,
                Known::Ample(_) | Known::Exactly(_) => return None,
            };
            let start = self.blocks.people[index] * beyond;
            self.is_left(index).then_some(Wanted { start, at_least: self.asked[index], enough })
        });
        for ((known, level), asked) in self.known.iter_mut().zip(found).zip(&self.asked) {
            *known = match *known {
                Known::Nothing if level >= ample(*asked) => Known::Ample(level),
                // Too little is not summed up to the end, but they leave.
                Known::Nothing | Known::Doubtful => Known::Exactly(level),
                other => other,
            };
        }
    }

    /// Takes from what is known what those who are gone have added to it.
    fn forget(&mut self, gone: &Blocks, weights: &Weights) {
        let lost = sums((&self.blocks, gone), weights, Order::Any, self.token, |index| {
            // Once more may be lost than can be spared nothing is known any more.
            let enough = match self.known.get(index)? {
                Known::Ample(level) => level - self.asked[index] + 1,
                _ => u64::MAX,
            };
            self.is_left(index).then_some(Wanted { start: 0, at_least: 0, enough })
        });
        for ((known, lost), asked) in self.known.iter_mut().zip(lost).zip(&self.asked) {
            *known = match *known {
                Known::Ample(level) if level - asked < lost => Known::Doubtful,
                Known::Ample(level) => Known::Ample(level - lost),
                Known::Exactly(level) => Known::Exactly(level.saturating_sub(lost)),
                other => other,
            };
        }
    }

    /// Who is left, ascending, with what is known of them.
    fn staying(&self) -> Vec<(u32, Known)> {
        let left = (0..self.known.len()).filter(|&index| self.is_left(index));
        let mut left: Vec<(u32, Known)> = left.map(|index| (self.blocks.order[index], self.known[index])).collect();
        left.sort_unstable_by_key(|&(point, _)| point);
        left
    }
}

/// The anonymity of some of the points, in whole numbers, at scale 1: exact if between what is asked for and `enough` times as
/// much, else on the same side as the exact one. In the order of `of`, which ascends.
pub(crate) fn levels(
    points: &Coordinates,
    family: Family,
    asked_for: &[f64],
    of: &[u32],
    enough: f64,
    token: &CancelToken,
) -> Vec<u64> {
    let weights = Weights::new(family, points.dims());
    let blocks = Blocks::new(points);
    let mut is_asked = vec![false; points.len()];
    of.iter().for_each(|&point| is_asked[point as usize] = true);
    let beyond = ONE - weights.here();
    let found = sums((&blocks, &blocks), &weights, Order::NearestFirst, token, |index| {
        let point = *blocks.order.get(index)? as usize;
        let asked = asked_for[point];
        is_asked[point].then(|| Wanted {
            start: points.people[point] * beyond,
            at_least: ceil(asked),
            enough: ceil(asked * enough),
        })
    });
    let mut of_point = vec![0; points.len()];
    blocks.order.iter().zip(found).for_each(|(&point, level)| of_point[point as usize] = level);
    of.iter().map(|&point| of_point[point as usize]).collect()
}

/// The least anonymity of any point at scale 1, never too large and hardly too small; nothing if somebody has less than asked for.
///
/// Who has clearly more than asked for is not looked at to the end; those who have least are summed up closely.
pub fn least(points: &Coordinates, family: Family, asked_for: &[f64], token: &CancelToken) -> Option<f64> {
    const CLEARLY: f64 = 1.1;
    const NEARLY: f64 = 1.05;
    let all: Vec<u32> = (0..points.len() as u32).collect();
    let levels = levels(points, family, asked_for, &all, CLEARLY, token);
    if levels.iter().zip(asked_for).any(|(&level, &k)| level < ceil(k)) {
        return None;
    }
    let least = levels.iter().min().map_or(f64::INFINITY, |&least| least as f64 / ONE as f64);
    let near: Vec<u32> =
        (0..).zip(&levels).filter(|(_, level)| **level as f64 <= NEARLY * least * ONE as f64).map(|(p, _)| p).collect();
    let tree = KdTree::new(points);
    let closely = near.par_iter().map_init(TraversalScratch::default, |scratch, &point| {
        if token.is_cancelled() {
            return 0.0;
        }
        let (own, center) = (points.people[point as usize], points.at(point as usize));
        let asked = AskedPoint { center: &center, own, frame: None };
        let slack = 0.001 * least / tree.total().max(1) as f64;
        tree.anonymity(&asked, family, 1.0, (slack, NEARLY * least), scratch).0
    });
    let closely = closely.reduce(|| f64::INFINITY, f64::min);
    Some(closely.min(NEARLY * least).max(least))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::uncertain::math::Frame;
    use crate::kind::uncertain::math::testing::{direct, points};
    use proptest::prelude::*;

    /// Straight from the definition, in whole numbers: whoever has too little leaves, one round after the other.
    fn slow_core(points: &Coordinates, family: Family, k: &[f64]) -> Vec<u32> {
        let mut kept: Vec<u32> = (0..points.len() as u32).collect();
        loop {
            let here = points.select(&kept);
            let has = |at: usize| slow_level(&here, at, family) >= ceil(k[kept[at] as usize]);
            let next: Vec<u32> = (0..kept.len()).filter(|&at| has(at)).map(|at| kept[at]).collect();
            if next.len() == kept.len() {
                return kept;
            }
            kept = next;
        }
    }

    fn slow_level(points: &Coordinates, of: usize, family: Family) -> u64 {
        let weights = Weights::new(family, points.dims());
        let own = points.at(of);
        let others = (0..points.len()).filter(|&p| p != of);
        let gaps = |p: usize| points.at(p).into_iter().zip(own.clone()).map(|(y, x)| (y - x).abs());
        points.people[of] * ONE + others.map(|p| points.people[p] * weights.of(gaps(p))).sum::<u64>()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn the_core_is_the_largest_set_that_suffices(
            points in points(1..4, 200),
            scale in 0.05..1.0_f64,
            k in 1.5..12.0_f64,
            uniform in any::<bool>(),
        ) {
            let family = if uniform { Family::Uniform } else { Family::Gaussian };
            let seen = points.seen_in(&Frame::stretched(vec![scale; points.dims()]));
            // Some ask for more.
            let k: Vec<f64> = (0..points.len()).map(|p| if p % 7 == 0 { k + 2.37 } else { k }).collect();
            prop_assert_eq!(core(&seen, family, &k, &CancelToken::new()), slow_core(&seen, family, &k));
        }

        #[test]
        fn levels_are_a_close_lower_bound_of_the_direct_sum(
            points in points(1..6, 200),
            scale in 0.05..3.0_f64,
            k in 1.5..12.0_f64,
            uniform in any::<bool>(),
        ) {
            let family = if uniform { Family::Uniform } else { Family::Gaussian };
            let seen = points.seen_in(&Frame::stretched(vec![scale; points.dims()]));
            let asked = vec![k; points.len()];
            let of: Vec<u32> = (0..points.len() as u32).filter(|p| p % 3 == 0).collect();
            let found = levels(&seen, family, &asked, &of, 1.5, &CancelToken::new());
            for (&p, level) in of.iter().zip(found) {
                let exact = slow_level(&seen, p as usize, family);
                if exact >= ceil(k) && exact < ceil(1.5 * k) {
                    prop_assert_eq!(level, exact);
                }
                prop_assert_eq!(level >= ceil(k), exact >= ceil(k));
                prop_assert_eq!(level >= ceil(1.5 * k), exact >= ceil(1.5 * k));
                let truth = direct(&seen, p as usize, family, 1.0, None);
                prop_assert!(level as f64 <= truth * ONE as f64 * (1.0 + 1e-12));
                // Half a per cent of the scale, and one for those who are too far away to count.
                let less = direct(&seen, p as usize, family, 1.0 / 1.005, None) - 2e-3 * points.total() as f64;
                prop_assert!(exact as f64 / ONE as f64 >= less, "{} {}", exact as f64 / ONE as f64, less);
            }
            let levels = (0..points.len()).map(|p| slow_level(&seen, p, family));
            let least_truth =
                (0..points.len()).map(|p| direct(&seen, p, family, 1.0, None)).fold(f64::INFINITY, f64::min);
            match least(&seen, family, &asked, &CancelToken::new()) {
                None => prop_assert!(levels.min() < Some(ceil(k))),
                Some(found) => {
                    prop_assert!(levels.min() >= Some(ceil(k)));
                    prop_assert!(k <= found && found <= least_truth * (1.0 + 1e-9), "{} {}", found, least_truth);
                }
            }
        }
    }
}
