//! The generalization tree of an attribute.

use super::draft::Draft;
use crate::data::lookup::HashMap;
use crate::error::Result;

/// A node of a [`Hierarchy`]: its place in preorder. The root is node 0.
pub type NodeId = u32;

/// A tree over the values of an attribute.
///
/// Leaves carry depth-first *ranks*, so that every node is a contiguous range of ranks: the size of
/// a node is a subtraction, its histogram a difference of prefix sums, and the lowest common
/// ancestor of two leaves a look-up in a sparse table.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    pub(super) nodes: Vec<TreeNode>,
    pub(super) leaf_node: Vec<NodeId>,
    /// `levels[l][rank]`: what the leaf becomes at generalization level `l`; level 0 are the leaves.
    pub(super) levels: Vec<Vec<NodeId>>,
    /// `ancestors[j][i]`: the lowest common ancestor of the leaves `i ..= i + 2^j`.
    pub(super) ancestors: Vec<Vec<NodeId>>,
}

#[derive(Clone, Debug)]
pub(super) struct TreeNode {
    pub(super) label: Box<str>,
    pub(super) parent: NodeId,
    pub(super) depth: u32,
    pub(super) height: u32,
    /// One past the last node of the subtree.
    pub(super) end: NodeId,
    pub(super) first_rank: u32,
    pub(super) end_rank: u32,
}

/// The labels of one leaf, from the leaf itself to the root, and the line that states them.
#[derive(Clone, Debug)]
pub struct Path {
    /// Labels from the leaf to the root.
    pub labels: Vec<Box<str>>,
    /// The line in the hierarchy's file; 0 where there is no file.
    pub line: u64,
}

impl Hierarchy {
    /// Builds the tree from one path a leaf.
    ///
    /// Paths may differ in length; a label that repeats along a path stands for one node. Refused:
    /// a leaf listed twice, a label with two parents, more than one root, and a label that names
    /// both a leaf and a group of several leaves, since a reader could not tell which is meant.
    pub fn from_paths(paths: &[Path]) -> Result<Self> {
        let draft = Draft::from_paths(paths)?;
        Ok(draft.finish(paths))
    }

    /// How many leaves the tree has.
    pub fn leaves(&self) -> u32 {
        self.leaf_node.len() as u32
    }

    /// How many nodes the tree has, leaves included.
    pub fn len(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// Whether there is no node at all.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// How many generalization levels there are, the leaves included.
    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    /// What a leaf becomes at a generalization level.
    pub fn at_level(&self, rank: u32, level: usize) -> NodeId {
        self.levels[level][rank as usize]
    }

    /// The node of a leaf.
    pub fn leaf(&self, rank: u32) -> NodeId {
        self.leaf_node[rank as usize]
    }

    /// The published label of a node.
    pub fn label(&self, node: NodeId) -> &str {
        &self.nodes[node as usize].label
    }

    /// The parent of a node; the root is its own.
    pub fn parent(&self, node: NodeId) -> NodeId {
        self.nodes[node as usize].parent
    }

    /// How far a node is from the root.
    pub fn depth(&self, node: NodeId) -> u32 {
        self.nodes[node as usize].depth
    }

    /// How far the farthest leaf below a node is from it.
    pub fn height(&self, node: NodeId) -> u32 {
        self.nodes[node as usize].height
    }

    /// The ranks of the leaves below a node.
    pub fn ranks(&self, node: NodeId) -> std::ops::Range<u32> {
        let node = &self.nodes[node as usize];
        node.first_rank..node.end_rank
    }

    /// How many leaves lie below a node.
    pub fn size(&self, node: NodeId) -> u32 {
        let node = &self.nodes[node as usize];
        node.end_rank - node.first_rank
    }

    /// The children of a node, in rank order.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.nodes[node as usize].end;
        let mut next = node + 1;
        std::iter::from_fn(move || {
            let child = (next < end).then_some(next)?;
            next = self.nodes[child as usize].end;
            Some(child)
        })
    }

    /// The lowest node above all leaves of `first ..= last`. Constant time.
    pub fn common_ancestor(&self, first: u32, last: u32) -> NodeId {
        debug_assert!(first <= last);
        let Some(power) = (last - first).checked_ilog2() else {
            return self.leaf(first);
        };
        let row = &self.ancestors[power as usize];
        let left = row[first as usize];
        let right = row[(last - (1 << power)) as usize];
        // Both contain a leaf of the range's middle, so one lies above the other.
        if self.depth(left) <= self.depth(right) { left } else { right }
    }

