//! The generalization tree of an attribute.

use crate::error::{Error, Result};
use hashbrown::HashMap;

/// A node of a [`Hierarchy`]: its place in preorder. The root is node 0.
pub type NodeId = u32;

/// A tree over the values of an attribute.
///
/// Leaves carry depth-first *ranks*, so that every node is a contiguous range of ranks: the size of
/// a node is a subtraction, its histogram a difference of prefix sums, and the lowest common
/// ancestor of two leaves a look-up in a sparse table.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    nodes: Vec<Node>,
    leaf_node: Vec<NodeId>,
    /// `levels[l][rank]`: what the leaf becomes at generalization level `l`; level 0 are the leaves.
    levels: Vec<Vec<NodeId>>,
    /// `ancestors[j][i]`: the lowest common ancestor of the leaves `i ..= i + 2^j`.
    ancestors: Vec<Vec<NodeId>>,
}

#[derive(Clone, Debug)]
struct Node {
    label: Box<str>,
    parent: NodeId,
    depth: u32,
    height: u32,
    /// One past the last node of the subtree.
    end: NodeId,
    first_rank: u32,
    end_rank: u32,
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

/// A tree in the making: children lists in order of first appearance.
struct Draft<'a> {
    label: Vec<&'a str>,
    children: Vec<Vec<usize>>,
    root: usize,
    /// The draft node of each path's leaf.
    leaf_of_path: Vec<usize>,
    group_by_label: HashMap<&'a str, usize>,
}

impl<'a> Draft<'a> {
    fn from_paths(paths: &'a [Path]) -> Result<Self> {
        let first = paths.first().ok_or_else(|| Error::input("the hierarchy has no leaf"))?;
        let root_label = first.labels.last().map_or("", AsRef::as_ref);
        let mut draft = Self {
            label: vec![root_label],
            children: vec![Vec::new()],
            root: 0,
            leaf_of_path: Vec::with_capacity(paths.len()),
            group_by_label: HashMap::from_iter([(root_label, 0)]),
        };
        let mut leaf_line: HashMap<&str, u64> = HashMap::with_capacity(paths.len());
        let mut parent_of: HashMap<usize, (usize, u64)> = HashMap::new();
        for path in paths {
            let (leaf, above) = path.labels.split_first().ok_or_else(|| empty_line(path.line))?;
            if let Some(line) = leaf_line.insert(leaf, path.line) {
                return Err(Error::input(format!("the leaf {leaf:?} is listed twice, first in line {line}"))
                    .at_line(path.line)
                    .help("list each value once"));
            }
            let last = path.labels.last().unwrap_or(leaf);
            if last.as_ref() != root_label {
                return Err(no_single_root(root_label, last, path.line));
            }
            let mut groups: Vec<&str> = above.iter().map(AsRef::as_ref).collect();
            groups.dedup();
            let mut below = draft.add(leaf);
            draft.leaf_of_path.push(below);
            if groups.is_empty() {
                groups.push(root_label);
            }
            for group in groups {
                let known = draft.group_by_label.get(group).copied();
                let parent = known.unwrap_or_else(|| draft.add_group(group));
                match parent_of.get(&below) {
                    None => {
                        parent_of.insert(below, (parent, path.line));
                        draft.children[parent].push(below);
                    }
                    Some(&(other, line)) if other != parent => {
                        return Err(two_parents(draft.label[below], draft.label[other], line, group, path.line));
                    }
                    Some(_) => {}
                }
                below = parent;
            }
            if let Some(&(parent, line)) = parent_of.get(&draft.root) {
                return Err(two_parents(root_label, draft.label[parent], line, "nothing: it is the root", path.line));
            }
        }
        draft.fold_groups_named_as_their_only_leaf();
        draft.refuse_ambiguous_labels(paths)?;
        Ok(draft)
    }

    fn add(&mut self, label: &'a str) -> usize {
        self.label.push(label);
        self.children.push(Vec::new());
        self.label.len() - 1
    }

    fn add_group(&mut self, label: &'a str) -> usize {
        let node = self.add(label);
        self.group_by_label.insert(label, node);
        node
    }

    /// `Other, Other, *` says that the leaf and the group are the same thing.
    fn fold_groups_named_as_their_only_leaf(&mut self) {
        for parent in 0..self.children.len() {
            for place in 0..self.children[parent].len() {
                let child = self.children[parent][place];
                if let [only] = self.children[child][..]
                    && self.label[only] == self.label[child]
                    && self.children[only].is_empty()
                {
                    self.children[parent][place] = only;
                    self.group_by_label.remove(self.label[child]);
                }
            }
        }
    }

