//! The frontier between nodes that keep the promises and nodes that do not.

use super::evaluate::{BATCH, Evaluator, Fit, NodeOutcome};
use super::lattice::{NodeLevels, Numbering};

/// What is known about a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Status {
    Unknown,
    /// It does not keep the promises.
    Fails,
    /// A finer one keeps what was tested, so it does too; it was not judged itself.
    Holds,
    /// It was judged and keeps the promises.
    Fits(Fit),
    /// Nobody asks for it any more.
    Passed,
}

/// A node that keeps the promises.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Best {
    pub(super) node: usize,
    pub(super) fit: Fit,
}

/// A search over all nodes of a lattice.
#[derive(Debug)]
pub(super) struct Frontier<'e, 'a> {
    pub(super) evaluator: &'e mut Evaluator<'a>,
    pub(super) numbering: Numbering,
    pub(super) status: Vec<Status>,
    /// What each node costs at least.
    pub(super) floors: Vec<f64>,
    /// All nodes, those with the lowest floor first.
    pub(super) order: Vec<u32>,
    /// Whether only nodes that may be better than the best are of interest.
    prunes: bool,
    pub(super) best: Option<Best>,
}

impl<'e, 'a> Frontier<'e, 'a> {
    pub(super) fn new(evaluator: &'e mut Evaluator<'a>, prunes: bool) -> Self {
        let numbering = evaluator.lattice.numbering();
        let nodes = numbering.len();
        let floors: Vec<f64> = (0..nodes).map(|node| evaluator.costs.floor(&numbering.levels(node))).collect();
        let mut order: Vec<u32> = (0..nodes as u32).collect();
        order.sort_unstable_by(|&a, &b| floors[a as usize].total_cmp(&floors[b as usize]).then(a.cmp(&b)));
        Self { evaluator, numbering, status: vec![Status::Unknown; nodes], floors, order, prunes, best: None }
    }

    /// Whether a node is still of interest.
    pub(super) fn is_hopeful(&self, node: usize) -> bool {
        !self.prunes || self.best.is_none_or(|best| self.floors[node] < best.fit.cost)
    }

    fn is_open(&self, node: usize) -> bool {
        self.status[node] == Status::Unknown && self.is_hopeful(node)
    }

    /// Finds out on which side each node of interest stands, where holding is inherited by coarser nodes and failing
    /// by finer ones: Incognito's generalization property, and its subset property too, since an attribute that is left
    /// out is one at its top level (LeFevre, DeWitt and Ramakrishnan, SIGMOD 2005, section 3).
    ///
    /// From the nodes with the lowest floors, chains run upwards through nodes not yet known. The middle of each is
    /// tested and settles one half of its chain, and with it much beside.
    pub(super) fn settle(&mut self, test: impl Fn(&mut Self, &[usize])) {
        let mut start = 0;
        let mut taken = vec![false; self.status.len()];
        while !self.evaluator.task.token.is_cancelled() {
            while start < self.order.len() && self.status[self.order[start] as usize] != Status::Unknown {
                start += 1;
            }
            let mut probes = Vec::with_capacity(BATCH);
            let mut chains: Vec<usize> = Vec::new();
            for &node in &self.order[start..] {
                let mut node = node as usize;
                if probes.len() == BATCH || !self.is_hopeful(node) {
                    break;
                }
                if taken[node] || !self.is_open(node) {
                    continue;
                }
                let first = chains.len();
                loop {
                    taken[node] = true;
                    chains.push(node);
                    let above = self.numbering.coarser(node).filter(|&next| !taken[next] && self.is_open(next));
                    match above.min_by(|&a, &b| self.floors[a].total_cmp(&self.floors[b])) {
                        Some(next) => node = next,
                        None => break,
                    }
                }
                probes.push(chains[first + (chains.len() - first) / 2]);
            }
            for node in chains {
                taken[node] = false;
            }
            if probes.is_empty() {
                return;
            }
            test(self, &probes);
        }
    }

    /// Tests nodes by the sizes of groups alone, which is inherited whatever the models are.
    pub(super) fn test_sizes(&mut self, nodes: &[usize]) {
        let large_enough = self.evaluator.large_enough(&self.levels(nodes));
        for (&node, large_enough) in nodes.iter().zip(large_enough) {
            if self.status[node] == Status::Unknown {
                self.status[node] = if large_enough { Status::Holds } else { Status::Fails };
                self.hand_down(node);
            }
        }
    }

    /// Tests nodes by all models, where that is inherited.
    pub(super) fn test(&mut self, nodes: &[usize]) {
        self.judge(nodes);
        for &node in nodes {
            self.hand_down(node);
        }
    }

    /// Judges nodes, and keeps the best.
    pub(super) fn judge(&mut self, nodes: &[usize]) {
        let outcomes: Vec<NodeOutcome> = self.evaluator.evaluate(&self.levels(nodes));
        for (&node, outcome) in nodes.iter().zip(outcomes) {
            self.floors[node] = self.floors[node].max(outcome.floor);
            self.status[node] = outcome.fit.map_or(Status::Fails, Status::Fits);
            let Some(fit) = outcome.fit else { continue };
            // Of two that cost the same, the one with the smaller number: it is not the coarser one.
            if self.best.is_none_or(|best| (fit.cost, node) < (best.fit.cost, best.node)) {
                self.best = Some(Best { node, fit });
            }
        }
    }

    pub(super) fn levels(&self, nodes: &[usize]) -> Vec<NodeLevels> {
        nodes.iter().map(|&node| self.numbering.levels(node)).collect()
    }

    /// Marks all that inherit from a node. Those that are known already have handed it down before, so each node
    /// is marked once and all marks together are linear.
    fn hand_down(&mut self, node: usize) {
        let fails = self.status[node] == Status::Fails;
        let status = if fails { Status::Fails } else { Status::Holds };
        let mut waiting = vec![node];
        while let Some(node) = waiting.pop() {
            let known = waiting.len();
            if fails {
                waiting.extend(self.numbering.finer(node).filter(|&next| self.status[next] == Status::Unknown));
            } else {
                waiting.extend(self.numbering.coarser(node).filter(|&next| self.status[next] == Status::Unknown));
            }
            waiting[known..].iter().for_each(|&next| self.status[next] = status);
        }
    }
}
