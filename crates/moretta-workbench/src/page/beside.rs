//! Two releases beside each other: what each promises, costs, and tells adversaries.

use std::sync::Arc;

use axum::extract::{Query, State};
use maud::{Markup, html};
use serde_json::Value as Json;

use super::form::field;
use super::layout::Page;
use super::{Answer, verdicts};
use crate::bench::Bench;

/// A figure of both releases: what it is, what that means, and how each stands.
struct Row {
    name: String,
    meaning: String,
    values: [String; 2],
}

pub(crate) async fn show(State(bench): State<Arc<Bench>>, Query(fields): Query<Vec<(String, String)>>) -> Answer {
    let names = ["a", "b"].map(|key| field(&fields, key).unwrap_or_default());
    for name in names {
        bench.workspace.release(name)?;
    }
    let reports = names.map(|name| bench.workspace.private_json(name, "report.json").unwrap_or_default());
    let audits = names.map(|name| bench.workspace.private_json(name, moretta::files::FINDINGS).unwrap_or_default());
    let main = html! {
        p { a href="/releases" { "All releases" } }
        h1 { (names[0]) " beside " (names[1]) }
        (table("What they promise and cost", names, &promised(&reports)))
        (table("What adversaries reach", names, &reached(&audits)))
    };
    Ok(Page { title: "Two releases", step: "/releases", scripts: &[] }.show(&bench, &main))
}

fn table(title: &str, names: [&str; 2], rows: &[Row]) -> Markup {
    html! {
        section {
            h2 { (title) }
            @if rows.is_empty() { p { "Nothing is known of either." } } @else {
                div.wide tabindex="0" role="region" aria-label=(title) {
                    table.beside {
                        thead { tr { th scope="col" { "figure" } @for name in names { th scope="col" { a href={ "/releases/" (name) } { (name) } } } th scope="col" { span.unseen { "Whether they differ" } } } }
                        tbody {
                            @for row in rows {
                                @let differs = row.values[0] != row.values[1];
                                tr class=[differs.then_some("differs")] {
                                    th scope="row" { (row.name) @if !row.meaning.is_empty() { br; span.quiet { (row.meaning) } } }
                                    @for value in &row.values { td { (value) } }
                                    td.quiet { @if differs { "differs" } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn promised(reports: &[Json; 2]) -> Vec<Row> {
    let row = |name: &str, meaning: &str, value: &dyn Fn(&Json) -> String| Row {
        name: name.to_owned(),
        meaning: meaning.to_owned(),
        values: [value(&reports[0]), value(&reports[1])],
    };
    let promises = |part: &'static str| {
        move |report: &Json| {
            let all = report["guarantees"].as_array().into_iter().flatten();
            let words = all.map(|promise| {
                let model = promise["model"].as_str().unwrap_or_default();
                format!("{model} {}", verdicts::parameters(promise[part].as_object()))
            });
            words.collect::<Vec<_>>().join("; ")
        }
    };
    let figure = |key: &'static str| {
        move |report: &Json| if report[key].is_null() { "unknown".to_owned() } else { verdicts::spelled(&report[key]) }
    };
    let mut rows = vec![
        row("method", "", &figure("method")),
        row("promised", "", &promises("promised")),
        row("reached", "", &promises("achieved")),
        row("rows", "", &figure("rows_out")),
        row("groups", "", &figure("groups")),
        row("left out", "people", &figure("suppressed")),
    ];
    for (key, name, meaning) in verdicts::COSTS {
        rows.push(row(name, meaning, &|report| {
            verdicts::cost(report, key).unwrap_or_else(|| "not measured".to_owned())
        }));
    }
    rows.retain(|row| row.values.iter().any(|value| value != "not measured"));
    rows
}

/// Every attack that was run on one of them.
fn reached(audits: &[Json; 2]) -> Vec<Row> {
    let attacks = |audit: &Json| audit["attacks"].as_array().cloned().unwrap_or_default();
    let identity =
        |attack: &Json| ["name", "measure", "attribute"].map(|key| attack[key].as_str().unwrap_or_default().to_owned());
    let all = audits.each_ref().map(attacks);
    let mut wanted: Vec<[String; 3]> = all[0].iter().map(identity).collect();
    for attack in &all[1] {
        let own = identity(attack);
        if !wanted.contains(&own) {
            wanted.push(own);
        }
    }
    let value = |attacks: &Vec<Json>, wanted: &[String; 3]| {
        let found = attacks.iter().find(|attack| identity(attack) == *wanted);
        found.map_or_else(|| "not measured".to_owned(), |attack| verdicts::spelled(&attack["measured"]))
    };
    let row = |wanted: [String; 3]| {
        let values = [value(&all[0], &wanted), value(&all[1], &wanted)];
        let [name, measure, attribute] = wanted;
        Row { name, meaning: format!("{measure} {attribute}").trim().to_owned(), values }
    };
    wanted.into_iter().map(row).collect()
}
