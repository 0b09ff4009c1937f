//! The formats of released tables.

use serde::{Deserialize, Serialize};

/// The format of a table's file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum FileFormat {
    /// Comma-separated values, UTF-8, quoted where needed.
    #[default]
    Csv,
    /// Apache Parquet.
    Parquet,
    /// A spreadsheet of one sheet, for small releases: at most 1,048,575 rows.
    Xlsx,
}

impl FileFormat {
    /// All formats with the names by which policies call them.
    pub const NAMES: [(&'static str, Self); 3] = [("csv", Self::Csv), ("parquet", Self::Parquet), ("xlsx", Self::Xlsx)];

    /// The name by which policies call it.
    pub fn name(self) -> &'static str {
        self.extension()
    }

    /// The most rows that a table of it holds, where that is few.
    pub fn most_rows(self) -> Option<u64> {
        (self == Self::Xlsx).then_some(1_048_575)
    }

    /// The ending of a file's name.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Parquet => "parquet",
            Self::Xlsx => "xlsx",
        }
    }
}

/// How generalized numbers and days are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum IntervalForm {
    /// In one column of texts, such as `[20, 29]`.
    #[default]
    Text,
    /// In typed columns of their ends, such as `age_low` and `age_high`.
    Bounds,
}

impl IntervalForm {
    /// All forms with the names by which policies call them.
    pub const NAMES: [(&'static str, Self); 2] = [("text", Self::Text), ("bounds", Self::Bounds)];

    /// The name by which policies call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Bounds => "bounds",
        }
    }
}
