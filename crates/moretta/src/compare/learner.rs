//! What can be learned from a release, as a measure that the caller brings.

use std::fmt::Debug;

use serde::{Deserialize, Serialize};

use crate::chance::Seed;
use crate::error::Result;
use crate::policy::Policy;
use crate::prepare::Prepared;
use crate::progress::Progress;

/// What is to be learned, as a plan states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LearningTask {
    /// The attribute that is predicted from the others: a sensitive one or a quasi-identifier; the first sensitive one if
    /// not stated.
    pub target: Option<String>,
    /// Into how many parts people are split; each is held out once.
    pub folds: usize,
}

/// The share of held-out people who are predicted right.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Accuracy {
    /// By a decision tree.
    pub tree: f64,
    /// By naive Bayes.
    pub bayes: f64,
    /// By always naming the most frequent value of the release.
    pub majority: f64,
    /// By the densities that fit best, where a release has densities and the target is sensitive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub densities: Option<f64>,
}

/// Learns from releases. The library has no learner of its own: who compares brings one.
pub trait Learner: Debug + Send + Sync {
    /// Holds people of a table out in turn, once for all candidates.
    fn prepare<'a>(
        &self,
        task: &'a LearningTask,
        policy: &Policy,
        prepared: &'a Prepared,
        seed: Seed,
        progress: &Progress,
    ) -> Result<Box<dyn Lessons + 'a>>;
}

/// What can be learned about the people who are held out.
pub trait Lessons: Send + Sync {
    /// Learns from the original of all people but those held out: the most that can be learned by these means.
    fn of_original(&self, progress: &Progress) -> Result<Accuracy>;

    /// Learns from what a policy publishes of all people but those held out.
    fn of_candidate(&self, policy: &Policy, progress: &Progress) -> Result<Accuracy>;
}
