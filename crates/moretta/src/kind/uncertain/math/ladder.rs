//! Which scales are published: a list of classes, from the smallest scale upwards.

use rayon::prelude::*;

use super::classes::{core_while, levels};
use super::solve::{Neighbours, is_feasible};
use super::weight::ceil;
use super::{AskedPoint, Coordinates, Family, Frame, KdTree, TraversalScratch};
use crate::numeric::tolerance::{LEAST_GUESS, SCALE_ABOVE_LEAST, SCALE_OF_DUPLICATES};
use crate::progress::CancelToken;

/// Coordinates that are worked on together with one guess carried on: the same cut for every number of threads.
const CHUNK: usize = 64;

/// So many points are looked at closely to see which scales are worth a try.
const SAMPLE: usize = 1024;

/// The smallest scale of every point, in a frame of its own where there are frames; nothing where none suffices.
pub fn smallest_scales(
    points: &Coordinates,
    family: Family,
    asked_for: &[f64],
    frames: Option<&[Frame]>,
    token: &CancelToken,
) -> Vec<Option<f64>> {
    let all: Vec<u32> = (0..points.len() as u32).collect();
    smallest_scales_of(&all, &KdTree::new(points), family, asked_for, frames, token)
}

/// The same for some of the points of a tree, in their order.
fn smallest_scales_of(
    of: &[u32],
    tree: &KdTree,
    family: Family,
    asked_for: &[f64],
    frames: Option<&[Frame]>,
    token: &CancelToken,
) -> Vec<Option<f64>> {
    let mut asked_at = vec![u32::MAX; tree.len()];
    (0..).zip(of).for_each(|(at, &point)| asked_at[point as usize] = at);
    let is_asked = |&index: &usize| asked_at[tree.order[index] as usize] != u32::MAX;
    let indices: Vec<usize> = (0..tree.len()).filter(is_asked).collect();
    let chunks: Vec<Vec<Option<f64>>> = indices
        .par_chunks(CHUNK)
        .map_init(
            || (Neighbours::default(), TraversalScratch::default(), vec![0.0; tree.dims()]),
            |(neighbours, scratch, center), chunk| {
                let mut guess: Option<f64> = None;
                let mut found = Vec::with_capacity(chunk.len());
                for &index in chunk {
                    if token.is_cancelled() {
                        found.push(None);
                        continue;
                    }
                    tree.points.read(index, center);
                    let point = tree.order[index] as usize;
                    let frame = frames.map(|frames| &frames[point]);
                    let asked = AskedPoint { center, own: tree.points.people[index], frame };
                    let k = asked_for[point];
                    let start = guess.unwrap_or_else(|| first_guess(tree, center, k, frame));
                    let scale = tree.smallest_scale(&asked, family, k, start, (neighbours, scratch));
                    if frames.is_none() {
                        guess = scale.filter(|&scale| scale > SCALE_OF_DUPLICATES).map(|scale| scale * 1.1).or(guess);
                    }
                    found.push(scale);
                }
                found
            },
        )
        .collect();
    let mut scales = vec![None; of.len()];
    for (index, scale) in indices.into_iter().zip(chunks.into_iter().flatten()) {
        scales[asked_at[tree.order[index] as usize] as usize] = scale;
    }
    scales
}

#[expect(clippy::cast_sign_loss, reason = "k is at least 1")]
fn first_guess(tree: &KdTree, center: &[f64], k: f64, frame: Option<&Frame>) -> f64 {
    let mut near = Vec::new();
    tree.nearest(center, k.ceil() as u64 + 1, &mut near);
    let unit = frame.map_or(1.0, |f| f.scales.iter().product::<f64>().powf(1.0 / f.dims() as f64));
    near.last().map_or(1.0, |&(square, _)| square.sqrt().max(LEAST_GUESS) / unit)
}

/// A class of a ladder: its scale, and who stands in it.
#[derive(Clone, Debug, PartialEq)]
pub struct ScaleClass {
    /// The scale, in units of the shape.
    pub scale: f64,
    /// The points, ascending.
    pub points: Vec<u32>,
}