    /// The node that a label names.
    pub fn find(&self, label: &str) -> Option<NodeId> {
        (0..self.len()).find(|&node| self.label(node) == label)
    }

    /// The rank of each leaf, by label.
    pub fn rank_by_label(&self) -> HashMap<&str, u32> {
        (0..self.leaves()).map(|rank| (self.label(self.leaf(rank)), rank)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tree(text: &str) -> Result<Hierarchy> {
        let paths: Vec<Path> = (1..)
            .zip(text.lines())
            .map(|(line, row)| Path { labels: row.split(',').map(Into::into).collect(), line })
            .collect();
        Hierarchy::from_paths(&paths)
    }

    #[test]
    fn nodes_are_contiguous_ranges_of_ranks() {
        let t = tree("flu,infection,*\nulcer,stomach,*\ncold,infection,*").unwrap();
        let infection = t.find("infection").unwrap();
        assert_eq!(t.ranks(infection), 0..2);
        assert_eq!(t.size(infection), 2);
        assert_eq!(t.label(t.common_ancestor(0, 1)), "infection");
        assert_eq!(t.label(t.common_ancestor(0, 2)), "*");
        assert_eq!(t.label(t.common_ancestor(2, 2)), "ulcer");
        assert_eq!(t.children(0).map(|n| t.label(n)).collect::<Vec<_>>(), ["infection", "stomach"]);
        assert_eq!(t.height(0), 2);
    }

    #[test]
    fn uneven_depths_and_repeated_labels_are_one_node() {
        let t = tree("a,*\nOther,Other,*\nb,B,*").unwrap();
        assert_eq!(t.len(), 5);
        assert_eq!(t.levels(), 3);
        let labels: Vec<&str> = (0..3).map(|rank| t.label(t.at_level(rank, 1))).collect();
        assert_eq!(labels, ["*", "Other", "B"]);
    }

    #[test]
    fn each_fault_is_named_with_its_line() {
        for (text, line, words) in [
            ("a,*\nb,*\na,*", 3, "listed twice, first in line 1"),
            ("a,x,*\nb,x,y,*", 2, "\"x\" has two parents"),
            ("a,*\nb,+", 2, "no single root"),
            ("x,*\nb,x,*", 1, "both a leaf and a group"),
            ("a,*,x,*", 1, "\"*\" has two parents"),
        ] {
            let error = tree(text).unwrap_err();
            assert!(error.message().contains(words), "{text:?}: {error}");
            assert_eq!(error.place().line, Some(line), "{text:?}");
        }
        assert!(tree("").is_err());
    }

    #[test]
    fn one_leaf_is_a_tree() {
        let t = tree("a").unwrap();
        assert_eq!((t.leaves(), t.levels()), (1, 1));
        let t = tree("a,*").unwrap();
        assert_eq!((t.leaves(), t.len(), t.levels()), (1, 2, 2));
    }

    /// Random trees: a leaf's path is the chain of quotients of its number.
    fn random_paths() -> impl Strategy<Value = Vec<Path>> {
        (1_u32..60, 2_u32..5).prop_map(|(leaves, fan)| {
            (0..leaves)
                .map(|leaf| {
                    let mut labels = vec![format!("leaf{leaf}").into_boxed_str()];
                    let (mut group, mut level) = (leaf, 0);
                    while group > 0 {
                        group /= fan;
                        level += 1;
                        labels.push(format!("g{level}.{group}").into());
                    }
                    labels.push("*".into());
                    Path { labels, line: u64::from(leaf) + 1 }
                })
                .collect()
        })
    }

    proptest! {
        #[test]
        fn the_common_ancestor_is_the_lowest_node_above_both(paths in random_paths()) {
            let Ok(t) = Hierarchy::from_paths(&paths) else { return Ok(()) };
            for first in 0..t.leaves() {
                for last in first..t.leaves() {
                    let mut slow = t.leaf(first);
                    while !t.ranks(slow).contains(&last) {
                        slow = t.parent(slow);
                    }
                    prop_assert_eq!(t.common_ancestor(first, last), slow);
                }
            }
        }
    }
}
