//! Compare: a grid of releases, what each tells about people and costs analysts, and the choice of one.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};
use moretta::text::{counted, grouped};
use moretta::{ComparisonPlan, EntryKind, Error, Result, catalogue, files};
use serde_json::Value as Json;

use super::form::{Fields, about_table, all, field, still_about};
use super::layout::Page;
use super::models::{Asks, offered};
use super::{Answer, frontier, go, verdicts};
use crate::bench::Bench;
use crate::job::{POINTS, Task, in_words};
use crate::workspace::PolicyFile;

/// What is offered first: methods, and for each model the values of its first parameter.
const METHODS: [&str; 3] = ["least-loss", "mondrian", "anatomy"];
const VALUES: [(&str, &str); 8] = [
    ("k-anonymity", "5, 10, 20"),
    ("bucket-size", "5, 10, 20"),
    ("distinct-l-diversity", "2, 3"),
    ("probabilistic-l-diversity", "2, 3"),
    ("entropy-l-diversity", "2, 3"),
    ("t-closeness", "0.1, 0.2, 0.4"),
    ("delta-disclosure", "1, 2"),
    ("b-t-privacy", "0.1, 0.3, 0.5"),
];

/// The most releases of one comparison.
const MOST: usize = 200;

pub(crate) async fn show(State(bench): State<Arc<Bench>>) -> Answer {
    Ok(page(&bench, None))
}

pub(crate) async fn run(State(bench): State<Arc<Bench>>, axum::Form(fields): Fields) -> Answer {
    let Some(policy) = bench.workspace.policy()? else { return Ok(go("/")) };
    let written = still_about(&fields, &policy).and_then(|()| plan(&policy, &fields)).and_then(|text| {
        let file = bench.workspace.plan_file()?;
        files::write(&file, &text)?;
        ComparisonPlan::load(&file, bench.workspace.root(), None)
    });
    match written {
        Err(error) => Ok(page(&bench, Some(&error))),
        Ok(plan) if plan.candidates.len() > MOST => {
            let error = Error::input(format!("these are {} releases", grouped(plan.candidates.len() as u64)));
            Ok(page(&bench, Some(&error.help(format!("compare at most {MOST} at once")))))
        }
        Ok(_) => Ok(go(&format!("/jobs/{}", bench.jobs.ask(Task::Compare)?.id))),
    }
}

/// The plan as the command line reads it.
fn plan(policy: &PolicyFile, fields: &[(String, String)]) -> Result<String> {
    let methods = all(fields, "method");
    let models = all(fields, "model");
    if methods.is_empty() || models.is_empty() {
        return Err(Error::input("nothing is compared yet").help("choose a method and a model at least"));
    }
    let mut text = "# Written by the workbench; `moretta compare compare.toml --out comparison` does the same.\npolicy = \"policy.toml\"\n".to_owned();
    let sensitive: Vec<String> = policy
        .attributes()
        .into_iter()
        .filter(|attribute| attribute.role == "sensitive")
        .map(|attribute| attribute.name)
        .collect();
    if let [first, _, ..] = sensitive.as_slice() {
        let _ = writeln!(text, "attribute = {}", quoted(first));
    }
    for model in models {
        let known = offered(model).ok_or_else(|| Error::input(format!("there is no model {model:?}")))?;
        let [first, rest @ ..] = known.parameters else { continue };
        let values = field(fields, &format!("values.{model}")).unwrap_or_default();
        let numbers = values.split([',', ' ', ';']).filter(|part| !part.is_empty());
        let numbers: Vec<&str> = numbers
            .map(|part| part.parse::<f64>().map(|_| part).map_err(|_| Error::input(format!("{part:?} is no number"))))
            .collect::<Result<_>>()?;
        if numbers.is_empty() {
            return Err(
                Error::input(format!("{model} has no values")).help("for example those that the page begins with")
            );
        }
        let rest = rest.iter().filter(|parameter| !parameter.first.is_empty()).map(|parameter| {
            let is_text = matches!(parameter.asks, Asks::Choice(_));
            let value = if is_text { quoted(parameter.first) } else { parameter.first.to_owned() };
            format!(", {} = {value}", parameter.name)
        });
        let rest: String = rest.collect();
        let methods: Vec<String> = methods.iter().map(|method| quoted(method)).collect();
        let _ = writeln!(
            text,
            "\n[[grid]]\nmethod = [{}]\nrequire = {{ model = {}, {} = [{}]{rest} }}",
            methods.join(", "),
            quoted(model),
            first.name,
            numbers.join(", ")
        );
    }
    Ok(text)
}

fn quoted(text: &str) -> String {
    toml_edit::Value::from(text).to_string().trim().to_owned()
}

