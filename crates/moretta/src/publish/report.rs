//! What publishing reports.

use serde::Serialize;

use crate::data::table::ReadCounts;
use crate::model::Verdict;
use crate::release::costs::Utility;

/// What was published, what it promises, what it costs.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The version of this shape.
    pub schema: u32,
    /// The method.
    pub method: &'static str,
    /// The people in the table, after the policy's filter and rule for missing values.
    pub rows_in: u64,
    /// The people in the release.
    pub rows_out: u64,
    /// The people left out to keep the promise.
    pub suppressed: u64,
    /// How many different people the rows of the table belong to, where several may belong to one: then all counts above are of rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub people_in: Option<u64>,
    /// The same of the rows in the release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub people_out: Option<u64>,
    /// The groups in the release.
    pub groups: u64,
    /// The judgement about each promise, from the released files.
    pub guarantees: Vec<Verdict>,
    /// What the release costs.
    pub utility: Utility,
    /// The loss that no generalized release under these promises and hierarchies can be below, where that was asked: proved, and rounded down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// How much more than the bound is lost: loss / bound − 1; nothing where the bound is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<f64>,
    /// Rows of the source that were not considered.
    pub left_out: LeftOut,
    /// What a steward should look at.
    pub warnings: Vec<String>,
    /// Where the time went.
    pub seconds: Seconds,
    /// The largest memory that the process has used, in MiB; nothing where the system does not tell.
    pub peak_rss_mb: Option<f64>,
}

/// Rows of the source that were not considered.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct LeftOut {
    /// By the policy's filter.
    pub filtered: u64,
    /// Because they lack a value.
    pub missing: u64,
    /// Because they stand for nobody.
    pub weightless: u64,
}

/// Where the time went.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Seconds {
    /// Reading the table.
    pub read: f64,
    /// Planning the release.
    pub publish: f64,
    /// Proving what no release can lose less than, where that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// Writing it.
    pub write: f64,
    /// Reading it back and checking it.
    pub check: f64,
}

impl From<ReadCounts> for LeftOut {
    fn from(tally: ReadCounts) -> Self {
        Self { filtered: tally.filtered, missing: tally.missing, weightless: tally.weightless }
    }
}
