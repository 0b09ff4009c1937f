//! A bucketized release in a database: a view of estimates, and the query that finds bounds.

use std::fmt::Write as _;

use super::{COUNT, GROUP, QIT, VALUE, st_name};
use crate::data::role::Role;
use crate::release::{ColumnMeaning, Files, quoted};

/// How many people a row of a view stands for, as expected.
const PEOPLE: &str = "moretta_people";

/// For each sensitive attribute a view of what is expected, and the query of what is certain.
pub(super) fn epilogue(files: &Files<'_>) -> Option<String> {
    let manifest = &files.manifest;
    let weight = manifest.columns.iter().find(|column| column.role == Role::Weight);
    let mut text = String::new();
    for column in manifest.columns.iter().filter(|column| column.role == Role::Sensitive) {
        text.push_str(&estimates(column, weight));
        text.push_str(&bounds(column, weight, manifest.suppressed));
    }
    (!text.is_empty()).then_some(text)
}

/// Inside a group sensitive values are taken to be independent of everything else: each row has each value of its group to its share.
fn estimates(sensitive: &ColumnMeaning, weight: Option<&ColumnMeaning>) -> String {
    let [view, table] = [&format!("estimate_{}", sensitive.name), &st_name(&sensitive.name)].map(|name| quoted(name));
    let [qit, group, value, count, name] = [QIT, GROUP, VALUE, COUNT, &sensitive.name].map(quoted);
    let people = weight.map_or("1.0".to_owned(), |column| format!("1.0 * q.{}", quoted(&column.name)));
    format!(
        "
-- What to expect of {name}: SUM({PEOPLE}) under any condition estimates how many people satisfy it.
CREATE VIEW {view} AS
SELECT q.*, s.{value} AS {name}, {people} * s.{count} / g.people AS {PEOPLE}
FROM {qit} AS q
JOIN {table} AS s ON s.{group} = q.{group}
JOIN (SELECT {group} AS number, SUM({count}) AS people FROM {table} GROUP BY {group}) AS g ON g.number = q.{group};
"
    )
}

/// Of the rows of a group that match, and of its people who have one of the values, at least so many are the same as do not fit beside each other.
fn bounds(sensitive: &ColumnMeaning, weight: Option<&ColumnMeaning>, suppressed: u64) -> String {
    let table = quoted(&st_name(&sensitive.name));
    let [qit, group, value, count] = [QIT, GROUP, VALUE, COUNT].map(quoted);
    let people = weight.map_or("COUNT(*)".to_owned(), |column| format!("SUM({})", quoted(&column.name)));
    let mut text = format!(
        "
-- Bounds of how many people satisfy both a condition on the columns of {qit}, in the place of ROWS, and one on {value} of {table}, in
-- the place of VALUES.
--   SELECT SUM(CASE WHEN r.people + v.people > g.people THEN r.people + v.people - g.people ELSE 0 END) AS lower,
--          SUM(CASE WHEN r.people < v.people THEN r.people ELSE v.people END)"
    );
    if suppressed > 0 {
        let _ = write!(text, " + {suppressed}");
    }
    let _ = write!(
        text,
        " AS upper
--   FROM (SELECT {group} AS number, {people} AS people FROM {qit} WHERE ROWS GROUP BY {group}) AS r
--   JOIN (SELECT {group} AS number, SUM({count}) AS people FROM {table} WHERE VALUES GROUP BY {group}) AS v ON v.number = r.number
--   JOIN (SELECT {group} AS number, SUM({count}) AS people FROM {table} GROUP BY {group}) AS g ON g.number = r.number;
"
    );
    if suppressed > 0 {
        let left_out = "-- The people who were left out may all satisfy it; where nobody else does, the bounds are 0 and that many.\n";
        text.push_str(left_out);
    }
    text
}
