//! All minimal nodes.

use super::evaluate::{BATCH, Evaluator};
use super::frontier::{Best, Frontier, Status};
use super::optimal::is_inherited;

/// Finds every node that keeps the promises while no finer one does, in the order of their numbers.
///
/// Where failing is inherited only the frontier is judged. Elsewhere every node that is not coarser than a minimal one
/// is, unless its groups are too small, from the finest up.
pub(super) fn search(evaluator: &mut Evaluator<'_>) -> Vec<Best> {
    let inherited = is_inherited(evaluator.task);
    let mut frontier = Frontier::new(evaluator, false);
    if inherited {
        frontier.settle(Frontier::test);
        frontier.judge_the_lowest();
    } else {
        frontier.settle(Frontier::test_sizes);
        frontier.judge_upwards();
    }
    let fit = |node: usize| match frontier.status[node] {
        Status::Fits(fit) => Some(Best { node, fit }),
        _ => None,
    };
    (0..frontier.status.len()).filter_map(fit).collect()
}

impl Frontier<'_, '_> {
    fn judge_all(&mut self, nodes: &[usize]) {
        nodes.chunks(BATCH).for_each(|batch| self.judge(batch));
    }

    /// Judges the nodes on the frontier; those above it are passed.
    fn judge_the_lowest(&mut self) {
        let holds = |status: Status| matches!(status, Status::Holds | Status::Fits(_));
        let nodes = 0..self.status.len();
        let (lowest, above): (Vec<usize>, Vec<usize>) = nodes
            .filter(|&node| holds(self.status[node]))
            .partition(|&node| !self.numbering.finer(node).any(|finer| holds(self.status[finer])));
        for node in above {
            self.status[node] = Status::Passed;
        }
        let open: Vec<usize> = lowest.into_iter().filter(|&node| self.status[node] == Status::Holds).collect();
        self.judge_all(&open);
    }

    /// Judges nodes height by height, passing those above one that fits. Nodes of one height are never one finer
    /// than the other.
    fn judge_upwards(&mut self) {
        let height = |node: usize| self.numbering.levels(node).iter().map(|&level| usize::from(level)).sum::<usize>();
        let mut by_height: Vec<Vec<usize>> = vec![Vec::new(); height(self.status.len() - 1) + 1];
        (0..self.status.len()).for_each(|node| by_height[height(node)].push(node));
        for nodes in by_height {
            let open: Vec<usize> = nodes.into_iter().filter(|&node| self.status[node] == Status::Holds).collect();
            self.judge_all(&open);
            for node in open {
                self.pass_above(node);
            }
        }
    }

    fn pass_above(&mut self, node: usize) {
        if !matches!(self.status[node], Status::Fits(_)) {
            return;
        }
        let mut waiting = vec![node];
        while let Some(node) = waiting.pop() {
            let known = waiting.len();
            waiting.extend(self.numbering.coarser(node).filter(|&next| self.status[next] == Status::Holds));
            waiting[known..].iter().for_each(|&next| self.status[next] = Status::Passed);
        }
    }
}
