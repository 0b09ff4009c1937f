//! What is promised, and what no release of a table can promise.

use crate::error::{Code, Error, Result};
use crate::method::Task;
use crate::model::alpha_beta_privacy::{AlphaBeta, Presence};
use crate::model::find_model;
use crate::numeric::{Ratio, Threshold};

/// α and β, with the sensitive attributes that β is about.
#[derive(Clone, Debug)]
pub(super) struct AmbiguityPromise {
    pub(super) alpha: Threshold,
    pub(super) beta: Threshold,
    pub(super) presence: Presence,
    /// The fewest people of a group, by what is promised about its size.
    pub(super) least: u64,
    /// Places among the sensitive attributes.
    pub(super) protected: Vec<usize>,
}

impl AmbiguityPromise {
    pub(super) fn of(task: &Task<'_>) -> Result<Self> {
        let model: &AlphaBeta = find_model(task.requirement.models()).ok_or_else(|| {
            Error::input("the method ambiguity needs a bound of presence and of values")
                .help("require alpha-beta-privacy, which states them")
        })?;
        let sensitive = task.whole.sensitive.iter().enumerate();
        let protected = sensitive.filter(|(_, s)| model.protects(&s.name)).map(|(index, _)| index).collect();
        let least = task.requirement.least_people();
        Ok(Self { alpha: model.alpha(), beta: model.beta(), presence: model.presence(), least, protected })
    }

    /// Whether a group of `people` that covers so many combinations hides presence.
    pub(super) fn hides_presence(&self, people: u64, combinations: u128) -> bool {
        let num = u128::from(people).min(combinations);
        Ratio { num, den: combinations.max(1) }.at_most(self.alpha)
    }

    /// Whether a value that `held` of `people` have is hidden.
    pub(super) fn hides_value(&self, held: u64, people: u64) -> bool {
        Ratio { num: held.into(), den: u128::from(people).max(1) }.at_most(self.beta)
    }

    /// The most people of a group of `people` who may share a value.
    #[expect(clippy::cast_sign_loss, reason = "beta is not negative")]
    pub(super) fn most_alike(&self, people: u64) -> u64 {
        let near = (self.beta.to_f64() * people as f64) as u64 + 1;
        (0..=near).rev().find(|&held| self.hides_value(held, people)).unwrap_or(0)
    }

    /// The fewest people of a group that hides a value of one of them, ⌈1/β⌉, and is as large as promised.
    #[expect(clippy::cast_sign_loss, reason = "beta is not negative")]
    pub(super) fn least_people(&self) -> u64 {
        let near = (1.0 / self.beta.to_f64()) as u64;
        let hiding = (near.saturating_sub(1).max(1)..=near + 1).find(|&people| self.hides_value(1, people));
        hiding.unwrap_or(near + 1).max(self.least)
    }

    /// Refuses what no release of the table can promise, naming the bound.
    pub(super) fn refuse_impossible(&self, task: &Task<'_>) -> Result<()> {
        let sizes = distinct_values(task);
        let (bound, people) = least_presence(&sizes, self.least_people(), task.whole.people);
        if !self.hides_presence(bound.num as u64, bound.den) {
            let bound = bound.to_f64();
            return Err(Error::data(format!(
                "alpha = {} can't hold: with beta = {} no group of this table covers enough combinations; \
                 the least presence is {bound:.6}, in a group of {people}",
                self.alpha.to_f64(),
                self.beta.to_f64()
            ))
            .coded(Code::PromiseImpossible)
            .help(format!("an alpha of at least {bound:.6} might, or more quasi-identifiers, or finer ones")));
        }
        Ok(())
    }
}

/// How many values of each quasi-identifier occur.
pub(super) fn distinct_values(task: &Task<'_>) -> Vec<u64> {
    task.scales.iter().map(|scale| scale.domain().len() as u64).collect()
}

/// The least g / ∏ min(g, Dᵢ) over group sizes g from `least` to `most`, and that g. Beyond the largest Dᵢ the
/// product grows no more.
pub(super) fn least_presence(sizes: &[u64], least: u64, most: u64) -> (Ratio, u64) {
    let presence = |people: u64| {
        let product = sizes.iter().fold(1, |product: u128, &size| product.saturating_mul(people.min(size).into()));
        Ratio { num: u128::from(people).min(product), den: product }
    };
    let largest = sizes.iter().copied().max().unwrap_or(1).clamp(least, most.max(least));
    let best = (least..=largest).min_by(|&a, &b| presence(a).to_f64().total_cmp(&presence(b).to_f64()));
    let best = best.unwrap_or(least);
    (presence(best), best)
}
