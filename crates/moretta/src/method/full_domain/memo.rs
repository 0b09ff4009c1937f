//! NodeCounts of nodes, each from the finer one with which it shares most.

use rayon::prelude::*;

use super::counts::{Base, NodeCounts};
use super::lattice::{Lattice, NodeLevels};
use crate::data::lookup::HashMap;
use crate::progress::CancelToken;

/// NodeCounts nodes, remembering the intermediate ones.
///
/// Attributes have an order, those with most values first. A node is counted from its *stem*: the same node with its
/// last raised attribute put back to level 0, itself counted from its own stem, down to the finest groups. Nodes that
/// agree in the first attributes share stems, each step raises one attribute, and the steps that many nodes need work
/// on few groups.
#[derive(Debug)]
pub(super) struct Memo<'a> {
    lattice: &'a Lattice,
    base: &'a Base,
    finest: NodeCounts,
    order: Vec<usize>,
    stems: HashMap<NodeLevels, NodeCounts>,
    weight: usize,
    token: &'a CancelToken,
}

/// How many numbers are remembered (about half a GiB) before all are forgotten.
const MOST_REMEMBERED: usize = 1 << 25;

/// So many stems are always worth counting: other nodes need them too.
const FEW_STEMS: usize = 8;

impl<'a> Memo<'a> {
    pub(super) fn new(lattice: &'a Lattice, base: &'a Base, finest: NodeCounts, token: &'a CancelToken) -> Self {
        let mut order: Vec<usize> = (0..lattice.attributes()).collect();
        order.sort_by_key(|&attribute| std::cmp::Reverse(lattice.ladders[attribute].nodes[0].len()));
        Self { lattice, base, finest, order, stems: HashMap::new(), weight: 0, token }
    }

    /// NodeCounts some nodes and hands each to `judge`; the results are in the order of the nodes, and the same for every
    /// number of threads. Nodes that are no longer wanted, since the work was cancelled, are `skipped`.
    pub(super) fn count<T: Send + Sync + Copy>(
        &mut self,
        nodes: &[NodeLevels],
        skipped: T,
        judge: impl Fn(&NodeLevels, &NodeCounts) -> T + Sync,
    ) -> Vec<T> {
        self.remember_stems(nodes);
        nodes
            .par_iter()
            .with_max_len(1)
            .map(|levels| match self.last_raised(levels) {
                _ if self.token.is_cancelled() => skipped,
                None => judge(levels, &self.finest),
                Some(_) => judge(levels, &self.count_by_stem(levels)),
            })
            .collect()
    }

    fn last_raised(&self, levels: &[u16]) -> Option<usize> {
        self.order.iter().rev().copied().find(|&attribute| levels[attribute] > 0)
    }

    fn stem(&self, levels: &NodeLevels) -> Option<NodeLevels> {
        let last = self.last_raised(levels)?;
        let mut stem = levels.clone();
        stem[last] = 0;
        Some(stem)
    }

    /// NodeCounts a node from its stem, or from the finest groups if that is not remembered.
    fn count_by_stem(&self, levels: &NodeLevels) -> NodeCounts {
        let stem = self.stem(levels).and_then(|stem| self.stems.get(&stem));
        let (source, raised) = match (stem, self.last_raised(levels)) {
            (Some(stem), Some(last)) => (stem, vec![last]),
            _ => (&self.finest, (0..levels.len()).filter(|&attribute| levels[attribute] > 0).collect()),
        };
        self.base.roll_up(source, self.lattice, levels, &raised).0
    }

    /// Whether so many stems of a node would take longer to count than the node itself from the finest groups, which is
    /// so in wide tables: where most attributes have one value left, all others are soon looked up.
    fn is_dear(&self, levels: &[u16], stems: usize) -> bool {
        let raised = levels.iter().filter(|&&level| level > 0).count();
        stems > FEW_STEMS && self.lattice.telling(levels).len().min(raised) < 3 * stems
    }

    /// NodeCounts the stems of some nodes that are not yet known, those with fewest raised attributes first.
    fn remember_stems(&mut self, nodes: &[NodeLevels]) {
        if self.weight > MOST_REMEMBERED {
            self.stems.clear();
            self.weight = 0;
        }
        let raised = |levels: &NodeLevels| levels.iter().filter(|&&level| level > 0).count();
        let mut missing: Vec<NodeLevels> = Vec::new();
        for node in nodes {
            let known = missing.len();
            let mut stem = self.stem(node);
            while let Some(levels) = stem.filter(|levels| raised(levels) > 0 && !self.stems.contains_key(levels)) {
                stem = self.stem(&levels);
                missing.push(levels);
            }
            if self.is_dear(node, missing.len() - known) {
                missing.truncate(known);
            }
        }
        missing.sort_unstable_by(|a, b| raised(a).cmp(&raised(b)).then_with(|| a.cmp(b)));
        missing.dedup();
        for same in missing.chunk_by(|a, b| raised(a) == raised(b)) {
            let wanted = same.par_iter().with_max_len(1).filter(|_| !self.token.is_cancelled());
            let counted: Vec<NodeCounts> = wanted.map(|levels| self.count_by_stem(levels)).collect();
            if self.token.is_cancelled() {
                return;
            }
            self.weight += counted.iter().map(NodeCounts::weight).sum::<usize>();
            self.stems.extend(same.iter().cloned().zip(counted));
        }
    }
}
