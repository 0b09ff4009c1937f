//! A tree over the ranks of an attribute, whether it has a hierarchy or not.

use crate::hierarchy::{Hierarchy, Scale};

/// The steps in which an attribute is specialized, from its root to single values.
///
/// With a hierarchy, its nodes. Numbers without one are halved at the median of the whole table's
/// people, again and again: a fixed tree, so that nodes reached on different ways are comparable.
/// Other values have two steps: all of them, and one by one. Every node is a run of ranks; what a
/// group publishes may be narrower than its node (an interval ends at values that occur).
#[derive(Debug)]
pub(in crate::method) struct Taxonomy {
    nodes: Vec<Node>,
    /// The leaf of each rank.
    leaf: Vec<u32>,
}

#[derive(Debug)]
struct Node {
    first: u32,
    last: u32,
    parent: u32,
    loss: f64,
}

/// The root, its own parent.
const ROOT: u32 = 0;

impl Taxonomy {
    /// The taxonomy of a scale; `people` counts the people at each rank. O(ranks · log ranks).
    pub(in crate::method) fn new(scale: &Scale, people: &[u64]) -> Self {
        Self::with_steps(scale, people, scale.is_set())
    }

    /// The same with runs of sets between all of them and single ones, halved as numbers are: a group in a run publishes those of it that it has.
    pub(in crate::method) fn with_runs(scale: &Scale, people: &[u64]) -> Self {
        Self::with_steps(scale, people, false)
    }

    fn with_steps(scale: &Scale, people: &[u64], one_by_one: bool) -> Self {
        let ranks = scale.ranks().max(1);
        let mut taxonomy = Self { nodes: Vec::new(), leaf: vec![ROOT; ranks as usize] };
        match scale.tree() {
            Some(tree) => taxonomy.copy(tree),
            None if one_by_one => {
                taxonomy.add(0, ranks - 1, ROOT);
                for rank in (0..ranks).filter(|_| ranks > 1) {
                    taxonomy.add(rank, rank, ROOT);
                }
            }
            None => taxonomy.halve(scale, people),
        }
        for node in 0..taxonomy.nodes.len() {
            let Node { first, last, .. } = taxonomy.nodes[node];
            if first == last {
                // A chain of nodes over one leaf: the lowest, which comes last, is the leaf.
                taxonomy.leaf[first as usize] = node as u32;
            }
            taxonomy.nodes[node].loss = scale.importance() * (f64::from(last - first) / f64::from(ranks.max(2) - 1));
        }
        taxonomy
    }

    fn copy(&mut self, tree: &Hierarchy) {
        for node in 0..tree.len() {
            let ranks = tree.ranks(node);
            self.add(ranks.start, ranks.end - 1, tree.parent(node));
        }
    }

    fn halve(&mut self, scale: &Scale, people: &[u64]) {
        let ends: Vec<u64> =
            people.iter().scan(0, |sum, &people| Some(std::mem::replace(sum, *sum + people))).collect();
        let root = self.add(0, self.leaf.len() as u32 - 1, ROOT);
        let mut waiting = vec![root];
        // A missing value has no place among numbers: it is parted from them first.
        if scale.domain().missing().is_some() && self.leaf.len() > 1 {
            self.add(0, 0, root);
            waiting = vec![self.add(1, self.leaf.len() as u32 - 1, root)];
        }
        while let Some(node) = waiting.pop() {
            let Node { first, last, .. } = self.nodes[node as usize];
            if first == last {
                continue;
            }
            let (low, high) = (ends[first as usize], ends[last as usize] + people[last as usize]);
            let imbalance = |start: u32| (2 * ends[start as usize]).abs_diff(low + high);
            let middle =
                first + 1 + ends[first as usize + 1..=last as usize].partition_point(|&e| 2 * e < low + high) as u32;
            let start =
                [middle - 1, middle].into_iter().filter(|&s| s > first && s <= last).min_by_key(|&s| imbalance(s));
            let Some(start) = start else { continue };
            waiting.push(self.add(first, start - 1, node));
            waiting.push(self.add(start, last, node));
        }
    }

    fn add(&mut self, first: u32, last: u32, parent: u32) -> u32 {
        self.nodes.push(Node { first, last, parent, loss: 0.0 });
        self.nodes.len() as u32 - 1
    }

