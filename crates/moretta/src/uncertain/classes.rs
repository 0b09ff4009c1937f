//! Published scales that are no fingerprint.
//!
//! The smallest scale of a record is a function of the data: who holds the public records recomputes it and keeps only
//! the candidates that have the published one. So records publish scales by *class*, and the expected anonymity is
//! counted among the records of the class alone. Which class a record stands in must itself be a function that nobody
//! gains from: classes are an ordered list of shapes, and class c holds the largest set, out of those whom no earlier class
//! took, in which everybody has the anonymity that is asked for. (The union of two such sets is one, so there is a
//! largest.) Anybody with the original can recompute that, which is how a release is checked.

use rayon::prelude::*;

use super::anonymity::{Asked, Family, Scratch};
use super::frame::Frame;
use super::points::Points;
use super::solve::{Neighbours, TOLERANCE};
use super::tree::Tree;

/// Points that are worked on together with one guess carried on: the same cut for every number of threads.
const CHUNK: usize = 64;

/// How much more than asked for is looked for: who has that much stays in when a few others leave.
const AMPLE: f64 = 1.4;

/// The largest set of points in which everybody has the anonymity asked for, at scale 1: ascending places.
///
/// Whoever has too little leaves, and what the others lose by that is taken from what they are known to have; who then
/// might have too little is looked at again.
pub fn core(points: &Points, family: Family, asked_for: &[f64]) -> Vec<u32> {
    core_of((0..points.len() as u32).collect(), points, family, asked_for)
}

/// The same within some of the points, ascending, outside of which nobody can be in it.
fn core_of(among: Vec<u32>, points: &Points, family: Family, asked_for: &[f64]) -> Vec<u32> {
    let mut kept = among;
    // What everybody who is kept is known to have at least; nothing known is 0.
    let mut known = vec![0.0; kept.len()];
    loop {
        let tree = Tree::new(&points.select(&kept));
        let known_by_place: Vec<f64> = (0..tree.len())
            .into_par_iter()
            .map_init(
                || (Scratch::default(), vec![0.0; points.dims()]),
                |(scratch, center), place| {
                    let at = tree.order[place] as usize;
                    let k = asked_for[kept[at] as usize];
                    if known[at] >= k {
                        return known[at];
                    }
                    tree.points.read(place, center);
                    let asked = Asked { center, own: tree.points.people[place], frame: None };
                    tree.level(&asked, family, 1.0, (k, AMPLE * k), scratch)
                },
            )
            .collect();
        tree.order.iter().zip(known_by_place).for_each(|(&at, level)| known[at as usize] = level);
        let stays = |at: usize| known[at] >= asked_for[kept[at] as usize];
        let (staying, leaving): (Vec<usize>, Vec<usize>) = (0..kept.len()).partition(|&at| stays(at));
        if leaving.is_empty() || staying.is_empty() {
            return staying.into_iter().map(|at| kept[at]).collect();
        }
        let gone: Vec<u32> = leaving.iter().map(|&at| kept[at]).collect();
        let left: Vec<u32> = staying.iter().map(|&at| kept[at]).collect();
        let levels: Vec<f64> = staying.iter().map(|&at| known[at]).collect();
        known = without(points, family, (&left, &levels), &gone, asked_for);
        kept = left;
    }
}

/// What is still known of those who stay when others go.
fn without(
    points: &Points,
    family: Family,
    (left, levels): (&[u32], &[f64]),
    gone: &[u32],
    asked_for: &[f64],
) -> Vec<f64> {
    let tree = Tree::new(&points.select(gone));
    left.par_iter()
        .zip(levels)
        .map_init(
            || (Scratch::default(), vec![0.0; points.dims()]),
            |(scratch, center), (&point, &level)| {
                points.read(point as usize, center);
                let k = asked_for[point as usize];
                let spare = level - k;
                let asked = Asked { center, own: 0, frame: None };
                // Once more may be lost than can be spared there is nothing known any more.
                let slack = 0.1 * spare / tree.total() as f64;
                let (_, lost) = tree.anonymity(&asked, family, 1.0, (slack, spare), scratch);
                if lost <= spare { level - lost } else { 0.0 }
            },
        )
        .collect()
}

