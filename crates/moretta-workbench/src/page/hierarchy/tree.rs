//! A tree that is edited: nodes are put into groups, groups are renamed or dissolved.

use std::collections::BTreeMap;

use moretta::{Error, Result};

/// A tree of values. Nodes are named as forms name them: `v:` and a value, `g:` and a group.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
}

/// A value or a group. Those that were dissolved stay in the list, under nothing.
#[derive(Clone, Debug)]
struct Node {
    label: String,
    is_value: bool,
    above: Option<usize>,
    below: Vec<usize>,
}

/// Where a node stands, for whoever shows it.
pub(super) struct Shown<'t> {
    pub(super) name: String,
    pub(super) label: &'t str,
    pub(super) below: Vec<Shown<'t>>,
    pub(super) is_value: bool,
}

const ROOT: usize = 0;

/// The most levels of a tree that is edited by hand.
const DEEPEST: usize = 50;

impl Tree {
    /// The tree of lines that begin with a value and end with the root.
    pub(super) fn of_rows(rows: &[Vec<String>]) -> Result<Self> {
        let root = rows.iter().find_map(|row| row.last()).cloned().unwrap_or_else(|| "*".to_owned());
        let mut tree =
            Self { nodes: vec![Node { label: root.clone(), is_value: false, above: None, below: Vec::new() }] };
        let mut groups = BTreeMap::from([(root.clone(), ROOT)]);
        for row in rows {
            let Some((value, above)) = row.split_first() else { continue };
            if above.len() > DEEPEST {
                return Err(Error::input(format!("the line of {value:?} has {} levels", above.len()))
                    .help(format!("a tree has at most {DEEPEST}")));
            }
            if above.last().is_some_and(|last| *last != root) {
                return Err(Error::input(format!("the line of {value:?} does not end with {root:?}, as others do"))
                    .help("all values meet at one root"));
            }
            let mut under = ROOT;
            for label in above.iter().rev().skip(1) {
                if tree.nodes[under].label == *label {
                    continue;
                }
                let known = groups.get(label).copied();
                let group = known.unwrap_or_else(|| tree.add(label, false, under));
                if tree.nodes[group].above != Some(under) {
                    let other = tree.nodes[group].above.map_or("", |other| tree.nodes[other].label.as_str());
                    return Err(Error::input(format!(
                        "{label:?} stands under {other:?} and under {:?}",
                        tree.nodes[under].label
                    ))
                    .help("a group has one place"));
                }
                groups.insert(label.clone(), group);
                under = group;
            }
            tree.add(value, true, under);
        }
        Ok(tree)
    }

    fn add(&mut self, label: &str, is_value: bool, above: usize) -> usize {
        self.nodes.push(Node { label: label.to_owned(), is_value, above: Some(above), below: Vec::new() });
        let node = self.nodes.len() - 1;
        self.nodes[above].below.push(node);
        node
    }

    /// A line for each value: the value, its groups, the root.
    pub(super) fn rows(&self) -> Vec<Vec<String>> {
        let mut rows = Vec::new();
        let mut open = vec![ROOT];
        while let Some(node) = open.pop() {
            if self.nodes[node].is_value {
                rows.push(self.path(node).map(|node| self.nodes[node].label.clone()).collect());
            }
            open.extend(self.nodes[node].below.iter().rev());
        }
        rows
    }