/// Scales for points that share a shape, from the smallest upwards; nothing where the points are too few for what is
/// asked. Chosen so that the people's mean logarithm of the scale is small. `publish` gives the frame that is published for a
/// scale, which is no smaller: who stands in a class is decided by that one.
pub fn ladder(
    points: &Coordinates,
    family: Family,
    asked_for: &[f64],
    shape: &Frame,
    publish: &dyn Fn(f64) -> Frame,
    token: &CancelToken,
) -> Option<Vec<ScaleClass>> {
    let mut rungs: Vec<ScaleClass> = Vec::new();
    let mut rest: Vec<u32> = (0..points.len() as u32).collect();
    let among = |rest: &[u32]| ClassSearch {
        points: points.select(rest),
        k: rest.iter().map(|&p| asked_for[p as usize]).collect(),
        family,
        shape,
        publish,
        token,
    };
    let mut scales = among(&rest).scales()?;
    while !rest.is_empty() {
        if token.is_cancelled() {
            return None;
        }
        let step = among(&rest).best_step(scales);
        rungs.push(ScaleClass { scale: step.scale, points: step.taken.iter().map(|&at| rest[at as usize]).collect() });
        rest = step.left.iter().map(|&at| rest[at as usize]).collect();
        scales = step.left_scales;
    }
    Some(rungs)
}

/// Where, between the scale of the densest quarter and the one that serves all, a class is tried: the one that keeps most first, since a
/// good one ends the others early.
const STEPS: [f64; 3] = [0.6, 0.4, 0.25];

struct ClassSearch<'a> {
    points: Coordinates,
    k: Vec<f64>,
    family: Family,
    shape: &'a Frame,
    publish: &'a dyn Fn(f64) -> Frame,
    token: &'a CancelToken,
}

/// The scales that matter for some points.
#[derive(Clone, Copy, Debug, Default)]
struct Scales {
    /// About a quarter needs less.
    dense: f64,
    /// Serves everybody, if nobody leaves.
    whole: f64,
}

struct Step {
    scale: f64,
    taken: Vec<u32>,
    left: Vec<u32>,
    left_scales: Scales,
}

