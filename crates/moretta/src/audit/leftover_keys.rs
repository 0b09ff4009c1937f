//! Leftover keys: columns that tie rows of a release together, or to the original, without meaning anything.
//!
//! Only columns of which no promise speaks are looked at. Quasi-identifiers and sensitive values mean something even where they happen to count from 1 to n, and
//! a release whose tables have columns that its kind does not know is refused before it is attacked.

use super::finding::{Finding, Tested};
use super::published::PublishedTable;
use super::{Attack, AuditInput};
use crate::data::table::Column;
use crate::data::value::Value;
use crate::error::Result;
use crate::progress::Progress;

pub(super) const ATTACK: Attack =
    Attack { name: "leftover-keys", adversary: "opens the files, and looks for what names rows", run };

/// A table needs so many rows before a column without repetition means anything.
const FEWEST_ROWS: usize = 20;

#[expect(clippy::unnecessary_wraps, reason = "every attack may fail to be run")]
fn run(scene: &AuditInput<'_>, _: &Progress) -> Result<Tested> {
    let tables = &scene.audited.tables;
    let mut found: Vec<String> =
        scene.audited.unlisted_files.iter().map(|file| format!("the file {file} is not part of the release")).collect();
    let suspects = |table: &'_ PublishedTable| -> Vec<usize> {
        let is_open = |index: &usize| scene.audited.unprotected.contains(&table.columns[*index].name);
        (0..table.columns.len()).filter(is_open).collect()
    };
    for table in tables {
        for column in suspects(table).into_iter().map(|index| &table.columns[index]) {
            if counts_rows(column, table) {
                found.push(format!("{}.{} numbers the rows", table.name, column.name));
            }
        }
    }
    for (index, table) in tables.iter().enumerate() {
        for other in &tables[index + 1..] {
            for column in suspects(table).into_iter().map(|index| &table.columns[index]) {
                if let Some(twin) = other.column(&column.name)
                    && names_rows(column, table)
                    && names_rows(twin, other)
                    && shared(column, twin)
                {
                    found.push(format!("{} names the rows of both {} and {}", column.name, table.name, other.name));
                }
            }
        }
    }
    let finding = Finding::new("leftovers", found.len() as f64, scene.audited.people)
        .forbidden()
        .hitting(if found.is_empty() { 0 } else { scene.audited.people }, "everybody, if there is any")
        .worst(found.first().cloned())
        .detail("found", found);
    Ok(Tested::Found(vec![finding]))
}

fn names_rows(column: &Column, table: &PublishedTable) -> bool {
    table.rows >= FEWEST_ROWS && column.domain.len() == table.rows
}

/// Whether most values of one column occur in the other.
fn shared(column: &Column, other: &Column) -> bool {
    let same = column.domain.values().iter().filter(|value| other.domain.code(value).is_some()).count();
    same * 2 > column.domain.len().min(other.domain.len())
}

/// 1, 2, 3 … or 0, 1, 2 …, in whatever order.
fn counts_rows(column: &Column, table: &PublishedTable) -> bool {
    if !names_rows(column, table) {
        return false;
    }
    let mut numbers: Vec<u64> = Vec::with_capacity(table.rows);
    for value in column.domain.values() {
        match value {
            Value::Text(text) => match text.parse() {
                Ok(number) => numbers.push(number),
                Err(_) => return false,
            },
            _ => return false,
        }
    }
    numbers.sort_unstable();
    numbers[0] <= 1 && numbers.windows(2).all(|pair| pair[0] + 1 == pair[1])
}