    /// A node and those above it.
    fn path(&self, node: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(node), move |&node| self.nodes[node].above)
    }

    /// Puts nodes under a group, which is made where there is none: below everything that they have in common.
    pub(super) fn group(&mut self, taken: &[&str], into: &str) -> Result<()> {
        let taken = self.find(taken)?;
        if into.is_empty() {
            return Err(Error::input("the group has no name").help("type one; an existing group is added to"));
        }
        let known = (0..self.nodes.len()).find(|&node| self.is_group(node) && self.nodes[node].label == into);
        let group = match known {
            Some(group) => group,
            None if self.nodes.iter().any(|node| node.is_value && node.label == into) => {
                return Err(Error::input(format!("{into:?} is a value already")).help("give the group another name"));
            }
            None => {
                let common = self.common(&taken);
                self.add(into, false, common)
            }
        };
        if self.path(group).any(|above| taken.contains(&above)) {
            return Err(Error::input(format!("{into:?} can't stand under itself")).help("choose other nodes"));
        }
        for node in taken {
            self.move_under(node, group);
        }
        self.forget_empty_groups();
        Ok(())
    }

    /// Takes groups away; what stood in them stands above.
    pub(super) fn dissolve(&mut self, taken: &[&str]) -> Result<()> {
        for node in self.find(taken)? {
            let (Some(above), false) = (self.nodes[node].above, self.nodes[node].is_value) else {
                return Err(Error::input(format!("{:?} is no group that could be dissolved", self.nodes[node].label))
                    .help("check groups only"));
            };
            for below in self.nodes[node].below.clone() {
                self.move_under(below, above);
            }
        }
        self.forget_empty_groups();
        Ok(())
    }

    /// Gives a group another name.
    pub(super) fn rename(&mut self, taken: &[&str], name: &str) -> Result<()> {
        let taken = self.find(taken)?;
        let [group] = taken.as_slice() else {
            return Err(Error::input("several nodes are checked").help("check the one group that gets another name"));
        };
        let is_taken = self.nodes.iter().enumerate().any(|(node, known)| node != *group && known.label == name);
        if self.nodes[*group].is_value || name.is_empty() || is_taken {
            return Err(Error::input(format!("{:?} can't be called {name:?}", self.nodes[*group].label))
                .help("values keep their names, and every group has one of its own"));
        }
        name.clone_into(&mut self.nodes[*group].label);
        Ok(())
    }

    fn find(&self, names: &[&str]) -> Result<Vec<usize>> {
        if names.is_empty() {
            return Err(Error::input("nothing is checked").help("check the values or groups that it is about"));
        }
        let find = |name: &&str| {
            let found = (0..self.nodes.len()).find(|&node| self.is_there(node) && self.name(node) == **name);
            found.ok_or_else(|| Error::input(format!("the tree has no {name:?}")).help("look at it again"))
        };
        names.iter().map(find).collect()
    }

    fn name(&self, node: usize) -> String {
        let sort = if self.nodes[node].is_value { 'v' } else { 'g' };
        format!("{sort}:{}", self.nodes[node].label)
    }

    fn is_there(&self, node: usize) -> bool {
        node == ROOT || self.nodes[node].above.is_some()
    }

    fn is_group(&self, node: usize) -> bool {
        self.is_there(node) && !self.nodes[node].is_value
    }

    /// The lowest group that stands above all of these.
    fn common(&self, nodes: &[usize]) -> usize {
        let above = |node: usize| self.path(node).skip(1).collect::<Vec<_>>();
        let Some((&first, others)) = nodes.split_first() else { return ROOT };
        let others: Vec<Vec<usize>> = others.iter().map(|&node| above(node)).collect();
        above(first).into_iter().find(|group| others.iter().all(|path| path.contains(group))).unwrap_or(ROOT)
    }

    fn move_under(&mut self, node: usize, group: usize) {
        if let Some(above) = self.nodes[node].above.replace(group) {
            self.nodes[above].below.retain(|&below| below != node);
        }
        self.nodes[group].below.push(node);
    }

    fn forget_empty_groups(&mut self) {
        while let Some(empty) =
            (1..self.nodes.len()).find(|&node| self.is_group(node) && self.nodes[node].below.is_empty())
        {
            if let Some(above) = self.nodes[empty].above.take() {
                self.nodes[above].below.retain(|&below| below != empty);
            }
        }
    }

    /// How many values there are.
    pub(super) fn values(&self) -> usize {
        self.nodes.iter().filter(|node| node.is_value).count()
    }

    /// The root, with all that stands below it.
    pub(super) fn shown(&self) -> Shown<'_> {
        self.shown_from(ROOT)
    }

    fn shown_from(&self, node: usize) -> Shown<'_> {
        let Node { label, is_value, below, .. } = &self.nodes[node];
        let mut below: Vec<Shown<'_>> = below.iter().map(|&below| self.shown_from(below)).collect();
        // Groups first: what is not grouped yet is what is left to do.
        below.sort_by_key(|shown| shown.is_value);
        Shown { name: self.name(node), label, below, is_value: *is_value }
    }
}

#[cfg(test)]
mod tests {
    use super::super::stated::{csv_of, rows_of};
    use super::*;

    fn tree(text: &str) -> Tree {
        Tree::of_rows(&rows_of(text).expect("rows")).expect("a tree")
    }

    fn text(tree: &Tree) -> String {
        csv_of(&tree.rows()).expect("text")
    }

    #[test]
    fn values_are_grouped_regrouped_and_ungrouped() {
        let mut diseases = tree("flu,*\ncold,*\ngout,*\nulcer,*\n");
        diseases.group(&["v:flu", "v:cold"], "infection").expect("grouped");
        diseases.group(&["v:gout", "v:ulcer"], "other").expect("grouped");
        assert_eq!(text(&diseases), "flu,infection,*\ncold,infection,*\ngout,other,*\nulcer,other,*\n");
        diseases.group(&["g:infection", "v:ulcer"], "acute").expect("grouped");
        assert_eq!(text(&diseases), "gout,other,*\nflu,infection,acute,*\ncold,infection,acute,*\nulcer,acute,*\n");
        diseases.group(&["v:gout"], "acute").expect("an existing group is added to, and an empty one is forgotten");
        assert!(!text(&diseases).contains("other"));
        diseases.rename(&["g:acute"], "sudden").expect("renamed");
        diseases.dissolve(&["g:infection"]).expect("dissolved");
        assert_eq!(text(&diseases), "ulcer,sudden,*\ngout,sudden,*\nflu,sudden,*\ncold,sudden,*\n");
        assert_eq!((diseases.values(), diseases.shown().below.len()), (4, 1));
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        let mut small = tree("a,A,X,*\nb,B,X,*\n");
        for (taken, into) in [("g:X", "A"), ("g:A", ""), ("v:z", "N"), ("v:a", "b")] {
            assert!(small.clone().group(&[taken], into).is_err(), "{taken} into {into}");
        }
        assert!(small.clone().group(&[], "N").is_err());
        assert!(small.rename(&["v:a"], "c").is_err() && small.rename(&["g:A"], "B").is_err());
        assert!(small.rename(&["g:A", "g:B"], "C").is_err());
        assert!(small.dissolve(&["v:a"]).is_err() && small.dissolve(&["g:*"]).is_err());
        let wrong = |text: &str| Tree::of_rows(&rows_of(text).expect("rows")).expect_err("no tree").to_string();
        assert!(wrong("a,A,*\nb,A,B,*\n").contains("one place"));
        assert!(wrong("a,A,*\nb,B,all\n").contains("does not end"));
    }
}
