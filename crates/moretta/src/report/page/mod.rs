//! The report: one page that a person can decide from.
//!
//! Self-contained: no script, no font and no picture from elsewhere; readable in print, in light and in dark, by keyboard and by ear.
//!
//! It shows data and names that nobody vouches for. Every text goes through the templates' escaping; what enters as it is comes from the
//! style sheet and from our own plots, which escape their texts themselves.

mod attacks;
mod promise;
mod risk;
mod spelling;
mod utility;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::{Map, Value as Json};

use super::before::OriginalRisk;
use crate::audit::Audit;
use crate::chance::Seed;
use crate::kind::Release;
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
    /// The people of the original who are not in it.
    pub suppressed: u64,
    /// The judgement about each promise.
    pub verdicts: &'a [Verdict],
    /// The release.
    pub release: &'a dyn Release,
    /// The original.
    pub before: &'a OriginalRisk,
    /// What the release costs, by name.
    pub utility: Map<String, Json>,
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
                        (self.promises())
                        (self.risk())
                        (self.attacks())
                        (self.utility())
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
                    (grouped(self.people)) " people, published with "
                    @match self.method {
                        Some(method) => { "moretta, method " (method) }
                        None => "another tool"
                    }
                    ". " (self.verdict_in_words())
                }
                p.private { "This page names people of the original by row. It must not be given away." }
            }
        }
    }

    fn verdict_in_words(&self) -> Markup {
        let broken = self.verdicts.iter().filter(|verdict| !verdict.holds).count();
        let by_attack = self
            .audit
            .map_or(0, |audit| audit.attacks.iter().filter(|attack| attack.finding.holds == Some(false)).count());
        html! {
            @match broken.max(by_attack) {
                0 => strong.good { "Every promise holds, as proved from the released files." }
                broken => strong.bad { (broken) " of its bounds are broken. Do not publish it." }
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
    let sections =
        [("promise", "Promise"), ("risk", "Risk"), ("attacks", "Attacks"), ("utility", "Utility"), ("again", "Again")];
    html! {
        a.skip href="#main" { "Skip to the report" }
        nav aria-label="Sections" {
            @for (id, name) in sections { a href={ "#" (id) } { (name) } " " }
        }
    }
}
