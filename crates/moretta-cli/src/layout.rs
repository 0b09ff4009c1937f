//! Laying out text for people: numbers with separators, aligned columns.

use std::fmt::Write as _;

/// 30162 as `30,162`.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count with its noun: `1 group`, `2 groups`.
pub(crate) fn counted(number: u64, noun: &str, plural: &str) -> String {
    format!("{} {}", count(number), if number == 1 { noun } else { plural })
}

/// A share as a percentage with one digit.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

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
    fn thousands_are_separated() {
        assert_eq!(["0", "999", "1,000", "30,162", "1,234,567"], [0, 999, 1000, 30162, 1_234_567].map(count));
    }

    #[test]
    fn columns_align_and_lines_have_no_tail() {
        let mut table = Table::new(["name", "rows"]);
        table.row(["age", "5"]).row(["zip code", "1,200"]);
        assert_eq!(table.render(), "  name        rows\n  age            5\n  zip code   1,200\n");
    }
}
