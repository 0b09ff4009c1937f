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

impl OpenBoxes {
    pub(super) fn insert(&mut self, nodes: &[u32], group: u32) {
        self.group_of.entry(key(nodes)).or_insert(group);
    }

    pub(super) fn remove(&mut self, nodes: &[u32], group: u32) {
        if self.group_of.get(&key(nodes)) == Some(&group) {
            self.group_of.remove(&key(nodes));
        }
    }

    /// Shows the open groups around a cell that cost less than a bound, with their loss. Where `accept` says yes,
    /// only cheaper ones are of interest from there on. Says how many boxes it looked at.
    pub(super) fn around(&self, ladders: &Ladders, bound: f64, accept: &mut impl FnMut(u32, f64) -> bool) -> u64 {
        self.climb(ladders, 0, 0.0, &mut { bound }, accept, 0)
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

fn key(nodes: &[u32]) -> u64 {
    (0..).zip(nodes).fold(0, |sum: u64, (attribute, &node)| sum.wrapping_add(mix(attribute, node)))
}

/// A well mixed number for a node of an attribute (the finalizer of splitmix64).
fn mix(attribute: u64, node: u32) -> u64 {
    let mut x = (attribute << 32 | u64::from(node)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
