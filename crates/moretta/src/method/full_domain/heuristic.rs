//! A good node of a lattice that is too large to search whole, and how far from the best it may be.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::evaluate::{BATCH, Evaluator, Fit};
use super::lattice::NodeLevels;
use super::optimal::is_inherited;
use super::rise::Rise;
use crate::data::lookup::HashSet;

/// What a search within a limit of nodes has found.
#[derive(Clone, Debug)]
pub(super) struct HeuristicGuess {
    pub(super) best: Option<(NodeLevels, Fit)>,
    /// No node that keeps the promises costs less.
    pub(super) at_least: f64,
}

/// Looks for a good node, counting at most about `most_nodes`.
///
/// First a *corner* below which nothing holds: for each attribute the lowest level that does with all others at their
/// tops, by Incognito's subset property. Then a greedy search runs from the top towards the corner, always on from the
/// cheapest node known. With the other half of the nodes the floor rises from the corner: see [`Rise`].
pub(super) fn search(evaluator: &mut Evaluator<'_>, most_nodes: usize) -> HeuristicGuess {
    let inherited = is_inherited(evaluator.task);
    let corner = corner(evaluator, inherited);
    let mut fail = Vec::new();
    let best = descend(evaluator, &corner, most_nodes / 2, inherited.then_some(&mut fail));
    // The groups of the corner are parts of the groups of every node above it.
    let floor =
        if evaluator.costs.are_counted() { evaluator.evaluate(std::slice::from_ref(&corner)) } else { Vec::new() };
    let floor = floor.first().map_or(0.0, |outcome| outcome.floor);
    let rise = Rise { evaluator, inherited, best, fail, pass: Vec::new(), looks: 0 };
    let guess = rise.run(corner, most_nodes);
    HeuristicGuess { at_least: guess.at_least.max(floor), ..guess }
}

/// Whether nodes pass a test that is inherited: all models where they are, else the sizes of groups.
pub(super) fn passes(evaluator: &mut Evaluator<'_>, inherited: bool, nodes: &[NodeLevels]) -> Vec<bool> {
    if inherited {
        evaluator.evaluate(nodes).into_iter().map(|outcome| outcome.fit.is_some()).collect()
    } else {
        evaluator.large_enough(nodes)
    }
}

/// The lowest level of each attribute that passes with all others at their tops, by binary search.
fn corner(evaluator: &mut Evaluator<'_>, inherited: bool) -> NodeLevels {
    let top = evaluator.lattice.top();
    let mut fails_below: NodeLevels = vec![0; top.len()];
    let mut passes_at = top.clone();
    loop {
        let open: Vec<usize> = (0..top.len()).filter(|&a| fails_below[a] < passes_at[a]).collect();
        if open.is_empty() {
            return passes_at;
        }
        let middles: Vec<u16> = open.iter().map(|&a| u16::midpoint(fails_below[a], passes_at[a])).collect();
        let nodes: Vec<NodeLevels> =
            open.iter().zip(&middles).map(|(&a, &middle)| with(&top, &[(a, middle)])).collect();
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

/// The best node met on the way down. Where failing is inherited, nodes that fail are put into `fail`, and nothing finer
/// than them is looked at: what is saved goes into the way down.
fn descend(
    evaluator: &mut Evaluator<'_>,
    corner: &NodeLevels,
    most_nodes: usize,
    mut fail: Option<&mut Vec<NodeLevels>>,
) -> Option<(NodeLevels, Fit)> {
    let top = evaluator.lattice.top();
    let mut seen: HashSet<NodeLevels> = HashSet::from_iter([top.clone()]);
    let mut heap: BinaryHeap<Waiting> = BinaryHeap::new();
    let mut best: Option<(NodeLevels, Fit)> = None;
    let mut next = vec![top];
    loop {
        for (levels, outcome) in next.iter().zip(evaluator.evaluate(&next)) {
            keep_better(&mut best, levels, outcome.fit);
            if outcome.fit.is_none() && !evaluator.task.token.is_cancelled() {
                fail.iter_mut().for_each(|fail| fail.push(levels.clone()));
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
                if fail.as_ref().is_some_and(|fail| fail.iter().any(|known| is_at_most(&finer, known))) {
                    continue;
                }
                // Not pruned by its floor: the way to a cheap node may lead through dear ones.
                if seen.insert(finer.clone()) {
                    next.push(finer);
                }
            }
        }
        if next.is_empty() || evaluator.counted >= most_nodes || evaluator.task.token.is_cancelled() {
            return best;
        }
    }
}

/// Whether one node is as fine as another in all attributes.
pub(super) fn is_at_most(a: &NodeLevels, b: &NodeLevels) -> bool {
    a.iter().zip(b).all(|(x, y)| x <= y)
}

pub(super) fn keep_better(best: &mut Option<(NodeLevels, Fit)>, levels: &NodeLevels, fit: Option<Fit>) {
    let Some(fit) = fit else { return };
    if best.as_ref().is_none_or(|(other, least)| (fit.cost, levels) < (least.cost, other)) {
        *best = Some((levels.clone(), fit));
    }
}

pub(super) fn with(levels: &NodeLevels, changes: &[(usize, u16)]) -> NodeLevels {
    let mut levels = levels.clone();
    for &(attribute, level) in changes {
        levels[attribute] = level;
    }
    levels
}

/// A node whose neighbours wait to be looked at.
#[derive(Debug, PartialEq)]
pub(super) struct Waiting {
    pub(super) fails: bool,
    pub(super) cost: f64,
    pub(super) levels: NodeLevels,
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
