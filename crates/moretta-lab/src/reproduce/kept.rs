//! The numbers of a figure that the project holds, and how they differ from what the program says now.

use std::fs;
use std::path::Path;

use moretta::internals::storage::{Readers, write_atomically};
use moretta::{Error, Result};

use super::ResultTable;
use super::figure::{Figure, Form};
use super::table::{from_text, to_text, without_times};

/// A number that moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The figure, and its table.
    pub table: String,
    /// The row, by its first cell.
    pub row: String,
    /// The column.
    pub column: String,
    /// What the project holds.
    pub kept: String,
    /// What the program says.
    pub now: String,
}

/// The first line of the numbers of a full form: the quick ones that the same program gave.
const MADE_WITH: &str = "% quick ";

/// The numbers of a form that the project holds, if it does.
pub fn read(figure: &Figure, form: Form) -> Result<Option<Vec<ResultTable>>> {
    let file = figure.kept(form);
    if !file.is_file() {
        return Ok(None);
    }
    let text = text(&file)?;
    let tables =
        text.strip_prefix(MADE_WITH).and_then(|text| text.split_once('\n')).map_or(text.as_str(), |(_, rest)| rest);
    from_text(tables, &file).map(Some)
}

/// The numbers that pages show: those of the full form, if there are, and which form that is.
pub(super) fn shown(figure: &Figure) -> Result<Option<(Form, Vec<ResultTable>)>> {
    for form in [Form::Full, Form::Quick] {
        if let Some(tables) = read(figure, form)? {
            let form = if figure.is_quick_anyway() { Form::Full } else { form };
            return Ok(Some((form, tables)));
        }
    }
    Ok(None)
}

/// Whether the full numbers were made by a program that gave other quick ones.
pub fn is_full_older(figure: &Figure) -> Result<bool> {
    let (full, quick) = (figure.kept(Form::Full), figure.kept(Form::Quick));
    if !full.is_file() || !quick.is_file() {
        return Ok(false);
    }
    let made_with = text(&full)?;
    let made_with = made_with.lines().next().and_then(|line| line.strip_prefix(MADE_WITH)).map(str::to_owned);
    Ok(made_with != Some(digest(text(&quick)?.as_bytes())))
}

/// Writes the numbers of a form. The quick ones come first.
pub fn write(figure: &Figure, form: Form, tables: &[ResultTable]) -> Result<()> {
    let mut lines = to_text(&without_times(tables));
    if form == Form::Full {
        lines = format!("{MADE_WITH}{}\n{lines}", digest(text(&figure.kept(Form::Quick))?.as_bytes()));
    }
    write_text(&figure.kept(form), &lines)
}

pub(super) fn write_text(file: &Path, text: &str) -> Result<()> {
    write_atomically(file, Readers::Usual, |out| std::io::Write::write_all(out, text.as_bytes()))
        .map_err(|e| Error::machine("write", file, e))
}

fn text(file: &Path) -> Result<String> {
    fs::read_to_string(file).map_err(|e| Error::machine("read kept numbers", file, e))
}

/// FNV-1a: enough to see that something is another one.
pub(super) fn digest(bytes: &[u8]) -> String {
    let hash = bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{hash:016x}")
}

/// What differs between kept tables and those of now; notes count as well.
pub fn compare(title: &str, kept: &[ResultTable], now: &[ResultTable]) -> Vec<Moved> {
    let now = without_times(now);
    let mut moved = Vec::new();
    let whole = |table: &str, row: &str, kept: String, now: String| Moved {
        table: format!("{title}, {table}"),
        row: row.to_owned(),
        column: String::new(),
        kept,
        now,
    };
    if kept.len() != now.len() {
        moved.push(whole("tables", "", kept.len().to_string(), now.len().to_string()));
    }
    for (kept, now) in kept.iter().zip(&now) {
        if kept.title != now.title {
            moved.push(whole("title", "", kept.title.clone(), now.title.clone()));
        }
        if kept.columns != now.columns {
            moved.push(whole(&kept.title, "columns", kept.columns.join(", "), now.columns.join(", ")));
            continue;
        }
        if kept.rows.len() != now.rows.len() {
            moved.push(whole(&kept.title, "rows", kept.rows.len().to_string(), now.rows.len().to_string()));
        }
        for (a, b) in kept.rows.iter().zip(&now.rows) {
            for (column, (a_cell, b_cell)) in kept.columns.iter().zip(a.iter().zip(b)) {
                if a_cell != b_cell {
                    moved.push(Moved {
                        column: column.clone(),
                        ..whole(&kept.title, &a[0], a_cell.clone(), b_cell.clone())
                    });
                }
            }
        }
        if kept.notes != now.notes {
            moved.push(whole(&kept.title, "notes", kept.notes.join("; "), now.notes.join("; ")));
        }
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moved_digit_is_named_with_its_place() {
        let mut kept = ResultTable::new("errors", ["k", "a", "seconds"]);
        kept.row(["5", "0.123", "1.0"]);
        let mut now = kept.clone();
        now.rows[0][2] = "9.9".into();
        let kept = vec![kept.without_times()];
        assert_eq!(compare("p 1", &kept, &[now.clone()]), [], "a time is no number that can move");
        now.rows[0][1] = "0.124".into();
        let moved = compare("p 1", &kept, &[now.clone()]);
        assert_eq!(moved.len(), 1);
        let Moved { table, row, column, kept: before, now: after } = &moved[0];
        assert_eq!([table, row, column, before, after], ["p 1, errors", "5", "a", "0.123", "0.124"]);
        now.rows.push(vec!["6".into(), "1".into(), "1".into()]);
        assert_eq!(compare("p 1", &kept, &[now]).len(), 2);
    }
}
