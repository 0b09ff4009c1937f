//! A distribution release in a database: the types of its own columns, and the query that finds bounds.

use super::{BOUNDS, SENSITIVE};
use crate::data::role::Role;
use crate::data::value::Type;
use crate::kind::bucketized::{GROUP, QIT};
use crate::release::{ColumnMeaning, ColumnType, Files, named, quoted};

/// The type of a column.
pub(super) fn column_type(columns: &[ColumnMeaning], table: &str, column: &str) -> ColumnType {
    let attribute = ColumnType::of_attribute(columns, column).filter(|_| table != SENSITIVE && table != BOUNDS);
    if let Some(attribute) = attribute {
        return attribute;
    }
    let sensitive = ColumnType::of_sensitive(columns);
    match column {
        GROUP => ColumnType::Group,
        "m" | "count" => ColumnType::Count,
        // Sums of decimals are compared and added without rounding.
        "sum_low" | "sum_high" if sensitive == Some(Type::Integer) => ColumnType::Whole,
        "sum_low" | "sum_high" => ColumnType::Exact,
        "numerator" | "denominator" => ColumnType::Large,
        "low" | "high" | "value" => sensitive.map_or(ColumnType::Text, ColumnType::from),
        _ => ColumnType::Text,
    }
}

/// What a column speaks of.
pub(super) fn about<'c>(columns: &'c [ColumnMeaning], table: &str, column: &str) -> Option<&'c ColumnMeaning> {
    if table == QIT {
        return named(columns, column);
    }
    let is_own = matches!(column, "low" | "high" | "value" | "sum_low" | "sum_high");
    columns.iter().find(|column| is_own && column.role == Role::Sensitive)
}

/// Where sums have bounds: an index, and the query that looks them up.
pub(super) fn epilogue(files: &Files<'_>) -> Option<String> {
    files.manifest.tables.iter().any(|table| table.name == BOUNDS).then(|| index_and_query(files))
}

/// Looks bounds up by the number of people that a condition selects in each group. Koudas et al. (2009), section 3.3.
fn index_and_query(files: &Files<'_>) -> String {
    let weight = files.manifest.columns.iter().find(|column| column.role == Role::Weight);
    let people = weight.map_or("COUNT(*)".to_owned(), |column| format!("SUM({})", quoted(&column.name)));
    let (qit, bounds, group) = (quoted(QIT), quoted(BOUNDS), quoted(GROUP));
    format!(
        "CREATE INDEX {index} ON {bounds} ({group}, \"m\");

-- Bounds of SUM and AVG for the people whom a condition on quasi-identifiers selects: put it in the place of 1 = 1.
SELECT SUM(b.\"sum_low\") AS sum_low,
       SUM(b.\"sum_high\") AS sum_high,
       SUM(b.\"sum_low\") * 1.0 / SUM(s.m) AS avg_low,
       SUM(b.\"sum_high\") * 1.0 / SUM(s.m) AS avg_high
FROM (SELECT {group} AS g, {people} AS m FROM {qit} WHERE 1 = 1 GROUP BY {group}) AS s
JOIN {bounds} AS b ON b.{group} = s.g AND b.\"m\" = s.m;
",
        index = quoted("bounds_by_people"),
    )
}
