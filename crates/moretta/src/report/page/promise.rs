//! What is promised, in words, and what it does not cover.

use maud::{Markup, html};
use serde_json::{Map, Value as Json};

use super::ReportInput;
use super::spelling::spelled;
use crate::model::registry::find;
use crate::model::sentence::fill;
use crate::model::{Sentence, Verdict};
use crate::report::words::{section, to_markup};
use crate::text::capitalized;

impl ReportInput<'_> {
    pub(super) fn promises(&self) -> Markup {
        html! {
            section aria-labelledby="promise" {
                h2 id="promise" { "What is promised" }
                @if self.verdicts.is_empty() { p { "Nothing is promised about groups or beliefs." } }
                @for verdict in self.verdicts { (promise(verdict, self.sentence(verdict))) }
                h3 { "What a release of this kind leaves open" }
                p { (self.release.kind().not_protected) }
                @if let Some(entry) = self.method.and_then(crate::method::registry::find) {
                    h3 { "The method: " (entry.name) }
                    p { (capitalized(entry.summary)) "." }
                    p { (entry.transparency.sentence()) }
                    details {
                        summary { "What it does not protect" }
                        (to_markup(section(entry.page, "Does not protect")))
                    }
                }
                @for warning in self.warnings { p.note { "Look at this: " (warning) } }
            }
        }
    }
}

impl ReportInput<'_> {
    /// What the model may say of this kind of release.
    pub(super) fn sentence(&self, verdict: &Verdict) -> Option<&'static Sentence> {
        find(verdict.model)?.wordings.of(self.release.kind().id).sentence()
    }
}

fn promise(verdict: &Verdict, sentence: Option<&Sentence>) -> Markup {
    let filled = |template: &str| capitalized(&fill(template, &verdict.promised));
    let (mark, class) = if verdict.holds { ("holds", "good") } else { ("broken", "bad") };
    html! {
        h3 { (verdict.model) " " span class=(class) { (mark) } }
        @if let Some(sentence) = sentence { p { (filled(sentence.promise)) "." } }
        (parameters(verdict))
        @if let Some(sentence) = sentence {
            div.pair {
                div { h4 { "Why it holds" } p { (filled(sentence.argument)) } }
                div { h4 { "It does not protect" } p { (filled(sentence.not_protected)) "." } }
            }
        }
    }
}

fn parameters(verdict: &Verdict) -> Markup {
    let mut names: Vec<&String> = verdict.promised.keys().collect();
    names.extend(verdict.achieved.keys().filter(|name| !verdict.promised.contains_key(*name)));
    let cell = |map: &Map<String, Json>, name: &str| map.get(name).map_or("–".to_owned(), spelled);
    html! {
        table {
            caption { "Required and reached" }
            thead {
                tr {
                    th scope="col" { "parameter" }
                    th scope="col" { "required" }
                    th scope="col" { "reached" }
                }
            }
            tbody {
                @for name in names {
                    tr {
                        th scope="row" { (name) }
                        td { (cell(&verdict.promised, name)) }
                        td { (cell(&verdict.achieved, name)) }
                    }
                }
            }
        }
    }
}
