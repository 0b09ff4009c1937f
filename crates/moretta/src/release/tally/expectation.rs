//! Who is expected to be in: estimates of aggregates.

use super::law::ValueDistribution;
use crate::data::merge_counts;
use crate::numeric::tolerance;

/// People who are in with some chance, each by itself, and then have a value that follows a law.
#[derive(Clone, Debug, Default)]
pub struct Expectation {
    laws: Vec<ValueDistribution>,
    draws: Vec<Draw>,
    /// Some have values of which the release says nothing.
    unknown: bool,
}

#[derive(Clone, Copy, Debug)]
struct Draw {
    law: u32,
    chance: f64,
    people: f64,
}

impl Expectation {
    /// A law that people follow, to be named in [`Expectation::expect`].
    pub fn law(&mut self, law: Option<ValueDistribution>) -> Option<u32> {
        self.laws.push(law?);
        Some(self.laws.len() as u32 - 1)
    }

    /// Expects people: each is in with a chance, with a value that follows a law.
    pub fn expect(&mut self, people: f64, chance: f64, law: Option<u32>) {
        match law {
            _ if people <= 0.0 || chance <= 0.0 => {}
            Some(law) => self.draws.push(Draw { law, chance: chance.min(1.0), people }),
            None => self.unknown = true,
        }
    }

    /// The expected number of people.
    fn people(&self) -> f64 {
        self.draws.iter().map(|draw| draw.people * draw.chance).sum()
    }

    /// The expected sum.
    pub fn sum(&self) -> Option<f64> {
        let value = |draw: &Draw| draw.people * draw.chance * self.laws[draw.law as usize].mean;
        (!self.unknown).then(|| self.draws.iter().map(value).sum())
    }

    /// The expected sum by the expected number; nothing if nobody is expected.
    pub fn mean(&self) -> Option<f64> {
        let people = self.people();
        if people > 0.0 { self.sum().map(|sum| sum / people) } else { None }
    }

    /// The expected smallest value, given that somebody is in; nothing if nobody is expected.
    pub fn smallest(&self) -> Option<f64> {
        self.end(1.0)
    }

    /// The expected largest value.
    pub fn largest(&self) -> Option<f64> {
        self.end(-1.0).map(|x| -x)
    }

    /// With everybody by themselves, nobody is below x with probability ∏ (1 − chance · F(x)).
    fn end(&self, sign: f64) -> Option<f64> {
        let mut draws = self.merged();
        if self.unknown || draws.is_empty() {
            return None;
        }
        draws.sort_unstable_by(|a, b| {
            (a.law, a.chance).partial_cmp(&(b.law, b.chance)).unwrap_or(std::cmp::Ordering::Equal)
        });
        let mut used: Vec<(&ValueDistribution, &[Draw])> = Vec::new();
        for same in draws.chunk_by(|a, b| a.law == b.law) {
            used.push((&self.laws[same[0].law as usize], same));
        }
        let mut steps: Vec<(f64, u32, f64)> = Vec::new();
        for (index, (law, _)) in (0..).zip(&used) {
            steps.extend(law.points.iter().map(|&(value, share)| (sign * value, index, share)));
        }
        steps.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut below = vec![0.0_f64; used.len()];
        let mut parts = vec![0.0_f64; used.len()];
        let (mut doubt, mut found, mut expected) = (0.0_f64, 0.0_f64, 0.0);
        for level in steps.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
            for &(_, index, share) in level {
                let index = index as usize;
                below[index] += share;
                let part: f64 = used[index]
                    .1
                    .iter()
                    .map(|draw| draw.people * f64::ln_1p(-(draw.chance * below[index].min(1.0)).min(1.0)))
                    .sum();
                doubt = if part == f64::NEG_INFINITY { part } else { doubt + part - parts[index] };
                parts[index] = part;
            }
            let now = -f64::exp_m1(doubt);
            expected += (now - found) * level[0].0;
            found = now;
            if found >= 1.0 - tolerance::MISSING_PROBABILITY {
                break;
            }
        }
        Some(expected / found)
    }

    /// People who follow the same law with the same chance, together.
    fn merged(&self) -> Vec<Draw> {
        let mut draws = self.draws.clone();
        draws.sort_unstable_by(|a, b| a.law.cmp(&b.law).then(a.chance.total_cmp(&b.chance)));
        let same = |a: &Draw, b: &Draw| a.law == b.law && a.chance.total_cmp(&b.chance).is_eq();
        merge_counts(&mut draws, same, |draw| &mut draw.people);
        draws
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Every outcome of a few people, one by one.
        #[test]
        fn expectations_are_sums_over_all_outcomes(
            people in proptest::collection::vec((0..5_u8, proptest::collection::vec((-3_i8..4, 1..4_u8), 1..4)), 1..5)
        ) {
            let mut expectation = Expectation::default();
            let mut outcomes: Vec<(f64, Vec<f64>)> = vec![(1.0, Vec::new())];
            for (quarters, points) in &people {
                let chance = f64::from(*quarters) / 4.0;
                let law = ValueDistribution::weighted(points.iter().map(|(v, w)| (f64::from(*v), f64::from(*w))).collect());
                let total: f64 = points.iter().map(|(_, w)| f64::from(*w)).sum();
                let number = expectation.law(law);
                expectation.expect(1.0, chance, number);
                outcomes = outcomes.iter().flat_map(|(p, values)| {
                    let stays = (p * (1.0 - chance), values.clone());
                    let comes = points.iter().map(|(v, w)| {
                        let values = values.iter().copied().chain([f64::from(*v)]).collect();
                        (p * chance * f64::from(*w) / total, values)
                    });
                    comes.chain([stays]).collect::<Vec<_>>()
                }).collect();
            }
            let sum: f64 = outcomes.iter().map(|(p, values)| p * values.iter().sum::<f64>()).sum();
            prop_assert!((expectation.sum().unwrap() - sum).abs() < 1e-9);
            let somebody: f64 = outcomes.iter().filter(|(_, values)| !values.is_empty()).map(|(p, _)| p).sum();
            if somebody > 0.0 {
                let least = |values: &Vec<f64>| values.iter().copied().fold(f64::INFINITY, f64::min);
                let of = |f: &dyn Fn(&Vec<f64>) -> f64| {
                    outcomes.iter().filter(|(_, values)| !values.is_empty()).map(|(p, values)| p * f(values)).sum::<f64>() / somebody
                };
                prop_assert!((expectation.smallest().unwrap() - of(&least)).abs() < 1e-9);
                let most = |values: &Vec<f64>| values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                prop_assert!((expectation.largest().unwrap() - of(&most)).abs() < 1e-9);
            } else {
                prop_assert_eq!(expectation.smallest(), None);
            }
        }
    }
}