    fn refuse_ambiguous_labels(&self, paths: &[Path]) -> Result<()> {
        for (&leaf, path) in self.leaf_of_path.iter().zip(paths) {
            let label = self.label[leaf];
            let group = self.group_by_label.get(label);
            if group.is_some_and(|&group| self.children[group] != [leaf]) {
                return Err(Error::input(format!("{label:?} names both a leaf and a group of leaves"))
                    .at_line(path.line)
                    .help("give the group a name of its own: a reader of the release could not tell which is meant"));
            }
        }
        Ok(())
    }

    fn finish(self, paths: &[Path]) -> Hierarchy {
        let mut nodes: Vec<Node> = Vec::with_capacity(self.label.len());
        let mut leaf_node = Vec::new();
        let mut final_id = vec![NodeId::MAX; self.label.len()];
        // Preorder without recursion: a deep mask must not exhaust the stack.
        let mut stack = vec![(self.root, 0, 0)];
        while let Some((draft, parent, depth)) = stack.pop() {
            let id = nodes.len() as NodeId;
            final_id[draft] = id;
            let rank = leaf_node.len() as u32;
            if self.children[draft].is_empty() {
                leaf_node.push(id);
            }
            let label = self.label[draft].into();
            nodes.push(Node {
                label,
                parent,
                depth,
                height: 0,
                end: id + 1,
                first_rank: rank,
                end_rank: leaf_node.len() as u32,
            });
            stack.extend(self.children[draft].iter().rev().map(|&child| (child, id, depth + 1)));
        }
        for id in (1..nodes.len()).rev() {
            let Node { parent, height, end, end_rank, .. } = nodes[id];
            let above = &mut nodes[parent as usize];
            above.height = above.height.max(height + 1);
            above.end = above.end.max(end);
            above.end_rank = above.end_rank.max(end_rank);
        }
        let mut tree = Hierarchy { nodes, leaf_node, levels: Vec::new(), ancestors: Vec::new() };
        tree.levels = self.levels(&tree, paths, &final_id);
        tree.ancestors = ancestor_table(&tree);
        tree
    }

    /// A path's label at each level; shorter paths have reached the root by then.
    fn levels(&self, tree: &Hierarchy, paths: &[Path], final_id: &[NodeId]) -> Vec<Vec<NodeId>> {
        let depth = paths.iter().map(|path| path.labels.len()).max().unwrap_or(1);
        let mut levels = vec![vec![0; tree.leaf_node.len()]; depth];
        for (path, &leaf) in paths.iter().zip(&self.leaf_of_path) {
            let leaf = final_id[leaf];
            let rank = tree.ranks(leaf).start as usize;
            for (level, row) in levels.iter_mut().enumerate() {
                row[rank] = match path.labels.get(level) {
                    None => 0,
                    Some(label) if **label == *tree.label(leaf) => leaf,
                    Some(label) => self.group_by_label.get(label.as_ref()).map_or(0, |&group| final_id[group]),
                };
            }
        }
        levels
    }
}

fn ancestor_table(tree: &Hierarchy) -> Vec<Vec<NodeId>> {
    let leaves = tree.leaves();
    let neighbours = (1..leaves).map(|rank| {
        let mut node = tree.leaf(rank);
        while tree.ranks(node).start == rank {
            node = tree.parent(node);
        }
        node
    });
    let mut table: Vec<Vec<NodeId>> = vec![neighbours.collect()];
    let mut reach = 1;
    while let Some(row) = table.last().filter(|row| row.len() > reach) {
        let wider = row.iter().zip(&row[reach..]).map(|(&a, &b)| if tree.depth(a) <= tree.depth(b) { a } else { b });
        let wider = wider.collect();
        table.push(wider);
        reach *= 2;
    }
    table
}

fn empty_line(line: u64) -> Error {
    Error::input("an empty line").at_line(line).help("each line lists a leaf and its ancestors")
}

fn no_single_root(root: &str, other: &str, line: u64) -> Error {
    Error::input(format!("no single root: the first line ends in {root:?}, this one in {other:?}"))
        .at_line(line)
        .help("end every line with the same label, for example *")
}

fn two_parents(label: &str, first: &str, first_line: u64, second: &str, line: u64) -> Error {
    Error::input(format!("{label:?} has two parents: {first:?} in line {first_line}, here {second:?}"))
        .at_line(line)
        .help("a label may stand below one label only")
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
