//! The worst groups of a table by some level.

use super::Safer;

/// How many of the worst groups are named.
pub(super) const WITNESSES: usize = 10;

/// The groups with the worst levels, the worst first; among equals the first groups.
///
/// What it holds does not depend on the order in which groups are offered or lists are joined.
#[derive(Clone, Debug)]
pub(super) struct Worst {
    safer: Safer,
    /// How good each is, and the group.
    list: Vec<(f64, u32)>,
}

impl Worst {
    pub(super) fn new(safer: Safer) -> Self {
        Self { safer, list: Vec::with_capacity(WITNESSES + 1) }
    }

    /// Takes note of a group.
    pub(super) fn offer(&mut self, level: f64, group: usize) {
        self.insert((self.safer.goodness(level), group as u32));
    }

    fn insert(&mut self, new: (f64, u32)) {
        let before = |old: &(f64, u32)| old.0.total_cmp(&new.0).then(old.1.cmp(&new.1)).is_lt();
        if self.list.len() == WITNESSES && self.list.last().is_some_and(before) {
            return;
        }
        self.list.insert(self.list.partition_point(before), new);
        self.list.truncate(WITNESSES);
    }

    pub(super) fn join(&mut self, other: &Self) {
        other.list.iter().for_each(|&entry| self.insert(entry));
    }

    /// The worst level; nothing without groups.
    pub(super) fn level(&self) -> Option<f64> {
        // Goodness is the level or its negative: taking it twice gives the level back.
        self.list.first().map(|&(goodness, _)| self.safer.goodness(goodness))
    }

    /// The worst groups.
    pub(super) fn groups(&self) -> Vec<usize> {
        self.list.iter().map(|&(_, group)| group as usize).collect()
    }
}
