//! From paths to a tree, with every fault named.

use super::tree::{Hierarchy, NodeId, Path, TreeNode};
use crate::data::lookup::HashMap;
use crate::error::{Code, Error, Result};

/// A tree in the making: children lists in order of first appearance.
pub(super) struct Draft<'a> {
    label: Vec<&'a str>,
    children: Vec<Vec<usize>>,
    root: usize,
    /// The draft node of each path's leaf.
    leaf_of_path: Vec<usize>,
    group_by_label: HashMap<&'a str, usize>,
}

impl<'a> Draft<'a> {
    pub(super) fn from_paths(paths: &'a [Path]) -> Result<Self> {
        let first =
            paths.first().ok_or_else(|| Error::input("the hierarchy has no leaf").coded(Code::HierarchyWrong))?;
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
                    .coded(Code::HierarchyWrong)
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
            for index in 0..self.children[parent].len() {
                let child = self.children[parent][index];
                if let [only] = self.children[child][..]
                    && self.label[only] == self.label[child]
                    && self.children[only].is_empty()
                {
                    self.children[parent][index] = only;
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
                    .coded(Code::HierarchyWrong)
                    .at_line(path.line)
                    .help("give the group a name of its own: a reader of the release could not tell which is meant"));
            }
        }
        Ok(())
    }

    pub(super) fn finish(self, paths: &[Path]) -> Hierarchy {
        let mut nodes: Vec<TreeNode> = Vec::with_capacity(self.label.len());
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
            nodes.push(TreeNode {
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
            let TreeNode { parent, height, end, end_rank, .. } = nodes[id];
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
    Error::input("an empty line")
        .coded(Code::HierarchyWrong)
        .at_line(line)
        .help("each line lists a leaf and its ancestors")
}

fn no_single_root(root: &str, other: &str, line: u64) -> Error {
    Error::input(format!("no single root: the first line ends in {root:?}, this one in {other:?}"))
        .coded(Code::HierarchyWrong)
        .at_line(line)
        .help("end every line with the same label, for example *")
}

fn two_parents(label: &str, first: &str, first_line: u64, second: &str, line: u64) -> Error {
    Error::input(format!("{label:?} has two parents: {first:?} in line {first_line}, here {second:?}"))
        .coded(Code::HierarchyWrong)
        .at_line(line)
        .help("a label may stand below one label only")
}
