//! Laying out text for people: aligned columns.

use std::fmt::Write as _;

/// Rows of cells in aligned columns: numbers to the right, texts to the left.
#[derive(Debug, Default)]
pub(crate) struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    /// Whether infinite and unknown numbers stand to the right as others do.
    infinite: bool,
}

impl Table {
    pub(crate) fn new<S: Into<String>>(header: impl IntoIterator<Item = S>) -> Self {
        Self { header: header.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// The same, with infinite and unknown numbers to the right as others are.
    pub(crate) fn with_infinite(self) -> Self {
        Self { infinite: true, ..self }
    }

    pub(crate) fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) -> &mut Self {
        self.rows.push(cells.into_iter().map(Into::into).collect());
        self
    }

    /// The table as text, indented by two blanks, without blanks at the ends of lines.
    pub(crate) fn render(&self) -> String {
        let columns = self.header.len();
        let lines = || std::iter::once(&self.header).chain(&self.rows);
        let width = |column: usize| {
            lines().map(|row| row.get(column).map_or(0, |cell| cell.chars().count())).max().unwrap_or(0)
        };
        let is_number = |cell: &str| {
            (self.infinite && matches!(cell, "∞" | "-∞" | "–"))
                || (cell.starts_with(|c: char| c.is_ascii_digit() || c == '-') && !cell.contains(' '))
        };
        let right = |column: usize| {
            !self.rows.is_empty()
                && self.rows.iter().all(|row| row.get(column).is_none_or(|cell| cell.is_empty() || is_number(cell)))
        };
        let layout: Vec<(usize, bool)> = (0..columns).map(|column| (width(column), right(column))).collect();
        let mut text = String::new();
        for row in lines() {
            let mut line = String::from("  ");
            for (cell, &(width, right)) in row.iter().zip(&layout) {
                let _ = if right { write!(line, "{cell:>width$}   ") } else { write!(line, "{cell:<width$}   ") };
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_and_lines_have_no_tail() {
        let mut table = Table::new(["name", "rows"]);
        table.row(["age", "5"]).row(["zip code", "1,200"]);
        assert_eq!(table.render(), "  name        rows\n  age            5\n  zip code   1,200\n");
    }
}
