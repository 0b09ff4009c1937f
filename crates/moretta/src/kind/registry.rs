//! The kinds of release that the program can read.

use super::{Release, ambiguous, bucketized, condensed, distribution, generalized, sliced, uncertain};
use crate::error::{Code, Error, Result};
use crate::progress::Progress;
use crate::release::{ColumnType, Files};

/// Every kind of release. One line makes a kind known to readers, `check`, `audit`, `query` and exports.
pub const KINDS: &[&KindEntry] = &[
    &generalized::ENTRY,
    &bucketized::ENTRY,
    &ambiguous::ENTRY,
    &distribution::ENTRY,
    &uncertain::ENTRY,
    &condensed::ENTRY,
    &sliced::ENTRY,
];

/// What is known about a kind of release before there is one.
#[derive(Debug)]
pub struct KindEntry {
    /// The name by which manifests call it.
    pub name: &'static str,
    /// How its tables are to be read: the words of a release's README.txt.
    pub how_to_read: &'static str,
    /// Whether each record is one person's, so that the private map says which, and not only in which group somebody stands.
    pub records_have_owners: bool,
    /// Reads a release of this kind. What the tables say of people, rows and groups must be what the manifest says.
    pub read: fn(&Files<'_>, &Progress) -> Result<Box<dyn Release>>,
    /// The type of a column that is no attribute of the original, by its table and name.
    pub column_type: fn(&Files<'_>, &str, &str) -> ColumnType,
    /// What follows the tables in a script of SQL: indexes, and the query that finds bounds.
    pub sql_epilogue: fn(&Files<'_>) -> Option<String>,
}

/// The kind of a name.
pub fn find(name: &str) -> Option<&'static KindEntry> {
    KINDS.iter().copied().find(|entry| entry.name == name)
}

/// The kind of a release, by its manifest.
pub fn of_files(files: &Files<'_>) -> Result<&'static KindEntry> {
    find(&files.manifest.kind).ok_or_else(|| {
        Error::input(format!("the manifest is of the unknown kind {:?}", files.manifest.kind))
            .coded(Code::UnknownReleaseKind)
            .at_file(&files.location)
            .help("use the program that made the release, or a newer one")
    })
}

/// Reads a release from its files.
pub fn read(files: &Files<'_>, progress: &Progress) -> Result<Box<dyn Release>> {
    (of_files(files)?.read)(files, progress)
}
