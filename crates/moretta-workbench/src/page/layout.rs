//! What all pages share: the steps, what is under way, and where one is.

use axum::response::{Html, IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};

use crate::bench::Bench;

/// The steps in their order: address, name.
const STEPS: [(&str, &str); 8] = [
    ("/", "Open"),
    ("/understand", "Understand"),
    ("/roles", "Roles"),
    ("/hierarchies", "Hierarchies"),
    ("/promise", "Promise"),
    ("/compare", "Compare"),
    ("/publish", "Publish"),
    ("/releases", "Hand over"),
];

/// A page of a step.
pub(super) struct Page<'a> {
    pub(super) title: &'a str,
    /// The address of the step that it belongs to.
    pub(super) step: &'a str,
    /// Scripts of ours that it can do without.
    pub(super) scripts: &'a [&'a str],
}

impl Page<'_> {
    pub(super) fn show(&self, bench: &Bench, main: &Markup) -> Response {
        self.show_with(bench, &html! {}, main)
    }

    /// The same with something more in the head.
    pub(super) fn show_with(&self, bench: &Bench, head: &Markup, main: &Markup) -> Response {
        let needs_policy = !bench.workspace.policy_file().is_ok_and(|file| file.exists());
        let open = bench.jobs.open();
        let body = html! {
            header.top {
                a.brand href="/" { (mask()) "moretta" }
                nav aria-label="Steps" {
                    ol.steps {
                        @for (index, (address, name)) in STEPS.iter().enumerate() {
                            li {
                                @if needs_policy && index > 0 && *address != "/releases" {
                                    span.step.is-shut { span.count aria-hidden="true" { (index + 1) } (name) span.unseen { ", once a table is open" } }
                                } @else {
                                    a.step href=(address) aria-current=[(*address == self.step).then_some("step")] {
                                        span.count aria-hidden="true" { (index + 1) } (name)
                                    }
                                }
                            }
                        }
                    }
                }
            }
            @if let Some(job) = open.first() {
                div.banner role="status" {
                    a href={ "/jobs/" (job.id) } { (job.task.title()) }
                    " is " (job.state.borrow().phase.words())
                    @if open.len() > 1 { ", " (open.len() - 1) " more behind it" }
                    "."
                }
            }
            main #main { (main) }
            footer { "Workspace " code { (bench.workspace.root().display()) } " · everything is a file in this folder · " a href="/policy" { "policy.toml" } }
        };
        document(self.title, self.scripts, head, &body).into_response()
    }
}

/// A page outside of the steps.
pub(super) fn bare(title: &str, main: &Markup) -> Html<String> {
    document(
        title,
        &[],
        &html! {},
        &html! { header.top { a.brand href="/" { (mask()) "moretta" } } main #main { (main) } },
    )
}

fn document(title: &str, scripts: &[&str], head: &Markup, body: &Markup) -> Html<String> {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) " · moretta" }
                link rel="icon" href="/assets/mask.svg" type="image/svg+xml";
                link rel="stylesheet" href="/assets/style.css";
                (head)
                @for script in scripts { script src={ "/assets/" (script) } defer {} }
            }
            body { a.skip href="#main" { "To the content" } (body) }
        }
    };
    Html(page.into_string())
}

/// The mask after which the program is named: an oval without a mouth.
fn mask() -> Markup {
    html! {
        svg.mask viewBox="0 0 24 24" aria-hidden="true" focusable="false" {
            path d="M12 2C6.8 2 4 5.6 4 11s3.4 11 8 11 8-5.600 8-11-2.800-9-8-9zm-3.200 9.800a1.700 1.300 0 1 1 0-2.600 1.700 1.300 0 0 1 0 2.600zm6.400 0a1.700 1.300 0 1 1 0-2.600 1.700 1.300 0 0 1 0 2.600z" {}
        }
    }
}
