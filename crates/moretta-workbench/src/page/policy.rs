//! The policy itself, as text: everything that the other pages do stands in it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use maud::html;
use moretta::Error;

use super::form::{Fields, field};
use super::layout::Page;
use super::{Answer, go};
use crate::bench::Bench;
use crate::job::in_words;

pub(crate) async fn show(State(bench): State<Arc<Bench>>) -> Answer {
    match bench.workspace.policy()? {
        Some(policy) => Ok(page(&bench, &policy.text(), &fingerprint(&policy.text()), None)),
        None => Ok(go("/")),
    }
}

pub(crate) async fn save(State(bench): State<Arc<Bench>>, axum::Form(fields): Fields) -> Answer {
    let text =
        fields.iter().find(|(name, _)| name == "text").map_or("", |(_, text)| text.as_str()).replace("\r\n", "\n");
    let now = bench.workspace.policy()?.map(|policy| fingerprint(&policy.text())).unwrap_or_default();
    let unchanged = match field(&fields, "before") {
        Some(before) if before != now => Err(Error::input("the policy was changed elsewhere since this page was shown")
            .help("nothing was saved yet; save again to put this text in its place, or load the page anew to see what stands there")),
        _ => Ok(()),
    };
    match unchanged.and_then(|()| bench.workspace.save_policy(&text)) {
        Ok(()) => Ok(go("/publish")),
        Err(error) => Ok(page(&bench, &text, &now, Some(&error))),
    }
}

/// By which a page knows the text that it was made from.
fn fingerprint(text: &str) -> String {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

fn page(bench: &Arc<Bench>, text: &str, before: &str, wrong: Option<&Error>) -> Response {
    let main = html! {
        h1 { "policy.toml" }
        p.lead { "The same file that the command line reads: " code { "moretta publish policy.toml --out release" } "." }
        @if let Some(wrong) = wrong { p.note.is-bad role="alert" { (in_words(wrong)) } }
        form method="post" action="/policy" {
            input type="hidden" name="before" value=(before);
            label for="text" { "Policy" }
            textarea.code #text name="text" rows="30" spellcheck="false" { (text) }
            p.actions { button { "Check and save" } }
        }
    };
    Page { title: "Policy", step: "", scripts: &[] }.show(bench, &main)
}
