//! The smallest scale that gives a record its anonymity.

use super::anonymity::{Asked, Family, Scratch, Visit, own_beyond_formula};
use super::normal::{FAST_ERROR, FastTail, density};
use super::tree::{LEAF, Tree};

/// The scale found is at most this much, relatively, above the smallest one; never below it.
pub const TOLERANCE: f64 = 0.005;

/// The least scale of all, in units of the frame: a density must exist even where duplicates alone suffice.
pub const LEAST_SCALE: f64 = 1e-6;

/// The largest expected anonymity that any scale approaches, and whether it can be reached.
///
/// Gaussian: `own + (N − own)/2`, never reached: a half-space is the most that another record can win (the paper
/// says N). Uniform: N, never reached unless all stand at one place.
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
    own as f64 >= k || limit(own, total, family) > k
}

/// The neighbours that matter up to some scale, flat, so that other scales cost no traversal.
#[derive(Debug, Default)]
pub struct Neighbours {
    /// Squared distances (Gaussian), or the magnitudes of all coordinates point by point (uniform).
    seen: Vec<f64>,
    people: Vec<f64>,
    /// The most that those left out can add, at any scale up to the one collected for.
    left_out: f64,
    /// What is certain at the scale collected for.
    sum: f64,
}

struct Collect<'a> {
    tree: &'a Tree,
    family: Family,
    scale: f64,
    slack: f64,
    /// Beyond this the scale is far too large, and the collection ends.
    too_much: f64,
    own: &'a Asked<'a>,
    into: &'a mut Neighbours,
}

impl Visit for Collect<'_> {
    fn node(&mut self, people: f64, _: f64, largest: f64) -> bool {
        let negligible = largest <= self.slack;
        if negligible {
            self.into.left_out += people * largest;
        }
        negligible
    }

    fn leaf(&mut self, places: std::ops::Range<usize>, scratch: &Scratch) -> bool {
        let dims = self.tree.dims();
        let tail = FastTail::get();
        for (i, place) in places.enumerate() {
            let seen = (0..dims).map(|d| scratch.seen[d * LEAF + i]);
            let people = self.tree.points.people[place] as f64;
            let chance = match self.family {
                Family::Gaussian => {
                    let square: f64 = seen.map(|w| w * w).sum();
                    self.into.seen.push(square);
                    tail.at(square.sqrt() / (2.0 * self.scale))
                }
                Family::Uniform => {
                    let before = self.into.seen.len();
                    self.into.seen.extend(seen);
                    self.into.seen[before..].iter().map(|w| (1.0 - w / self.scale).max(0.0)).product()
                }
            };
            if chance == 0.0 && self.family == Family::Uniform {
                // A smaller box holds it still less.
                self.into.seen.truncate(self.into.seen.len() - dims);
                continue;
            }
            self.into.people.push(people);
            self.into.sum += people * chance;
        }
        self.into.sum < self.too_much + self.own.own as f64
    }
}

impl Neighbours {
    /// The anonymity from those collected, beyond the owner's own correction, and its derivative by the logarithm of the scale.
    fn sum(&self, family: Family, scale: f64, dims: usize) -> (f64, f64) {
        let (mut sum, mut slope) = (0.0, 0.0);
        match family {
            Family::Gaussian => {
                let tail = FastTail::get();
                let half = 0.5 / scale;
                for (square, people) in self.seen.iter().zip(&self.people) {
                    let t = square.sqrt() * half;
                    sum += people * tail.at(t);
                    if t < 6.0 {
                        slope += people * t * fast_density(t);
                    }
                }
                sum -= FAST_ERROR * self.people.iter().sum::<f64>();
            }
            Family::Uniform => {
                for (seen, people) in self.seen.chunks(dims).zip(&self.people) {
                    let mut share = 1.0;
                    let mut log_slope = 0.0;
                    for w in seen {
                        let rest = (1.0 - w / scale).max(0.0);
                        share *= rest;
                        log_slope += if rest > 0.0 { w / scale / rest } else { 0.0 };
                    }
                    sum += people * share;
                    slope += people * share * log_slope;
                }
            }
        }
        (sum, slope)
    }
}

/// Only guides the search; nothing is decided by it.
fn fast_density(t: f64) -> f64 {
    density(t)
}

