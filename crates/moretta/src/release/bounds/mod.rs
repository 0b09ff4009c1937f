//! Intervals as typed columns: a generalized number or day as its two ends, each in a column of its own.
//!
//! A published label and its ends say the same: the one is a function of the other, both ways, and a column whose labels do not allow it stays text. So
//! whoever reads a release through [`Files`](super::Files) finds labels, and judges and answers as if they stood in the files.
//!
//! | label | low | high | missing |
//! |---|---|---|---|
//! | `37` | 37 | 37 | false |
//! | `[30, 39]` | 30 | 39 | false |
//! | `[30, 39] or missing` | 30 | 39 | |
//! | `*`, and the root of a hierarchy | | | |
//! | a missing value, published as such | | | true |
//!
//! The third column is there only where the release shows values that are missing, or may be. It is a question with three answers, as SQL has them: it is
//! missing, it is not, nobody says. Without it two empty ends stand for any value.

mod columns;
mod label;

use serde::{Deserialize, Serialize};

pub use columns::BoundPart;
pub(crate) use columns::{about, typed_columns};
pub(super) use columns::{fold, physical};

/// The columns in which the ends of intervals stand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypedBounds {
    /// The smallest value that is meant.
    pub low: String,
    /// The largest.
    pub high: String,
    /// Whether no value is known, where the release shows such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// Whether the high end does not belong to what is meant, unless it is the low end too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub high_excluded: bool,
}

impl TypedBounds {
    /// The names of an attribute's columns.
    fn of(attribute: &str, with_missing: bool, high_excluded: bool) -> Self {
        let missing = with_missing.then(|| format!("{attribute}_missing"));
        Self { low: format!("{attribute}_low"), high: format!("{attribute}_high"), missing, high_excluded }
    }

    /// The names of the columns, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        [&self.low, &self.high].into_iter().chain(&self.missing).map(String::as_str)
    }
}