impl ClassSearch<'_> {
    /// Looks closely at a sample, and then only at those whom its largest scale does not serve. Nothing where somebody can't be served.
    fn scales(&self) -> Option<Scales> {
        let total = self.points.total();
        let feasible = |(&own, &k): (&u64, &f64)| is_feasible(own, total, self.family, k);
        if !self.points.people.iter().zip(&self.k).all(feasible) {
            return None;
        }
        let tree = KdTree::new(&self.points.seen_in(self.shape));
        let mut unserved: Vec<u32> = (0..self.points.len() as u32).collect();
        let mut scales = Scales::default();
        while !unserved.is_empty() {
            let sample: Vec<u32> = unserved.iter().copied().step_by(unserved.len().div_ceil(SAMPLE)).collect();
            let found: Option<Vec<f64>> =
                smallest_scales_of(&sample, &tree, self.family, &self.k, None, self.token).into_iter().collect();
            let mut found = found?;
            found.sort_unstable_by(f64::total_cmp);
            if scales.whole == 0.0 {
                scales.dense = found[found.len() / 4];
            }
            scales.whole = scales.whole.max(found[found.len() - 1]);
            let all_solved = sample.len() == unserved.len();
            unserved = self.unserved(&unserved, scales.whole);
            // Chances are rounded down where classes are formed: a little more than the smallest scale is needed.
            let mut more = SCALE_ABOVE_LEAST;
            while all_solved && !unserved.is_empty() && !self.token.is_cancelled() {
                scales.whole *= 1.0 + more;
                more *= 1.5;
                unserved = self.unserved(&unserved, scales.whole);
            }
        }
        Some(scales)
    }

    /// Those, of some, who have too little at a scale.
    fn unserved(&self, of: &[u32], scale: f64) -> Vec<u32> {
        let seen = self.points.seen_in(&(self.publish)(scale));
        let levels = levels(&seen, self.family, &self.k, of, 1.0, self.token);
        let pairs = of.iter().copied().zip(levels);
        pairs.filter(|&(point, level)| level < ceil(self.k[point as usize])).map(|(point, _)| point).collect()
    }

    /// The class that a scale forms, if it is worth it and those whom it leaves can still be served.
    fn some(&self, scale: f64, worth: &dyn Fn(u64) -> bool) -> Option<Step> {
        let taken = core_while(&self.points.seen_in(&(self.publish)(scale)), self.family, &self.k, worth, self.token)?;
        if taken.is_empty() || taken.len() == self.points.len() {
            return None;
        }
        let mut is_taken = vec![false; self.points.len()];
        taken.iter().for_each(|&at| is_taken[at as usize] = true);
        let left: Vec<u32> = (0..self.points.len() as u32).filter(|&at| !is_taken[at as usize]).collect();
        let rest = ClassSearch {
            points: self.points.select(&left),
            k: left.iter().map(|&at| self.k[at as usize]).collect(),
            ..*self
        };
        let left_scales = rest.scales()?;
        Some(Step { scale, taken, left, left_scales })
    }

    /// The best class to take out of the points, before one class takes all the rest.
    fn best_step(&self, Scales { dense, whole }: Scales) -> Step {
        let total = self.points.total() as f64;
        let least = dense.max(whole * 0.001);
        let mut best_loss = total * whole.ln();
        let mut best: Option<Step> = None;
        for part in STEPS {
            let scale = least * (whole / least).powf(part);
            if scale * (1.0 + 4.0 * SCALE_ABOVE_LEAST) > whole {
                continue;
            }
            // Who needs most among all needs no less among those left.
            let loss = |kept: f64, rest: f64| kept * scale.ln() + (total - kept) * rest.ln();
            let worth = |kept: u64| loss(kept as f64, whole / (1.0 + 4.0 * SCALE_ABOVE_LEAST)) < best_loss;
            let Some(step) = self.some(scale, &worth) else { continue };
            let kept: u64 = step.taken.iter().map(|&p| self.points.people[p as usize]).sum();
            let found = loss(kept as f64, step.left_scales.whole);
            if found < best_loss {
                best_loss = found;
                best = Some(step);
            }
        }
        // The largest scale serves everybody: it was looked for with the frame that is published for it.
        best.unwrap_or_else(|| Step {
            scale: whole,
            taken: (0..self.points.len() as u32).collect(),
            left: Vec::new(),
            left_scales: Scales::default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::uncertain::math::testing::{direct, points};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]
        #[test]
        fn a_ladder_gives_everybody_enough_within_the_class(points in points(1..4, 120), k in 1.5..9.0_f64, uniform in any::<bool>()) {
            let family = if uniform { Family::Uniform } else { Family::Gaussian };
            let asked = vec![k; points.len()];
            let one = Frame::stretched(vec![1.0; points.dims()]);
            let publish = |scale: f64| Frame::stretched(vec![crate::kind::uncertain::math::density::round_up(scale, 4); points.dims()]);
            let feasible = (0..points.len()).all(|p| crate::kind::uncertain::math::solve::is_feasible(points.people[p], points.total(), family, k));
            match ladder(&points, family, &asked, &one, &publish, &CancelToken::new()) {
                None => prop_assert!(!feasible),
                Some(rungs) => {
                    let mut seen = vec![0; points.len()];
                    for rung in &rungs {
                        let here = points.select(&rung.points);
                        for at in 0..here.len() {
                            let level = direct(&here, at, family, publish(rung.scale).scales[0], None);
                            prop_assert!(level >= k, "{} of {}", level, k);
                            seen[rung.points[at] as usize] += 1;
                        }
                    }
                    prop_assert!(seen.iter().all(|&times| times == 1));
                }
            }
        }
    }
}
