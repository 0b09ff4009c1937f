//! Promise: what the release must keep, chosen by what it protects, and how it is made.

use std::sync::Arc;

use axum::extract::State;
use maud::{Markup, html};
use moretta::{EntryKind, Error, Result, catalogue, explain};
use serde_json::{Map, Value as Json};

use super::form::{Fields, all, field};
use super::layout::Page;
use super::models::{FAMILIES, Model, Parameter, meaning};
use super::{Answer, go, markdown};
use crate::bench::Bench;
use crate::job::in_words;
use crate::workspace::{Picture, PolicyFile};

/// The methods that are offered first.
const USUAL: [&str; 4] = ["least-loss", "mondrian", "transparent", "anatomy"];

pub(crate) async fn show(State(bench): State<Arc<Bench>>) -> Answer {
    page(&bench, None)
}

pub(crate) async fn save(State(bench): State<Arc<Bench>>, axum::Form(fields): Fields) -> Answer {
    let Some(mut policy) = bench.workspace.policy()? else { return Ok(go("/")) };
    let saved = change(&mut policy, &fields).and_then(|()| bench.workspace.save_policy(&policy.text()));
    match saved {
        Err(error) => page(&bench, Some(&error)),
        Ok(()) => Ok(go(if field(&fields, "next") == Some("compare") { "/compare" } else { "/publish" })),
    }
}

/// Writes what a form promises. What the form does not know of (other models, further parameters) stays as the policy has it.
fn change(policy: &mut PolicyFile, fields: &[(String, String)]) -> Result<()> {
    let stated = policy.promises();
    let chosen = all(fields, "model");
    let offered: Vec<&Model> = FAMILIES.iter().flat_map(|family| family.models).collect();
    let name = |promise: &Map<String, Json>| promise.get("model").and_then(Json::as_str).unwrap_or_default().to_owned();
    let mut promises: Vec<Map<String, Json>> = Vec::new();
    for promise in stated.iter().filter(|promise| !offered.iter().any(|model| model.name == name(promise))) {
        promises.push(promise.clone());
    }
    for model in offered.iter().filter(|model| chosen.contains(&model.name)) {
        let before = stated.iter().find(|promise| name(promise) == model.name);
        let mut promise = before.cloned().unwrap_or_else(|| Map::from_iter([("model".to_owned(), model.name.into())]));
        for parameter in model.parameters {
            let text = field(fields, &format!("{}.{}", model.name, parameter.name))
                .filter(|text| !text.is_empty())
                .unwrap_or(parameter.first);
            promise.insert(parameter.name.to_owned(), read(parameter, text)?);
        }
        promises.push(promise);
    }
    // In the order in which the policy had them, and new ones at the end.
    promises.sort_by_key(|promise| stated.iter().position(|known| name(known) == name(promise)).unwrap_or(usize::MAX));
    policy.set_promises(&promises)?;
    if let Some(method) = field(fields, "method") {
        policy.set_method(method);
    }
    Ok(())
}

fn read(parameter: &Parameter, text: &str) -> Result<Json> {
    if !parameter.choices.is_empty() {
        return Ok(text.into());
    }
    let number = text.parse::<i64>().map(Json::from).or_else(|_| text.parse::<f64>().map(Json::from));
    number.map_err(|_| Error::input(format!("{} = {text:?} is no number", parameter.name)))
}

fn page(bench: &Arc<Bench>, wrong: Option<&Error>) -> Answer {
    let Some(policy) = bench.workspace.policy()? else { return Ok(go("/")) };
    let picture = bench.workspace.picture(&policy.source().unwrap_or_default());
    let stated = policy.promises();
    let main = html! {
        h1 { "What do you promise?" }
        p.lead { "Every promise that you choose must hold, and is proved from the released files. Look at what each does " em { "not" } " protect." }
        @if let Some(wrong) = wrong { p.note.is-bad role="alert" { (in_words(wrong)) } }
        form method="post" action="/promise" {
            @for family in &FAMILIES {
                section {
                    h2 { (family.title) }
                    p { (family.about) }
                    div.cards { @for model in family.models { (card(model, &stated, picture.as_ref())) } }
                }
            }
            (others(&stated))
            (methods(&policy))
            p.actions { button { "Save and publish" } button.quiet name="next" value="compare" { "Save and compare" } }
        }
        p.quiet { "Twenty models, and every parameter, can be stated in " a href="/policy" { "policy.toml" } " itself." }
    };
    Ok(Page { title: "Promise", step: "/promise", scripts: &[] }.show(bench, &main))
}

