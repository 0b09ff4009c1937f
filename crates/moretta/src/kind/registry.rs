//! The kinds of release that the program can read.

#[cfg(test)]
use super::counted;
use super::{OpenRelease, ambiguous, bucketized, condensed, distribution, generalized, sliced, uncertain};
use crate::data::write::{Header, Note};
use crate::error::{Code, Error, Result};
use crate::progress::Progress;
use crate::release::{ColumnMeaning, ColumnType, Files, Manifest, Unit, notes};

/// Every kind of release. One line makes a kind known to readers, `check`, `audit`, `query` and exports.
pub const KINDS: &[&KindEntry] = &[
    &generalized::ENTRY,
    &bucketized::ENTRY,
    &ambiguous::ENTRY,
    &distribution::ENTRY,
    &uncertain::ENTRY,
    &condensed::ENTRY,
    &sliced::ENTRY,
    #[cfg(test)]
    &counted::ENTRY,
];

/// What tells a kind from all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KindId {
    /// Values that stand for several, the same for all of a group.
    Generalized,
    /// Exact values, apart from the sensitive values of groups.
    Bucketized,
    /// The values of each attribute by group, apart from each other.
    Ambiguous,
    /// Exact values, and ranges of sensitive values that follow a target.
    Distribution,
    /// Records that are probability densities.
    Uncertain,
    /// Records drawn anew from the moments of groups.
    Condensed,
    /// Columns of attributes that were shuffled by themselves inside buckets.
    Sliced,
    /// A kind that no model was written for, by its name: nothing can be promised of it yet.
    Other(&'static str),
}

impl KindId {
    /// The name by which manifests call it.
    pub fn name(self) -> &'static str {
        KINDS.iter().find(|entry| entry.id == self).map_or("", |entry| entry.name)
    }
}

/// One thing for each kind. There is no default: where kinds differ the compiler asks for each, and for what holds of all others.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the fields are the kinds")]
pub struct ByKind<T> {
    pub generalized: T,
    pub bucketized: T,
    pub ambiguous: T,
    pub distribution: T,
    pub uncertain: T,
    pub condensed: T,
    pub sliced: T,
    pub others: T,
}

impl<T> ByKind<T> {
    /// That of a kind.
    pub const fn of(&self, kind: KindId) -> &T {
        match kind {
            KindId::Generalized => &self.generalized,
            KindId::Bucketized => &self.bucketized,
            KindId::Ambiguous => &self.ambiguous,
            KindId::Distribution => &self.distribution,
            KindId::Uncertain => &self.uncertain,
            KindId::Condensed => &self.condensed,
            KindId::Sliced => &self.sliced,
            KindId::Other(_) => &self.others,
        }
    }
}

/// What is known about a kind of release before there is one.
#[derive(Debug)]
pub struct KindEntry {
    /// What tells it from all others.
    pub id: KindId,
    /// The name by which manifests call it.
    pub name: &'static str,
    /// How its tables are to be read: the words of a release's README.txt.
    pub how_to_read: &'static str,
    /// What a release of this kind leaves open, whatever it promises: a line of a release's README.txt.
    pub not_protected: &'static str,
    /// How analysts compute with its tables, what happens to relations, and what standard errors are worth: words of a release's README.txt. Lines that
    /// begin with four blanks are Python, after the tables were loaded with pandas.
    pub how_to_compute: fn(&Manifest) -> String,
    /// Whether each record is one person's, so that the private map says which, and not only in which group somebody stands.
    pub records_have_owners: bool,
    /// Whether each row of a table is one person's own, with her values, so that a pseudonym may stand in it; else why not.
    pub pseudonyms: Result<(), &'static str>,
    /// Whether cells and how many people are in each are enough to make one, so that rows can be counted and written elsewhere; else why not.
    pub from_counts: Result<(), &'static str>,
    /// Reads a release of this kind. What the tables say of people, rows and groups must be what the manifest says.
    pub read: fn(&Files<'_>, &Progress) -> Result<Box<dyn OpenRelease>>,
    /// The type of a column that is no attribute of the original, by its table and name.
    pub column_type: fn(&[ColumnMeaning], &str, &str) -> ColumnType,
    /// The published attribute that a column speaks of, by its table and name; nothing for counts and numbers of groups.
    pub about: for<'c> fn(&'c [ColumnMeaning], &str, &str) -> Option<&'c ColumnMeaning>,
    /// What follows the tables in a script of SQL: indexes, and the query that finds bounds.
    pub sql_epilogue: fn(&Files<'_>) -> Option<String>,
}

impl KindEntry {
    /// Writes beside the columns of a table what they mean, and gives what is to be said of the table.
    pub(crate) fn annotate<'h>(
        &self,
        table: &str,
        headers: impl IntoIterator<Item = &'h mut Header>,
        columns: &[ColumnMeaning],
        unit: Unit,
    ) -> Vec<Note> {
        for header in headers {
            header.notes = self.notes_of(table, &header.name, columns, unit);
        }
        notes::of_table(self.name, table)
    }

    /// What is to be said of a column.
    pub(crate) fn notes_of(&self, table: &str, column: &str, columns: &[ColumnMeaning], unit: Unit) -> Vec<Note> {
        let held = (self.column_type)(columns, table, column);
        notes::of_column(column, held, (self.about)(columns, table, column), unit)
    }
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
pub fn read(files: &Files<'_>, progress: &Progress) -> Result<Box<dyn OpenRelease>> {
    (of_files(files)?.read)(files, progress)
}
