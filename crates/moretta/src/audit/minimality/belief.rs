//! What knowing the program does to the belief in people's true values.

use serde_json::{Value as Json, json};

use crate::audit::finding::Finding;

/// The belief in people's true values, on average.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct BeliefInTruth {
    /// For who has the files alone.
    pub(super) before: f64,
    /// For who knows the program too.
    pub(super) after: f64,
}

/// Where findings say it.
const DETAIL: &str = "belief_in_true_values";

impl BeliefInTruth {
    /// The mean over people.
    pub(super) fn mean(of_people: impl Iterator<Item = (u64, Self)>) -> Self {
        let (mut people, mut sum) = (0, Self::default());
        for (here, belief) in of_people {
            people += here;
            sum.before += here as f64 * belief.before;
            sum.after += here as f64 * belief.after;
        }
        let people = people.max(1) as f64;
        Self { before: sum.before / people, after: sum.after / people }
    }
}

impl Finding {
    /// With what the belief in people's true values is and becomes.
    pub(super) fn believing(self, belief: BeliefInTruth) -> Self {
        self.detail(DETAIL, json!({ "before": belief.before, "after": belief.after }))
    }

    /// What the belief in people's true values is, and what it becomes for who knows the program.
    pub(crate) fn belief_in_true_values(&self) -> Option<(f64, f64)> {
        let belief = self.details.get(DETAIL)?;
        Some((belief.get("before").and_then(Json::as_f64)?, belief.get("after").and_then(Json::as_f64)?))
    }
}
