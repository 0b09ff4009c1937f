//! What a release costs those who analyse it.

pub mod classification;
mod ends;
pub mod frontier;
mod generalization;
pub mod groups;
pub mod populations;
pub mod privacy_loss;
#[cfg(test)]
mod properties;
mod query_error;
pub mod utility_loss;
pub mod yardstick;

pub use groups::Utility;
pub use yardstick::{Belief, Losses, Measuring, Yardstick};

use crate::hierarchy::Scale;
use crate::method::Plan;
use crate::model::{Groups, Whole};

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
