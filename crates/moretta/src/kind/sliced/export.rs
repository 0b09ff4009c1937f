//! A sliced release in a database: the query that estimates and bounds counts over several columns of the slices.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{BUCKET, ColumnDetail, SLICED};
use crate::data::role::Role;
use crate::release::{Files, KnownInGroup, ValueMeaning, group_query, quoted};

/// The query, with a place for the condition on each column; nothing where no attribute has exact values.
///
/// A label stands for several values, of which SQL knows nothing: only attributes with exact values are named.
pub(super) fn epilogue(files: &Files<'_>) -> Option<String> {
    let manifest = &files.manifest;
    let mut slices: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for column in manifest.columns.iter().filter(|column| column.values == ValueMeaning::Exact) {
        match column.detail::<ColumnDetail>() {
            Some(detail) => slices.entry(detail.slice).or_default().push(quoted(&column.name)),
            // Insensitive attributes stand in a column of their own, after all others.
            None if column.role == Role::Insensitive => slices.entry(u32::MAX).or_default().push(quoted(&column.name)),
            None => {}
        }
    }
    if slices.is_empty() {
        return None;
    }
    let mut text = "
-- Estimate and bounds of how many people satisfy conditions on columns of the slices, all at once: each in its place, or 1 = 1.
"
    .to_owned();
    let (bucket, sliced) = (quoted(BUCKET), quoted(SLICED));
    let mut counts = String::new();
    let mut known = Vec::new();
    for (names, number) in slices.values().zip(1..) {
        let _ = writeln!(text, "-- COLUMN_{number}: on {}", names.join(", "));
        let _ = write!(counts, ", SUM(CASE WHEN COLUMN_{number} THEN 1 ELSE 0 END) AS n{number}");
        let found = format!("b.n{number}");
        known.push(KnownInGroup { share: format!("1.0 * {found} / b.people"), least: found.clone(), most: found });
    }
    let buckets = format!("(SELECT COUNT(*) AS people{counts} FROM {sliced} GROUP BY {bucket}) AS b");
    text.push_str(&group_query("b.people", &known, &buckets, manifest.suppressed));
    Some(text)
}
