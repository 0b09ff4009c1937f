//! Generalization levels of all attributes at once.

use crate::hierarchy::Scale;

/// A generalization level for each attribute.
pub(super) type LevelVector = Vec<u8>;

/// What values become at each level, and what that costs.
///
/// With a hierarchy, levels are its own. Without one, level l joins runs of 2^l neighbouring ranks:
/// enough to find people who belong together, since groups publish the tight interval or set.
pub(super) struct BoxLevels {
    attributes: Vec<Vec<Level>>,
}

struct Level {
    /// The node of each rank.
    node: Vec<u32>,
    /// The share of the whole loss that a value of each rank then costs.
    loss: Vec<f64>,
    least_loss: f64,
}

impl BoxLevels {
    pub(super) fn new(scales: &[Scale]) -> Self {
        let weight = 1.0 / scales.len().max(1) as f64;
        Self { attributes: scales.iter().map(|scale| levels_of(scale, weight * scale.importance())).collect() }
    }

    pub(super) fn lowest(&self) -> LevelVector {
        vec![0; self.attributes.len()]
    }

    /// The vectors one step above, each vector being made from exactly one below it: the one that
    /// lacks a step of its last raised attribute.
    pub(super) fn above(&self, vector: &LevelVector) -> impl Iterator<Item = LevelVector> {
        let last_raised = vector.iter().rposition(|&level| level > 0).unwrap_or(0);
        let can_rise = |attribute: &usize| usize::from(vector[*attribute]) + 1 < self.attributes[*attribute].len();
        let raised = (last_raised..vector.len()).filter(can_rise).map(|attribute| {
            let mut above = vector.clone();
            above[attribute] += 1;
            above
        });
        raised.collect::<Vec<_>>().into_iter()
    }

    /// The least loss of a person in any box of a vector.
    pub(super) fn least_loss(&self, vector: &LevelVector) -> f64 {
        self.attributes.iter().zip(vector).map(|(levels, &level)| levels[usize::from(level)].least_loss).sum()
    }

    /// The loss of a person in the box of a vector that holds a point.
    pub(super) fn loss(&self, vector: &LevelVector, ranks: &[Vec<u32>], point: u32) -> f64 {
        let one = |((levels, &level), ranks): ((&Vec<Level>, &u8), &Vec<u32>)| {
            levels[usize::from(level)].loss[ranks[point as usize] as usize]
        };
        self.attributes.iter().zip(vector).zip(ranks).map(one).sum()
    }

    /// A number for the box of a vector that holds a point.
    ///
    /// Two boxes share a number with a chance of one in 2^64. They would then be judged as one, and
    /// published as one larger box: a loss of precision, never of privacy.
    pub(super) fn key(&self, vector: &LevelVector, ranks: &[Vec<u32>], point: u32) -> u64 {
        let mut key = 0x9e37_79b9_7f4a_7c15_u64;
        for ((levels, &level), ranks) in self.attributes.iter().zip(vector).zip(ranks) {
            let node = levels[usize::from(level)].node[ranks[point as usize] as usize];
            key = (key ^ u64::from(node)).wrapping_mul(0xff51_afd7_ed55_8ccd);
            key ^= key >> 32;
        }
        key
    }
}

fn levels_of(scale: &Scale, weight: f64) -> Vec<Level> {
    let ranks = scale.ranks();
    let level = |node: Vec<u32>, loss: Vec<f64>| {
        let least_loss = loss.iter().copied().fold(f64::INFINITY, f64::min);
        Level { node, loss, least_loss }
    };
    if let Some(tree) = scale.tree() {
        let loss = |node| weight * f64::from(tree.size(node) - 1) / f64::from(tree.leaves().max(2) - 1);
        let one = |at: usize| {
            let nodes: Vec<u32> = (0..ranks).map(|rank| tree.at_level(rank, at)).collect();
            let losses = nodes.iter().map(|&node| loss(node)).collect();
            level(nodes, losses)
        };
        return (0..tree.levels()).map(one).collect();
    }
    let steps = ranks.next_power_of_two().trailing_zeros();
    let one = |step: u32| {
        let nodes: Vec<u32> = (0..ranks).map(|rank| rank >> step).collect();
        let size = f64::from((1_u32 << step).min(ranks) - 1);
        let losses = vec![weight * size / f64::from(ranks.max(2) - 1); ranks as usize];
        level(nodes, losses)
    };
    (0..=steps).map(one).collect()
}
