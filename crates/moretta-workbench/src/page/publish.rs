//! Publish: what is about to be done, and the one button.

use std::sync::Arc;

use axum::extract::State;
use maud::html;
use moretta::Error;
use serde_json::Value as Json;

use super::form::{Fields, about_table, field, still_about};
use super::layout::Page;
use super::{Answer, go, roles, verdicts};
use crate::bench::Bench;
use crate::job::{Task, in_words};

pub(crate) async fn show(State(bench): State<Arc<Bench>>) -> Answer {
    page(&bench, &bench.workspace.free_name(), None)
}

pub(crate) async fn run(State(bench): State<Arc<Bench>>, axum::Form(fields): Fields) -> Answer {
    let name = field(&fields, "name").unwrap_or_default();
    let Some(policy) = bench.workspace.policy()? else { return Ok(go("/")) };
    let free = bench.workspace.new_release(name).and_then(|folder| {
        if folder.exists() {
            Err(Error::input(format!("there is a release {name:?} already")).help("choose another name"))
        } else {
            Ok(())
        }
    });
    // What is wrong whatever the data is said here, and not after a job.
    match free.and_then(|()| still_about(&fields, &policy)).and_then(|()| bench.policy().map(drop)) {
        Err(error) => page(&bench, name, Some(&error)),
        Ok(()) => {
            let task = Task::Publish { name: name.to_owned(), policy: policy.text() };
            Ok(go(&format!("/jobs/{}", bench.jobs.ask(task)?.id)))
        }
    }
}

fn page(bench: &Arc<Bench>, name: &str, wrong: Option<&Error>) -> Answer {
    let Some(policy) = bench.workspace.policy()? else { return Ok(go("/")) };
    let attributes = policy.attributes();
    let with = |role: &str| {
        attributes
            .iter()
            .filter(|attribute| attribute.role == role)
            .map(|attribute| attribute.name.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let method = policy.method().and_then(|method| Some(method.get("name")?.as_str()?.to_owned())).unwrap_or_default();
    let main = html! {
        h1 { "Publish" }
        p.lead { "A release is made, its promise is proved from its files, and then it is attacked. Nothing leaves this folder until you hand it over." }
        @if let Some(wrong) = wrong { p.note.is-bad role="alert" { (in_words(wrong)) } }
        section {
            h2 { "What is about to be made" }
            dl.facts {
                dt { "Table" } dd { (policy.table().unwrap_or_default()) }
                @for role in ["quasi", "sensitive", "insensitive", "identifier", "person", "drop"] {
                    @let columns = with(role);
                    @if !columns.is_empty() { dt { (roles::title(role)) } dd { (columns) } }
                }
                dt { "Promises" }
                dd {
                    @for promise in policy.promises() {
                        @let rest = promise.iter().filter(|(key, _)| *key != "model").map(|(key, value)| (key.clone(), value.clone())).collect();
                        div { (promise.get("model").and_then(Json::as_str).unwrap_or_default()) " " (verdicts::parameters(Some(&rest))) }
                    }
                }
                dt { "Method" } dd { (method) ", as " (policy.format()) }
            }
        }
        form method="post" action="/publish" {
            (about_table(&policy))
            label for="name" { "Name of the release" }
            input #name name="name" value=(name) required pattern="[\\w.\\-]{1,60}" autocomplete="off";
            p.actions { button { "Publish" } }
        }
    };
    Ok(Page { title: "Publish", step: "/publish", scripts: &[] }.show(bench, &main))
}
