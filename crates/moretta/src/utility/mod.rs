//! What a release costs those who analyse it.

mod ends;
pub mod frontier;
mod generalization;
mod groups;
pub mod populations;
pub mod privacy_loss;
#[cfg(test)]
mod properties;
mod query_error;
pub mod utility_loss;
pub mod yardstick;

pub use yardstick::{Belief, Losses, Measuring, Yardstick};

use serde::Serialize;

use crate::hierarchy::Scale;
use crate::method::Plan;
use crate::model::{Groups, Whole};

/// What a release costs. Suppressed people count as full loss in every figure; a figure that means nothing for a kind
/// of release is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Utility {
    /// Discernibility: Σ|G|² over groups, and for each suppressed person the size of the table.
    pub dm: Option<u64>,
    /// (people / groups) / k: 1 where every group is as small as allowed; nothing where no k is promised.
    pub cavg: Option<f64>,
    /// Global certainty penalty, 0 to 1: mean over people and quasi-identifiers of NCP.
    pub gcp: Option<f64>,
    /// Mean over people and quasi-identifiers of (leaves − 1)/(domain − 1), 0 to 1.
    pub loss: Option<f64>,
    /// Distortion ratio: the sum of heights climbed by the sum of heights that could be climbed, 0 to 1.
    pub distortion: Option<f64>,
    /// Generalization height: the steps that a person's values climb together, on average.
    pub height: Option<f64>,
    /// 1 − mean over people and quasi-identifiers of height climbed by height of the hierarchy (Sweeney's Prec).
    pub precision: Option<f64>,
    /// Classification metric: the share of people who lack their group's most frequent sensitive value, or were
    /// left out; the mean over sensitive attributes, nothing without one.
    pub classification: Option<f64>,
    /// Σ |G|/|T| · H(G) in nats, summed over the sensitive attributes, those left out as one group with the
    /// entropy of the table; nothing without a sensitive attribute.
    pub entropy_loss: Option<f64>,
    /// What the groups tell: the entropy of the table less the entropy loss.
    pub entropy_utility: Option<f64>,
}

/// Measures a plan, and the groups that were read back from its release. Who of the `original` is not in the plan
/// was suppressed.
pub fn measure(plan: &Plan, scales: &[Scale], groups: Option<&Groups>, original: &Whole, k: Option<u64>) -> Utility {
    let suppressed = original.people - plan.people();
    let of_groups = groups.map(|groups| groups::measure(groups, original, suppressed, k)).unwrap_or_default();
    match plan {
        Plan::Generalized(grouping) => generalization::measure(grouping, scales, original.people, of_groups),
        // Exact values: only who was left out is lost.
        Plan::Bucketized(_) | Plan::Distribution(_) => {
            let lost = Some(suppressed as f64 / original.people.max(1) as f64);
            Utility { gcp: lost, loss: lost, distortion: lost, precision: lost.map(|lost| 1.0 - lost), ..of_groups }
        }
        Plan::Ambiguous(_) | Plan::Condensed(_) => of_groups,
        // Nobody is in a group, and nothing is generalized.
        Plan::Uncertain(_) => Utility::default(),
        Plan::Sliced(slices) => {
            let mut sizes = vec![0; slices.buckets.len];
            slices.buckets.pieces.iter().for_each(|piece| sizes[piece.group as usize] += piece.people);
            Utility { dm: Some(sizes.iter().map(|size| size * size).sum()), cavg: None, ..of_groups }
        }
    }
}
