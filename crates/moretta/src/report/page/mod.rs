//! The report: one page that a person can decide from.
//!
//! Self-contained: no script, no font and no picture from elsewhere; readable in print, in light and in dark, by keyboard and by ear.
//!
//! It shows data and names that nobody vouches for. Every text goes through the templates' escaping; what enters as it is comes from the
//! style sheet and from our own plots, which escape their texts themselves.

mod attacks;
mod decision;
mod promise;
mod risk;
mod spelling;
mod utility;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::{Map, Value as Json};

use super::before::OriginalRisk;
use crate::audit::{Audit, Grade};
use crate::chance::Seed;
use crate::kind::OpenRelease;
use crate::model::Verdict;
use crate::query::RelativeError;
use crate::text::grouped;

/// All that a report tells.
#[derive(Debug)]
pub struct ReportInput<'a> {
    /// The method that made the release, if it says so.
    pub method: Option<&'a str>,
    /// The people in the release.
    pub people: u64,
    /// How many different people these are, where they are rows of which several may belong to one.
    pub persons: Option<u64>,
    /// The people of the original who are not in it.
    pub suppressed: u64,
    /// The judgement about each promise.
    pub verdicts: &'a [Verdict],
    /// The release.
    pub release: &'a dyn OpenRelease,
    /// The original.
    pub before: &'a OriginalRisk,
    /// What the release costs, by name.
    pub utility: Map<String, Json>,
    /// What no release under these promises and hierarchies can lose less than, where that was proved.
    pub bound: Option<f64>,
    /// How far off answers to random count queries are.
    pub query_error: Option<RelativeError>,
    /// What attacks found.
    pub audit: Option<&'a Audit>,
    /// What a steward should look at.
    pub warnings: &'a [String],
    /// The policy, as it was written.
    pub policy: &'a str,
    /// What chance started from, if it is known.
    pub seed: Option<Seed>,
}

/// The file in `private/` that holds the page.
pub const FILE: &str = "report.html";

impl ReportInput<'_> {
    /// The page.
    pub fn to_html(&self) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                (head())
                body {
                    (navigation())
                    (self.header())
                    main id="main" {
                        (self.decision())
                        (self.beyond())
                        (self.risk())
                        (self.attacks())
                        (self.utility())
                        (self.promises())
                        (self.reproduce())
                    }
                }
            }
        };
        page.into_string() + "\n"
    }

    fn header(&self) -> Markup {
        html! {
            header {
                h1 { "Release report" }
                p.lead {
                    (self.subject()) ", published with "
                    @match self.method {
                        Some(method) => { "moretta, method " (method) }
                        None => "another tool"
                    }
                    "."
                }
                p.private { "This page names people of the original by row. It must not be given away." }
            }
        }
    }

    /// `12 people`, or `40 rows of 12 people`.
    fn subject(&self) -> String {
        match self.persons {
            Some(persons) => format!("{} rows of {} people", grouped(self.people), grouped(persons)),
            None => format!("{} people", grouped(self.people)),
        }
    }

    /// What attacks found beyond the promise, the worst first.
    fn beyond(&self) -> Markup {
        let found = self.audit.map(Audit::beyond_promise).unwrap_or_default();
        html! {
            @if !found.is_empty() {
                section aria-labelledby="beyond" {
                    h2 id="beyond" { "What was found beyond the promise" }
                    ul {
                        @for attack in found {
                            li {
                                strong class=(class_of(attack.finding.grade)) { (attack.finding.grade.name()) }
                                " " (attack.finding.sentence) " (" (attack.name) ")."
                            }
                        }
                    }
                }
            }
        }
    }

    fn reproduce(&self) -> Markup {
        html! {
            section aria-labelledby="again" {
                h2 id="again" { "To do it again" }
                p {
                    "moretta " (env!("CARGO_PKG_VERSION")) ", this policy and "
                    @match self.seed {
                        Some(seed) => code { "--seed " (seed.to_string()) }
                        None => { "the seed in " code { "seed.txt" } }
                    }
                    " give the same bytes."
                }
                pre tabindex="0" { code { (self.policy.trim_end()) } }
            }
        }
    }
}

/// The class of a grade in the style sheet.
fn class_of(grade: Grade) -> &'static str {
    match grade {
        Grade::Red => "bad",
        Grade::Amber => "warn",
        Grade::None => "quiet",
    }
}

fn head() -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { "moretta: release report" }
            style { (PreEscaped(include_str!("page.css"))) }
        }
    }
}

fn navigation() -> Markup {
    let sections = [
        ("decision", "Decision"),
        ("risk", "Risk"),
        ("attacks", "Attacks"),
        ("utility", "Utility"),
        ("promise", "Promise"),
        ("again", "Again"),
    ];
    html! {
        a.skip href="#main" { "Skip to the report" }
        nav aria-label="Sections" {
            @for (id, name) in sections { a href={ "#" (id) } { (name) } " " }
        }
    }
}
