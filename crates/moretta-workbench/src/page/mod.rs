//! The pages, one module each.

pub(crate) mod assets;
mod before_after;
pub(crate) mod beside;
pub(crate) mod compare;
pub(crate) mod download;
pub(crate) mod enter;
pub(crate) mod explain;
mod form;
mod frontier;
pub(crate) mod hierarchies;
pub(crate) mod hierarchy;
pub(crate) mod job;
mod layout;
mod markdown;
mod models;
pub(crate) mod open;
mod plot;
pub(crate) mod policy;
pub(crate) mod promise;
pub(crate) mod publish;
pub(crate) mod release;
pub(crate) mod releases;
pub(crate) mod report;
pub(crate) mod roles;
pub(crate) mod understand;
mod verdicts;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use moretta::Error;

use crate::job::in_words;

/// What a page gives: itself, or what went wrong.
pub(crate) type Answer = Result<Response, Failure>;

/// Something that a page can't do, said on a page.
#[derive(Debug)]
pub(crate) struct Failure(Error);

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let page = layout::bare(
            "Not possible",
            &html! {
                h1 { "That is not possible" }
                p.note.is-bad role="alert" { (in_words(&self.0)) }
                p { a href="/" { "Back to the workspace" } }
            },
        );
        (StatusCode::UNPROCESSABLE_ENTITY, page).into_response()
    }
}

/// What there is no page for.
pub(crate) async fn not_found() -> Response {
    let page = layout::bare(
        "Not found",
        &html! { h1 { "There is no such page" } p { a href="/" { "Back to the workspace" } } },
    );
    (StatusCode::NOT_FOUND, page).into_response()
}

/// After a form: the page to look at.
fn go(path: &str) -> Response {
    Redirect::to(path).into_response()
}

/// A figure of people in a sentence.
fn number(n: u64) -> Markup {
    html! { span.number { (moretta::text::grouped(n)) } }
}
