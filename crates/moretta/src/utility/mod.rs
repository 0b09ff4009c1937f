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
    /// Distortion ratio: heights climbed by heights that could be climbed, 0 to 1.
    pub distortion: f64,
    /// Σ |G|/|T| · H(G) in nats, summed over the sensitive attributes, those left out as one group with the
    /// entropy of the table; nothing without a sensitive attribute.
    pub entropy_loss: Option<f64>,
}
