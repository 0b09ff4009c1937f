//! The tables of a workspace.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use moretta::files::{self, ReadOptions};
use moretta::{Error, Fault, Result};
use serde::{Deserialize, Serialize};

use super::Workspace;

/// Folders that hold no tables of people.
const OTHERS: [&str; 4] = ["releases", "hierarchies", "cache", "comparison"];

/// How deep tables are looked for.
const DEEPEST: usize = 3;

/// What a name ends in that may be a table.
pub(super) const ENDINGS: [&str; 6] = [".csv", ".tsv", ".txt", ".csv.gz", ".csv.zst", ".parquet"];

/// A file that may hold a table.
#[derive(Debug)]
pub(crate) struct TableFile {
    /// Its name, relative to the workspace.
    pub(crate) name: String,
    pub(crate) bytes: u64,
}

/// What tells whether a file is still the one that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    pub(crate) table: String,
    bytes: u64,
    modified: u128,
}

/// The first rows of a table.
#[derive(Debug)]
pub(crate) struct Preview {
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<Option<Box<str>>>>,
}

impl Workspace {
    /// The tables, by name.
    pub(crate) fn tables(&self) -> Vec<TableFile> {
        let mut found = Vec::new();
        self.look_into(self.root(), 1, &mut found);
        found.sort_by(|a, b| a.name.cmp(&b.name));
        found
    }

    fn look_into(&self, folder: &Path, depth: usize, found: &mut Vec<TableFile>) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let Some(name) = path.strip_prefix(self.root()).ok().and_then(Path::to_str) else { continue };
            let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            if is_hidden || OTHERS.contains(&name) || self.inside(name).is_err() {
                continue;
            }
            match fs::metadata(&path) {
                Ok(about) if about.is_dir() && depth < DEEPEST => self.look_into(&path, depth + 1, found),
                Ok(about) if about.is_file() && is_table(name) => {
                    found.push(TableFile { name: name.to_owned(), bytes: about.len() });
                }
                _ => {}
            }
        }
    }

    /// What a table is now.
    pub(crate) fn stamp(&self, table: &str) -> Result<Stamp> {
        let path = self.inside(table)?;
        let about = fs::metadata(&path).map_err(|e| Error::machine("look at the table", &path, e))?;
        let modified = about.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Ok(Stamp { table: table.to_owned(), bytes: about.len(), modified: modified.map_or(0, |time| time.as_nanos()) })
    }

    /// The first rows of a table. No more of the file is read than they need.
    pub(crate) fn preview(&self, table: &str, most: usize) -> Result<Preview> {
        let source = files::open(self.inside(table)?, ReadOptions::detect())?;
        let columns = source.names().to_vec();
        let wanted: Vec<usize> = (0..columns.len()).collect();
        let mut rows: Vec<Vec<Option<Box<str>>>> = Vec::new();
        let streamed = source.stream(&wanted, &mut |batch| {
            for row in 0..batch.rows.min(most - rows.len()) {
                rows.push(batch.columns.iter().map(|column| column[row].clone()).collect());
            }
            if rows.len() >= most { Err(Error::cancelled()) } else { Ok(()) }
        });
        match streamed {
            Err(error) if error.fault() != Fault::Cancelled => Err(error),
            _ => Ok(Preview { columns, rows }),
        }
    }

    /// Where a table stands, as a path.
    pub(crate) fn table(&self, name: &str) -> Result<PathBuf> {
        let path = self.inside(name)?;
        if path.is_file() {
            Ok(path)
        } else {
            Err(Error::input(format!("there is no table {name:?} in the workspace")))
        }
    }
}

/// Whether a name is that of a table.
pub(super) fn is_table(name: &str) -> bool {
    let name = name.to_lowercase();
    ENDINGS.iter().any(|ending| name.ends_with(ending))
}
