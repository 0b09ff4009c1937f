//! What a release tells about people, beyond what the table without quasi-identifiers would.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::evaluator::{Asked, LossEvaluator, padded};
use crate::data::cells::count_distinct;
use crate::error::Result;
use crate::kind::OpenRelease;
use crate::progress::Progress;
use crate::release::Groups;

/// The distance between the overall distribution of a sensitive attribute and what can be believed of a person, over
/// all people. Li (2010), section 5.2.1: the worst counts, since everybody's privacy does.
///
/// The belief is the release's own posterior, so the measure means the same for every kind of release; see
/// `Belief` for the other. Of whom the release
/// says nothing, nothing is learned: 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PrivacyLoss {
    /// The largest: P_loss.
    pub worst: f64,
    /// The mean over people.
    pub mean: f64,
    /// Half of the people lose no more.
    pub median: f64,
    /// 95 % of the people lose no more.
    pub p95: f64,
}

impl PrivacyLoss {
    pub(super) fn measure(
        evaluator: &LossEvaluator,
        release: &dyn OpenRelease,
        asked: &Asked,
        progress: &Progress,
    ) -> Result<Self> {
        let quasi = evaluator.original().quasi;
        let columns: Vec<(&[u32], usize)> = quasi
            .iter()
            .zip(&evaluator.cells.columns)
            .map(|((_, domain), codes)| (codes.as_slice(), domain.len()))
            .collect();
        let persons = count_distinct(&columns, evaluator.cells.len(), Some(&evaluator.cells.people));
        let adversary = release.adversary(&quasi)?;
        let overall = padded(&evaluator.overall, asked.values);
        let loss = |person: usize| {
            progress.check()?;
            let known: Vec<u32> = persons.columns.iter().map(|column| column[person]).collect();
            let belief = adversary.posterior(&known, evaluator.attribute);
            Ok(belief.map_or(0.0, |belief| evaluator.distance.between(&asked.by_code(&belief), &overall)))
        };
        let losses = (0..persons.len()).into_par_iter().map(loss).collect::<Result<Vec<f64>>>()?;
        Ok(Self::of(losses.into_iter().zip(persons.people).collect()))
    }

    /// The same for an adversary who knows everybody's group.
    pub(super) fn of_groups(evaluator: &LossEvaluator, groups: &Groups, asked: &Asked, progress: &Progress) -> Self {
        let overall = padded(&evaluator.overall, asked.values);
        let loss = |group: usize| {
            if progress.is_cancelled() {
                return (0.0, 1);
            }
            let (codes, held) = groups.held(evaluator.attribute, group);
            let mut belief = vec![0.0; asked.values];
            for (&code, &held) in codes.iter().zip(held) {
                belief[asked.codes[code as usize]] += held as f64 / groups.people[group] as f64;
            }
            (evaluator.distance.between(&belief, &overall), groups.people[group])
        };
        Self::of((0..groups.len()).into_par_iter().map(loss).collect())
    }

    /// Sums up losses, each of so many people.
    pub(super) fn of(mut losses: Vec<(f64, u64)>) -> Self {
        losses.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let everybody: u64 = losses.iter().map(|(_, people)| people).sum();
        let at = |share: f64| {
            let mut before = 0;
            let reached = |(_, people): &&(f64, u64)| {
                before += people;
                before as f64 >= share * everybody as f64
            };
            losses.iter().find(reached).map_or(0.0, |(loss, _)| *loss)
        };
        let sum: f64 = losses.iter().map(|&(loss, people)| loss * people as f64).sum();
        Self {
            worst: losses.last().map_or(0.0, |(loss, _)| *loss),
            mean: sum / everybody.max(1) as f64,
            median: at(0.5),
            p95: at(0.95),
        }
    }
}
