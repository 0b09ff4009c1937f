//! A good node of a lattice that is too large to search whole, and how far from the best it may be.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use hashbrown::HashSet;

use super::evaluate::{BATCH, Evaluator, Fit};
use super::lattice::Levels;
use super::optimal::is_inherited;

/// What a search within a limit of nodes has found.
#[derive(Clone, Debug)]
pub(super) struct Guess {
    pub(super) best: Option<(Levels, Fit)>,
    /// No node that keeps the promises costs less.
    pub(super) at_least: f64,
}

/// Looks for a good node, counting at most about `most_nodes`.
///
/// First a *corner* below which nothing holds: for each attribute the lowest level that does with all others at their
/// tops, by Incognito's subset property. No node costs less than the corner; pairs of attributes
/// raise that floor further. Then a greedy search runs from the top towards the corner, always on from the cheapest
/// node known. If it runs out of nodes before the limit, and failing is inherited, its best is the optimum.
pub(super) fn search(evaluator: &mut Evaluator<'_>, most_nodes: usize) -> Guess {
    let inherited = is_inherited(evaluator.task);
    let corner = corner(evaluator, inherited);
    let floor = floor(evaluator, inherited, &corner, most_nodes / 4);
    let (best, complete) = descend(evaluator, &corner, most_nodes);
    let at_least = match &best {
        Some((_, fit)) if complete && inherited => fit.cost,
        Some((_, fit)) => floor.min(fit.cost),
        None => floor,
    };
    Guess { best, at_least }
}

/// Whether nodes pass a test that is inherited: all models where they are, else the sizes of groups.
fn passes(evaluator: &mut Evaluator<'_>, inherited: bool, nodes: &[Levels]) -> Vec<bool> {
    if inherited {
        evaluator.evaluate(nodes).into_iter().map(|outcome| outcome.fit.is_some()).collect()
    } else {
        evaluator.large_enough(nodes)
    }
}

/// The lowest level of each attribute that passes with all others at their tops, by binary search.
fn corner(evaluator: &mut Evaluator<'_>, inherited: bool) -> Levels {
    let top = evaluator.lattice.top();
    let mut fails_below: Levels = vec![0; top.len()];
    let mut passes_at = top.clone();
    loop {
        let open: Vec<usize> = (0..top.len()).filter(|&a| fails_below[a] < passes_at[a]).collect();
        if open.is_empty() {
            return passes_at;
        }
        let middles: Vec<u16> = open.iter().map(|&a| u16::midpoint(fails_below[a], passes_at[a])).collect();
        let nodes: Vec<Levels> = open.iter().zip(&middles).map(|(&a, &middle)| with(&top, &[(a, middle)])).collect();
        let passed = passes(evaluator, inherited, &nodes);
        for ((&a, middle), passed) in open.iter().zip(middles).zip(passed) {
            if passed {
                passes_at[a] = middle;
            } else {
                fails_below[a] = middle + 1;
            }
        }
    }
}

/// What every node at or above the corner costs at least.
///
/// Two attributes together may need higher levels than each alone. What the cheapest passing pair costs above the
/// corner is added for pairs that share no attribute, those that add most first.
fn floor(evaluator: &mut Evaluator<'_>, inherited: bool, corner: &Levels, most_nodes: usize) -> f64 {
    let floor = evaluator.costs.floor(corner);
    if evaluator.costs.are_counted() {
        // The groups of the corner are parts of the groups of every node above it.
        return evaluator.evaluate(std::slice::from_ref(corner)).first().map_or(floor, |o| floor.max(o.floor));
    }
    let attributes = corner.len();
    let limit = evaluator.counted + most_nodes;
    let mut gains: Vec<(f64, usize, usize)> = Vec::new();
    for (a, b) in (0..attributes).flat_map(|a| (a + 1..attributes).map(move |b| (a, b))) {
        if evaluator.counted < limit {
            gains.push((pair_gain(evaluator, inherited, corner, a, b), a, b));
        }
    }
    gains.sort_by(|x, y| y.0.total_cmp(&x.0).then((x.1, x.2).cmp(&(y.1, y.2))));
    let mut used = vec![false; attributes];
    let mut sum = floor;
    for (gain, a, b) in gains {
        if !used[a] && !used[b] {
            (used[a], used[b]) = (true, true);
            sum += gain;
        }
    }
    // The sum is made in another order than that of any node: leave more room than rounding can take.
    (sum * (1.0 - 1e-12)).max(floor)
}

