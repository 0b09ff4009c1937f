//! Where the rows of a table stand: in a file, or in a folder of parts.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::data::format::FileFormat;
use crate::storage::hexadecimal;

/// A table's file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableFile {
    /// The table's name.
    pub name: String,
    /// The file's name.
    pub file: String,
    /// Its format.
    pub format: FileFormat,
    /// Its rows.
    pub rows: u64,
    /// Its length.
    pub bytes: u64,
    /// Its SHA-256, in hexadecimal.
    pub sha256: String,
    /// The files in it, where it is a folder: their rows follow each other in this order. Its SHA-256 is then that of their list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartFile>,
}

/// A file that holds some of a table's rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartFile {
    /// The file's name, within the table's folder.
    pub file: String,
    /// Its rows.
    pub rows: u64,
    /// Its length.
    pub bytes: u64,
    /// Its SHA-256, in hexadecimal.
    pub sha256: String,
}

impl TableFile {
    /// A table that is a folder of parts.
    pub fn of_parts(name: &str, folder: String, format: FileFormat, parts: Vec<PartFile>) -> Self {
        let sum = |of: fn(&PartFile) -> u64| parts.iter().map(of).fold(0, u64::saturating_add);
        let (rows, bytes, sha256) = (sum(|part| part.rows), sum(|part| part.bytes), Self::hash_of_list(&parts));
        Self { name: name.to_owned(), file: folder, format, rows, bytes, sha256, parts }
    }

    /// The files that hold its rows, by their names on the release's shelf.
    pub fn files(&self) -> Vec<String> {
        if self.parts.is_empty() {
            return vec![self.file.clone()];
        }
        self.parts.iter().map(|part| format!("{}/{}", self.file, part.file)).collect()
    }

    /// Whether what is said of the whole follows from what is said of the parts.
    pub(crate) fn agrees_with_its_parts(&self) -> bool {
        let same = || Self::of_parts(&self.name, self.file.clone(), self.format, self.parts.clone());
        self.parts.is_empty() || *self == same()
    }

    /// The digest of `SHA-256 rows name`, a line for each part.
    fn hash_of_list(parts: &[PartFile]) -> String {
        let mut digest = Sha256::new();
        parts.iter().for_each(|part| digest.update(format!("{} {} {}\n", part.sha256, part.rows, part.file)));
        hexadecimal(&digest.finalize())
    }
}
