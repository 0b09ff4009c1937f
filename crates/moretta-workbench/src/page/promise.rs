//! Promise: what the release must keep, chosen by what it protects, and how it is made.

use std::sync::Arc;

use axum::extract::State;
use maud::{Markup, html};
use moretta::{EntryKind, Error, Result, catalogue, explain};
use serde_json::{Map, Value as Json};

use super::form::{Fields, about_table, all, field, still_about};
use super::layout::Page;
use super::models::{Asks, FAMILIES, Model, Parameter, meaning, offered};
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
    let changed = still_about(&fields, &policy).and_then(|()| change(&mut policy, &fields));
    let saved = changed.and_then(|()| bench.workspace.save_policy(&policy.text()));
    match saved {
        Err(error) => page(&bench, Some(&error)),
        Ok(()) => Ok(go(if field(&fields, "next") == Some("compare") { "/compare" } else { "/publish" })),
    }
}

/// Writes what a form promises. What the form does not know of stays as the policy has it: other parameters, and a model that is promised for
/// several attributes, of which the form shows the first.
fn change(policy: &mut PolicyFile, fields: &[(String, String)]) -> Result<()> {
    let stated = policy.promises();
    let chosen = all(fields, "model");
    let mut promises: Vec<Map<String, Json>> = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for before in &stated {
        let name = name_of(before);
        match offered(name) {
            Some(_) if !chosen.contains(&name) => {}
            Some(model) if !seen.contains(&name) => promises.push(filled(model, Some(before), fields)?),
            _ => promises.push(before.clone()),
        }
        seen.push(name);
    }
    for model in chosen.iter().filter(|name| !seen.contains(name)).filter_map(|name| offered(name)) {
        promises.push(filled(model, None, fields)?);
    }
    policy.set_promises(&promises)?;
    if let Some(method) = field(fields, "method") {
        policy.set_method(method);
    }
    Ok(())
}

fn name_of(promise: &Map<String, Json>) -> &str {
    promise.get("model").and_then(Json::as_str).unwrap_or_default()
}

/// A promise as the form states it; beyond the form, as it was.
fn filled(model: &Model, before: Option<&Map<String, Json>>, fields: &[(String, String)]) -> Result<Map<String, Json>> {
    let mut promise = before.cloned().unwrap_or_else(|| Map::from_iter([("model".to_owned(), model.name.into())]));
    for parameter in model.parameters {
        let key = parameter.name;
        // A table or a list has no form: it stays what it is.
        if promise.get(key).is_some_and(|stated| stated.is_object() || stated.is_array()) {
            continue;
        }
        let text = field(fields, &format!("{}.{key}", model.name)).unwrap_or_default();
        match (parameter.asks, text) {
            (Asks::Flag, "") => drop(promise.remove(key)),
            (Asks::Flag, _) => drop(promise.insert(key.to_owned(), true.into())),
            // What was left out on purpose stays left out; a promise that is new gets what is usual.
            (_, "") if before.is_some() || parameter.first.is_empty() => drop(promise.remove(key)),
            (_, "") => drop(promise.insert(key.to_owned(), read(parameter, parameter.first)?)),
            (_, text) => drop(promise.insert(key.to_owned(), read(parameter, text)?)),
        }
    }
    match field(fields, &format!("{}.attribute", model.name)) {
        None => {}
        Some("") => drop(promise.remove("attribute")),
        Some(attribute) => drop(promise.insert("attribute".to_owned(), attribute.into())),
    }
    Ok(promise)
}

fn read(parameter: &Parameter, text: &str) -> Result<Json> {
    if matches!(parameter.asks, Asks::Choice(_)) {
        return Ok(text.into());
    }
    let number = text.parse::<i64>().map(Json::from).or_else(|_| text.parse::<f64>().map(Json::from));
    number.map_err(|_| {
        Error::input(format!("{} = {text:?} is no number", parameter.name)).help("with a point before decimals")
    })
}

