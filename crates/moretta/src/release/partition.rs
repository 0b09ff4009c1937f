//! The partition tree: which larger parts of the table a group was cut from.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::{Code, Error, Result};
use crate::release::Groups;

/// A part of the table that contains a group, with what is known about it.
#[derive(Debug)]
pub struct Ancestor {
    /// The people in it.
    pub people: u64,
    /// For each sensitive attribute, the people that have each value.
    pub sensitive: Vec<Vec<u64>>,
    parent: Option<Arc<Ancestor>>,
}

impl Ancestor {
    /// A part, and the part that it was cut from.
    pub fn new(people: u64, sensitive: Vec<Vec<u64>>, parent: Option<Arc<Self>>) -> Self {
        Self { people, sensitive, parent }
    }

    /// The part that it was cut from.
    pub fn parent(&self) -> Option<&Self> {
        self.parent.as_deref()
    }
}

/// Uneven cuts make chains as long as the table; dropping them one inside the other would overflow the stack.
impl Drop for Ancestor {
    fn drop(&mut self) {
        let mut next = self.parent.take();
        while let Some(mut ancestor) = next.and_then(Arc::into_inner) {
            next = ancestor.parent.take();
        }
    }
}

/// A tree of nested parts of a table, with the groups at its nodes. Node 0 is the whole.
///
/// A node contains the groups that stand at it and those of the nodes below it: its people and
/// its histograms are sums over groups, so that whoever sees the groups can verify every claim about it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartitionTree {
    /// The parent of each node, which comes before the node itself; node 0 is its own.
    pub parents: Vec<u32>,
    /// The lowest node that contains each group.
    pub node_of_group: Vec<u32>,
}

impl PartitionTree {
    /// The same for groups that are counted by their values: a manifest counts them as they first occur in the data.
    #[must_use]
    pub fn in_group_order(&self, groups: &Groups) -> Self {
        let mut by_occurrence: Vec<usize> = (0..groups.len()).collect();
        by_occurrence.sort_unstable_by_key(|&group| groups.first_row(group));
        let mut ordered = self.clone();
        for (&node, &group) in self.node_of_group.iter().zip(&by_occurrence) {
            if let Some(own) = ordered.node_of_group.get_mut(group) {
                *own = node;
            }
        }
        ordered
    }

    /// The tree in which nothing is known between a group and the whole.
    pub fn trivial(groups: usize) -> Self {
        Self { parents: vec![0], node_of_group: vec![0; groups] }
    }

    /// Refuses what is not a tree over this many groups. What comes from a file is not to be trusted.
    pub fn check(&self, groups: usize) -> Result<()> {
        let refused = |why: String| {
            Err(Error::input(format!("the partition tree is damaged: {why}")).coded(Code::ReleaseDamaged))
        };
        if self.node_of_group.len() != groups {
            return refused(format!("it places {} groups, and there are {groups}", self.node_of_group.len()));
        }
        if self.parents.first() != Some(&0) {
            return refused("it has no root".to_owned());
        }
        if let Some((node, parent)) = (1..).zip(&self.parents[1..]).find(|&(node, &parent)| parent >= node) {
            return refused(format!("the parent of node {node} is {parent}, which does not come before it"));
        }
        match self.node_of_group.iter().find(|&&node| node as usize >= self.parents.len()) {
            Some(node) => refused(format!("a group stands at node {node} of {}", self.parents.len())),
            None => Ok(()),
        }
    }

    /// The lowest node that contains both nodes.
    pub fn common(&self, mut a: u32, mut b: u32) -> u32 {
        // Parents come first, so the later of two different nodes can't be the ancestor of the other.
        while a != b {
            let later = if a > b { &mut a } else { &mut b };
            *later = self.parents[*later as usize];
        }
        a
    }

    /// Every node with its people and histograms; `empty` is a histogram of zeros for each sensitive
    /// attribute, and `add` adds a group's to it and returns the group's people.
    pub fn ancestors(
        &self,
        empty: &[Vec<u64>],
        mut add: impl FnMut(usize, &mut [Vec<u64>]) -> u64,
    ) -> Vec<Arc<Ancestor>> {
        let mut people = vec![0; self.parents.len()];
        let mut sums = vec![empty.to_vec(); self.parents.len()];
        for (group, &node) in self.node_of_group.iter().enumerate() {
            people[node as usize] += add(group, &mut sums[node as usize]);
        }
        for node in (1..self.parents.len()).rev() {
            let parent = self.parents[node] as usize;
            people[parent] += people[node];
            let (above, below) = sums.split_at_mut(node);
            for (sum, more) in above[parent].iter_mut().flatten().zip(below[0].iter().flatten()) {
                *sum += more;
            }
        }
        let mut nodes: Vec<Arc<Ancestor>> = Vec::with_capacity(sums.len());
        for (node, (people, sensitive)) in people.into_iter().zip(sums).enumerate() {
            let parent = (node > 0).then(|| nodes[self.parents[node] as usize].clone());
            nodes.push(Arc::new(Ancestor::new(people, sensitive, parent)));
        }
        nodes
    }

    /// The tree without the nodes that `keep` refuses; their groups move up to the next node that stays.
    #[must_use]
    pub fn retain(&self, keep: impl Fn(usize) -> bool) -> Self {
        let mut parents = vec![0];
        let mut new_node = vec![0; self.parents.len()];
        for node in 1..self.parents.len() {
            let above = new_node[self.parents[node] as usize];
            new_node[node] = above;
            if keep(node) {
                new_node[node] = parents.len() as u32;
                parents.push(above);
            }
        }
        let node_of_group = self.node_of_group.iter().map(|&node| new_node[node as usize]).collect();
        Self { parents, node_of_group }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_the_sum_of_the_groups_below_it() {
        let tree = PartitionTree { parents: vec![0, 0, 1, 1], node_of_group: vec![2, 3, 0, 1] };
        tree.check(4).unwrap();
        let sizes = [1, 2, 4, 8];
        let nodes = tree.ancestors(&[vec![0, 0]], |group, sums| {
            sums[0][group % 2] += sizes[group];
            sizes[group]
        });
        let people: Vec<u64> = nodes.iter().map(|node| node.people).collect();
        assert_eq!(people, [15, 11, 1, 2]);
        assert_eq!(nodes[0].sensitive, [[5, 10]]);
        assert_eq!(nodes[3].parent().unwrap().sensitive, [[1, 10]]);
        assert_eq!((tree.common(2, 3), tree.common(0, 3), tree.common(3, 3)), (1, 0, 3));
        let less = tree.retain(|node| node != 1);
        assert_eq!(less, PartitionTree { parents: vec![0, 0, 0], node_of_group: vec![1, 2, 0, 0] });
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        let tree = |parents: &[u32], node_of_group: &[u32]| PartitionTree {
            parents: parents.to_vec(),
            node_of_group: node_of_group.to_vec(),
        };
        for (damaged, groups) in [
            (tree(&[], &[]), 0),
            (tree(&[1, 0], &[]), 0),
            (tree(&[0, 1], &[0]), 1),
            (tree(&[0, 2, 0], &[0]), 1),
            (tree(&[0], &[1]), 1),
            (tree(&[0], &[0]), 2),
        ] {
            assert!(damaged.check(groups).is_err(), "{damaged:?}");
        }
        PartitionTree::trivial(3).check(3).unwrap();
    }

    #[test]
    fn a_long_chain_is_dropped_without_a_deep_stack() {
        let mut chain = None;
        for people in 0..1_000_000 {
            chain = Some(Arc::new(Ancestor::new(people, Vec::new(), chain)));
        }
        drop(chain);
    }
}