fn card(model: &Model, stated: &[Map<String, Json>], picture: Option<&Picture>) -> Markup {
    let promise = stated.iter().find(|promise| promise.get("model").and_then(Json::as_str) == Some(model.name));
    let entry = explain(model.name).ok();
    let value = |parameter: &Parameter| match promise.and_then(|promise| promise.get(parameter.name)) {
        Some(Json::String(text)) => text.clone(),
        Some(number) => number.to_string(),
        None => parameter.first.to_owned(),
    };
    let start: Map<String, Json> = model
        .parameters
        .iter()
        .filter_map(|p| Some((p.name.to_owned(), value(p).parse::<f64>().ok()?.into())))
        .collect();
    html! {
        article.card.model {
            h3 { label.choice { input type="checkbox" name="model" value=(model.name) checked[promise.is_some()]; span { (model.name) } } }
            @if let Some(entry) = &entry { p { (moretta::text::capitalized(entry.summary)) "." } }
            div.parameters {
                @for parameter in model.parameters {
                    @let id = format!("{}.{}", model.name, parameter.name);
                    label for=(id) { code { (parameter.name) } " " (parameter.about) }
                    @if parameter.choices.is_empty() {
                        input id=(id) name=(id) value=(value(parameter)) inputmode="decimal";
                    } @else {
                        select id=(id) name=(id) { @for choice in parameter.choices { option selected[value(parameter) == **choice] { (choice) } } }
                    }
                }
            }
            @if let Some(meaning) = picture.and_then(|picture| meaning(model.name, &start, picture)) { p.quiet { (meaning) } }
            @if let Some(entry) = &entry {
                details {
                    summary { "What it protects, and what not" span.unseen { ": " (model.name) } }
                    h4 { "It protects" } (markdown::section(entry.page, "Protects"))
                    h4 { "It does not protect" } (markdown::section(entry.page, "Does not protect"))
                    p { a href={ "/explain/" (model.name) } { "All about " (model.name) } }
                }
            }
        }
    }
}

/// Promises that the policy makes and this page does not offer.
fn others(stated: &[Map<String, Json>]) -> Markup {
    let offered = |name: &str| FAMILIES.iter().flat_map(|family| family.models).any(|model| model.name == name);
    let kept: Vec<&str> =
        stated.iter().filter_map(|promise| promise.get("model")?.as_str()).filter(|name| !offered(name)).collect();
    html! { @if !kept.is_empty() { p.note { "Also promised, in policy.toml: " (kept.join(", ")) ". They stay as they are." } } }
}

fn methods(policy: &PolicyFile) -> Markup {
    let current = policy.method().and_then(|method| Some(method.get("name")?.as_str()?.to_owned())).unwrap_or_default();
    let entries: Vec<_> = catalogue().into_iter().filter(|entry| entry.kind == EntryKind::Method).collect();
    let one = |entry: &moretta::CatalogueEntry| {
        html! {
            label.choice { input type="radio" name="method" value=(entry.name) checked[current == entry.name] required; span { strong { (entry.name) } " " (entry.summary) } }
        }
    };
    let is_usual = USUAL.contains(&current.as_str());
    html! {
        section {
            h2 { "How is the release made?" }
            fieldset.choices {
                legend.unseen { "Method" }
                @for entry in entries.iter().filter(|entry| USUAL.contains(&entry.name)) { (one(entry)) }
                details open[!is_usual] { summary { "More methods" } @for entry in entries.iter().filter(|entry| !USUAL.contains(&entry.name)) { (one(entry)) } }
            }
        }
    }
}
