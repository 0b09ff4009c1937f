//! A release: the verdict, what adversaries reach, what it costs whom, questions to it, and how it is handed over.

use std::sync::Arc;

use axum::extract::{Path, State};
use maud::{Markup, html};
use moretta::text::grouped;
use serde_json::Value as Json;

use super::form::{Fields, field};
use super::layout::Page;
use super::{Answer, before_after, go, plot, verdicts};
use crate::bench::Bench;
use crate::job::Task;

/// The most people who are named for an attack.
const WORST: usize = 5;

pub(crate) async fn show(State(bench): State<Arc<Bench>>, Path(name): Path<String>) -> Answer {
    bench.workspace.release(&name)?;
    let report = bench.workspace.private_json(&name, "report.json").unwrap_or_default();
    let audit = bench.workspace.private_json(&name, moretta::files::FINDINGS);
    let holds = report["guarantees"].as_array().is_some_and(|all| all.iter().all(|promise| promise["holds"] == true));
    let main = html! {
        p { a href="/releases" { "All releases" } }
        h1 { (name) }
        p.lead {
            @if holds { strong.good { "Every promise holds." } } @else { strong.bad { "A promise does not hold." } }
            " " (verdicts::spelled(&report["rows_out"])) " rows in " (verdicts::spelled(&report["groups"])) " groups, made with " (report["method"].as_str().unwrap_or_default()) "."
        }
        p.actions {
            a.button href={ "/releases/" (name) "/release.zip" } download { "Download the zip" }
            a.button.quiet href={ "/releases/" (name) "/report" } { "The whole report" }
        }
        p.quiet { "The zip holds " code { "release/" } ": data, and a manifest that says what every value means. " code { "private/" } " (the seed, who stands where, this report) stays in the workspace." }
        section { h2 { "The promise" } (verdicts::table(&report["guarantees"])) }
        (attacks(&name, audit.as_ref()))
        (costs(&report))
        section {
            h2 { "Before and after" }
            @match before_after::plots(&bench.workspace, &name) {
                Some(plots) => (plots),
                None => {
                    p { "This was not measured here yet: it is when the release is attacked." }
                    form method="post" action={ "/releases/" (name) "/audit" } { button.quiet { "Attack it anew" } }
                }
            }
        }
        section {
            h2 { "Ask it" }
            form method="post" action={ "/releases/" (name) "/query" } {
                label for="sql" { "A question in SQL, as an analyst would ask it. You also see the truth." }
                input.wide-field #sql name="sql" value=(example(&bench)) required spellcheck="false";
                p.actions { button { "Ask" } }
            }
        }
    };
    Ok(Page { title: &name, step: "/releases", scripts: &[] }.show(&bench, &main))
}

/// A question that fits the table, to start from.
fn example(bench: &Bench) -> String {
    let policy = bench.workspace.policy().ok().flatten();
    let by = policy.and_then(|policy| policy.attributes().into_iter().find(|attribute| attribute.role == "sensitive"));
    match by {
        Some(attribute) if attribute.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') => {
            format!("SELECT {0}, COUNT(*) GROUP BY {0}", attribute.name)
        }
        _ => "SELECT COUNT(*)".to_owned(),
    }
}

