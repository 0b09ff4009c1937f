//! Hand over: the releases of the workspace, and two of them beside each other.

use std::sync::Arc;

use axum::extract::State;
use maud::html;
use moretta::text::grouped;

use super::layout::Page;
use super::{Answer, verdicts};
use crate::bench::Bench;

pub(crate) async fn show(State(bench): State<Arc<Bench>>) -> Answer {
    let names = bench.workspace.releases();
    let main = html! {
        h1 { "Releases" }
        @if names.is_empty() {
            p.lead { "Nothing was published yet." }
        } @else {
            p.lead { "Give away what is in a zip. What is private stays in this folder." }
            div.wide tabindex="0" role="region" aria-label="Releases" {
                table {
                    thead { tr { th scope="col" { "release" } th scope="col" { "method" } th.n scope="col" { "rows" } th scope="col" { "promises" } th scope="col" { "hand over" } } }
                    tbody {
                        @for name in &names {
                            @let report = bench.workspace.private_json(name, "report.json").unwrap_or_default();
                            @let promises = report["guarantees"].as_array().into_iter().flatten();
                            tr {
                                th scope="row" { a href={ "/releases/" (name) } { (name) } }
                                td { (report["method"].as_str().unwrap_or("unknown")) }
                                td.n { (report["rows_out"].as_u64().map_or_else(String::new, grouped)) }
                                td { @for promise in promises { div { (promise["model"].as_str().unwrap_or_default()) " " (verdicts::parameters(promise["promised"].as_object())) } } }
                                td { a href={ "/releases/" (name) "/release.zip" } download { "Download" span.unseen { " " (name) } } }
                            }
                        }
                    }
                }
            }
        }
        @if names.len() > 1 {
            section {
                h2 { "Two beside each other" }
                form.inline method="get" action="/beside" {
                    label for="a" { "This one" } select #a name="a" { @for name in &names { option { (name) } } }
                    label for="b" { "and that one" } select #b name="b" { @for name in names.iter().rev() { option { (name) } } }
                    button { "Compare" }
                }
            }
        }
    };
    Ok(Page { title: "Hand over", step: "/releases", scripts: &[] }.show(&bench, &main))
}
