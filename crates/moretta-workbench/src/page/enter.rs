//! Coming in: by the secret of the printed address, or by a password.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use maud::html;
use moretta::Error;
use tokio::sync::Mutex;

use super::form::{Fields, field};
use super::{Answer, go, layout};
use crate::access::same;
use crate::bench::Bench;

/// Passwords are tried one after another, so that many tries at once take as long.
static TRYING: Mutex<()> = Mutex::const_new(());

pub(crate) async fn show(State(bench): State<Arc<Bench>>, Query(fields): Query<Vec<(String, String)>>) -> Response {
    let key = field(&fields, "key").unwrap_or_default();
    if bench.access.password.is_some() {
        return form("").into_response();
    }
    if same(key.as_bytes(), bench.access.session.key().as_bytes()) {
        return let_in(&bench);
    }
    (StatusCode::UNAUTHORIZED, "Open the address that the program has printed: it holds a secret that lets you in.\n")
        .into_response()
}

pub(crate) async fn enter(State(bench): State<Arc<Bench>>, axum::Form(fields): Fields) -> Answer {
    let _one_at_a_time = TRYING.lock().await;
    let tried = field(&fields, "password").unwrap_or_default().to_owned();
    let asked = bench.clone();
    let is_right =
        tokio::task::spawn_blocking(move || asked.access.password.as_ref().map(|password| password.is(&tried)));
    match is_right.await.map_err(|_| Error::bug("a password could not be tried"))?.transpose()? {
        Some(true) => Ok(let_in(&bench)),
        _ => Ok((StatusCode::UNAUTHORIZED, form("That is not the password.")).into_response()),
    }
}

fn let_in(bench: &Bench) -> Response {
    let mut response = go("/");
    if let Ok(cookie) = HeaderValue::from_str(&bench.access.session.cookie()) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

fn form(wrong: &str) -> Html<String> {
    layout::bare(
        "Come in",
        &html! {
            h1 { "Come in" }
            @if !wrong.is_empty() { p.note.is-bad role="alert" { (wrong) } }
            form method="post" action="/enter" {
                label for="password" { "Password" }
                input #password name="password" type="password" autocomplete="current-password" required;
                button { "Come in" }
            }
        },
    )
}