fn page(bench: &Arc<Bench>, wrong: Option<&Error>) -> Answer {
    let Some(policy) = bench.workspace.policy()? else { return Ok(go("/")) };
    let picture = bench.workspace.picture(&policy.table().unwrap_or_default());
    let stated = policy.promises();
    let sensitive: Vec<String> =
        policy.attributes().into_iter().filter(|column| column.role == "sensitive").map(|column| column.name).collect();
    let main = html! {
        h1 { "What do you promise?" }
        p.lead { "Every promise that you choose must hold, and is proved from the released files. Look at what each does " em { "not" } " protect." }
        @if let Some(wrong) = wrong { p.note.is-bad role="alert" { (in_words(wrong)) } }
        form method="post" action="/promise" {
            (about_table(&policy))
            @for family in &FAMILIES {
                section {
                    h2 { (family.title) }
                    p { (family.about) }
                    div.cards { @for model in family.models { (card(model, &stated, &sensitive, picture.as_ref())) } }
                }
            }
            (others(&stated))
            (methods(&policy))
            p.actions { button { "Save and publish" } button.quiet name="next" value="compare" { "Save and compare" } }
        }
        p.quiet { "Every parameter, and a model for several columns at once, can be stated in " a href="/policy" { "policy.toml" } " itself." }
    };
    Ok(Page { title: "Promise", step: "/promise", scripts: &[] }.show(bench, &main))
}

fn card(model: &Model, stated: &[Map<String, Json>], sensitive: &[String], picture: Option<&Picture>) -> Markup {
    let promise = stated.iter().find(|promise| name_of(promise) == model.name);
    let entry = explain(model.name).ok();
    let start: Map<String, Json> = model
        .parameters
        .iter()
        .filter_map(|p| Some((p.name.to_owned(), value(promise, p).parse::<f64>().ok()?.into())))
        .collect();
    html! {
        article.card.model {
            h3 { label.choice { input type="checkbox" name="model" value=(model.name) checked[promise.is_some()]; span { (model.name) } } }
            @if let Some(entry) = &entry { p { (moretta::text::capitalized(entry.summary)) "." } }
            @if !model.kept_by.is_empty() { p.quiet { "Kept by the method " (model.kept_by) "." } }
            div.parameters {
                @for parameter in model.parameters { (asked(model, parameter, promise)) }
                @if sensitive.len() > 1 && !matches!(model.name, "k-anonymity" | "bucket-size" | "condensed-k" | "uncertain-k-anonymity") { (about(model, sensitive, promise)) }
            }
            @if let Some(meaning) = picture.and_then(|picture| meaning(model.name, &start, picture)) { p.quiet { (meaning) } }
            @if let Some(entry) = &entry {
                details {
                    summary { "What it protects, and what not" span.unseen { ": " (model.name) } }
                    div.sides {
                        div { h4 { "It protects" } (markdown::section(entry.page, "Protects")) }
                        div { h4 { "It does not protect" } (markdown::section(entry.page, "Does not protect")) }
                    }
                    p { a href={ "/explain/" (model.name) } { "All about " (model.name) } }
                }
            }
        }
    }
}

/// The text of a parameter: as the policy states it, or as a new promise begins.
fn value(promise: Option<&Map<String, Json>>, parameter: &Parameter) -> String {
    match promise.map(|promise| promise.get(parameter.name)) {
        None => parameter.first.to_owned(),
        Some(None) => String::new(),
        Some(Some(Json::String(text))) => text.clone(),
        Some(Some(stated)) => stated.to_string(),
    }
}

fn asked(model: &Model, parameter: &Parameter, promise: Option<&Map<String, Json>>) -> Markup {
    let (id, value) = (format!("{}.{}", model.name, parameter.name), value(promise, parameter));
    let title = html! { code { (parameter.name) } " " (parameter.about) };
    let is_form = promise
        .and_then(|promise| promise.get(parameter.name))
        .is_none_or(|stated| !stated.is_object() && !stated.is_array());
    html! {
        @match parameter.asks {
            _ if !is_form => p { (title) ": as stated in policy.toml" },
            Asks::Number | Asks::NumberOrNothing => { label for=(id) { (title) } input id=(id) name=(id) value=(value) inputmode="decimal" autocomplete="off"; },
            Asks::Flag => label.choice { input type="checkbox" name=(id) value="true" checked[value == "true"]; span { (title) } },
            Asks::Choice(choices) => {
                label for=(id) { (title) }
                select id=(id) name=(id) {
                    @if !choices.contains(&value.as_str()) { option value=(value) selected { @if value.is_empty() { "not stated" } @else { (value) } } }
                    @for choice in choices { option selected[value == **choice] { (choice) } }
                }
            }
        }
    }
}

