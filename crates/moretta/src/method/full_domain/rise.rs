//! Raising the floor below all nodes that are not yet known.

use std::collections::BinaryHeap;

use super::evaluate::{Evaluator, Fit};
use super::heuristic::{HeuristicGuess, Waiting, keep_better, passes, with};
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
}

/// Looking at a node costs little beside counting one, but not nothing.
const MOST_LOOKS: usize = 1 << 17;

impl Rise<'_, '_> {
    pub(super) fn run(mut self, corner: NodeLevels, most_nodes: usize) -> HeuristicGuess {
        let top = self.evaluator.lattice.top();
        let mut seen: HashSet<NodeLevels> = HashSet::from_iter([corner.clone()]);
        let mut heap: BinaryHeap<Waiting> = BinaryHeap::new();
        heap.push(self.waiting(corner));
        let mut looks = 0;
        let mut floor = f64::INFINITY;
        while let Some(Waiting { cost, levels, .. }) = heap.pop() {
            let is_hopeful = self.best.as_ref().is_none_or(|(_, fit)| cost < fit.cost);
            looks += 1;
            let cancelled = self.evaluator.task.token.is_cancelled();
            if !is_hopeful || looks > MOST_LOOKS || self.evaluator.counted >= most_nodes || cancelled {
                floor = cost;
                break;
            }
            while !self.is_resolved(&levels, &top) && self.evaluator.counted < most_nodes {}
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
                    heap.push(self.waiting(coarser));
                }
            }
        }
        let at_least = self.best.as_ref().map_or(floor, |(_, fit)| floor.min(fit.cost));
        HeuristicGuess { best: self.best, at_least }
    }

    fn waiting(&self, levels: NodeLevels) -> Waiting {
        Waiting { fails: false, cost: self.evaluator.costs.floor(&levels), levels }
    }

    fn fails(&self, levels: &NodeLevels) -> bool {
        self.fail.iter().any(|other| is_at_most(levels, other))
    }

    fn passes(&self, levels: &NodeLevels) -> bool {
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
    fn step_up(&self, levels: &NodeLevels, top: &NodeLevels) -> Option<NodeLevels> {
        let above = (0..levels.len()).filter(|&a| levels[a] < top[a]).map(|a| with(levels, &[(a, levels[a] + 1)]));
        let costs = &self.evaluator.costs;
        above.filter(|next| !self.passes(next)).min_by(|x, y| costs.floor(x).total_cmp(&costs.floor(y)))
    }
}

fn is_at_most(a: &NodeLevels, b: &NodeLevels) -> bool {
    a.iter().zip(b).all(|(x, y)| x <= y)
}
