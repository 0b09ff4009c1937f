//! From the distribution that is wished for to one that a release can follow exactly.

use super::annotated::Annotated;
use super::derive;
use crate::error::{Error, Result};
use crate::kind::distribution::ladder::Ladder;
use crate::model::p_private::{Listed, TargetPrivacy, TargetSpec};

/// A distribution that a group will follow, and how far it is from the one wished for.
#[derive(Clone, Debug)]
pub(crate) struct EffectiveTarget {
    /// The effective distribution.
    pub(crate) tree: Annotated,
    /// Half the sum of absolute differences of probabilities.
    pub(crate) distance: f64,
}

/// Finds what groups aim at.
pub(crate) struct TargetResolver<'a> {
    pub(crate) ladder: &'a Ladder,
    pub(crate) promise: &'a TargetPrivacy,
    /// The people of the whole table, by rank.
    pub(crate) table: Vec<u64>,
}

impl TargetResolver<'_> {
    /// Whether all groups have the same target.
    pub(crate) fn is_shared(&self) -> bool {
        match &self.promise.wish {
            TargetSpec::Group | TargetSpec::Model(_) => false,
            TargetSpec::Listed(listed) => listed.rows.iter().all(|(group, _, _)| group.is_none()),
            _ => true,
        }
    }

    /// The target of a group, whose people by rank are given.
    pub(crate) fn aim(&self, group: &[u64], label: &str) -> Result<EffectiveTarget> {
        let (wished, tree) = match &self.promise.wish {
            TargetSpec::Model(model) => derive::closest(&**model, self, group, label)?,
            wish => {
                let wished = self.wished(wish, group, label)?;
                let tree = Annotated::nearest(self.ladder.shape.clone(), &wished, self.promise.max_denominator);
                (wished, tree)
            }
        };
        let distance = distance(&wished, &tree)?;
        Ok(EffectiveTarget { tree, distance })
    }

    fn wished(&self, wish: &TargetSpec, group: &[u64], label: &str) -> Result<Vec<f64>> {
        let ladder = self.ladder;
        let wished: Vec<f64> = match wish {
            TargetSpec::Uniform => vec![1.0; ladder.values.len()],
            TargetSpec::Table => floats(&self.table),
            TargetSpec::Group => floats(group),
            TargetSpec::Zipf { s } => (1..=ladder.values.len()).map(|k| (k as f64).powf(-s)).collect(),
            TargetSpec::Normal { mean, variance } => self.normal(*mean, *variance)?,
            TargetSpec::Listed(listed) => self.listed(listed, label)?,
            TargetSpec::Stated | TargetSpec::Model(_) => {
                return Err(Error::input("the target \"stated\" is that of a release that is there already")
                    .help("state a distribution, for example target = \"table\""));
            }
        };
        let sum: f64 = wished.iter().sum();
        if sum > 0.0 && sum.is_finite() {
            return Ok(wished);
        }
        Err(Error::data(format!("the target of group {label:?} gives no value any weight, or too much to add up"))
            .help("no hierarchy can hide a value in a distribution that is nowhere"))
    }

    /// The density at each value, from its highest down, so that it is never 0 everywhere.
    fn normal(&self, mean: f64, variance: f64) -> Result<Vec<f64>> {
        let number = |value: &crate::data::value::Value| {
            value.as_number().ok_or_else(|| {
                Error::input(format!("a normal target needs numbers, and {:?} has none", self.ladder.name))
                    .help("choose another target, or state the attribute's `type`")
            })
        };
        let numbers = self.ladder.values.iter().map(number).collect::<Result<Vec<f64>>>()?;
        let exponents: Vec<f64> = numbers.iter().map(|x| -(x - mean) * (x - mean) / (2.0 * variance)).collect();
        let highest = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Ok(exponents.iter().map(|exponent| (exponent - highest).exp()).collect())
    }

    fn listed(&self, listed: &Listed, label: &str) -> Result<Vec<f64>> {
        let mut wished = vec![0.0; self.ladder.values.len()];
        for (_, value, weight) in listed.rows.iter().filter(|(group, _, _)| group.as_deref().is_none_or(|g| g == label))
        {
            let rank = self.ladder.find(value).ok_or_else(|| {
                Error::input(format!("the target lists {value:?}, which is no value of {:?}", self.ladder.name))
                    .help("list values of the attribute, or leaves of its hierarchy")
            })?;
            wished[rank as usize] += weight;
        }
        Ok(wished)
    }
}

pub(super) fn floats(counts: &[u64]) -> Vec<f64> {
    counts.iter().map(|&count| count as f64).collect()
}

/// The total variation distance between a wish and what became of it.
fn distance(wished: &[f64], tree: &Annotated) -> Result<f64> {
    let sum: f64 = wished.iter().sum();
    let shares = tree.leaf_shares()?;
    let gaps = wished.iter().zip(&shares).map(|(wish, share)| (wish / sum - share.to_f64()).abs());
    Ok(gaps.sum::<f64>() / 2.0)
}
