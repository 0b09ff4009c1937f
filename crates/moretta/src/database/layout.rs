//! The tables of a release as a database has them: types, keys, indexes.

use super::refuse_names;
use crate::data::source::Source;
use crate::error::Result;
use crate::kind::KindEntry;
use crate::progress::Progress;
use crate::release::{ColumnType, Dialect, Manifest, quoted};

/// The column with the number of a row, from 1 on: it stands where the file would have it.
pub(super) const ROW: &str = "moretta_row";

/// The table of the files beside the tables, as texts.
pub(super) const RELEASE: &str = "moretta_release";
/// The table of what each column means.
pub(super) const COLUMNS: &str = "moretta_columns";
/// The table of what labels stand for.
pub(super) const NODES: &str = "moretta_nodes";
/// The table of what values become, level by level.
pub(super) const LEVELS: &str = "moretta_levels";

/// The tables that say what a release is.
pub(super) const OWN: [&str; 4] = [RELEASE, COLUMNS, NODES, LEVELS];

/// A table to be made.
#[derive(Debug)]
pub(super) struct TableLayout {
    pub(super) name: String,
    pub(super) columns: Vec<(String, ColumnType)>,
    /// The columns of each index.
    pub(super) indexes: Vec<Vec<String>>,
}

impl TableLayout {
    /// A table of a release. A column keeps its type where all its values come back as they went, and is of texts otherwise.
    pub(super) fn of_release(
        manifest: &Manifest,
        kind: &KindEntry,
        name: &str,
        source: &Source,
        dialect: Dialect,
        progress: &Progress,
    ) -> Result<Self> {
        refuse_names(source.names(), dialect)?;
        let mut kinds: Vec<ColumnType> =
            source.names().iter().map(|column| (kind.column_type)(&manifest.columns, name, column)).collect();
        dialect.narrow(&mut kinds, source, progress)?;
        let columns: Vec<(String, ColumnType)> = source.names().iter().cloned().zip(kinds).collect();
        let groups: Vec<&String> =
            columns.iter().filter(|(_, held)| *held == ColumnType::Group).map(|(name, _)| name).collect();
        let indexes = groups.iter().map(|group| vec![(*group).clone()]).collect();
        Ok(Self { name: name.to_owned(), columns, indexes })
    }

    /// A table of texts.
    pub(super) fn of_texts(name: &str, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|column| ((*column).to_owned(), ColumnType::Text)).collect();
        Self { name: name.to_owned(), columns, indexes: Vec::new() }
    }

    /// The names of its columns, quoted, with commas between them.
    #[cfg(feature = "postgres")]
    pub(super) fn names(&self) -> String {
        self.columns.iter().map(|(name, _)| quoted(name)).collect::<Vec<_>>().join(", ")
    }

    /// The statement that makes it under a name; `row` is the type of its first column, the number of the row.
    pub(super) fn statement(&self, called: &str, row: &str, dialect: Dialect) -> String {
        let typed = |(name, held): &(String, ColumnType)| format!(", {} {}", quoted(name), dialect.type_name(*held));
        let columns: String = self.columns.iter().map(typed).collect();
        format!("CREATE TABLE {called} ({ROW} {row}{columns})")
    }
}
