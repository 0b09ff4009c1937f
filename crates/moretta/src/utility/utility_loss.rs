//! What a release gets wrong about large populations.

use serde::{Deserialize, Serialize};

use super::evaluator::{Asked, LossEvaluator, normalized, padded};
use crate::error::Result;
use crate::release::Analyst;

/// The distance between the true and the estimated distribution of a sensitive attribute, over all large populations.
/// Li (2010), section 5.2.2: the mean counts, since knowledge adds up.
///
/// Where a release expects nobody, an analyst is left with what is known of everybody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UtilityLoss {
    /// The mean: U_loss.
    pub mean: f64,
    /// The largest.
    pub worst: f64,
}

impl UtilityLoss {
    pub(super) fn measure(evaluator: &LossEvaluator, release: &dyn Analyst, asked: &Asked) -> Result<Self> {
        let estimated = asked.histograms(release, &evaluator.large.populations)?;
        let overall = padded(&evaluator.overall, asked.values);
        let estimated = estimated.into_iter().map(|people| normalized(people).unwrap_or_else(|| overall.clone()));
        let truth = evaluator.truth.iter().map(|truth| padded(truth, asked.values));
        let distances = truth.zip(estimated).map(|(truth, estimated)| evaluator.distance.between(&estimated, &truth));
        Ok(Self::of(&distances.collect::<Vec<f64>>()))
    }

    pub(super) fn of(distances: &[f64]) -> Self {
        Self {
            mean: distances.iter().sum::<f64>() / distances.len().max(1) as f64,
            worst: distances.iter().copied().fold(0.0, f64::max),
        }
    }
}
