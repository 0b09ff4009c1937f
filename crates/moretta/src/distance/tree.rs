//! The part of a generalization tree that tells the codes of one attribute apart.

use crate::error::{Error, Result};
use crate::hierarchy::{Hierarchy, NodeId};

/// The leaves that carry codes and the nodes where their paths meet, in preorder.
///
/// Leaves without a code hold nobody, and a node with one branch passes on what it gets; without
/// them there are fewer than 2m nodes, however large the hierarchy is.
#[derive(Clone, Debug)]
pub(super) struct GroundTree {
    pub(super) nodes: Vec<GroundNode>,
    /// The index in `nodes` of each code's leaf. Two codes may share one.
    pub(super) leaf_of_code: Vec<u32>,
    /// The height of the whole hierarchy, but never 0.
    pub(super) height: u32,
}

/// A node of a [`GroundTree`].
#[derive(Clone, Copy, Debug)]
pub(super) struct GroundNode {
    /// Its place in the tree; the first node is its own parent.
    pub(super) parent: u32,
    /// Its height in the whole hierarchy.
    pub(super) height: u32,
    /// How much lower it is than its parent.
    pub(super) drop: u32,
}

impl GroundTree {
    /// Prunes `tree` to the leaves at `ranks`, one rank for each code. O(tree + m).
    pub(super) fn new(tree: &Hierarchy, ranks: &[u32]) -> Result<Self> {
        let mut used = vec![0_u32; tree.leaves() as usize + 1];
        for &rank in ranks {
            let index = used.get_mut(rank as usize + 1).ok_or_else(|| {
                Error::input(format!("no leaf has the rank {rank}: the hierarchy has {} leaves", tree.leaves()))
            })?;
            *index = 1;
        }
        for rank in 1..used.len() {
            used[rank] += used[rank - 1];
        }
        let used_below = |node: NodeId| {
            let ranks = tree.ranks(node);
            used[ranks.end as usize] - used[ranks.start as usize]
        };

        let mut nodes: Vec<GroundNode> = Vec::new();
        let mut node_of_rank = vec![0; tree.leaves() as usize];
        // For each node of the hierarchy, its nearest kept ancestor or itself.
        let mut kept = vec![None; tree.len() as usize];
        for node in 0..tree.len() {
            let above: Option<u32> = if node == 0 { None } else { kept[tree.parent(node) as usize] };
            let below = used_below(node);
            let is_leaf = tree.height(node) == 0;
            let joins = is_leaf || tree.children(node).all(|child| used_below(child) < below);
            kept[node as usize] = above;
            if below == 0 || !joins {
                continue;
            }
            let index = nodes.len() as u32;
            let height = tree.height(node);
            let drop = above.map_or(0, |above| nodes[above as usize].height - height);
            nodes.push(GroundNode { parent: above.unwrap_or(index), height, drop });
            kept[node as usize] = Some(index);
            if is_leaf {
                node_of_rank[tree.ranks(node).start as usize] = index;
            }
        }
        let leaf_of_code = ranks.iter().map(|&rank| node_of_rank[rank as usize]).collect();
        let height = if tree.is_empty() { 1 } else { tree.height(0).max(1) };
        Ok(Self { nodes, leaf_of_code, height })
    }

    /// Gives each node, children first, with how many people of either histogram lie below it; the first node,
    /// below which everyone lies, is left out. `below` is room to work in. O(m).
    pub(super) fn for_each_below(
        &self,
        group: &[u64],
        whole: &[u64],
        below: &mut Vec<(u64, u64)>,
        mut visit: impl FnMut(&GroundNode, u64, u64),
    ) {
        below.clear();
        below.resize(self.nodes.len(), (0, 0));
        for ((&leaf, &p), &q) in self.leaf_of_code.iter().zip(group).zip(whole) {
            let counts = &mut below[leaf as usize];
            counts.0 += p;
            counts.1 += q;
        }
        for index in (1..self.nodes.len()).rev() {
            let (p, q) = below[index];
            let node = &self.nodes[index];
            visit(node, p, q);
            let counts = &mut below[node.parent as usize];
            counts.0 += p;
            counts.1 += q;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn unused_leaves_and_single_branches_are_left_out() {
        let tree = testing::tree("a,A,X,*\nb,A,X,*\nc,B,X,*\nd,*");
        let pruned = GroundTree::new(&tree, &[0, 2]).unwrap();
        let shape: Vec<(u32, u32, u32)> = pruned.nodes.iter().map(|n| (n.parent, n.height, n.drop)).collect();
        assert_eq!(shape, [(0, 2, 0), (0, 0, 2), (0, 0, 2)]);
        assert_eq!((pruned.leaf_of_code, pruned.height), (vec![1, 2], 3));
        assert!(GroundTree::new(&tree, &[4]).is_err());
        assert!(GroundTree::new(&tree, &[u32::MAX]).is_err());
    }

    proptest! {
        #[test]
        fn the_pruned_tree_keeps_every_common_ancestor(
            (tree, ranks) in (1_usize..9).prop_flat_map(testing::tree_and_ranks)
        ) {
            let pruned = GroundTree::new(&tree, &ranks).unwrap();
            prop_assert!(pruned.nodes.len() < 2 * ranks.len());
            for (i, &a) in ranks.iter().enumerate() {
                for (j, &b) in ranks.iter().enumerate() {
                    let ancestor = tree.common_ancestor(a.min(b), a.max(b));
                    let (mut x, mut y) = (pruned.leaf_of_code[i], pruned.leaf_of_code[j]);
                    while x != y {
                        // Preorder: the later node can't be above the earlier one.
                        let later = if x > y { &mut x } else { &mut y };
                        *later = pruned.nodes[*later as usize].parent;
                    }
                    prop_assert_eq!(pruned.nodes[x as usize].height, tree.height(ancestor));
                }
            }
        }
    }
}
