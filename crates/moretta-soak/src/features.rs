//! What a case has that others lack, so that a run can say what it has covered.

use crate::case::{Case, Tree};
use crate::cell::{Cell, CellType};

/// Everything that a long run must have published at least once, beside all pairs of methods and models.
pub const FEATURES: [&str; 21] = [
    "several rows a person",
    "identifiers",
    "insensitive attributes",
    "weights",
    "missing values kept",
    "dates",
    "decimals at the ends of intervals",
    "hierarchies of uneven depth",
    "masks",
    "free intervals",
    "categories",
    "suppression allowed",
    "several promises",
    "[accept]",
    "presence = \"group\"",
    "bucket-size",
    "condensed-k",
    "Parquet output",
    "importance",
    "highest levels",
    "suppressed cells",
];

/// Those that a case has.
pub fn of(case: &Case) -> Vec<&'static str> {
    FEATURES.into_iter().filter(|feature| has(case, feature)).collect()
}

fn has(case: &Case, feature: &str) -> bool {
    let role = |role: &str| !case.with_role(role).is_empty();
    let tree = |wanted: &dyn Fn(&Tree) -> bool| case.columns.iter().any(|column| wanted(&column.tree));
    let promised = |model: &str| case.promises.iter().any(|promise| promise.name == model);
    match feature {
        "several rows a person" => role("person"),
        "identifiers" => role("identifier"),
        "insensitive attributes" => role("insensitive"),
        "weights" => role("weight"),
        "missing values kept" => case.missing == "keep" && case.rows.iter().flatten().any(Cell::is_missing),
        "dates" => case.columns.iter().any(|column| column.kind == CellType::Day),
        "decimals at the ends of intervals" => (0..case.columns.len()).any(|column| at_an_end(case, column)),
        "hierarchies of uneven depth" => tree(&|tree| match tree {
            Tree::File(paths) => paths.windows(2).any(|pair| pair[0].len() != pair[1].len()),
            _ => false,
        }),
        "masks" => tree(&|tree| matches!(tree, Tree::Mask(_))),
        "free intervals" => tree(&|tree| *tree == Tree::Free),
        "categories" => case.columns.iter().any(|column| !column.categories.is_empty()),
        "suppression allowed" => case.method.get("suppression").is_some(),
        "several promises" => case.promises.len() > 1,
        "[accept]" => case.accept.is_some(),
        "presence = \"group\"" => case.promises.iter().any(|promise| promise.get("presence") == Some("\"group\"")),
        "bucket-size" | "condensed-k" => promised(feature),
        "Parquet output" => case.format == "parquet",
        "importance" => case.limits(feature),
        "highest levels" => case.limits("max_level"),
        "suppressed cells" => case.limits("suppress_cells"),
        _ => false,
    }
}

/// Whether a decimal of a column is the end of one of its intervals.
fn at_an_end(case: &Case, column: usize) -> bool {
    let Tree::Intervals(widths) = &case.columns[column].tree else { return false };
    let widths = widths.trim_matches(['[', ']']).split(", ").filter_map(|width| CellType::Hundredths.parse(width));
    let widths: Vec<i64> = widths.filter_map(|width| width.in_hundredths()).collect();
    let is_end =
        |cell: &Cell| matches!(cell, Cell::Hundredths(number) if widths.iter().any(|width| number % width == 0));
    case.rows.iter().any(|row| is_end(&row[column]))
}
