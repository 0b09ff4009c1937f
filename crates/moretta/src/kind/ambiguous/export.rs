//! An ambiguous release in a database: the query that estimates and bounds counts over several attributes.

use std::fmt::Write as _;

use super::{COUNT, GROUP, VALUE, at_name};
use crate::data::role::Role;
use crate::kind::bucketized::st_name;
use crate::release::{ColumnMeaning, Files, KnownInGroup, group_query, quoted};

/// The query, with a place for the condition on each attribute.
pub(super) fn epilogue(files: &Files<'_>) -> Option<String> {
    let manifest = &files.manifest;
    let with = |role: Role| manifest.columns.iter().filter(move |column| column.role == role);
    let mut text = format!(
        "
-- Estimate and bounds of how many people satisfy conditions on attributes, all at once: each in its place, about {}, or 1 = 1.
",
        quoted(VALUE)
    );
    let mut groups = String::new();
    let mut known = Vec::new();
    // Sensitive attributes first: their tables say how many people a group has.
    let attributes: Vec<(&ColumnMeaning, bool)> = with(Role::Sensitive)
        .map(|column| (column, true))
        .chain(with(Role::Quasi).map(|column| (column, false)))
        .collect();
    attributes.first().filter(|(_, is_counted)| *is_counted)?;
    for ((column, is_counted), number) in attributes.into_iter().zip(1..) {
        let place = format!("VALUES_{number}");
        let _ = writeln!(text, "-- {place}: of {}", quoted(&column.name));
        let (table, [group, count]) = (
            quoted(&if is_counted { st_name(&column.name) } else { at_name(&column.name) }),
            [GROUP, COUNT].map(quoted),
        );
        let each = if is_counted { count } else { "1".to_owned() };
        let joined = if number == 1 { String::new() } else { format!(" ON a{number}.number = a1.number") };
        let _ = write!(
            groups,
            "{}(SELECT {group} AS number, SUM({each}) AS listed, SUM(CASE WHEN {place} THEN {each} ELSE 0 END) AS meets FROM {table} GROUP BY {group}) AS a{number}{joined}",
            if number == 1 { "" } else { "\n      JOIN " }
        );
        known.push(if is_counted { counted(number) } else { listed(number) });
    }
    text.push_str(&group_query("a1.listed", &known, &groups, manifest.suppressed));
    Some(text)
}

/// Of a sensitive attribute a group says how many people have which value.
fn counted(number: usize) -> KnownInGroup {
    let meets = format!("a{number}.meets");
    KnownInGroup { share: format!("1.0 * {meets} / a{number}.listed"), least: meets.clone(), most: meets }
}

/// Of other attributes it lists values: each belongs to somebody, and whoever has none of those that meet the condition has another one of the list.
fn listed(number: usize) -> KnownInGroup {
    let [meets, listed] = ["meets", "listed"].map(|column| format!("a{number}.{column}"));
    KnownInGroup {
        share: format!("1.0 * {meets} / {listed}"),
        least: format!("CASE WHEN {meets} = {listed} THEN a1.listed ELSE {meets} END"),
        most: format!("CASE WHEN {meets} = 0 THEN 0 ELSE a1.listed - {listed} + {meets} END"),
    }
}
