//! What a node costs, and what it costs at least.

use super::counts::{Base, NodeCounts};
use super::judge::LeftOutNode;
use super::lattice::{GeneralizationLadder, Lattice};
use crate::hierarchy::Scale;
use crate::method::Task;
use crate::numeric::tolerance;

/// What a search makes as small as it can. People left out count as fully generalized.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Objective {
    /// Mean over people and quasi-identifiers of (leaves − 1)/(domain − 1), 0 to 1.
    #[default]
    Loss,
    /// Global certainty penalty, 0 to 1: mean over people and quasi-identifiers of leaves/domain, 0 for one leaf.
    Gcp,
    /// Discernibility (Bayardo and Agrawal, ICDE 2005): Σ|G|² over groups, and for each person
    /// left out the size of the table.
    Dm,
    /// Mean over people of the levels climbed, by all levels there are, 0 to 1 (Samarati, TKDE 2001).
    Height,
    /// Non-uniform entropy (Gionis and Tassa, TKDE 2009), by its largest value, 0 to 1: Σ ln(n(v*)/n(v))
    /// over people and quasi-identifiers, where v* stands for v and n counts people in the table.
    Entropy,
}

impl Objective {
    /// The names by which policies call them.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("loss", Self::Loss),
        ("gcp", Self::Gcp),
        ("dm", Self::Dm),
        ("height", Self::Height),
        ("entropy", Self::Entropy),
    ];

    /// The name by which policies call it.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, objective)| *objective == self).map_or("", |(name, _)| name)
    }
}

/// The costs of all levels of all attributes.
///
/// All objectives but discernibility are sums over attributes. The cost with nobody left out is then known without
/// counting; leaving a person out adds what their values had kept. Both only grow along the lattice, and rounding
/// keeps it so, since sums are made in one order: what is called a floor here is one in floats too.
#[derive(Debug)]
pub(super) struct Costs {
    objective: Objective,
    everyone: u64,
    /// `kept[attribute][level]`: the cost with nobody left out.
    kept: Vec<Vec<f64>>,
    /// `added[attribute][level][value]`: what leaving out a person with this value adds.
    added: Vec<Vec<Vec<f64>>>,
}

impl Costs {
    pub(super) fn new(
        task: &Task<'_>,
        lattice: &Lattice,
        base: &Base,
        finest: &NodeCounts,
        objective: Objective,
    ) -> Self {
        let everyone = task.cells.total();
        let marginals: Vec<Vec<u64>> = base
            .codes
            .iter()
            .zip(&lattice.ladders)
            .map(|(codes, ladder)| {
                let mut people = vec![0; ladder.value_of_code[0].len()];
                codes.iter().zip(&finest.people).for_each(|(&code, &more)| people[code as usize] += more);
                people
            })
            .collect();
        let full = Full::new(lattice, &marginals, objective, everyone);
        let mut costs = Self { objective, everyone, kept: Vec::new(), added: Vec::new() };
        for ((ladder, scale), people) in lattice.ladders.iter().zip(task.scales).zip(&marginals) {
            let (mut kept, mut added): (Vec<f64>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
            for level in 0..ladder.levels() {
                let of_level = full.level(ladder, scale, level, people);
                let weight = scale.importance();
                kept.push((weight * of_level.kept).max(kept.last().copied().unwrap_or(0.0)));
                added.push(of_level.added.into_iter().map(|added| weight * added).collect());
            }
            costs.kept.push(kept);
            costs.added.push(added);
        }
        costs
    }

    /// Whether costs are only known when a node has been counted.
    pub(super) fn are_counted(&self) -> bool {
        self.objective == Objective::Dm
    }

    /// What a node costs at least, known without counting it.
    pub(super) fn floor(&self, levels: &[u16]) -> f64 {
        if self.are_counted() {
            // By Cauchy and Schwarz, n people in g groups have Σ|G|² ≥ n²/g.
            let groups: f64 = self.added.iter().zip(levels).map(|(added, &l)| added[l as usize].len() as f64).product();
            let everyone = self.everyone as f64;
            return everyone * everyone / groups.min(everyone);
        }
        self.kept.iter().zip(levels).map(|(kept, &level)| kept[level as usize]).sum()
    }

    /// The same if at least so many people are left out.
    pub(super) fn floor_without(&self, levels: &[u16], left_out: u64) -> f64 {
        if self.are_counted() || left_out == 0 {
            return self.floor(levels);
        }
        let attribute = |(attribute, &level): (usize, &u16)| {
            let least = self.added[attribute][level as usize].iter().copied().fold(f64::INFINITY, f64::min);
            // The true sum is made of other terms: leave more room than rounding can take.
            self.kept[attribute][level as usize] + least * left_out as f64 * (1.0 - tolerance::CUT)
        };
        levels.iter().enumerate().map(attribute).sum()
    }

    /// A floor for this node and all coarser ones that only counting shows; 0 where there is none.
    pub(super) fn counted_floor(&self, counts: &NodeCounts) -> f64 {
        if self.are_counted() { squares(counts.people.iter().copied()) as f64 } else { 0.0 }
    }

    /// What a node costs.
    pub(super) fn cost(
        &self,
        lattice: &Lattice,
        base: &Base,
        levels: &[u16],
        counts: &NodeCounts,
        out: &LeftOutNode,
    ) -> f64 {
        if self.are_counted() {
            let all = squares(counts.people.iter().copied());
            let gone = squares(out.groups.iter().map(|&group| counts.people[group as usize]));
            return (all - gone + u128::from(out.people) * u128::from(self.everyone)) as f64;
        }
        let attribute = |(attribute, &level): (usize, &u16)| {
            let level = level as usize;
            let added = &self.added[attribute][level];
            let values = &lattice.ladders[attribute].value_of_code[level];
            // People are added up as whole numbers, so that the order of groups does not matter.
            let mut gone = vec![0_u64; added.len()];
            for &group in &out.groups {
                let code = base.codes[attribute][counts.first[group as usize] as usize];
                gone[values[code as usize] as usize] += counts.people[group as usize];
            }
            let gone: f64 = gone.iter().zip(added).map(|(&gone, added)| gone as f64 * added).sum();
            self.kept[attribute][level] + gone
        };
        levels.iter().enumerate().map(attribute).sum()
    }
}

fn squares(people: impl Iterator<Item = u64>) -> u128 {
    people.map(|people| u128::from(people) * u128::from(people)).sum()
}

/// What full generalization costs, by which costs are divided.
struct Full {
    objective: Objective,
    attributes: f64,
    everyone: f64,
    heights: f64,
    information: f64,
}

struct LevelCost {
    kept: f64,
    added: Vec<f64>,
}

impl Full {
    fn new(lattice: &Lattice, marginals: &[Vec<u64>], objective: Objective, everyone: u64) -> Self {
        let everyone = everyone as f64;
        let heights = lattice.ladders.iter().map(|ladder| ladder.height as f64).sum();
        let codes = marginals.iter().flatten().filter(|&&people| people > 0);
        let information = codes.map(|&people| people as f64 * (everyone / people as f64).ln()).sum();
        Self { objective, attributes: lattice.attributes() as f64, everyone, heights, information }
    }

