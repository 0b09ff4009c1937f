//! Tables as plots.

use moretta::internals::report::plot::{Mark, Scatter, Series};

use super::ResultTable;
use super::claim::number;

const MILLION: f64 = 1e6;

/// The table as a plot, where its numbers are curves: over the numbers of its first column, or of its header; nothing else is.
pub(super) fn svg(table: &ResultTable) -> Option<String> {
    let (table, of) = curves(table)?;
    let largest = table.rows.iter().flat_map(|row| &row[1..]).filter_map(|cell| number(cell)).fold(0.0, f64::max);
    // What stands beside an axis has room for some five digits.
    let (unit, unit_name) = if largest >= MILLION / 10.0 { (MILLION, ", in millions") } else { (1.0, "") };
    let series: Vec<Series> = table.columns[1..]
        .iter()
        .enumerate()
        .filter_map(|(place, name)| {
            let mark = |row: &Vec<String>| {
                let (x, y) = (number(&row[0])?, number(&row[place + 1])? / unit);
                Some(Mark { x, y, label: row[0].clone(), labelled: false, filled: true })
            };
            let marks: Vec<Mark> = table.rows.iter().filter_map(mark).collect();
            (marks.len() > 1).then(|| Series { name: name.clone(), marks, connected: true, neutral: false })
        })
        .collect();
    if series.is_empty() {
        return None;
    }
    let names: Vec<&str> = series.iter().map(|series| series.name.as_str()).collect();
    let description = format!("{}, over {}: curves of {}.", table.title, of, names.join(", "));
    let y_name = format!("{}{unit_name}", table.title.rsplit(": ").next().unwrap_or_default());
    let scatter = Scatter { title: table.title.clone(), description, x_name: of, y_name, series, frontier: Vec::new() };
    Some(scatter.to_svg())
}

/// The table with a curve in each column, and what its first column is.
fn curves(table: &ResultTable) -> Option<(ResultTable, String)> {
    let numeric = |cells: &mut dyn Iterator<Item = &String>| {
        let numbers: Option<Vec<f64>> = cells.map(|cell| number(cell)).collect();
        numbers.is_some_and(|numbers| numbers.len() > 1 && numbers.windows(2).any(|w| w[0] < w[1]))
    };
    if numeric(&mut table.rows.iter().map(|row| &row[0])) {
        let name = table.columns.first()?.clone();
        return Some((table.clone(), name));
    }
    if numeric(&mut table.columns.iter().skip(1)) {
        // A header such as `k = 10` names what it counts.
        let name = table.columns[1].split(" = ").next().unwrap_or_default();
        let name = if number(name).is_some() { String::new() } else { name.to_owned() };
        return Some((table.transposed(), name));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_stand_in_columns_or_in_rows() {
        let mut table = ResultTable::new("errors", ["range", "a", "b"]);
        table.row(["1", "0.5", "0.2"]);
        table.row(["2", "0.7", "refused"]);
        let svg = svg(&table).expect("two curves");
        assert!(svg.contains("range") && svg.contains("errors"), "{svg}");
        let mut table = ResultTable::new("errors", ["method", "k = 1", "k = 2"]);
        table.row(["a", "0.5", "0.2"]);
        assert!(super::svg(&table).is_some());
        table.rows[0][2] = "2400000".into();
        let svg = super::svg(&table).expect("a curve");
        assert!(svg.contains("errors, in millions") && !svg.contains("2400000"), "{svg}");
        let mut table = ResultTable::new("errors", ["method", "promise"]);
        table.row(["a", "0.5"]);
        assert!(super::svg(&table).is_none());
    }
}