/// Of several sensitive columns, the one that a promise is about.
fn about(model: &Model, sensitive: &[String], promise: Option<&Map<String, Json>>) -> Markup {
    let id = format!("{}.attribute", model.name);
    let stated = promise.and_then(|promise| promise.get("attribute")).and_then(Json::as_str);
    html! {
        label for=(id) { code { "attribute" } " what it is about" }
        select id=(id) name=(id) {
            option value="" { "each that must not be learned" }
            @for column in sensitive { option value=(column) selected[stated == Some(column.as_str())] { (column) } }
        }
    }
}

/// Promises of the policy that no card shows: other models, and further ones of a model that is promised several times.
fn others(stated: &[Map<String, Json>]) -> Markup {
    let is_shown = |index: usize, name: &str| {
        offered(name).is_some() && stated.iter().position(|promise| name_of(promise) == name) == Some(index)
    };
    let kept: Vec<String> = stated
        .iter()
        .enumerate()
        .filter(|(index, promise)| !is_shown(*index, name_of(promise)))
        .map(|(_, promise)| {
            let of = promise.get("attribute").and_then(Json::as_str).map(|attribute| format!(" of {attribute}"));
            format!("{}{}", name_of(promise), of.unwrap_or_default())
        })
        .collect();
    html! { @if !kept.is_empty() { p.note { "Also promised, in policy.toml: " (kept.join(", ")) ". They stay as they are, as long as their model is chosen." } } }
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

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: &str = "[[require]]\nmodel = \"t-closeness\"\nt = 0.2\ndistance = \"ordered\"\norder = \"value\"\nattribute = \"a\"\n\n[[require]]\nmodel = \"t-closeness\"\nt = 0.4\nattribute = \"b\"\n\n[[require]]\nmodel = \"b-t-privacy\"\nskyline = [{ bandwidth = 0.3, t = 0.2 }]\n";

    fn changed(form: &[(&str, &str)]) -> Vec<Map<String, Json>> {
        let mut policy = PolicyFile::parse(POLICY).expect("a policy");
        let fields: Vec<(String, String)> =
            form.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        change(&mut policy, &fields).expect("changed");
        policy.promises()
    }

    #[test]
    fn no_promise_is_weakened_by_a_form_that_does_not_show_it() {
        let kept = changed(&[
            ("model", "t-closeness"),
            ("t-closeness.t", "0.1"),
            ("t-closeness.distance", "ordered"),
            ("t-closeness.attribute", "a"),
            ("model", "b-t-privacy"),
            ("b-t-privacy.bandwidth", ""),
            ("b-t-privacy.t", ""),
        ]);
        assert_eq!(kept.len(), 3, "{kept:?}");
        assert_eq!((&kept[0]["t"], &kept[0]["order"]), (&Json::from(0.1), &Json::from("value")));
        assert_eq!((&kept[1]["t"], &kept[1]["attribute"]), (&Json::from(0.4), &Json::from("b")));
        assert!(kept[2].get("bandwidth").is_none() && kept[2]["skyline"].is_array());
    }

    #[test]
    fn a_new_promise_begins_with_what_is_usual() {
        let new = changed(&[("model", "matching-l-diversity"), ("matching-l-diversity.fuzzy", "true")]);
        assert_eq!(new.len(), 1, "what is not chosen is not promised: {new:?}");
        assert_eq!(
            (&new[0]["l"], &new[0]["min_expectation"], &new[0]["fuzzy"]),
            (&2.into(), &0.9.into(), &true.into())
        );
        assert!(new[0].get("max_items").is_none());
    }
}
