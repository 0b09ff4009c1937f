//! Hierarchies: how the values become coarser, column by column.

use std::sync::Arc;

use axum::extract::State;
use maud::html;
use serde_json::Value as Json;

use super::layout::Page;
use super::{Answer, go};
use crate::bench::Bench;

pub(crate) async fn show(State(bench): State<Arc<Bench>>) -> Answer {
    let Some(policy) = bench.workspace.policy()? else { return Ok(go("/")) };
    let attributes = policy.attributes();
    let coarser =
        attributes.iter().enumerate().filter(|(_, attribute)| matches!(attribute.role.as_str(), "quasi" | "sensitive"));
    let picture = bench.workspace.picture(&policy.table().unwrap_or_default());
    let main = html! {
        h1 { "How do values become coarser?" }
        p.lead { "37 becomes 35 to 39, then 30 to 39: a ladder for each column. Without one, numbers become intervals, dates climb the calendar, and everything else becomes a set of its values." }
        div.wide tabindex="0" role="region" aria-label="Ladders" {
            // On a phone each row is laid out by itself; its roles keep it a table for those who hear it.
            table.ladders role="table" {
                thead role="rowgroup" { tr role="row" { @for title in ["column", "role", "values", "ladder"] { th.n[title == "values"] scope="col" role="columnheader" { (title) } } } }
                tbody role="rowgroup" {
                    @for (index, attribute) in coarser {
                        tr role="row" {
                            th scope="row" role="rowheader" { (attribute.name) }
                            td role="cell" { (super::roles::title(&attribute.role)) }
                            td.n role="cell" { @if let Some(found) = picture.as_ref().and_then(|picture| picture.column(&attribute.name)) { (moretta::text::grouped(found.distinct)) } }
                            td role="cell" { div.ladder { span { (in_words(attribute.hierarchy.as_ref())) } a href={ "/hierarchies/" (index) } { "Change" span.unseen { " " (attribute.name) } } } }
                        }
                    }
                }
            }
        }
        p { a.button href="/promise" { "Make a promise" } }
    };
    Ok(Page { title: "Hierarchies", step: "/hierarchies", scripts: &[] }.show(&bench, &main))
}

/// A hierarchy of a policy in words.
pub(super) fn in_words(hierarchy: Option<&Json>) -> String {
    let list = |items: &Json| {
        let items = items.as_array().into_iter().flatten();
        items.map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned)).collect::<Vec<_>>().join(", ")
    };
    match hierarchy {
        None => "none: as the type suggests".to_owned(),
        Some(Json::String(file)) => format!("the tree in {file}"),
        Some(Json::Object(stated)) => match stated.iter().next().map(|(key, value)| (key.as_str(), value)) {
            Some(("intervals", Json::String(_))) => "free intervals".to_owned(),
            Some(("intervals", widths)) => format!("intervals of {}", list(widths)),
            Some(("mask", side)) => format!("signs masked from the {}", side.as_str().unwrap_or_default()),
            Some(("dates", units)) => format!("the calendar: {}", list(units)),
            Some(("cuts", cuts)) if cuts[0].is_array() => {
                let levels: Vec<String> = cuts.as_array().into_iter().flatten().map(list).collect();
                format!("cut at {}", levels.join("; then at "))
            }
            Some(("cuts", cuts)) => format!("cut at {}", list(cuts)),
            Some(("top" | "bottom", _)) => {
                let end = |key: &str, words: &str| stated.get(key).map(|end| format!("{words} {end}"));
                let ends: Vec<String> = [end("bottom", "below"), end("top", "from")].into_iter().flatten().collect();
                format!("taken together: {}", ends.join(", "))
            }
            Some(("round", unit)) => format!("rounded to {unit}"),
            Some(("prefixes", lengths)) => format!("the first {} signs", list(lengths)),
            Some(("codes", system)) => format!("codes of {}", system.as_str().unwrap_or_default()),
            Some(("frequency", people)) => format!("rare values together, until {} people have them", list(people)),
            Some(("columns", names)) => format!("the columns {}", list(names)),
            Some(("balanced", fan)) => format!("a tree of {fan} branches"),
            Some(("file", file)) => format!("the tree in {}", file.as_str().unwrap_or_default()),
            Some(("rows", _)) => "a tree in the policy".to_owned(),
            _ => "as stated in the policy".to_owned(),
        },
        Some(_) => "as stated in the policy".to_owned(),
    }
}
