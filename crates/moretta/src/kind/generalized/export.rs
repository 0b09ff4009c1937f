//! A generalized release with typed bounds in a database: the query that bounds counts.

use std::fmt::Write as _;

use super::DATA;
use crate::data::role::Role;
use crate::release::{ColumnMeaning, Files, TypedBounds, ValueMeaning, quoted};

/// The query, and what stands in it for each attribute; nothing where no interval has typed ends.
///
/// Labels that are texts stand for values of which SQL knows nothing. What to expect within an interval follows from all rows of its column, so that there is no
/// estimate either.
pub(super) fn epilogue(files: &Files<'_>) -> Option<String> {
    let manifest = &files.manifest;
    let typed: Vec<(&ColumnMeaning, &TypedBounds)> =
        manifest.columns.iter().filter_map(|column| Some((column, column.bounds.as_ref()?))).collect();
    if typed.is_empty() {
        return None;
    }
    let mut text = "
-- Bounds of how many people satisfy conditions on attributes, all at once. In the place of SURELY and of PERHAPS, of each attribute from a to b, joined by AND:
"
    .to_owned();
    for (column, bounds) in typed {
        let (surely, perhaps) = conditions(bounds);
        let _ = writeln!(text, "-- SURELY {}: {surely}\n-- PERHAPS {0}: {perhaps}", quoted(&column.name));
    }
    let exact =
        manifest.columns.iter().filter(|column| column.values == ValueMeaning::Exact && column.bounds.is_none());
    let exact: Vec<String> =
        exact.filter(|column| column.role != Role::Weight).map(|column| quoted(&column.name)).collect();
    if !exact.is_empty() {
        let _ = writeln!(
            text,
            "-- In both places, of attributes that are exact, the condition itself: {}",
            exact.join(", ")
        );
    }
    let weight = manifest.columns.iter().find(|column| column.role == Role::Weight);
    let people = weight.map_or("1".to_owned(), |column| quoted(&column.name));
    let left_out = if manifest.suppressed > 0 { format!(" + {}", manifest.suppressed) } else { String::new() };
    let _ = write!(
        text,
        "--   SELECT SUM(CASE WHEN SURELY THEN {people} ELSE 0 END) AS lower,
--          SUM(CASE WHEN PERHAPS THEN {people} ELSE 0 END){left_out} AS upper
--   FROM {};
",
        quoted(DATA)
    );
    Some(text)
}

/// When a row surely lies from a to b, and when it may. Two nulls stand for anything, unless the row is known to lack a value.
fn conditions(bounds: &TypedBounds) -> (String, String) {
    let [low, high] = [&bounds.low, &bounds.high].map(|name| quoted(name));
    // A high end that does not belong to an interval is the value itself where it is the low end, too.
    let reaches =
        if bounds.high_excluded { format!("({high} > a OR {high} = a AND {low} = a)") } else { format!("{high} >= a") };
    let (surely, perhaps) =
        (format!("{low} >= a AND {high} <= b"), format!("({low} IS NULL OR {reaches} AND {low} <= b)"));
    match &bounds.missing {
        None => (surely, perhaps),
        Some(missing) => {
            let missing = quoted(missing);
            (format!("NOT {missing} AND {surely}"), format!("coalesce(NOT {missing}, 1 = 1) AND {perhaps}"))
        }
    }
}