fn attacks(name: &str, audit: Option<&Json>) -> Markup {
    let Some(audit) = audit else {
        return html! {
            section {
                h2 { "Attacks" }
                p { "It was not attacked yet." }
                form method="post" action={ "/releases/" (name) "/audit" } { button { "Attack it" } }
            }
        };
    };
    let all: Vec<&Json> = audit["attacks"].as_array().into_iter().flatten().collect();
    let grave: Vec<&&Json> =
        all.iter().filter(|attack| matches!(attack["grade"].as_str(), Some("red" | "amber"))).collect();
    html! {
        section {
            h2 { "What adversaries reach" }
            @if grave.is_empty() { p { "No attack found anything beyond the promise." } }
            ul.findings {
                @for attack in grave {
                    @let is_red = attack["grade"] == "red";
                    li class=(if is_red { "finding is-red" } else { "finding is-amber" }) {
                        strong { (if is_red { "Serious:" } else { "Worth a look:" }) } " "
                        (attack["sentence"].as_str().unwrap_or_default())
                        (worst(attack))
                    }
                }
            }
            p.quiet { "The people who are hit worst are named in " code { "private/" } " and in " a href={ "/releases/" (name) "/report" } { "the report" } ", never in what is given away." }
            details {
                summary { "All " (all.len()) " figures" }
                div.wide tabindex="0" role="region" aria-label="Attacks" {
                    table {
                        thead { tr { th scope="col" { "attack" } th scope="col" { "measure" } th.n scope="col" { "promised" } th.n scope="col" { "measured" } th.n scope="col" { "people hit" } th scope="col" { "holds" } } }
                        tbody {
                            @for attack in &all {
                                tr {
                                    th scope="row" { (attack["name"].as_str().unwrap_or_default()) }
                                    td { (attack["measure"].as_str().unwrap_or_default()) " " (attack["attribute"].as_str().unwrap_or_default()) }
                                    td.n { @if !attack["promised"].is_null() { (verdicts::spelled(&attack["promised"])) } }
                                    td.n { (verdicts::spelled(&attack["measured"])) }
                                    td.n { (attack["hit"].as_u64().map_or_else(String::new, grouped)) }
                                    td { @match attack["holds"].as_bool() { Some(true) => span.good { "yes" }, Some(false) => span.bad { "no" }, None => "" } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Those who are hit worst, for the steward's eyes only.
fn worst(attack: &Json) -> Markup {
    let people: Vec<&Json> = attack["people_hit_worst"].as_array().into_iter().flatten().take(WORST).collect();
    html! {
        @if !people.is_empty() {
            details {
                summary { "Who is hit worst" span.unseen { " by " (attack["name"].as_str().unwrap_or_default()) } }
                ul { @for person in people { li { "row " (verdicts::spelled(&person["row"])) ": " (person["says"].as_str().unwrap_or_default()) } } }
            }
        }
    }
}

fn costs(report: &Json) -> Markup {
    let columns: Vec<&Json> = report["utility"]["columns"].as_array().into_iter().flatten().collect();
    html! {
        section {
            h2 { "What it costs" }
            dl.facts {
                @for (key, name, meaning) in verdicts::COSTS {
                    @if let Some(cost) = verdicts::cost(report, key) { dt { (name) " " span.number { (cost) } } dd { (meaning) } }
                }
            }
            @if !columns.is_empty() {
                div.wide tabindex="0" role="region" aria-label="What each column has lost" {
                    table {
                        caption { "What each column has lost" }
                        thead { tr { th scope="col" { "column" } th scope="col" { "precision that is gone" } th scope="col" { "association with what is sensitive that is left" } } }
                        tbody {
                            @for column in columns {
                                tr {
                                    th scope="row" { (column["name"].as_str().unwrap_or_default()) }
                                    td.bar { @if let Some(loss) = column["loss"].as_f64() { (plot::fraction(loss)) } }
                                    td.bar {
                                        @for with in column["association"].as_array().into_iter().flatten() {
                                            @if let Some(kept) = with["kept"].as_f64() { div { (with["sensitive"].as_str().unwrap_or_default()) " " (plot::fraction(kept)) } }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

pub(crate) async fn audit(State(bench): State<Arc<Bench>>, Path(name): Path<String>) -> Answer {
    bench.workspace.release(&name)?;
    Ok(go(&format!("/jobs/{}", bench.jobs.ask(Task::Audit { name })?.id)))
}

pub(crate) async fn ask(
    State(bench): State<Arc<Bench>>,
    Path(name): Path<String>,
    axum::Form(fields): Fields,
) -> Answer {
    bench.workspace.release(&name)?;
    let sql = field(&fields, "sql").unwrap_or_default().to_owned();
    moretta::Query::parse(&sql)?;
    Ok(go(&format!("/jobs/{}", bench.jobs.ask(Task::Query { name, sql })?.id)))
}
