//! The same experiment from several seeds: means and their standard errors.

use std::fmt::Write as _;

use moretta::{Error, Result};

use super::ResultTable;

/// The mean of every number over seeds, with its standard error where the number stands alone in its cell.
pub(super) fn mean(runs: &[Vec<ResultTable>]) -> Result<Vec<ResultTable>> {
    let Some((first, others)) = runs.split_first() else { return Ok(Vec::new()) };
    if others.is_empty() {
        return Ok(first.clone());
    }
    let same_shape = |other: &Vec<ResultTable>| {
        other.len() == first.len()
            && other.iter().zip(first).all(|(a, b)| a.columns == b.columns && a.rows.len() == b.rows.len())
    };
    if !others.iter().all(same_shape) {
        return Err(Error::bug("an experiment gives tables of another shape from another seed"));
    }
    let table = |(place, table): (usize, &ResultTable)| {
        let mut mean = ResultTable::new(table.title.clone(), table.columns.clone());
        for (number, row) in table.rows.iter().enumerate() {
            let cell = |column: usize| {
                let cells: Vec<&str> = runs.iter().map(|run| run[place].rows[number][column].as_str()).collect();
                mean_cell(&cells)
            };
            mean.row((0..row.len()).map(cell));
        }
        let said = |note: &&String| runs.iter().all(|run| run[place].notes.contains(note));
        table.notes.iter().filter(said).for_each(|note| mean.note(note.clone()));
        mean
    };
    Ok(first.iter().enumerate().map(table).collect())
}

fn mean_cell(cells: &[&str]) -> String {
    if cells.iter().all(|cell| cell == &cells[0]) {
        return cells[0].to_owned();
    }
    let parts: Vec<Vec<Part<'_>>> = cells.iter().map(|cell| parts(cell)).collect();
    let alike = |other: &Vec<Part<'_>>| {
        other.len() == parts[0].len()
            && other.iter().zip(&parts[0]).all(|pair| match pair {
                (Part::Text(a), Part::Text(b)) => a == b,
                (Part::Number(..), Part::Number(..)) => true,
                _ => false,
            })
    };
    if !parts.iter().all(alike) {
        let mut different: Vec<&str> = cells.to_vec();
        different.dedup();
        return different.join(" or ");
    }
    let alone = parts[0].iter().filter(|part| matches!(part, Part::Number(..))).count() == 1;
    let mut text = String::new();
    for (place, part) in parts[0].iter().enumerate() {
        match part {
            Part::Text(same) => text += same,
            Part::Number(..) => {
                let numbers: Vec<(f64, usize)> = parts
                    .iter()
                    .filter_map(|parts| match parts[place] {
                        Part::Number(number, digits) => Some((number, digits)),
                        Part::Text(_) => None,
                    })
                    .collect();
                // Means of whole numbers have a digit more.
                let digits = numbers.iter().map(|(_, digits)| *digits).max().unwrap_or(0).max(1);
                let count = numbers.len() as f64;
                let mean = numbers.iter().map(|(x, _)| x).sum::<f64>() / count;
                let squares: f64 = numbers.iter().map(|(x, _)| (x - mean).powi(2)).sum();
                let error = (squares / (count - 1.0) / count).sqrt();
                let _ = write!(text, "{mean:.digits$}");
                if alone {
                    let _ = write!(text, " ± {error:.digits$}");
                }
            }
        }
    }
    text
}

/// A piece of a cell: a number with its digits behind the point, or anything else.
enum Part<'a> {
    Number(f64, usize),
    Text(&'a str),
}

fn parts(cell: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = cell;
    while let Some(first) = rest.chars().next() {
        let numeric = |c: char| c.is_ascii_digit();
        if numeric(first) {
            let whole = rest.find(|c: char| !numeric(c)).unwrap_or(rest.len());
            let behind =
                rest[whole..].strip_prefix('.').map_or(0, |rest| rest.find(|c| !numeric(c)).unwrap_or(rest.len()));
            let end = if behind > 0 { whole + 1 + behind } else { whole };
            parts.push(Part::Number(rest[..end].parse().unwrap_or(f64::NAN), behind));
            rest = &rest[end..];
        } else {
            let end = rest.find(numeric).unwrap_or(rest.len());
            parts.push(Part::Text(&rest[..end]));
            rest = &rest[end..];
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_become_means_with_standard_errors() {
        assert_eq!(mean_cell(&["0.10", "0.30"]), "0.20 ± 0.10");
        assert_eq!(mean_cell(&["1", "2", "3"]), "2.0 ± 0.6");
        assert_eq!(mean_cell(&["12 %", "14 %"]), "13.0 ± 1.0 %");
        assert_eq!(mean_cell(&["1.5 (2.5)", "2.5 (3.5)"]), "2.0 (3.0)");
        assert_eq!(mean_cell(&["refused", "refused"]), "refused");
        assert_eq!(mean_cell(&["refused", "0.1"]), "refused or 0.1");
        assert_eq!(mean_cell(&["51-100", "51-100"]), "51-100");
    }

    #[test]
    fn tables_of_other_shapes_are_refused() {
        let mut a = ResultTable::new("t", ["x"]);
        let b = a.clone();
        a.row(["1"]);
        assert!(mean(&[vec![a], vec![b]]).is_err());
    }
}
