//! The tables of a workspace.

use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use moretta::{Error, Fault, Result, Source};
use serde::{Deserialize, Serialize};

use super::{TableName, Workspace};

/// Folders that hold no tables of people.
const OTHERS: [&str; 4] = ["releases", super::trees::FOLDER, "cache", "comparison"];

/// How deep tables are looked for.
const DEEPEST: usize = 3;

/// What a name ends in that may be a table.
pub(super) const ENDINGS: [&str; 8] = [".csv", ".tsv", ".txt", ".csv.gz", ".csv.zst", ".parquet", ".xlsx", ".ods"];

/// What a name ends in that may be a database.
pub(super) const DATABASES: [&str; 3] = [".sqlite", ".sqlite3", ".db"];

/// The most signs of a value that a preview shows.
const LONGEST: usize = 200;

/// A file that may hold a table.
#[derive(Debug)]
pub(crate) struct TableFile {
    /// Its name, relative to the workspace.
    pub(crate) name: String,
    pub(crate) bytes: u64,
    /// Whether it is a database, of which one table is meant.
    pub(crate) is_database: bool,
}

/// What tells whether a table is still the one that was looked at. Of a server nobody says that but the steward.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    pub(crate) table: TableName,
    bytes: u64,
    modified: u128,
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
                    let is_database = ends_in(name, &DATABASES);
                    found.push(TableFile { name: name.to_owned(), bytes: about.len(), is_database });
                }
                _ => {}
            }
        }
    }

    /// What a table is now.
    pub(crate) fn stamp(&self, table: &TableName) -> Result<Stamp> {
        let Some(path) = self.place(table)? else { return Ok(Stamp { table: table.clone(), bytes: 0, modified: 0 }) };
        let about = fs::metadata(&path).map_err(|e| Error::machine("look at the table", &path, e))?;
        let modified = about.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Ok(Stamp { table: table.clone(), bytes: about.len(), modified: modified.map_or(0, |time| time.as_nanos()) })
    }
}

/// The first rows of a table. No more of it is read than they need.
pub(super) fn first_rows(source: &Source, most: usize) -> Result<Vec<Vec<Option<String>>>> {
    let wanted: Vec<usize> = (0..source.names().len()).collect();
    let mut rows: Vec<Vec<Option<String>>> = Vec::new();
    let streamed = source.stream(&wanted, &mut |batch| {
        for row in 0..batch.rows.min(most.saturating_sub(rows.len())) {
            rows.push(batch.columns.iter().map(|column| column[row].as_deref().map(shortened)).collect());
        }
        if rows.len() >= most { Err(Error::cancelled()) } else { Ok(()) }
    });
    match streamed {
        Err(error) if error.fault() != Fault::Cancelled => Err(error),
        _ => Ok(rows),
    }
}

/// A value as pages show it: a text of any length is told from others by its beginning.
pub(super) fn shortened(value: &str) -> String {
    match value.char_indices().nth(LONGEST) {
        None => value.to_owned(),
        Some((end, _)) => format!("{}…", &value[..end]),
    }
}

/// Whether a name is that of a table, or of a file that holds some.
pub(super) fn is_table(name: &str) -> bool {
    ends_in(name, &ENDINGS) || ends_in(name, &DATABASES)
}

fn ends_in(name: &str, endings: &[&str]) -> bool {
    let name = name.to_lowercase();
    endings.iter().any(|ending| name.ends_with(ending))
}
