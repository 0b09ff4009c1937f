//! Two releases beside each other: what each promises, costs, and tells adversaries.

use std::sync::Arc;

use axum::extract::{Query, State};
use maud::html;
use serde_json::Value as Json;

use super::form::field;
use super::layout::Page;
use super::{Answer, verdicts};
use crate::bench::Bench;

pub(crate) async fn show(State(bench): State<Arc<Bench>>, Query(fields): Query<Vec<(String, String)>>) -> Answer {
    let names = ["a", "b"].map(|key| field(&fields, key).unwrap_or_default());
    for name in names {
        bench.workspace.release(name)?;
    }
    let reports = names.map(|name| bench.workspace.private_json(name, "report.json").unwrap_or_default());
    let audits = names.map(|name| bench.workspace.private_json(name, moretta::files::FINDINGS).unwrap_or_default());
    let promises = |report: &Json| {
        let all = report["guarantees"].as_array().into_iter().flatten();
        all.map(|promise| {
            format!(
                "{} {}",
                promise["model"].as_str().unwrap_or_default(),
                verdicts::parameters(promise["achieved"].as_object())
            )
        })
        .collect::<Vec<_>>()
        .join("; ")
    };
    let reach = |audit: &Json, attack: &Json| {
        let same = |other: &&Json| ["name", "measure", "attribute"].iter().all(|key| other[*key] == attack[*key]);
        audit["attacks"]
            .as_array()
            .into_iter()
            .flatten()
            .find(same)
            .map_or_else(|| "not measured".to_owned(), |found| verdicts::spelled(&found["measured"]))
    };
    let main = html! {
        p { a href="/releases" { "All releases" } }
        h1 { (names[0]) " beside " (names[1]) }
        div.wide tabindex="0" role="region" aria-label="Comparison" {
            table {
                thead { tr { th scope="col" { span.unseen { "Figure" } } @for name in names { th scope="col" { a href={ "/releases/" (name) } { (name) } } } } }
                tbody {
                    tr { th scope="row" { "method" } @for report in &reports { td { (report["method"].as_str().unwrap_or_default()) } } }
                    tr { th scope="row" { "reached" } @for report in &reports { td { (promises(report)) } } }
                    tr { th scope="row" { "groups" } @for report in &reports { td { (verdicts::spelled(&report["groups"])) } } }
                    tr { th scope="row" { "left out" } @for report in &reports { td { (verdicts::spelled(&report["suppressed"])) } } }
                    @for (key, name, meaning) in verdicts::COSTS {
                        tr { th scope="row" { (name) br; span.quiet { (meaning) } } @for report in &reports { td { (verdicts::cost(report, key).unwrap_or_default()) } } }
                    }
                    @for attack in audits[0]["attacks"].as_array().into_iter().flatten() {
                        tr {
                            th scope="row" { (attack["name"].as_str().unwrap_or_default()) br; span.quiet { (attack["measure"].as_str().unwrap_or_default()) " " (attack["attribute"].as_str().unwrap_or_default()) } }
                            @for audit in &audits { td { (reach(audit, attack)) } }
                        }
                    }
                }
            }
        }
    };
    Ok(Page { title: "Two releases", step: "/releases", scripts: &[] }.show(&bench, &main))
}