impl Tree {
    /// The smallest scale at which the expected anonymity is at least `k`, at most [`TOLERANCE`] too large and never too
    /// small; nothing where no scale suffices. `guess` only decides how long it takes.
    pub fn smallest_scale(
        &self,
        asked: &Asked<'_>,
        family: Family,
        k: f64,
        guess: f64,
        (neighbours, scratch): (&mut Neighbours, &mut Scratch),
    ) -> Option<f64> {
        let own = asked.own as f64;
        if own >= k {
            return Some(LEAST_SCALE);
        }
        if !is_feasible(asked.own, self.total(), family, k) {
            return None;
        }
        let dims = self.dims();
        let beyond = own_beyond_formula(asked.own, family);
        let mut upper = guess.max(LEAST_SCALE);
        let mut precision = 0.02;
        // Each round either moves the upper end, or asks for more detail, or ends.
        for _ in 0..400 {
            self.collect(asked, family, upper, (k, precision), neighbours, scratch);
            if neighbours.sum + beyond >= 4.0 * k + own {
                upper *= 0.6;
                continue;
            }
            let (sum, slope) = neighbours.sum(family, upper, dims);
            if sum + beyond < k {
                let (reached, wanted) = ((sum + beyond - own).max(1e-3 * (k - own)), k - own);
                let steepness = (slope / reached).clamp(0.5, dims as f64 + 2.0);
                let stretch = (wanted / reached).powf(1.0 / steepness).clamp(1.02, 3.0);
                upper *= stretch * 1.01;
                continue;
            }
            let scale = settle(neighbours, family, dims, (k - beyond, own - beyond), upper);
            let (below, _) = neighbours.sum(family, scale / (1.0 + TOLERANCE), dims);
            let certain = below + 2.0 * FAST_ERROR * self.total() as f64 + neighbours.left_out + beyond < k;
            if certain || precision < 1e-9 {
                return Some(scale.max(LEAST_SCALE));
            }
            precision *= 0.1;
            upper = scale * 1.001;
        }
        None
    }

    fn collect(
        &self,
        asked: &Asked<'_>,
        family: Family,
        scale: f64,
        (k, precision): (f64, f64),
        into: &mut Neighbours,
        scratch: &mut Scratch,
    ) {
        into.seen.clear();
        into.people.clear();
        (into.left_out, into.sum) = (0.0, 0.0);
        let slack = match family {
            // Most people are much farther than the farthest that matter: a share for each is generous.
            Family::Gaussian => precision * k / self.total() as f64,
            Family::Uniform => 0.0,
        };
        let too_much = 4.0 * k;
        let mut collect = Collect { tree: self, family, scale, slack, too_much, own: asked, into };
        self.visit(asked, family, scale, scratch, &mut collect);
    }
}

/// The smallest scale on the collected neighbours, from above: at `upper` they suffice. Newton's steps in logarithms,
/// held between what is known to be too small and what is known to suffice.
fn settle(neighbours: &Neighbours, family: Family, dims: usize, (k, own): (f64, f64), upper: f64) -> f64 {
    let (mut enough, mut short) = (upper, 0.0_f64);
    let mut at = upper;
    for _ in 0..60 {
        let (sum, slope) = neighbours.sum(family, at, dims);
        if sum >= k {
            enough = enough.min(at);
        } else {
            short = short.max(at);
        }
        if short > 0.0 && enough <= short * (1.0 + 0.6 * TOLERANCE) {
            break;
        }
        // Aim a little above the root, so that the step that finds it also proves it.
        let (reached, wanted) = ((sum - own).max(1e-12), k - own);
        let step = ((wanted / reached).ln() * reached / slope.max(1e-300)).clamp(-1.0, 1.0);
        let aim = if sum >= k && step > -0.3 * TOLERANCE {
            // Enough, and barely: try just below, which should be too little.
            at * (1.0 - 0.55 * TOLERANCE)
        } else {
            at * (step + 0.2 * TOLERANCE).exp()
        };
        let inside = aim > short && aim < enough;
        at = match (inside, short > 0.0) {
            (true, _) => aim,
            (false, true) => (short * enough).sqrt(),
            (false, false) => enough * 0.7,
        };
        if enough <= LEAST_SCALE {
            break;
        }
    }
    enough
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uncertain::Frame;
    use crate::uncertain::testing::{direct, points};
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
            let tree = Tree::new(&points);
            let (mut neighbours, mut scratch) = (Neighbours::default(), Scratch::default());
            for of in 0..points.len().min(8) {
                let center = points.at(of);
                let own = points.people[of];
                let asked = Asked { center: &center, own, frame: frame.as_ref() };
                let found = tree.smallest_scale(&asked, family, k, guess, (&mut neighbours, &mut scratch));
                // Close to the limit the scale runs away; rounding decides there.
                let most = limit(own, points.total(), family);
                match found {
                    None => prop_assert!((own as f64) < k && most <= k + 1e-4, "{} {}", most, k),
                    Some(scale) => {
                        let here = direct(&points, of, family, scale, frame.as_ref());
                        prop_assert!(here >= k, "{} at {}", here, scale);
                        if scale > LEAST_SCALE && most > k + 1e-2 {
                            let below = direct(&points, of, family, scale / (1.0 + TOLERANCE), frame.as_ref());
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
