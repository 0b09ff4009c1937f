//! Points on a plane as text.

use std::fmt::Write as _;

use super::axis::Axis;
use super::scatter::Scatter;

/// The letters of the series, in order; more series share the last.
const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz";

/// Points as letters, one for each series, in a frame of `width` times `height` characters; filled points are capitals.
/// The legend comes below.
pub fn text_scatter(scatter: &Scatter, width: usize, height: usize) -> String {
    let marks = || scatter.series.iter().flat_map(|series| &series.marks);
    let x = Axis::from_zero(marks().map(|mark| mark.x));
    let y = Axis::from_zero(marks().map(|mark| mark.y));
    let mut field = vec![vec![' '; width]; height];
    #[expect(clippy::cast_sign_loss, reason = "a share is not negative")]
    let place = |share: f64, size: usize| (share * (size - 1) as f64).round() as usize;
    // Filled points are drawn last: they are what one looks for.
    for filled in [false, true] {
        for (number, series) in scatter.series.iter().enumerate() {
            let letter = char::from(LETTERS[number.min(LETTERS.len() - 1)]);
            for mark in series.marks.iter().filter(|mark| mark.filled == filled) {
                let row = height - 1 - place(y.share(mark.y), height);
                field[row][place(x.share(mark.x), width)] = if filled { letter.to_ascii_uppercase() } else { letter };
            }
        }
    }
    let top = format!("{}", y.high);
    let margin = top.len().max(1);
    let mut text = format!("  {}\n", scatter.y_name);
    for (number, row) in field.iter().enumerate() {
        let label = match number {
            0 => top.as_str(),
            last if last + 1 == height => "0",
            _ => "",
        };
        let line: String = row.iter().collect();
        let _ = writeln!(text, "  {label:>margin$} │{}", line.trim_end());
    }
    let right = format!("{}", x.high);
    let _ = writeln!(text, "  {:margin$} └{}", "", "─".repeat(width));
    let gap = width.saturating_sub(1 + scatter.x_name.chars().count() + right.len());
    let (before, after) = (gap / 2, gap - gap / 2);
    let _ = writeln!(text, "  {:margin$}  0{:before$}{}{:after$}{right}", "", "", scatter.x_name, "");
    for (number, series) in scatter.series.iter().enumerate() {
        let letter = char::from(LETTERS[number.min(LETTERS.len() - 1)]);
        let _ = writeln!(text, "  {letter}  {}", series.name);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::scatter::{Mark, Series};
    use super::*;

    #[test]
    fn points_stand_where_they_belong() {
        let mark = |x, y, filled| Mark { x, y, filled, ..Mark::default() };
        let series = vec![Series {
            name: "one".into(),
            marks: vec![mark(0.0, 1.0, false), mark(1.0, 0.0, true)],
            connected: false,
            neutral: false,
        }];
        let scatter = Scatter { x_name: "x".into(), y_name: "y".into(), series, ..Scatter::default() };
        let text = text_scatter(&scatter, 9, 3);
        assert_eq!(text, "  y\n  1 │a\n    │\n  0 │        A\n    └─────────\n     0   x   1\n  a  one\n");
    }
}
