//! The smallest scale that gives a record its anonymity.

use std::sync::LazyLock;

use super::anonymity::Visit;
use super::normal::FastTail;
use super::tree::LEAF;
use super::{AskedPoint, Family, KdTree, TraversalScratch};
use crate::numeric::tolerance::{self, LEAST_SCALE, SCALE_ABOVE_LEAST};

/// The largest expected anonymity that any scale approaches, and whether it can be reached.
///
/// Gaussian: `own + (N − own)/2`, never reached: a half-space is the most that another record can win (the paper
/// says N). Uniform: N, never reached unless all stand at one location.
pub fn limit(own: u64, total: u64, family: Family) -> f64 {
    let others = total.saturating_sub(own) as f64;
    own as f64
        + match family {
            Family::Gaussian => others / 2.0,
            Family::Uniform => others,
        }
}

/// Whether some scale gives `k`.
pub fn is_feasible(own: u64, total: u64, family: Family, k: f64) -> bool {
    // A limit that is approached this closely is out of reach of sums that are rounded down.
    own as f64 >= k || limit(own, total, family) > k + 4.0 * tolerance::FAST_TAIL * total as f64
}

/// The neighbours that matter up to some scale, flat, so that other scales cost no traversal.
#[derive(Debug, Default)]
pub struct Neighbours {
    /// Gaussian: people by distance, in bins; only `bins[used.0..used.1]` is in use.
    bins: Vec<f64>,
    used: (usize, usize),
    /// Uniform: the magnitudes of all coordinates, point by point, and their people.
    seen: Vec<f64>,
    people: Vec<f64>,
    /// The most that those left out can add, at any scale up to the one collected for.
    left_out: f64,
    /// What is certain at the scale collected for, beyond the owner and duplicates.
    certain: f64,
    /// Whether nobody was left out: then the scale collected for does not matter.
    complete: bool,
}

/// Bins of squared distances: so many in each power of two, from 2⁻⁶⁰ to 2⁴⁰.
const BIN_BITS: u32 = 7;
const FIRST_BIN: u64 = (1023 - 60) << BIN_BITS;
const BINS: usize = 100 << BIN_BITS;

/// A distance is at most this much larger, relatively, than any in its bin: it is rounded up, so that anonymity is
/// rounded down.
const BIN_WIDTH: f64 = 1.0 / (1 << (BIN_BITS + 1)) as f64;

/// The bin of a squared distance: its exponent and the first bits of its mantissa.
fn bin_of(square: f64) -> usize {
    ((square.to_bits() >> (52 - BIN_BITS)).saturating_sub(FIRST_BIN)) as usize
}

/// The upper end of every bin, as a distance.
static REACH: LazyLock<Vec<f64>> = LazyLock::new(|| {
    let upper = |bin: usize| f64::from_bits((bin as u64 + 1 + FIRST_BIN) << (52 - BIN_BITS)).sqrt();
    (0..BINS).map(upper).collect()
});

impl Neighbours {
    fn clear(&mut self) {
        self.bins.resize(BINS, 0.0);
        let (start, end) = self.used;
        self.bins[start.min(end)..end].fill(0.0);
        self.used = (BINS, 0);
        self.seen.clear();
        self.people.clear();
        (self.left_out, self.certain) = (0.0, 0.0);
        self.complete = true;
    }

    fn put(&mut self, square: f64, people: f64) {
        let bin = bin_of(square);
        if bin >= BINS {
            self.left_out += 0.5 * people;
            return;
        }
        self.bins[bin] += people;
        self.used = (self.used.0.min(bin), self.used.1.max(bin + 1));
    }

    /// The anonymity at a scale, beyond the owner and duplicates, from those collected; never too large.
    fn sum(&self, family: Family, scale: f64, dims: usize) -> f64 {
        match family {
            Family::Gaussian => {
                let tail = FastTail::get();
                let half = 0.5 / scale;
                let used = self.used.0.min(self.used.1)..self.used.1;
                let of =
                    |(people, reach): (&f64, &f64)| people * (tail.at(reach * half) - tolerance::FAST_TAIL).max(0.0);
                self.bins[used.clone()].iter().zip(&REACH[used]).map(of).sum()
            }
            Family::Uniform => {
                let of = |(seen, people): (&[f64], &f64)| {
                    people * seen.iter().map(|w| (1.0 - w / scale).max(0.0)).product::<f64>()
                };
                self.seen.chunks(dims).zip(&self.people).map(of).sum()
            }
        }
    }

