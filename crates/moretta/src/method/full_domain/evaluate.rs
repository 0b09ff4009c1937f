//! What a search asks about nodes.

use super::counts::{Base, NodeCounts};
use super::judge::NodeJudge;
use super::lattice::{Lattice, NodeLevels};
use super::memo::Memo;
use super::objective::{Costs, Objective};
use crate::method::Task;
use crate::progress::Progress;

/// A node that keeps every promise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fit {
    /// The people whom it leaves out.
    pub(super) suppressed: u64,
    pub(super) cost: f64,
}

/// What counting a node has shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeOutcome {
    /// Nothing if keeping the promises takes leaving out more people than allowed.
    pub(super) fit: Option<Fit>,
    /// A floor for the costs of this node and all coarser ones.
    pub(super) floor: f64,
}

/// A node that nobody wants to know of any more.
const FAILS: NodeOutcome = NodeOutcome { fit: None, floor: f64::INFINITY };

/// NodeCounts and judges nodes for a search.
#[derive(Debug)]
pub(super) struct Evaluator<'a> {
    pub(super) task: &'a Task<'a>,
    pub(super) lattice: &'a Lattice,
    pub(super) costs: Costs,
    base: &'a Base,
    judge: NodeJudge<'a>,
    sizes: Memo<'a>,
    /// With sensitive values, where a model needs them.
    full: Option<Memo<'a>>,
    progress: &'a Progress,
    /// How many nodes were counted.
    pub(super) counted: usize,
}

/// Nodes are counted so many at a time, whatever the number of threads, so that a search takes the same way.
pub(super) const BATCH: usize = 8;

impl<'a> Evaluator<'a> {
    pub(super) fn new(
        task: &'a Task<'a>,
        lattice: &'a Lattice,
        (base, finest): &'a (Base, NodeCounts),
        objective: Objective,
        progress: &'a Progress,
    ) -> Self {
        Self {
            task,
            lattice,
            costs: Costs::new(task, lattice, base, finest, objective),
            base,
            judge: NodeJudge::new(task, base),
            sizes: Memo::new(lattice, base, finest.sizes_only(), task.token),
            full: finest.held.is_some().then(|| Memo::new(lattice, base, finest.clone(), task.token)),
            progress,
            counted: 0,
        }
    }

    /// Whether leaving out the groups that are too small for any model leaves out no more people than allowed.
    ///
    /// If not, no finer node can do: this may prune every search.
    pub(super) fn large_enough(&mut self, nodes: &[NodeLevels]) -> Vec<bool> {
        self.tick(nodes.len());
        let (judge, most) = (&self.judge, self.task.may_suppress);
        self.sizes.count(nodes, false, |_, counts| judge.in_small_groups(counts) <= most)
    }

    /// Judges nodes completely, with the policy's limit.
    pub(super) fn evaluate(&mut self, nodes: &[NodeLevels]) -> Vec<NodeOutcome> {
        self.evaluate_within(nodes, self.task.may_suppress)
    }

    /// Judges nodes completely, leaving out at most so many people.
    pub(super) fn evaluate_within(&mut self, nodes: &[NodeLevels], most: u64) -> Vec<NodeOutcome> {
        self.tick(nodes.len());
        let Self { lattice, base, judge, costs, .. } = self;
        let outcome = |levels: &NodeLevels, counts: &NodeCounts| {
            let out = judge.leave_out(counts, most);
            let fit = out.map(|out| {
                let cost = costs.cost(lattice, base, levels, counts, &out);
                Fit { suppressed: out.people, cost }
            });
            NodeOutcome { fit, floor: costs.counted_floor(counts) }
        };
        let Some(full) = &mut self.full else { return self.sizes.count(nodes, FAILS, outcome) };
        // Sizes are cheap to count, and most nodes fail by them.
        let small =
            |_: &NodeLevels, counts: &NodeCounts| (judge.in_small_groups(counts) <= most, costs.counted_floor(counts));
        let by_size = self.sizes.count(nodes, (false, f64::INFINITY), small);
        let hopeful: Vec<NodeLevels> =
            nodes.iter().zip(&by_size).filter(|(_, (hopeful, _))| *hopeful).map(|(levels, _)| levels.clone()).collect();
        let mut outcomes = full.count(&hopeful, FAILS, outcome).into_iter();
        let of_node = |(hopeful, floor): (bool, f64)| {
            let judged = if hopeful { outcomes.next() } else { None };
            judged.unwrap_or(NodeOutcome { fit: None, floor })
        };
        by_size.into_iter().map(of_node).collect()
    }

    fn tick(&mut self, nodes: usize) {
        self.counted += nodes;
        self.progress.advance(nodes as u64);
    }
}
