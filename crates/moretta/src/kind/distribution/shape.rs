//! The subdomains into which a sensitive attribute's values may be generalized.

use crate::hierarchy::{Hierarchy, NodeId};

/// A tree of subdomains over the values of a sensitive attribute, in preorder; node 0 is the whole domain.
///
/// Every node is a run of neighbouring values (*ranks*), its children cut it into parts, a leaf is one value.
/// Koudas, Srivastava, Yu, Zhang (2009), section 3.1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    nodes: Vec<Node>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Node {
    first: u32,
    end: u32,
    /// One past the last node of the subtree.
    next: u32,
    /// How far apart its farthest values are.
    range: u64,
}

impl Shape {
    /// Cuts the values in order into `arity` parts of equal number, again and again.
    ///
    /// `places` are the values' places on a line from left to right: what ranges are measured by.
    pub fn balanced(indices: &[u64], arity: u32) -> Self {
        let mut shape = Self { nodes: Vec::with_capacity(2 * indices.len()) };
        shape.cut(indices, 0, indices.len() as u32, arity.max(2));
        shape
    }

    fn cut(&mut self, indices: &[u64], first: u32, end: u32, arity: u32) {
        let node = self.open(indices, first, end);
        let parts = arity.min(end - first);
        if parts > 1 {
            // The first parts take what does not divide evenly.
            let (each, more) = ((end - first) / parts, (end - first) % parts);
            let mut start = first;
            for part in 0..parts {
                let stop = start + each + u32::from(part < more);
                self.cut(indices, start, stop, arity);
                start = stop;
            }
        }
        self.close(node);
    }

    /// The attribute's own hierarchy. A node with one child is the same subdomain as that child, and left out.
    pub(crate) fn of_hierarchy(tree: &Hierarchy, indices: &[u64]) -> Self {
        let mut shape = Self { nodes: Vec::with_capacity(tree.len() as usize) };
        shape.adopt(tree, 0, indices);
        shape
    }

    fn adopt(&mut self, tree: &Hierarchy, node: NodeId, indices: &[u64]) {
        let ranks = tree.ranks(node);
        let mut children = tree.children(node);
        match (children.next(), children.next()) {
            (Some(only), None) => self.adopt(tree, only, indices),
            _ => {
                let own = self.open(indices, ranks.start, ranks.end);
                tree.children(node).for_each(|child| self.adopt(tree, child, indices));
                self.close(own);
            }
        }
    }

    fn open(&mut self, indices: &[u64], first: u32, end: u32) -> usize {
        let range = indices[end as usize - 1] - indices[first as usize];
        self.nodes.push(Node { first, end, next: 0, range });
        self.nodes.len() - 1
    }

    fn close(&mut self, node: usize) {
        self.nodes[node].next = self.nodes.len() as u32;
    }

    /// The tree in which every node has at most two children, and for each of its nodes the children of this
    /// tree that it stands for: the node, and a run of its parent's children.
    pub(crate) fn binary(&self) -> (Self, Vec<Vec<u32>>) {
        let mut shape = Self { nodes: Vec::with_capacity(2 * self.nodes.len()) };
        let mut stands_for = Vec::with_capacity(2 * self.nodes.len());
        self.halve(&[0], &mut shape, &mut stands_for);
        (shape, stands_for)
    }

    fn halve(&self, run: &[u32], shape: &mut Self, stands_for: &mut Vec<Vec<u32>>) {
        let (Some(&left), Some(&right)) = (run.first(), run.last()) else { return };
        let (left_node, right_node) = (self.nodes[left as usize], self.nodes[right as usize]);
        let own = shape.nodes.len();
        let range = if left == right { left_node.range } else { 0 };
        shape.nodes.push(Node { first: left_node.first, end: right_node.end, next: 0, range });
        stands_for.push(run.to_vec());
        let children: Vec<u32> = if run.len() == 1 { self.children(left).collect() } else { run.to_vec() };
        if children.len() > 1 {
            let (head, tail) = children.split_at(children.len().div_ceil(2));
            self.halve(head, shape, stands_for);
            self.halve(tail, shape, stands_for);
        }
        shape.close(own);
    }

    /// Measures the ranges anew, from the indices of the values.
    pub(crate) fn measure(&mut self, indices: &[u64]) {
        for node in &mut self.nodes {
            node.range = indices[node.end as usize - 1] - indices[node.first as usize];
        }
    }

    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// How many values there are.
    pub(crate) fn leaves(&self) -> u32 {
        self.nodes[0].end
    }

    /// The ranks of a node's values.
    pub fn ranks(&self, node: u32) -> std::ops::Range<u32> {
        self.nodes[node as usize].first..self.nodes[node as usize].end
    }

    /// How far apart a node's farthest values are.
    pub(crate) fn range(&self, node: u32) -> u64 {
        self.nodes[node as usize].range
    }

    /// Whether a node is a single value.
    pub(crate) fn is_leaf(&self, node: u32) -> bool {
        self.nodes[node as usize].next == node + 1
    }

    /// The children of a node, in rank order.
    pub(crate) fn children(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let end = self.nodes[node as usize].next;
        let mut next = node + 1;
        std::iter::from_fn(move || {
            let child = (next < end).then_some(next)?;
            next = self.nodes[child as usize].next;
            Some(child)
        })
    }

    /// Sums what stands at the leaves up to every node.
    pub(crate) fn sum_up<T: Copy + Default + std::ops::AddAssign>(&self, leaves: &[T]) -> Vec<T> {
        let mut sums = vec![T::default(); self.len()];
        for node in (0..self.len() as u32).rev() {
            if self.is_leaf(node) {
                sums[node as usize] = leaves[self.nodes[node as usize].first as usize];
            } else {
                for child in self.children(node) {
                    let below = sums[child as usize];
                    sums[node as usize] += below;
                }
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(shape: &Shape) -> Vec<(u32, u32, u64)> {
        (0..shape.len() as u32).map(|n| (shape.ranks(n).start, shape.ranks(n).end, shape.range(n))).collect()
    }

    #[test]
    fn a_balanced_tree_halves_its_values() {
        let shape = Shape::balanced(&[0, 10, 20, 30], 2);
        assert_eq!(spans(&shape), [(0, 4, 30), (0, 2, 10), (0, 1, 0), (1, 2, 0), (2, 4, 10), (2, 3, 0), (3, 4, 0)]);
        let ternary = Shape::balanced(&[0, 1, 2, 3, 4], 3);
        assert_eq!(ternary.children(0).map(|c| ternary.ranks(c)).collect::<Vec<_>>(), [0..2, 2..4, 4..5]);
        assert_eq!(Shape::balanced(&[0], 2).len(), 1);
    }

    #[test]
    fn a_binary_tree_holds_every_subdomain_of_the_wider_one() {
        for arity in 2..6 {
            let indices: Vec<u64> = (0..23).map(|i| i * i).collect();
            let wide = Shape::balanced(&indices, arity);
            let (mut binary, stands_for) = wide.binary();
            binary.measure(&indices);
            assert!(
                (0..binary.len() as u32).all(|n| binary.children(n).count() != 1 && binary.children(n).count() < 3)
            );
            assert_eq!(stands_for.len(), binary.len());
            for span in spans(&wide) {
                assert!(spans(&binary).contains(&span));
            }
        }
    }
}
