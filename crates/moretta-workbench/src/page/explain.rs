//! All about a model, a method or an attack.

use std::sync::Arc;

use axum::extract::{Path, State};
use maud::html;

use super::layout::Page;
use super::{Answer, markdown};
use crate::bench::Bench;

pub(crate) async fn show(State(bench): State<Arc<Bench>>, Path(name): Path<String>) -> Answer {
    let entry = moretta::explain(&name)?;
    let main = html! {
        p { a href="/promise" { "Back to the promise" } }
        h1 { (entry.name) }
        (markdown::page(&entry.text()))
    };
    Ok(Page { title: entry.name, step: "/promise", scripts: &[] }.show(&bench, &main))
}
