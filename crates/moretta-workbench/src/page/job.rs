//! A job: how far it is, what came of it, and how to stop it.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use maud::{Markup, html};
use moretta::Error;

use super::form::Fields;
use super::layout::Page;
use super::open::{again as with_password, password_form};
use super::{Answer, go};
use crate::bench::Bench;
use crate::job::{Job, Phase, State as JobState, Task};

/// The least time between two events.
const INTERVAL: Duration = Duration::from_millis(100);

pub(crate) async fn show(State(bench): State<Arc<Bench>>, Path(id): Path<u64>) -> Answer {
    let job = find(&bench, id)?;
    let state = job.state.borrow().clone();
    let step = match job.task {
        Task::Inspect { .. } => "/",
        Task::Publish { .. } => "/publish",
        Task::Compare => "/compare",
        Task::Audit { .. } | Task::Query { .. } => "/releases",
    };
    let main = html! {
        h1 { (job.task.title()) }
        div #job data-events={ "/jobs/" (id) "/events" } data-phase=(state.phase.name()) {
            (progress(&state))
            @if job.is_open() {
                form method="post" action={ "/jobs/" (id) "/cancel" } { button.quiet { "Cancel" } }
                p.quiet { "You may leave this page or reload it: the work goes on, and the line at the top leads back." }
            } @else {
                (outcome(&job, &state))
            }
        }
    };
    // Without scripts the page looks again by itself.
    let head = if job.is_open() {
        html! { noscript { meta http-equiv="refresh" content="2"; } }
    } else {
        html! {}
    };
    let page = Page { title: &job.task.title(), step, scripts: &["job.js"] };
    Ok(page.show_with(&bench, &head, &main))
}

/// The bar and the words beside it.
fn progress(state: &JobState) -> Markup {
    html! {
        p.lead #phase role="status" aria-live="polite" {
            @match state.phase {
                Phase::Waiting => "Waiting for its turn",
                Phase::Running => { (moretta::text::capitalized(&state.stage)) },
                Phase::Done => "Done",
                Phase::Failed => "It failed",
                Phase::Cancelled => "Cancelled",
            }
        }
        @if !state.phase.is_over() {
            progress #bar max="1" value=[state.fraction] aria-label="How far the stage is" {}
            p.quiet #left {}
        }
        ul.outcomes #outcomes { @for line in &state.outcomes { li { (line) } } }
    }
}

fn outcome(job: &Job, state: &JobState) -> Markup {
    html! {
        @if state.phase == Phase::Done {
            p.note.is-good { (state.says) }
            @if let Some(shown) = job.done().and_then(|done| done.shown.as_ref()) { (shown) }
            p { a.button href=(state.go) { @if job.done().is_some_and(|done| done.shown.is_some()) { "Back to the release" } @else { "Go on" } } }
        } @else if state.phase == Phase::Failed {
            p.note.is-bad role="alert" { (state.says) }
            @match (job.refused_by(), &job.task) {
                (Some(table), _) => (password_form(job.id, table)),
                (None, Task::Inspect { .. }) => p { a href="/" { "Open another table" } ", or say how this one is read." },
                (None, _) => p { a href="/policy" { "Look at the policy" } " or " a href="/roles" { "decide roles anew" } "." },
            }
        } @else {
            p.note { (state.says) }
        }
    }
}

pub(crate) async fn cancel(State(bench): State<Arc<Bench>>, Path(id): Path<u64>) -> Answer {
    find(&bench, id)?.cancel.cancel();
    Ok(go(&format!("/jobs/{id}")))
}

/// The same again, with the password that the server has asked for.
pub(crate) async fn again(State(bench): State<Arc<Bench>>, Path(id): Path<u64>, axum::Form(fields): Fields) -> Answer {
    let job = find(&bench, id)?;
    let table = job.refused_by().ok_or_else(|| Error::input("no server has asked this job for a password"))?;
    // As it was typed, blanks and all.
    let password = fields.iter().find(|(name, _)| name == "password").map_or("", |(_, password)| password.as_str());
    Ok(with_password(&bench, table, &job.task, password)?)
}

/// Everything that happens to the job, until it is over.
pub(crate) async fn events(State(bench): State<Arc<Bench>>, Path(id): Path<u64>) -> Answer {
    let mut looking = find(&bench, id)?.state.subscribe();
    looking.mark_changed();
    let events = stream::unfold(Some(looking), |looking| async move {
        let mut looking = looking?;
        looking.changed().await.ok()?;
        let state = looking.borrow_and_update().clone();
        let event = Event::default().data(serde_json::to_string(&state).ok()?);
        let next = if state.phase.is_over() {
            None
        } else {
            tokio::time::sleep(INTERVAL).await;
            Some(looking)
        };
        Some((Ok::<_, Infallible>(event), next))
    });
    let response: Response = Sse::new(events).keep_alive(KeepAlive::default()).into_response();
    Ok(response)
}

fn find(bench: &Bench, id: u64) -> Result<Arc<Job>, Error> {
    bench.jobs.find(id).ok_or_else(|| {
        Error::input("this job is not known any more")
            .help("the server was started anew, or many jobs came after it; what it made stands in the workspace")
    })
}
