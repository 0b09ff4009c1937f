//! What a release costs those who analyse it.

pub mod bound;
mod ends;
pub mod evaluator;
pub mod frontier;
mod parts;
pub mod populations;
pub mod privacy_loss;
#[cfg(test)]
mod properties;
mod query_error;
pub mod utility_loss;
mod yardstick;

pub use evaluator::{Belief, LossConfig, LossEvaluator, Losses};
pub use yardstick::Yardstick;

use crate::hierarchy::Scale;
use crate::kind::Plan;
use crate::release::costs::{self, Utility};
use crate::release::{Groups, TableSummary};

/// Measures a plan, and the groups that were read back from its release. Who of the `original` is not in the plan
/// was suppressed.
pub fn measure(
    plan: &dyn Plan,
    scales: &[Scale],
    groups: Option<&Groups>,
    original: &TableSummary,
    k: Option<u64>,
) -> Utility {
    let suppressed = original.people - plan.people();
    let of_groups = groups.map(|groups| costs::measure(groups, original, suppressed, k)).unwrap_or_default();
    plan.costs(of_groups, scales, original)
}