/// What the cheapest passing levels of two attributes cost above the corner, all others at their tops. The border
/// between passing and failing is a staircase: one walk along it meets every cheapest candidate.
fn pair_gain(evaluator: &mut Evaluator<'_>, inherited: bool, corner: &Levels, a: usize, b: usize) -> f64 {
    let top = evaluator.lattice.top();
    let cost = |evaluator: &Evaluator<'_>, x, y| evaluator.costs.floor(&with(corner, &[(a, x), (b, y)]));
    let lowest = cost(evaluator, corner[a], corner[b]);
    let mut cheapest = f64::INFINITY;
    let (mut x, mut y) = (corner[a], top[b]);
    loop {
        let passed = passes(evaluator, inherited, &[with(&top, &[(a, x), (b, y)])]);
        if passed.first() == Some(&true) {
            cheapest = cheapest.min(cost(evaluator, x, y));
            if y == corner[b] {
                break;
            }
            y -= 1;
        } else {
            if x == top[a] {
                break;
            }
            x += 1;
        }
    }
    if cheapest.is_finite() { (cheapest - lowest).max(0.0) } else { 0.0 }
}

/// The best node met, and whether all were met that can be reached from the top through nodes that fit.
fn descend(evaluator: &mut Evaluator<'_>, corner: &Levels, most_nodes: usize) -> (Option<(Levels, Fit)>, bool) {
    let top = evaluator.lattice.top();
    let mut seen: HashSet<Levels> = HashSet::from_iter([top.clone()]);
    let mut heap: BinaryHeap<Waiting> = BinaryHeap::new();
    let mut best: Option<(Levels, Fit)> = None;
    let mut next = vec![top];
    loop {
        for (levels, outcome) in next.iter().zip(evaluator.evaluate(&next)) {
            if let Some(fit) = outcome.fit
                && best.as_ref().is_none_or(|(other, least)| (fit.cost, levels) < (least.cost, other))
            {
                best = Some((levels.clone(), fit));
            }
            let cost = outcome.fit.map_or_else(|| evaluator.costs.floor(levels), |fit| fit.cost);
            heap.push(Waiting { fails: outcome.fit.is_none(), cost, levels: levels.clone() });
        }
        next.clear();
        while next.len() < BATCH {
            // Where nothing fits yet, nodes that fail are gone on from; after that they are dead ends.
            let Some(waiting) = heap.pop().filter(|waiting| !waiting.fails || best.is_none()) else { break };
            for a in (0..waiting.levels.len()).filter(|&a| waiting.levels[a] > corner[a]) {
                let finer = with(&waiting.levels, &[(a, waiting.levels[a] - 1)]);
                // Not pruned by its floor: the way to a cheap node may lead through dear ones.
                if seen.insert(finer.clone()) {
                    next.push(finer);
                }
            }
        }
        if next.is_empty() || evaluator.counted >= most_nodes {
            return (best, next.is_empty());
        }
    }
}

fn with(levels: &Levels, changes: &[(usize, u16)]) -> Levels {
    let mut levels = levels.clone();
    changes.iter().for_each(|&(attribute, level)| levels[attribute] = level);
    levels
}

/// A node whose finer neighbours wait to be judged.
#[derive(Debug, PartialEq)]
struct Waiting {
    fails: bool,
    cost: f64,
    levels: Levels,
}

impl Eq for Waiting {}

impl Ord for Waiting {
    /// The largest is next: one that fits before one that fails, then the cheapest, then the finest.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_cost = |x: &Self, y: &Self| x.fails.cmp(&y.fails).then(x.cost.total_cmp(&y.cost));
        by_cost(other, self).then_with(|| other.levels.cmp(&self.levels))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