/// The smallest scale of every point, in a frame of its own where there are frames; nothing where none suffices.
pub fn smallest_scales(
    points: &Points,
    family: Family,
    asked_for: &[f64],
    frames: Option<&[Frame]>,
) -> Vec<Option<f64>> {
    let tree = Tree::new(points);
    let places: Vec<usize> = (0..tree.len()).collect();
    let chunks: Vec<Vec<Option<f64>>> = places
        .par_chunks(CHUNK)
        .map_init(
            || (Neighbours::default(), Scratch::default(), vec![0.0; points.dims()]),
            |(neighbours, scratch, center), chunk| {
                let mut guess: Option<f64> = None;
                let mut found = Vec::with_capacity(chunk.len());
                for &place in chunk {
                    tree.points.read(place, center);
                    let point = tree.order[place] as usize;
                    let frame = frames.map(|frames| &frames[point]);
                    let asked = Asked { center, own: tree.points.people[place], frame };
                    let k = asked_for[point];
                    let start = guess.unwrap_or_else(|| first_guess(&tree, center, k, frame));
                    let scale = tree.smallest_scale(&asked, family, k, start, (neighbours, scratch));
                    if frames.is_none() {
                        guess = scale.filter(|&scale| scale > 1e-5).map(|scale| scale * 1.1).or(guess);
                    }
                    found.push(scale);
                }
                found
            },
        )
        .collect();
    let mut of_point = vec![None; points.len()];
    for (&point, scale) in tree.order.iter().zip(chunks.into_iter().flatten()) {
        of_point[point as usize] = scale;
    }
    of_point
}

#[expect(clippy::cast_sign_loss, reason = "k is at least 1")]
fn first_guess(tree: &Tree, center: &[f64], k: f64, frame: Option<&Frame>) -> f64 {
    let mut near = Vec::new();
    tree.nearest(center, k.ceil() as u64 + 1, &mut near);
    let unit = frame.map_or(1.0, |f| f.scales.iter().product::<f64>().powf(1.0 / f.dims() as f64));
    near.last().map_or(1.0, |&(square, _)| square.sqrt().max(1e-4) / unit)
}

/// A class of a ladder: its scale, and who stands in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Rung {
    /// The scale, in units of the shape.
    pub scale: f64,
    /// The points, ascending.
    pub points: Vec<u32>,
}

/// Scales for points that share a shape, from the smallest upwards; nothing where the points are too few for what is
/// asked. Chosen so that the people's mean logarithm of the scale is small. `publish` gives the frame that is published for a
/// scale, which is no smaller: who stands in a class is decided by that one.
pub fn ladder(
    points: &Points,
    family: Family,
    asked_for: &[f64],
    shape: &Frame,
    publish: &dyn Fn(f64) -> Frame,
) -> Option<Vec<Rung>> {
    let mut rungs: Vec<Rung> = Vec::new();
    let mut rest: Vec<u32> = (0..points.len() as u32).collect();
    let mut scales = everybody(smallest_scales(&points.seen_in(shape), family, asked_for, None))?;
    while !rest.is_empty() {
        let here = Here {
            points: points.select(&rest),
            k: rest.iter().map(|&p| asked_for[p as usize]).collect(),
            family,
            shape,
            publish,
        };
        let step = best_step(&here, &scales);
        rungs.push(Rung { scale: step.scale, points: step.taken.iter().map(|&at| rest[at as usize]).collect() });
        rest = step.left.iter().map(|&at| rest[at as usize]).collect();
        scales = step.left_scales;
    }
    Some(rungs)
}

fn everybody(scales: Vec<Option<f64>>) -> Option<Vec<f64>> {
    scales.into_iter().collect()
}

struct Here<'a> {
    points: Points,
    k: Vec<f64>,
    family: Family,
    shape: &'a Frame,
    publish: &'a dyn Fn(f64) -> Frame,
}

struct Step {
    scale: f64,
    taken: Vec<u32>,
    left: Vec<u32>,
    left_scales: Vec<f64>,
}

