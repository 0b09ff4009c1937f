//! Promises with what was reached, and what a release costs, as they stand in `report.json`.

use maud::{Markup, html};
use moretta::text::{grouped, rounded};
use serde_json::{Map, Value as Json};

/// What costs mean: key in the report, name, meaning.
pub(super) const COSTS: [(&str, &str, &str); 6] = [
    ("loss", "loss", "share of each value's precision that is gone, 0 to 1"),
    ("gcp", "gcp", "width of each published range over that of the table, 0 to 1"),
    ("cavg", "group size", "mean group size over the smallest allowed"),
    ("classification", "wrong", "share of people who lack their group's most frequent sensitive value"),
    ("association", "association", "share left of what quasi-identifiers tell about sensitive values"),
    ("query_error", "query error", "median relative error of random counts"),
];

/// A promise for each row: required, reached, whether it holds.
pub(super) fn table(verdicts: &Json) -> Markup {
    html! {
        div.wide tabindex="0" role="region" aria-label="Promises" {
            table {
                caption { "Proved from the released files" }
                thead { tr { th scope="col" { "promise" } th scope="col" { "required" } th scope="col" { "reached" } th scope="col" { "holds" } } }
                tbody {
                    @for verdict in verdicts.as_array().into_iter().flatten() {
                        tr {
                            th scope="row" { (verdict["model"].as_str().unwrap_or_default()) }
                            td { (parameters(verdict["promised"].as_object())) }
                            td { (parameters(verdict["achieved"].as_object())) }
                            td { @if verdict["holds"] == true { span.good { "yes" } } @else { span.bad { "no" } } }
                        }
                    }
                }
            }
        }
    }
}

/// Parameters in a line.
pub(super) fn parameters(map: Option<&Map<String, Json>>) -> String {
    let single = map.into_iter().flatten().filter(|(_, value)| !value.is_object());
    single.map(|(name, value)| format!("{name} = {}", spelled(value))).collect::<Vec<_>>().join(", ")
}

/// A value for people.
pub(super) fn spelled(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Null => "∞".to_owned(),
        Json::Number(number) => match (number.as_u64(), number.as_f64()) {
            (Some(whole), _) => grouped(whole),
            (None, Some(x)) => rounded(x, 4),
            (None, None) => number.to_string(),
        },
        other => other.to_string(),
    }
}

/// A figure of a column of figures: all with so many digits after the point, so that they stand under each other.
pub(super) fn in_column(value: &Json, digits: usize) -> String {
    match value.as_f64() {
        Some(x) if !value.is_u64() => format!("{x:.digits$}"),
        _ => spelled(value),
    }
}

/// A cost of a report.
pub(super) fn cost(report: &Json, key: &str) -> Option<String> {
    let found = &report["utility"][key];
    let found = if found.is_object() { &found["median"] } else { found };
    found.as_f64().map(|cost| rounded(cost, 4))
}