fn page(bench: &Arc<Bench>, wrong: Option<&Error>) -> Response {
    if !bench.workspace.policy_file().is_ok_and(|file| file.exists()) {
        return go("/");
    }
    let found = bench.workspace.inside(&format!("comparison/{POINTS}")).ok().and_then(|file| std::fs::read(file).ok());
    let found: Option<Json> = found.and_then(|text| serde_json::from_slice(&text).ok());
    let methods: Vec<_> = catalogue().into_iter().filter(|entry| entry.kind == EntryKind::Method).collect();
    let main = html! {
        h1 { "Which release?" }
        p.lead { "Many releases are made in memory and measured: what each tells about people, and what it costs analysts. Nothing is published." }
        @if let Some(wrong) = wrong { p.note.is-bad role="alert" { (in_words(wrong)) } }
        @if let Some(found) = &found { (results(found)) h2 { "Compare others" } }
        form method="post" action="/compare" {
            @if let Ok(Some(policy)) = bench.workspace.policy() { (about_table(&policy)) }
            div.pair {
                fieldset.choices {
                    legend { "Methods" }
                    @for entry in &methods {
                        label.choice { input type="checkbox" name="method" value=(entry.name) checked[METHODS[..2].contains(&entry.name)]; span { strong { (entry.name) } " " (entry.summary) } }
                    }
                }
                fieldset.choices {
                    legend { "Promises, each with some values" }
                    @for (model, values) in VALUES {
                        div.with-values {
                            label.choice { input type="checkbox" name="model" value=(model) checked[matches!(model, "k-anonymity" | "t-closeness")]; span { (model) } }
                            input name={ "values." (model) } value=(values) aria-label={ "Values for " (model) };
                        }
                    }
                }
            }
            p.actions { button { "Compare" } }
        }
    };
    Page { title: "Compare", step: "/compare", scripts: &["frontier.js"] }.show(bench, &main)
}

fn results(found: &Json) -> Markup {
    let points: Vec<Json> = found["points"].as_array().cloned().unwrap_or_default();
    let refused: Vec<&Json> = points.iter().filter(|point| !point["refused"].is_null()).collect();
    let knee = found["knee"].as_u64();
    html! {
        section {
            h2 { "The frontier" }
            p { "A point that no other beats in both is " strong { "efficient" } ". Down and to the left is better. Point at one, or tab through them, to see what it costs whom." }
            div.pair {
                figure { (frontier::plane(&points, knee)) }
                div.wide tabindex="0" role="region" aria-label="Releases" {
                    table {
                        thead { tr { th scope="col" { "release" } th.n scope="col" { "told" } th.n scope="col" { "lost" } th.n scope="col" { "query error" } th.n scope="col" { "left out" } th scope="col" { span.unseen { "Choose" } } } }
                        tbody {
                            @for (index, point) in points.iter().enumerate().filter(|(_, point)| point["refused"].is_null()) {
                                tr id={ "point-" (index) } class=[(point["efficient"] == true).then_some("is-efficient")] {
                                    th scope="row" {
                                        (point["series"].as_str().unwrap_or_default()) " " span.quiet { (point["numbers"].as_str().unwrap_or_default()) }
                                        @if point["efficient"] == true { " " span.good { @if knee == Some(index as u64) { "efficient, the knee" } @else { "efficient" } } }
                                    }
                                    @for key in ["p_loss", "u_loss", "query_error", "suppressed"] { td.n { (verdicts::in_column(&point[key], 3)) } }
                                    td { form method="post" action="/compare/choose" { input type="hidden" name="point" value=(index); button.quiet { "Choose" span.unseen { " " (point["series"].as_str().unwrap_or_default()) " " (point["numbers"].as_str().unwrap_or_default()) } } } }
                                }
                            }
                        }
                    }
                }
            }
            @if !refused.is_empty() {
                details {
                    summary { (counted(refused.len() as u64, "release", "releases")) " can't be had" }
                    ul { @for point in refused { li { (point["series"].as_str().unwrap_or_default()) " " (point["numbers"].as_str().unwrap_or_default()) ": " (point["refused"].as_str().unwrap_or_default()) } } }
                }
            }
        }
    }
}

/// Writes a point's promises and its method into the policy.
pub(crate) async fn choose(State(bench): State<Arc<Bench>>, axum::Form(fields): Fields) -> Answer {
    let Some(mut policy) = bench.workspace.policy()? else { return Ok(go("/")) };
    let plan = ComparisonPlan::load(&bench.workspace.plan_file()?, bench.workspace.root(), None)?;
    let point = field(&fields, "point").and_then(|point| plan.candidates.get(point.parse::<usize>().ok()?));
    let point = point.ok_or_else(|| Error::input("the comparison has no such point").help("compare again"))?;
    let chosen = PolicyFile::parse(&plan.policy_text(point)?)?;
    policy.set_promises(&chosen.promises())?;
    policy.set_whole_method(&chosen.method().ok_or_else(|| Error::bug("a candidate has no method"))?)?;
    bench.workspace.save_policy(&policy.text())?;
    Ok(go("/publish"))
}
