//! Raising the floor below all nodes that are not yet known.

use std::collections::BinaryHeap;

use super::evaluate::{Evaluator, Fit};
use super::heuristic::{HeuristicGuess, Waiting, is_at_most, keep_better, passes, with};
use super::lattice::NodeLevels;
use crate::data::lookup::HashSet;

/// Nodes in the order of their floors, from the corner up.
///
/// Whatever is not yet resolved lies at or above a waiting node, and floors only grow upwards: the lowest floor that
/// waits is a floor for all of it. A node resolves by failing, which it inherits from any coarser node that fails, or by
/// being judged. To fail many at once, tests are made half way up to a node that passes.
pub(super) struct Rise<'e, 'a> {
    pub(super) evaluator: &'e mut Evaluator<'a>,
    pub(super) inherited: bool,
    pub(super) best: Option<(NodeLevels, Fit)>,
    /// Nodes that fail a test that is inherited, and nodes that pass it.
    pub(super) fail: Vec<NodeLevels>,
    pub(super) pass: Vec<NodeLevels>,
    /// How many levels were compared and costs added so far.
    pub(super) looks: usize,
}

/// Looking at a node costs little beside counting one, but not nothing: in a wide lattice each node has many neighbours, and
/// each of them is compared with all that is known. So much takes some seconds.
const MOST_LOOKS: usize = 1 << 30;

/// So many levels of nodes are remembered, some hundred megabytes.
const MOST_SEEN: usize = 1 << 24;

impl Rise<'_, '_> {
    pub(super) fn run(mut self, corner: NodeLevels, most_nodes: usize) -> HeuristicGuess {
        let top = self.evaluator.lattice.top();
        let mut seen: HashSet<NodeLevels> = HashSet::from_iter([corner.clone()]);
        let mut heap: BinaryHeap<Waiting> = BinaryHeap::new();
        heap.push(self.waiting(corner));
        let mut floor = f64::INFINITY;
        let mut remembered = top.len();
        while let Some(Waiting { cost, levels, .. }) = heap.pop() {
            let is_hopeful = self.best.as_ref().is_none_or(|(_, fit)| cost < fit.cost);
            let is_late = self.is_late(most_nodes) || remembered > MOST_SEEN;
            if !is_hopeful || is_late || self.evaluator.task.token.is_cancelled() {
                floor = cost;
                break;
            }
            while !self.is_resolved(&levels, &top) && !self.is_late(most_nodes) {}
            if self.passes(&levels) {
                let outcomes = self.evaluator.evaluate(std::slice::from_ref(&levels));
                keep_better(&mut self.best, &levels, outcomes.first().and_then(|outcome| outcome.fit));
            } else if !self.fails(&levels) {
                floor = cost;
                break;
            }
            for a in (0..levels.len()).filter(|&a| levels[a] < top[a]) {
                let coarser = with(&levels, &[(a, levels[a] + 1)]);
                if seen.insert(coarser.clone()) {
                    remembered += top.len();
                    heap.push(self.waiting(coarser));
                }
            }
        }
        let at_least = self.best.as_ref().map_or(floor, |(_, fit)| floor.min(fit.cost));
        HeuristicGuess { best: self.best, at_least }
    }

    fn is_late(&self, most_nodes: usize) -> bool {
        self.looks > MOST_LOOKS || self.evaluator.counted >= most_nodes
    }

    fn waiting(&mut self, levels: NodeLevels) -> Waiting {
        self.looks += levels.len();
        Waiting { fails: false, cost: self.evaluator.costs.floor(&levels), levels }
    }

    fn fails(&mut self, levels: &NodeLevels) -> bool {
        self.looks += self.fail.len();
        self.fail.iter().any(|other| is_at_most(levels, other))
    }

    fn passes(&mut self, levels: &NodeLevels) -> bool {
        self.looks += self.pass.len();
        self.pass.iter().any(|other| is_at_most(other, levels))
    }

    /// Whether it is known if a node passes; if not, tests the middle of a chain up from it.
    fn is_resolved(&mut self, levels: &NodeLevels, top: &NodeLevels) -> bool {
        if self.fails(levels) || self.passes(levels) {
            return true;
        }
        let mut chain = vec![levels.clone()];
        while let Some(next) = chain.last().and_then(|last| self.step_up(last, top)) {
            chain.push(next);
        }
        let middle = chain.swap_remove(chain.len() / 2);
        let passed = passes(self.evaluator, self.inherited, std::slice::from_ref(&middle));
        if passed == [true] {
            self.pass.retain(|other| !is_at_most(&middle, other));
            self.pass.push(middle);
        } else {
            self.fail.retain(|other| !is_at_most(other, &middle));
            self.fail.push(middle);
        }
        false
    }

    /// The coarser neighbour with the lowest floor that is not known to pass.
    fn step_up(&mut self, levels: &NodeLevels, top: &NodeLevels) -> Option<NodeLevels> {
        let mut best: Option<(f64, NodeLevels)> = None;
        for a in (0..levels.len()).filter(|&a| levels[a] < top[a]) {
            let next = with(levels, &[(a, levels[a] + 1)]);
            self.looks += levels.len();
            let floor = self.evaluator.costs.floor(&next);
            if best.as_ref().is_none_or(|(least, _)| floor.total_cmp(least).is_lt()) && !self.passes(&next) {
                best = Some((floor, next));
            }
        }
        best.map(|(_, next)| next)
    }
}
