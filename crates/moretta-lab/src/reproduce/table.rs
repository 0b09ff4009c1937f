//! What an experiment yields, and how it is kept: as text that shows in a difference which cell moved.

use std::fmt::Write as _;
use std::path::Path;

use moretta::{Error, Result};
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

/// The name of columns that hold times: shown, never kept.
pub(super) const SECONDS: &str = "seconds";

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

    /// Whether it tells nothing but times.
    pub(super) fn is_of_times(&self) -> bool {
        self.title.ends_with(&format!(": {SECONDS}"))
    }

    /// The same without times.
    #[must_use]
    pub fn without_times(&self) -> Self {
        let kept: Vec<bool> = self.columns.iter().map(|column| column != SECONDS).collect();
        let keep = |cells: &Vec<String>| -> Vec<String> {
            cells.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(cell, _)| cell.clone()).collect()
        };
        Self { columns: keep(&self.columns), rows: self.rows.iter().map(keep).collect(), ..self.clone() }
    }

    /// Rows as columns, the first column as the header.
    pub(super) fn transposed(&self) -> Self {
        let name = self.columns.first().cloned().unwrap_or_default();
        let first = |row: &Vec<String>| row.first().cloned().unwrap_or_default();
        let columns = std::iter::once(name).chain(self.rows.iter().map(first));
        let mut table = Self::new(self.title.clone(), columns);
        for (place, column) in self.columns.iter().enumerate().skip(1) {
            let cells = self.rows.iter().map(|row| row.get(place).cloned().unwrap_or_default());
            table.row(std::iter::once(column.clone()).chain(cells));
        }
        table
    }

    /// The table as Markdown, without its title.
    pub(super) fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let mut text = line(&self.columns);
        // Numbers stand below numbers.
        let _ = writeln!(text, "|---|{}", "---:|".repeat(self.columns.len().saturating_sub(1)));
        self.rows.iter().for_each(|row| text += &line(row));
        text
    }
}

/// What is kept of some tables: all but times.
pub(super) fn without_times(tables: &[ResultTable]) -> Vec<ResultTable> {
    tables.iter().filter(|table| !table.is_of_times()).map(ResultTable::without_times).collect()
}

/// Tables as text: a title behind `#`, a line of columns and lines of cells between tabs, notes behind `!`, an empty line.
pub(super) fn to_text(tables: &[ResultTable]) -> String {
    let mut text = String::new();
    for table in tables {
        let _ = writeln!(text, "# {}\n{}", table.title, table.columns.join("\t"));
        for row in &table.rows {
            let _ = writeln!(text, "{}", row.join("\t"));
        }
        for note in &table.notes {
            let _ = writeln!(text, "! {note}");
        }
        text.push('\n');
    }
    text
}

/// The tables of a text, as [`to_text`] writes them.
pub(super) fn from_text(text: &str, file: &Path) -> Result<Vec<ResultTable>> {
    let mut tables: Vec<ResultTable> = Vec::new();
    let mut lines = (1..).zip(text.lines());
    let wrong = |line: u64, what: &str| Err(Error::input(what).at_file(file).at_line(line));
    while let Some((number, line)) = lines.next() {
        let cells = || line.split('\t').map(str::to_owned).collect::<Vec<String>>();
        if let Some(title) = line.strip_prefix("# ") {
            let Some((_, columns)) = lines.next() else { return wrong(number, "a table without columns") };
            tables.push(ResultTable::new(title, columns.split('\t')));
        } else if let (Some(note), Some(table)) = (line.strip_prefix("! "), tables.last_mut()) {
            table.note(note);
        } else if let (false, Some(table)) = (line.is_empty(), tables.last_mut()) {
            if table.columns.len() != cells().len() {
                return wrong(number, "a row with another number of cells than the table has columns");
            }
            table.row(cells());
        } else if !line.is_empty() {
            return wrong(number, "cells before the first title");
        }
    }
    Ok(tables)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_tables_come_back() {
        let mut table = ResultTable::new("errors, k = 2", ["x", "a", SECONDS]);
        table.row(["1", "0.5 ± 0.1", "3.2"]);
        table.note("printed: less");
        let kept = vec![table.without_times(), ResultTable::new("empty", ["only"])];
        assert_eq!(from_text(&to_text(&kept), Path::new("kept.tsv")).expect("our own text"), kept);
        assert_eq!(kept[0].rows, [["1", "0.5 ± 0.1"]]);
        assert!(from_text("# a\nx\ty\n1\n", Path::new("kept.tsv")).is_err());
        assert!(from_text("1\t2\n", Path::new("kept.tsv")).is_err());
    }

    #[test]
    fn transposing_twice_changes_nothing() {
        let mut table = ResultTable::new("t", ["method", "k = 1", "k = 2"]);
        table.row(["a", "1", "2"]);
        table.row(["b", "3", "4"]);
        assert_eq!(table.transposed().rows, [["k = 1", "1", "3"], ["k = 2", "2", "4"]]);
        assert_eq!(table.transposed().transposed(), table);
    }
}
