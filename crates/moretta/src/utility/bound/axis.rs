//! The boxes that an attribute allows, level by level, with what each loses at least.

use crate::hierarchy::{Hierarchy, Scale};

/// What it costs to tell nothing of an attribute. Losses are whole numbers of such parts, rounded down.
pub(super) const WHOLE: u64 = 1 << 32;

/// The part of a rank that a level says nothing of.
pub(super) const NOWHERE: u32 = u32::MAX;

/// Intervals of up to so many values stand in the levels as they are; wider ones are widened further.
const EXACT_LENGTH: u32 = 8;

/// The values of an attribute, parted in many ways.
///
/// Whatever a release may publish of the attribute is inside a part that loses no more.
#[derive(Debug)]
pub(super) struct BoundAxis {
    pub(super) levels: Vec<Level>,
    /// Whether each level's parts are unions of those of the level before it.
    pub(super) nested: bool,
}

/// Disjoint parts of the values.
#[derive(Debug)]
pub(super) struct Level {
    pub(super) part_of_rank: Vec<u32>,
    losses: Losses,
}

#[derive(Debug)]
enum Losses {
    Same(u64),
    Each(Vec<u64>),
}

impl Level {
    pub(super) fn loss(&self, part: u32) -> u64 {
        match &self.losses {
            Losses::Same(loss) => *loss,
            Losses::Each(losses) => losses[part as usize],
        }
    }
}

impl BoundAxis {
    pub(super) fn of(scale: &Scale) -> Self {
        match scale.tree() {
            Some(tree) => Self::of_tree(tree),
            None if scale.is_set() => Self::of_sets(scale.ranks()),
            None => Self::of_intervals(scale.ranks()),
        }
    }

    /// The least that people pay who do not publish their own value.
    pub(super) fn step(&self) -> u64 {
        let losses = self.levels.iter().flat_map(|level| match &level.losses {
            Losses::Same(loss) => std::slice::from_ref(loss),
            Losses::Each(losses) => losses.as_slice(),
        });
        losses.copied().filter(|&loss| loss > 0).min().unwrap_or(WHOLE)
    }

    /// Every node once, at its own depth: the deepest first.
    fn of_tree(tree: &Hierarchy) -> Self {
        let deepest = (0..tree.leaves()).map(|rank| tree.depth(tree.leaf(rank))).max().unwrap_or(0);
        let losses: Vec<u64> = (0..tree.len()).map(|node| share(tree.size(node) - 1, tree.leaves() - 1)).collect();
        let at = |rank: u32, depth: u32| {
            let mut node = tree.leaf(rank);
            while tree.depth(node) > depth {
                node = tree.parent(node);
            }
            if tree.depth(node) == depth { node } else { NOWHERE }
        };
        let level = |depth: u32| Level {
            part_of_rank: (0..tree.leaves()).map(|rank| at(rank, depth)).collect(),
            losses: Losses::Each(losses.clone()),
        };
        Self { levels: (0..=deepest).rev().map(level).collect(), nested: true }
    }

    /// One value, or several, which lose no less than two.
    fn of_sets(ranks: u32) -> Self {
        let single = Level { part_of_rank: (0..ranks).collect(), losses: Losses::Same(0) };
        let several = Level { part_of_rank: vec![0; ranks as usize], losses: Losses::Same(share(1, ranks.max(2) - 1)) };
        Self { levels: vec![single, several], nested: true }
    }

    /// Short intervals as they are. Longer ones by their length, up to half as long again in each step: one of at most `longest` values is inside a
    /// window that starts at a multiple of an eighth of it, and loses as much as the shortest of the step.
    fn of_intervals(ranks: u32) -> Self {
        let single = Level { part_of_rank: (0..ranks).collect(), losses: Losses::Same(0) };
        let mut levels = vec![single];
        let mut shorter = 1;
        while shorter < ranks {
            let longest = if shorter < EXACT_LENGTH { shorter + 1 } else { shorter + shorter / 2 };
            let grid = if longest <= EXACT_LENGTH { 1 } else { longest / 8 };
            let window = longest + grid - 1;
            let windows = window.div_ceil(grid);
            let loss = share(shorter, ranks - 1);
            levels.extend((0..windows).map(|shift| Level {
                part_of_rank: windows_from(ranks, grid * shift, window, grid * windows),
                losses: Losses::Same(loss),
            }));
            shorter = longest;
        }
        Self { levels, nested: false }
    }
}

/// Windows of one width that start at `first`, one `period` before and after it, and so on; a rank between two of them is in none.
fn windows_from(ranks: u32, first: u32, width: u32, period: u32) -> Vec<u32> {
    let place = |rank: u32| {
        let along = rank + period - first % period;
        if along % period < width { along / period } else { NOWHERE }
    };
    (0..ranks).map(place).collect()
}

/// A share of what an attribute can lose, rounded down.
fn share(part: u32, whole: u32) -> u64 {
    if whole == 0 { 0 } else { u64::from(part) * WHOLE / u64::from(whole) }
}
