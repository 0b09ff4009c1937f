//! The first thing on the page: what is promised, what was found, what it costs, and what follows from that.

use maud::{Markup, html};
use serde_json::Value as Json;

use super::{ReportInput, class_of};
use crate::audit::{Audit, Grade};
use crate::model::sentence::fill;
use crate::text::{capitalized, counted, percent};

/// So many findings are named; the others follow below.
const NAMED: usize = 3;

/// Above this, more than half of what the table could tell is gone.
const HIGH_LOSS: f64 = 0.5;

/// Below this, hardly anything is left of how attributes go together.
const LOW_ASSOCIATION: f64 = 0.5;

/// What follows from a release's promise, from what attacks found and from what it costs.
struct Recommendation {
    class: &'static str,
    words: &'static str,
    reasons: Vec<String>,
}

impl ReportInput<'_> {
    pub(super) fn decision(&self) -> Markup {
        let Recommendation { class, words, reasons } = self.recommendation();
        html! {
            section.decision aria-labelledby="decision" {
                h2 id="decision" { "May it be published?" }
                p.lead { strong class=(class) { (words) } }
                ul { @for reason in reasons { li { (reason) } } }
                dl {
                    dt { "Promise" }
                    dd { @for line in self.promised() { (line) " " } }
                    dt { "Worst findings" }
                    dd { (self.worst_findings()) }
                    dt { "Cost" }
                    dd { (self.cost()) }
                }
            }
        }
    }

    /// The bounds that are broken, by the files or by an attack.
    fn broken(&self) -> usize {
        let by_attack = |audit: &Audit| audit.attacks.iter().filter(|a| a.finding.holds == Some(false)).count();
        let in_files = self.verdicts.iter().filter(|verdict| !verdict.holds).count();
        in_files.max(self.audit.map_or(0, by_attack))
    }

    fn recommendation(&self) -> Recommendation {
        let mut reasons = Vec::new();
        let broken = self.broken();
        reasons.push(match (broken, self.verdicts.len()) {
            (0, 0) => "Nothing is promised.".to_owned(),
            (0, _) => "Every promise holds, as proved from the released files.".to_owned(),
            (broken, _) => format!("{} broken.", counted(broken as u64, "bound is", "bounds are")),
        });
        let (class, words) = match (broken, self.audit.map(Audit::grade)) {
            (1.., _) => ("bad", "Do not publish it."),
            (0, None) => {
                reasons.push("It was not attacked yet: `moretta audit DIR --original POLICY` tells what a promise does not speak of.".to_owned());
                ("warn", "Attack it before you decide.")
            }
            (0, Some(Grade::Red)) => {
                reasons.push("Attacks reach more than was promised, and somebody is as good as exposed.".to_owned());
                ("bad", "Do not publish it as it is, unless you can answer for what was found.")
            }
            (0, Some(Grade::Amber)) => {
                reasons.push("Attacks reach more than was promised.".to_owned());
                ("warn", "Publish it only if you can answer for what was found.")
            }
            (0, Some(Grade::None)) if self.verdicts.is_empty() => {
                ("warn", "Nothing speaks against it, and nothing is promised.")
            }
            (0, Some(Grade::None)) => {
                reasons.push(
                    "No attack reached what would be worth a warning. What was not tested is not certified.".to_owned(),
                );
                ("good", "Nothing that was tested speaks against publishing it.")
            }
        };
        if self.number("loss").is_some_and(|loss| loss > HIGH_LOSS) {
            reasons.push("More than half of the precision of quasi-identifiers is gone: a weaker promise or fewer columns may serve analysts better.".to_owned());
        }
        if self.number("association").is_some_and(|kept| kept < LOW_ASSOCIATION) {
            reasons
                .push("Less than half is left of how quasi-identifiers and sensitive values go together.".to_owned());
        }
        Recommendation { class, words, reasons }
    }

    /// Each promise in the words that its model has for this kind of release.
    fn promised(&self) -> Vec<String> {
        if self.verdicts.is_empty() {
            return vec!["Nothing is promised about groups or beliefs.".to_owned()];
        }
        let words = |verdict: &crate::model::Verdict| match self.sentence(verdict) {
            Some(sentence) => {
                format!("{}: {}.", verdict.model, capitalized(&fill(sentence.promise, &verdict.promised)))
            }
            None => format!("{}.", verdict.model),
        };
        self.verdicts.iter().map(words).collect()
    }

    fn worst_findings(&self) -> Markup {
        let found = self.audit.map(Audit::beyond_promise).unwrap_or_default();
        html! {
            @match (self.audit, found.as_slice()) {
                (None, _) => "Not attacked yet.",
                (Some(_), []) => "None beyond the promise.",
                (Some(_), found) => ul {
                    @for attack in found.iter().take(NAMED) {
                        li {
                            strong class=(class_of(attack.finding.grade)) { (attack.finding.grade.name()) }
                            " " (attack.finding.sentence) " (" (attack.name) ")."
                        }
                    }
                    @if found.len() > NAMED { li { a href="#beyond" { (found.len() - NAMED) " more" } } }
                }
            }
        }
    }

    fn cost(&self) -> String {
        let mut parts = Vec::new();
        if self.suppressed > 0 {
            let everybody = (self.suppressed + self.people) as f64;
            let share = percent(self.suppressed as f64 / everybody);
            parts.push(format!("{} left out ({share})", counted(self.suppressed, "person was", "people were")));
        }
        parts.extend(
            self.number("loss").map(|loss| format!("{} of the precision of quasi-identifiers is gone", percent(loss))),
        );
        let columns = self.utility.get("columns").and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
        let loss = |column: &&Json| column["loss"].as_f64();
        let worst = columns.iter().filter(|column| loss(column).is_some_and(|loss| loss > 0.0));
        let worst = worst.max_by(|a, b| loss(a).unwrap_or(0.0).total_cmp(&loss(b).unwrap_or(0.0)));
        parts.extend(worst.and_then(|column| {
            Some(format!("most in {} ({})", column["name"].as_str()?, percent(column["loss"].as_f64()?)))
        }));
        parts.extend(self.number("association").map(|kept| {
            format!("{} is left of how quasi-identifiers and sensitive values go together", percent(kept))
        }));
        let median = self.utility.get("query_error").and_then(|error| error["median"].as_f64());
        parts.extend(median.map(|median| format!("half of random counts are off by less than {}", percent(median))));
        if parts.is_empty() { "Not measured.".to_owned() } else { capitalized(&parts.join("; ")) + "." }
    }

    fn number(&self, cost: &str) -> Option<f64> {
        self.utility.get(cost).and_then(Json::as_f64)
    }
}