    /// The single value of a rank.
    pub(in crate::method) fn leaf(&self, rank: u32) -> u32 {
        self.leaf[rank as usize]
    }

    /// The node above; the root is its own.
    pub(in crate::method) fn parent(&self, node: u32) -> u32 {
        self.nodes[node as usize].parent
    }

    /// The first and last rank of a node.
    pub(in crate::method) fn span(&self, node: u32) -> (u32, u32) {
        let Node { first, last, .. } = self.nodes[node as usize];
        (first, last)
    }

    /// How many nodes there are.
    pub(in crate::method) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// (leaves − 1)/(domain − 1) of a node, times the importance of the attribute.
    pub(in crate::method) fn loss(&self, node: u32) -> f64 {
        self.nodes[node as usize].loss
    }

    /// The lowest node over a run of ranks. O(height).
    pub(in crate::method) fn common(&self, first: u32, last: u32) -> u32 {
        let mut node = self.leaf(first);
        while self.nodes[node as usize].last < last {
            node = self.parent(node);
        }
        node
    }

    /// The next node above that is over more ranks; nothing above the root.
    pub(in crate::method) fn above(&self, node: u32) -> Option<u32> {
        let span = self.span(node);
        std::iter::successors(Some(node), |&node| (node != ROOT).then(|| self.parent(node)))
            .find(|&above| self.span(above) != span)
    }

    /// The lowest node over a node and a rank. O(height).
    pub(in crate::method) fn widen(&self, node: u32, rank: u32) -> u32 {
        let mut wider = node;
        while !(self.nodes[wider as usize].first..=self.nodes[wider as usize].last).contains(&rank) {
            wider = self.parent(wider);
        }
        wider
    }

    /// The nodes over a rank from leaf to root with their losses; of nodes over the same ranks only the lowest.
    pub(in crate::method) fn ladder(&self, rank: u32) -> Vec<(u32, f64)> {
        let mut ladder = vec![(self.leaf(rank), 0.0)];
        let mut node = self.leaf(rank);
        while node != ROOT {
            let below = self.span(node);
            node = self.parent(node);
            if self.span(node) != below {
                ladder.push((node, self.loss(node)));
            }
        }
        ladder
    }

    /// The child of a node that a rank below the node lies in. O(height).
    pub(in crate::method) fn child(&self, node: u32, rank: u32) -> u32 {
        let mut child = self.leaf(rank);
        while self.parent(child) != node && child != ROOT {
            child = self.parent(child);
        }
        child
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::domain::Domain;
    use crate::data::value::{Type, Value};
    use crate::hierarchy::HierarchySpec;
    use std::sync::Arc;

    fn line(values: Vec<Value>, people: &[u64]) -> Taxonomy {
        let domain = Arc::new(Domain::from_sorted(Type::Integer, values));
        Taxonomy::new(&Scale::new(&HierarchySpec::Free, domain, "age").unwrap(), people)
    }

    #[test]
    fn numbers_are_halved_at_the_median_of_the_people() {
        let taxonomy = line((0..4).map(Value::Integer).collect(), &[9, 1, 1, 1]);
        assert_eq!(taxonomy.span(taxonomy.child(ROOT, 0)), (0, 0));
        assert_eq!(taxonomy.span(taxonomy.child(ROOT, 3)), (1, 3));
        assert_eq!(taxonomy.common(2, 3), taxonomy.parent(taxonomy.leaf(3)));
        assert!((taxonomy.loss(taxonomy.common(1, 3)) - 2.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn a_missing_value_is_parted_from_the_numbers_first() {
        let taxonomy = line(vec![Value::Missing, Value::Integer(1), Value::Integer(2)], &[1, 50, 50]);
        assert_eq!(taxonomy.span(taxonomy.child(ROOT, 0)), (0, 0));
        assert_eq!(taxonomy.span(taxonomy.child(ROOT, 2)), (1, 2));
    }

    #[test]
    fn one_value_is_root_and_leaf() {
        let taxonomy = line(vec![Value::Integer(7)], &[3]);
        assert_eq!((taxonomy.len(), taxonomy.leaf(0), taxonomy.loss(0)), (1, ROOT, 0.0));
    }
}
