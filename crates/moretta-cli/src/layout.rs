//! Laying out text for people: aligned columns.

use std::fmt::{self, Write as _};

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use crate::console::{BAD, GOOD};

/// Rows of cells in aligned columns: numbers to the right, texts to the left.
#[derive(Debug, Default)]
pub(crate) struct Table {
    header: Vec<Cell>,
    rows: Vec<Vec<Cell>>,
    /// Whether infinite and unknown numbers stand to the right as others do.
    infinite: bool,
}

impl Table {
    pub(crate) fn new<C: Into<Cell>>(header: impl IntoIterator<Item = C>) -> Self {
        Self { header: header.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// The same, with infinite and unknown numbers to the right as others are.
    pub(crate) fn with_infinite(self) -> Self {
        Self { infinite: true, ..self }
    }

    pub(crate) fn row<C: Into<Cell>>(&mut self, cells: impl IntoIterator<Item = C>) -> &mut Self {
        self.rows.push(cells.into_iter().map(Into::into).collect());
        self
    }

    /// The table as text, indented by two blanks, without blanks at the ends of lines.
    pub(crate) fn render(&self) -> String {
        let columns: Vec<(usize, bool)> =
            (0..self.header.len()).map(|column| (self.width(column), self.is_numeric(column))).collect();
        let mut text = String::new();
        for row in self.lines() {
            let mut line = String::from("  ");
            for (cell, &(width, right)) in row.iter().zip(&columns) {
                let blanks = " ".repeat(width - cell.width());
                let _ = if right { write!(line, "{blanks}{cell}   ") } else { write!(line, "{cell}{blanks}   ") };
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    fn lines(&self) -> impl Iterator<Item = &Vec<Cell>> {
        std::iter::once(&self.header).chain(&self.rows)
    }

    fn width(&self, column: usize) -> usize {
        self.lines().filter_map(|row| row.get(column)).map(Cell::width).max().unwrap_or(0)
    }

    /// Whether a column has numbers only.
    fn is_numeric(&self, column: usize) -> bool {
        let cells = || self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.text.as_str());
        !self.rows.is_empty() && cells().all(|text| text.is_empty() || self.is_number(text))
    }

    fn is_number(&self, text: &str) -> bool {
        (self.infinite && matches!(text, "∞" | "-∞" | "–"))
            || (text.starts_with(|c: char| c.is_ascii_digit() || c == '-') && !text.contains(' '))
    }
}

/// A text in a table, with the style that it is printed in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    pub(crate) fn styled(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style }
    }

    /// Whether a promise holds.
    pub(crate) fn verdict(holds: bool) -> Self {
        if holds { Self::styled("yes", GOOD) } else { Self::styled("NO", BAD) }
    }

    /// The columns of a terminal that it takes.
    fn width(&self) -> usize {
        self.text.width()
    }
}

impl<S: Into<String>> From<S> for Cell {
    fn from(text: S) -> Self {
        Self::styled(text, Style::new())
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { text, style } = self;
        if text.is_empty() { Ok(()) } else { write!(f, "{style}{text}{style:#}") }
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

    #[test]
    fn signs_that_take_two_columns_align() {
        let mut table = Table::new(["病名", "人"]);
        table.row(["インフル", "5"]).row(["flu", "12"]).row(["cafe\u{301}", "7"]);
        assert_eq!(table.render(), "  病名       人\n  インフル    5\n  flu        12\n  cafe\u{301}        7\n");
    }

    #[test]
    fn styles_take_no_room() {
        let mut table = Table::new(["promise", "holds"]);
        table.row([Cell::styled("yes", GOOD), Cell::verdict(true)]).row([Cell::from("t"), Cell::verdict(false)]);
        let plain = "  promise   holds\n  yes       yes\n  t         NO\n";
        assert_eq!(anstream::adapter::strip_str(&table.render()).to_string(), plain);
        assert!(table.render().contains(&format!("         {BAD}NO{BAD:#}\n")));
    }
}
