//! What is promised, in words, and what it does not cover.

use maud::{Markup, html};
use serde_json::{Map, Value as Json};

use super::ReportInput;
use super::spelling::{capitalized, spelled};
use crate::model::Verdict;
use crate::report::words::{section, to_markup};

impl ReportInput<'_> {
    pub(super) fn promises(&self) -> Markup {
        html! {
            section aria-labelledby="promise" {
                h2 id="promise" { "What is promised" }
                @if self.verdicts.is_empty() { p { "Nothing is promised about groups or beliefs." } }
                @for verdict in self.verdicts { (promise(verdict)) }
                @if let Some(entry) = self.method.and_then(crate::method::registry::find) {
                    h3 { "The method: " (entry.name) }
                    p { (capitalized(entry.summary)) "." }
                    details {
                        summary { "What it does not protect" }
                        (to_markup(section(entry.page, "Does not protect")))
                    }
                }
                @for warning in self.warnings { p.note { "Look at this: " (warning) } }
            }
        }
    }
}

fn promise(verdict: &Verdict) -> Markup {
    let entry = crate::model::registry::find(verdict.model);
    let (mark, class) = if verdict.holds { ("holds", "good") } else { ("broken", "bad") };
    html! {
        h3 { (verdict.model) " " span class=(class) { (mark) } }
        p { (capitalized(entry.map_or("", |entry| entry.summary))) "." }
        (parameters(verdict))
        @if let Some(entry) = entry {
            div.pair {
                div { h4 { "It protects" } (to_markup(section(entry.page, "Protects"))) }
                div { h4 { "It does not protect" } (to_markup(section(entry.page, "Does not protect"))) }
            }
        }
    }
}

fn parameters(verdict: &Verdict) -> Markup {
    let mut names: Vec<&String> = verdict.promised.keys().collect();
    names.extend(verdict.achieved.keys().filter(|name| !verdict.promised.contains_key(*name)));
    let cell = |map: &Map<String, Json>, name: &str| map.get(name).map_or("–".to_owned(), spelled);
    html! {
        table {
            caption { "Required and reached" }
            thead {
                tr {
                    th scope="col" { "parameter" }
                    th scope="col" { "required" }
                    th scope="col" { "reached" }
                }
            }
            tbody {
                @for name in names {
                    tr {
                        th scope="row" { (name) }
                        td { (cell(&verdict.promised, name)) }
                        td { (cell(&verdict.achieved, name)) }
                    }
                }
            }
        }
    }
}