    /// The most that the anonymity can be at a scale no larger than the one collected for.
    fn most(&self, family: Family, scale: f64, dims: usize) -> f64 {
        let binned = match family {
            Family::Gaussian => scale * (1.0 + 1.01 * BIN_WIDTH),
            Family::Uniform => scale,
        };
        let rounding =
            2.0 * tolerance::FAST_TAIL * self.bins[self.used.0.min(self.used.1)..self.used.1].iter().sum::<f64>();
        self.sum(family, binned, dims) + rounding + self.left_out
    }
}

struct Collect<'a> {
    tree: &'a KdTree,
    family: Family,
    scale: f64,
    slack: f64,
    /// Beyond this the scale is far too large, and the collection ends.
    too_much: f64,
    least: f64,
    into: &'a mut Neighbours,
}

impl Visit for Collect<'_> {
    fn node(&mut self, people: f64, least: f64, largest: f64) -> bool {
        let negligible = largest <= self.slack;
        if negligible {
            self.into.left_out += people * largest;
            self.into.complete = false;
        }
        self.least = people * least;
        negligible
    }

    fn leaf(&mut self, indices: std::ops::Range<usize>, scratch: &TraversalScratch) -> bool {
        let people = &self.tree.points.people[indices];
        let squares = &scratch.squares;
        match self.family {
            Family::Gaussian => {
                for (&square, &people) in squares.iter().zip(people) {
                    if square > 0.0 {
                        self.into.put(square, people as f64);
                    }
                }
            }
            Family::Uniform => {
                for (i, (&square, &people)) in squares.iter().zip(people).enumerate() {
                    let seen = scratch.seen.chunks(LEAF).map(|seen| seen[i]);
                    // A smaller box holds it still less.
                    let inside = seen.clone().all(|w| w < self.scale);
                    if square > 0.0 && inside {
                        self.into.seen.extend(seen);
                        self.into.people.push(people as f64);
                    }
                    self.into.complete &= inside;
                }
            }
        }
        self.into.certain += self.least;
        self.into.certain < self.too_much
    }
}

impl KdTree {
    /// The smallest scale at which the expected anonymity is at least `k`, at most [`SCALE_ABOVE_LEAST`] too large and never too
    /// small; nothing where no scale suffices. `guess` only decides how long it takes.
    pub fn smallest_scale(
        &self,
        asked: &AskedPoint<'_>,
        family: Family,
        k: f64,
        guess: f64,
        (neighbours, scratch): (&mut Neighbours, &mut TraversalScratch),
    ) -> Option<f64> {
        if asked.own as f64 >= k {
            return Some(LEAST_SCALE);
        }
        if !is_feasible(asked.own, self.total(), family, k) {
            return None;
        }
        let wanted = k - asked.own as f64;
        let dims = self.dims();
        let mut upper = guess.max(LEAST_SCALE);
        let mut precision = 0.004;
        // Each round either moves the upper end, or asks for more detail, or ends.
        let mut collected = false;
        for round in 0..400 {
            if !(collected && neighbours.complete) {
                self.collect(asked, family, upper, (k, precision), neighbours, scratch);
                collected = neighbours.certain < 4.0 * k + asked.own as f64;
            }
            if !collected && neighbours.certain >= 4.0 * k + asked.own as f64 {
                upper *= 0.6;
                continue;
            }
            let reached = neighbours.sum(family, upper, dims);
            if reached < wanted {
                let stretch = (wanted / reached.max(0.001 * wanted)).powf(1.0 / dims as f64);
                // Close to the limit anonymity hardly grows any more.
                let least = if round < 20 { 1.03 } else { 2.0 };
                upper *= stretch.clamp(least, 3.0) * 1.01;
                continue;
            }
            let scale = settle(neighbours, family, dims, wanted, (upper, reached));
            let certain = neighbours.most(family, scale / (1.0 + SCALE_ABOVE_LEAST), dims) < wanted;
            if certain || precision < tolerance::CLOSEST_LOOK {
                return Some(scale.max(LEAST_SCALE));
            }
            precision *= 0.1;
            upper = scale * 1.001;
        }
        None
    }

    fn collect(
        &self,
        asked: &AskedPoint<'_>,
        family: Family,
        scale: f64,
        (k, precision): (f64, f64),
        into: &mut Neighbours,
        scratch: &mut TraversalScratch,
    ) {
        into.clear();
        let slack = match family {
            // Most people are much farther than the farthest that matter: a share for each is generous.
            Family::Gaussian => precision * k / self.total() as f64,
            Family::Uniform => 0.0,
        };
        let too_much = 4.0 * k + asked.own as f64;
        let mut collect = Collect { tree: self, family, scale, slack, too_much, least: 0.0, into };
        self.visit(asked, family, scale, scratch, &mut collect);
    }
}

