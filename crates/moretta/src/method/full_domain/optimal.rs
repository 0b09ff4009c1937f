//! The node of least cost.

use super::evaluate::{BATCH, Evaluator};
use super::frontier::{Best, Frontier, Status};
use crate::method::Task;

/// Whether coarser nodes than one that keeps the promises keep them too.
///
/// If nobody may be left out, groups that hold only merge: merge-safe models are enough. If people may be left out, a
/// group that holds may be joined by people whose own group failed, so it takes grow-safe models, and verdicts that do
/// not depend on who else is released. Then a coarser node also leaves out no more people.
pub(super) fn is_inherited(task: &Task<'_>) -> bool {
    let safety = task.requirement.safety();
    if task.may_suppress == 0 { safety.merge } else { safety.grow && !task.requirement.compares_with_whole() }
}

/// Finds the node of least cost among all of a lattice; nothing if none keeps the promises.
///
/// Exact for every requirement. Where failing is inherited most nodes are settled without counting. Elsewhere only
/// failing for too small groups is, and all others are judged whose floor lies below the cost of the best.
pub(super) fn search(evaluator: &mut Evaluator<'_>) -> Option<Best> {
    let inherited = is_inherited(evaluator.task);
    let mut frontier = Frontier::new(evaluator, true);
    if inherited {
        frontier.settle(Frontier::test);
    } else {
        frontier.descend();
        frontier.settle(Frontier::test_sizes);
    }
    frontier.judge_the_rest(inherited);
    frontier.best
}

impl Frontier<'_, '_> {
    /// Finds a good node early, so that its cost prunes: from the top, step to the best finer node while there is one.
    fn descend(&mut self) {
        let mut node = self.status.len() - 1;
        self.judge(&[node]);
        loop {
            let is_unknown = |&next: &usize| self.status[next] == Status::Unknown;
            let finer: Vec<usize> = self.numbering.finer(node).filter(is_unknown).collect();
            self.judge(&finer);
            match self.best {
                Some(best) if best.node != node => node = best.node,
                _ => return,
            }
        }
    }

    /// Judges nodes that are not known to fail, the most hopeful first, until none can be better than the best.
    fn judge_the_rest(&mut self, inherited: bool) {
        // Raising floors looks at all nodes: in a large lattice not after every batch.
        let pause = self.status.len() / 8192 + 1;
        let mut open: Vec<usize> = (0..self.status.len()).filter(|&node| self.status[node] == Status::Holds).collect();
        while !open.is_empty() && !self.evaluator.task.token.is_cancelled() {
            self.raise_floors(inherited);
            open.retain(|&node| self.is_hopeful(node));
            open.sort_by(|&a, &b| self.floors[a].total_cmp(&self.floors[b]));
            for batch in open.chunks(BATCH).take(pause) {
                let hopeful: Vec<usize> = batch.iter().copied().filter(|&node| self.is_hopeful(node)).collect();
                self.judge(&hopeful);
            }
            open.drain(..open.len().min(BATCH * pause));
        }
    }

    /// Raises floors by what counting has shown: a coarser node has at least the counted floor of a finer one, and
    /// where failing is inherited a finer node leaves out at least as many people as a coarser one.
    fn raise_floors(&mut self, inherited: bool) {
        // Numbers grow from finer to coarser, so one pass each way reaches everybody.
        if self.evaluator.costs.are_counted() {
            for node in 0..self.floors.len() {
                let below = self.numbering.finer(node).map(|finer| self.floors[finer]);
                self.floors[node] = below.fold(self.floors[node], f64::max);
            }
        } else if inherited && self.evaluator.task.may_suppress > 0 {
            let mut left_out = vec![0_u64; self.floors.len()];
            for node in (0..self.floors.len()).rev() {
                let above = self.numbering.coarser(node).map(|coarser| left_out[coarser]).max().unwrap_or(0);
                left_out[node] = above;
                match self.status[node] {
                    Status::Fits(fit) => left_out[node] = fit.suppressed,
                    Status::Holds => {
                        let floor = self.evaluator.costs.floor_without(&self.numbering.levels(node), above);
                        self.floors[node] = self.floors[node].max(floor);
                    }
                    _ => {}
                }
            }
        }
    }
}