    fn level(&self, ladder: &GeneralizationLadder, scale: &Scale, level: usize, people_of_code: &[u64]) -> LevelCost {
        let nodes = &ladder.nodes[level];
        let mut people = vec![0_u64; nodes.len()];
        for (&value, &more) in ladder.value_of_code[level].iter().zip(people_of_code) {
            people[value as usize] += more;
        }
        let leaves = |value: usize| scale.tree().map_or(1, |tree| tree.size(nodes[value]));
        let domain = scale.ranks();
        match self.objective {
            Objective::Loss => {
                self.by_weight(&people, domain.saturating_sub(1), |value| leaves(value).saturating_sub(1))
            }
            Objective::Gcp => {
                self.by_weight(&people, if domain > 1 { domain } else { 0 }, |value| match leaves(value) {
                    1 => 0,
                    leaves => leaves,
                })
            }
            Objective::Dm => LevelCost { kept: 0.0, added: vec![0.0; nodes.len()] },
            Objective::Height if self.heights == 0.0 => self.by_weight(&people, 0, |_| 0),
            Objective::Height => {
                let top = ladder.height as f64;
                let added = (top - level as f64) / self.heights / self.everyone;
                LevelCost { kept: level as f64 / self.heights, added: vec![added; nodes.len()] }
            }
            Objective::Entropy if self.information == 0.0 => self.by_weight(&people, 0, |_| 0),
            Objective::Entropy => {
                let lost = |(code, &value): (usize, &u32)| match people_of_code[code] {
                    0 => 0.0,
                    n => n as f64 * (people[value as usize] as f64 / n as f64).ln(),
                };
                let kept = ladder.value_of_code[level].iter().enumerate().map(lost).sum::<f64>() / self.information;
                let added = |&n: &u64| (self.everyone / n.max(1) as f64).ln() / self.information;
                LevelCost { kept, added: people.iter().map(added).collect() }
            }
        }
    }

    /// A value costs `weight / full` to a person; without any `full` values cost nothing and leaving out costs all.
    fn by_weight(&self, people: &[u64], full: u32, weight: impl Fn(usize) -> u32) -> LevelCost {
        let share = 1.0 / (self.everyone * self.attributes);
        if full == 0 {
            return LevelCost { kept: 0.0, added: vec![share; people.len()] };
        }
        let weights = (0..people.len()).map(|value| u128::from(weight(value)) * u128::from(people[value]));
        let kept = weights.sum::<u128>() as f64 / f64::from(full) * share;
        let added = (0..people.len()).map(|value| f64::from(full - weight(value)) / f64::from(full) * share);
        LevelCost { kept, added: added.collect() }
    }
}
