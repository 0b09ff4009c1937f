//! Boxes around a cell, and the groups that are open under them.

use crate::data::lookup::HashMap;
use crate::method::recoding::local::Field;

/// The groups by their box, of which only a well mixed sum of node numbers is kept.
///
/// Two boxes in 2^64 may share it. Then a person would be sent to a box that does not contain them, which
/// costs loss and never a promise: what is published is computed from the people in a group.
#[derive(Default)]
pub(super) struct OpenBoxes {
    group_of: HashMap<u64, u32>,
}

/// The ladders of a cell: for each attribute its nodes from leaf to root, with their losses.
pub(super) type Ladders = Vec<Vec<(u32, f64)>>;

pub(super) fn ladders(field: &Field<'_>, cell: u32) -> Ladders {
    let attributes = field.taxonomies.iter().zip(&field.ranks);
    attributes.map(|(taxonomy, ranks)| taxonomy.ladder(ranks[cell as usize])).collect()
}

/// With more boxes around a cell than this, as dozens of attributes have, the open groups are looked through instead.
const MOST_BOXES: u64 = 1 << 20;

impl OpenBoxes {
    /// The group whose box has a number.
    pub(super) fn at(&self, key: u64) -> Option<u32> {
        self.group_of.get(&key).copied()
    }

    pub(super) fn insert(&mut self, nodes: &[u32], group: u32) {
        self.group_of.entry(key(nodes)).or_insert(group);
    }

    pub(super) fn remove(&mut self, nodes: &[u32], group: u32) {
        if self.group_of.get(&key(nodes)) == Some(&group) {
            self.group_of.remove(&key(nodes));
        }
    }

    /// Shows the open groups around a cell that cost less than a bound, with their loss. Where `accept` says yes,
    /// only cheaper ones are of interest from there on. Says how many boxes it looked at. `groups` has the boxes of all groups, by their number.
    pub(super) fn around<'g>(
        &self,
        ladders: &Ladders,
        groups: impl ExactSizeIterator<Item = &'g [u32]>,
        bound: f64,
        accept: &mut impl FnMut(u32, f64) -> bool,
    ) -> u64 {
        let boxes = ladders.iter().fold(1, |boxes: u64, ladder| boxes.saturating_mul(ladder.len() as u64));
        if boxes <= MOST_BOXES.max(groups.len() as u64) {
            self.climb(ladders, 0, 0.0, &mut { bound }, accept, 0)
        } else {
            self.look_through(ladders, groups, bound, accept)
        }
    }

    /// The same from the other side: of all groups those whose box holds the cell, the cheapest first; of those that cost the same, in the order in which
    /// climbing meets them.
    fn look_through<'g>(
        &self,
        ladders: &Ladders,
        groups: impl ExactSizeIterator<Item = &'g [u32]>,
        bound: f64,
        accept: &mut impl FnMut(u32, f64) -> bool,
    ) -> u64 {
        let looked = groups.len() as u64;
        let mut found: Vec<(f64, Vec<usize>, u32)> = Vec::new();
        for (group, nodes) in (0..).zip(groups) {
            let Some((loss, steps)) = cost_of(ladders, nodes, bound) else { continue };
            if self.group_of.get(&key(nodes)) == Some(&group) {
                found.push((loss, steps, group));
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        found.into_iter().any(|(loss, _, group)| accept(group, loss));
        looked
    }

    fn climb(
        &self,
        ladders: &[Vec<(u32, f64)>],
        hash: u64,
        loss: f64,
        bound: &mut f64,
        accept: &mut impl FnMut(u32, f64) -> bool,
        attribute: u64,
    ) -> u64 {
        let Some((ladder, others)) = ladders.split_first() else {
            if let Some(&group) = self.group_of.get(&hash)
                && accept(group, loss)
            {
                *bound = loss;
            }
            return 1;
        };
        let mut looked = 0;
        for &(node, step) in ladder {
            if loss + step >= *bound {
                break;
            }
            looked +=
                self.climb(others, hash.wrapping_add(mix(attribute, node)), loss + step, bound, accept, attribute + 1);
        }
        looked
    }
}

/// What a box costs a cell, and where it stands on its ladders; nothing where it does not hold the cell, or costs too much.
fn cost_of(ladders: &Ladders, nodes: &[u32], bound: f64) -> Option<(f64, Vec<usize>)> {
    if nodes.len() != ladders.len() {
        return None;
    }
    let (mut loss, mut steps) = (0.0, Vec::new());
    for (ladder, node) in ladders.iter().zip(nodes) {
        let step = ladder.iter().position(|(known, _)| known == node)?;
        loss += ladder[step].1;
        steps.push(step);
        if loss >= bound {
            return None;
        }
    }
    Some((loss, steps))
}

pub(super) fn key(nodes: &[u32]) -> u64 {
    (0..).zip(nodes).fold(0, |sum: u64, (attribute, &node)| sum.wrapping_add(mix(attribute, node)))
}

/// A well mixed number for a node of an attribute (the finalizer of splitmix64).
pub(in crate::method::recoding) fn mix(attribute: u64, node: u32) -> u64 {
    let mut x = (attribute << 32 | u64::from(node)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Of each attribute four values below two nodes below a root, at losses that grow.
    fn ladder(value: u32, unit: f64) -> Vec<(u32, f64)> {
        vec![(value, 0.0), (10 + value / 2, unit), (20, 3.0 * unit)]
    }

    proptest! {
        /// From both sides the same group is found, whoever is accepted.
        #[test]
        fn looking_through_groups_finds_what_climbing_finds(
            cell in proptest::collection::vec(0_u32..4, 3),
            boxes in proptest::collection::vec((proptest::collection::vec((0_u32..4, 0_usize..3), 3), any::<bool>()), 0..40),
            units in proptest::collection::vec(1_u8..3, 3),
            bound in 0.0..12.0_f64,
        ) {
            let unit = |attribute: usize| f64::from(units[attribute]);
            let ladders: Ladders = cell.iter().enumerate().map(|(attribute, &value)| ladder(value, unit(attribute))).collect();
            let nodes: Vec<Vec<u32>> = boxes
                .iter()
                .map(|(nodes, _)| nodes.iter().map(|&(value, level)| ladder(value, 1.0)[level].0).collect())
                .collect();
            let mut open = OpenBoxes::default();
            (0..).zip(&nodes).for_each(|(group, nodes)| open.insert(nodes, group));
            let best = |found: &mut Option<(u32, f64)>, group: u32, loss: f64| {
                let accepted = boxes[group as usize].1;
                if accepted {
                    *found = Some((group, loss));
                }
                accepted
            };
            let (mut climbed, mut looked) = (None, None);
            open.climb(&ladders, 0, 0.0, &mut { bound }, &mut |group, loss| best(&mut climbed, group, loss), 0);
            let groups = nodes.iter().map(Vec::as_slice);
            open.look_through(&ladders, groups, bound, &mut |group, loss| best(&mut looked, group, loss));
            prop_assert_eq!(climbed, looked);
        }
    }
}
