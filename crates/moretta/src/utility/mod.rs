//! What a release costs those who analyse it.

mod generalization;

use serde::Serialize;

pub use generalization::measure;

/// What generalization costs. Suppressed people count as full loss in every figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Utility {
    /// Discernibility: Σ|G|² over groups, and for each suppressed person the size of the table.
    pub dm: u64,
    /// (people / groups) / k: 1 where every group is as small as allowed; nothing where no k is promised.
    pub cavg: Option<f64>,
    /// Global certainty penalty, 0 to 1: mean over people and quasi-identifiers of NCP.
    pub gcp: f64,
    /// Mean over people and quasi-identifiers of (leaves − 1)/(domain − 1), 0 to 1.
    pub loss: f64,
    /// Distortion ratio: the sum of heights climbed by the sum of heights that could be climbed, 0 to 1.
    pub distortion: f64,
    /// Generalization height: the steps that a person's values climb together, on average.
    pub height: f64,
    /// 1 − mean over people and quasi-identifiers of height climbed by height of the hierarchy (Sweeney's Prec).
    pub precision: f64,
    /// Classification metric: the share of people who lack their group's most frequent sensitive value, or were
    /// left out; the mean over sensitive attributes, nothing without one.
    pub classification: Option<f64>,
    /// Σ |G|/|T| · H(G) in nats, summed over the sensitive attributes, those left out as one group with the
    /// entropy of the table; nothing without a sensitive attribute.
    pub entropy_loss: Option<f64>,
    /// What the groups tell: the entropy of the table less the entropy loss.
    pub entropy_utility: Option<f64>,
}