/// The smallest scale on the collected neighbours, from above: at `upper` they reach enough. Anonymity grows like a power
/// of the scale; steps along that power, held between what is too small and what suffices.
fn settle(neighbours: &Neighbours, family: Family, dims: usize, wanted: f64, (upper, reached): (f64, f64)) -> f64 {
    const NEAR: f64 = 0.3 * SCALE_ABOVE_LEAST;
    /// So many steps are taken along the power. Close to the limit anonymity hardly grows and steps are too small: then
    /// the ends are halved, which always comes to an end.
    const STEPS: usize = 24;
    let (mut enough, mut short) = (upper, 0.0_f64);
    let (mut at, mut sum) = (upper, reached);
    let mut power = dims as f64;
    for step in 0..80 {
        if enough <= short * (1.0 + 2.0 * NEAR) || enough <= LEAST_SCALE {
            break;
        }
        // Aim just above the root from below and just below it from above, so that both ends close in.
        let root = at * (wanted / sum.max(tolerance::LEAST_REACHED * wanted)).powf(1.0 / power);
        let aim = if short == 0.0 || enough / root > root / short {
            root * (1.0 + 0.5 * NEAR)
        } else {
            root * (1.0 - 0.5 * NEAR)
        };
        let next = if step >= STEPS {
            if short > 0.0 { (short * enough).sqrt() } else { 0.5 * enough }
        } else if aim > short && aim < enough {
            aim.max(enough * 0.2)
        } else if short > 0.0 {
            (short * enough).sqrt()
        } else {
            enough * (1.0 - NEAR)
        };
        let value = neighbours.sum(family, next, dims);
        let measured = (value.max(tolerance::LEAST_REACHED * wanted) / sum.max(tolerance::LEAST_REACHED * wanted)).ln()
            / (next / at).ln();
        if measured.is_finite() {
            power = measured.clamp(0.3, 3.0 * dims as f64);
        }
        (at, sum) = (next, value);
        if value >= wanted {
            enough = next;
        } else {
            short = next;
        }
    }
    enough
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::uncertain::math::Frame;
    use crate::kind::uncertain::math::testing::{direct, points};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn the_scale_is_the_smallest_to_the_tolerance_and_never_too_small(
            points in points(1..4, 80),
            k in prop_oneof![1.0..4.0_f64, 2.0..30.0_f64],
            uniform in any::<bool>(),
            stretched in any::<bool>(),
            guess in prop_oneof![Just(1.0), 1e-3..100.0_f64],
        ) {
            let family = if uniform { Family::Uniform } else { Family::Gaussian };
            let frame = stretched.then(|| Frame::stretched((0..points.dims()).map(|i| 0.5 + i as f64).collect()));
            let tree = KdTree::new(&points);
            let (mut neighbours, mut scratch) = (Neighbours::default(), TraversalScratch::default());
            for of in 0..points.len().min(8) {
                let center = points.at(of);
                let own = points.people[of];
                let asked = AskedPoint { center: &center, own, frame: frame.as_ref() };
                let found = tree.smallest_scale(&asked, family, k, guess, (&mut neighbours, &mut scratch));
                // Close to the limit the scale runs away; rounding decides there.
                let most = limit(own, points.total(), family);
                match found {
                    None => prop_assert!((own as f64) < k && most <= k + 1e-4, "{} {}", most, k),
                    Some(scale) => {
                        let here = direct(&points, of, family, scale, frame.as_ref());
                        prop_assert!(here >= k, "{} at {}", here, scale);
                        if scale > LEAST_SCALE && most > k + 1e-2 {
                            let below = direct(&points, of, family, scale / (1.0 + SCALE_ABOVE_LEAST), frame.as_ref());
                            prop_assert!(below < k, "{} below {}", below, scale);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn the_limit_counts_duplicates_in_full_and_others_half() {
        assert!((limit(3, 11, Family::Gaussian) - 7.0).abs() < 1e-12);
        assert!(!is_feasible(3, 11, Family::Gaussian, 7.0) && is_feasible(3, 11, Family::Gaussian, 6.99));
        assert!(!is_feasible(3, 11, Family::Uniform, 11.0) && is_feasible(11, 11, Family::Uniform, 11.0));
    }
}