impl Here<'_> {
    /// The class that a scale forms; `smallest` are the scales that everybody needs if nobody leaves.
    fn core(&self, scale: f64, smallest: &[f64]) -> Vec<u32> {
        // Who has too little among all has too little in any part. Rounding may have made the published scale larger.
        let wide = scale * (1.0 + 2.0 * TOLERANCE);
        let among = (0..self.points.len() as u32).filter(|&at| smallest[at as usize] <= wide).collect();
        core_of(among, &self.points.seen_in(&(self.publish)(scale)), self.family, &self.k)
    }

    /// One class for all, at the smallest scale that serves everybody.
    fn all(&self, scale: f64, smallest: &[f64]) -> Step {
        let mut scale = scale;
        loop {
            let taken = self.core(scale, smallest);
            if taken.len() == self.points.len() {
                return Step { scale, taken, left: Vec::new(), left_scales: Vec::new() };
            }
            // Rounding in the last digits; scales without bound serve everybody for whom any does.
            scale *= 1.0 + TOLERANCE;
        }
    }

    /// The class that a scale forms, if those whom it leaves can still be served.
    fn some(&self, scale: f64, smallest: &[f64]) -> Option<Step> {
        let taken = self.core(scale, smallest);
        if taken.is_empty() || taken.len() == self.points.len() {
            return None;
        }
        let mut is_taken = vec![false; self.points.len()];
        taken.iter().for_each(|&at| is_taken[at as usize] = true);
        let left: Vec<u32> = (0..self.points.len() as u32).filter(|&at| !is_taken[at as usize]).collect();
        let left_k: Vec<f64> = left.iter().map(|&at| self.k[at as usize]).collect();
        let seen = self.points.select(&left).seen_in(self.shape);
        let left_scales = everybody(smallest_scales(&seen, self.family, &left_k, None))?;
        Some(Step { scale, taken, left, left_scales })
    }
}

/// The best class to take out of the points, before one class takes all the rest.
fn best_step(here: &Here<'_>, scales: &[f64]) -> Step {
    let whole = scales.iter().copied().fold(0.0, f64::max);
    let mut sorted = scales.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let least = sorted[sorted.len() / 4].max(whole * 1e-3);
    let people = |of: &[u32]| of.iter().map(|&p| here.points.people[p as usize]).sum::<u64>() as f64;
    let mut best_loss = here.points.total() as f64 * whole.ln();
    let mut best: Option<Step> = None;
    for part in STEPS {
        let scale = least * (whole / least).powf(part);
        if scale * (1.0 + 4.0 * TOLERANCE) > whole {
            continue;
        }
        let Some(step) = here.some(scale, scales) else { continue };
        let rest = step.left_scales.iter().copied().fold(0.0, f64::max);
        let loss = people(&step.taken) * scale.ln() + people(&step.left) * rest.ln();
        if loss < best_loss {
            best_loss = loss;
            best = Some(step);
        }
    }
    best.unwrap_or_else(|| here.all(whole, scales))
}

/// Where, between the scale of the densest quarter and the one that serves all, a class is tried.
const STEPS: [f64; 3] = [0.25, 0.4, 0.6];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uncertain::testing::{direct, points};
    use proptest::prelude::*;

    /// Straight from the definition: whoever has too little leaves, one round after the other.
    fn slow_core(points: &Points, family: Family, k: &[f64]) -> Vec<u32> {
        let mut kept: Vec<u32> = (0..points.len() as u32).collect();
        loop {
            let here = points.select(&kept);
            let has = |at: usize| direct(&here, at, family, 1.0, None) >= k[kept[at] as usize];
            let next: Vec<u32> = (0..kept.len()).filter(|&at| has(at)).map(|at| kept[at]).collect();
            if next.len() == kept.len() {
                return kept;
            }
            kept = next;
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]
        #[test]
        fn the_core_is_the_largest_set_that_suffices(
            points in points(1..4, 90),
            scale in 0.05..1.0_f64,
            k in 1.5..12.0_f64,
            uniform in any::<bool>(),
        ) {
            let family = if uniform { Family::Uniform } else { Family::Gaussian };
            let seen = points.seen_in(&Frame::stretched(vec![scale; points.dims()]));
            // Some ask for more.
            let k: Vec<f64> = (0..points.len()).map(|p| if p % 7 == 0 { k + 2.37 } else { k + 0.013 }).collect();
            prop_assert_eq!(core(&seen, family, &k), slow_core(&seen, family, &k));
        }

        #[test]
        fn a_ladder_gives_everybody_enough_within_the_class(points in points(1..4, 120), k in 1.5..9.0_f64, uniform in any::<bool>()) {
            let family = if uniform { Family::Uniform } else { Family::Gaussian };
            let asked = vec![k; points.len()];
            let one = Frame::stretched(vec![1.0; points.dims()]);
            let publish = |scale: f64| Frame::stretched(vec![crate::uncertain::density::round_up(scale, 4); points.dims()]);
            let feasible = (0..points.len()).all(|p| crate::uncertain::solve::is_feasible(points.people[p], points.total(), family, k));
            match ladder(&points, family, &asked, &one, &publish) {
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
