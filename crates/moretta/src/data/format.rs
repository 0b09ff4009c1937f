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
}

impl FileFormat {
    /// All formats with the names by which policies call them.
    pub const NAMES: [(&'static str, Self); 2] = [("csv", Self::Csv), ("parquet", Self::Parquet)];

    /// The name by which policies call it.
    pub fn name(self) -> &'static str {
        self.extension()
    }

    /// The ending of a file's name.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Parquet => "parquet",
        }
    }
}
