//! What an experiment yields.

use serde::Serialize;

/// A table of results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ResultTable {
    /// What it shows.
    pub title: String,
    /// Its columns.
    pub columns: Vec<String>,
    /// Its rows.
    pub rows: Vec<Vec<String>>,
    /// What a reader should know: what the paper printed, where we differ and why.
    pub notes: Vec<String>,
}

impl ResultTable {
    /// An empty table.
    pub fn new<S: Into<String>>(title: impl Into<String>, columns: impl IntoIterator<Item = S>) -> Self {
        let columns = columns.into_iter().map(Into::into).collect();
        Self { title: title.into(), columns, rows: Vec::new(), notes: Vec::new() }
    }

    /// Adds a row.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// Adds a note.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }
}
