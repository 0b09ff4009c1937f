//! What attacks found, and whom they hit worst.

use maud::{Markup, html};

use super::spelling::number;
use super::{ReportInput, class_of};
use crate::audit::{AttackReport, Audit, Grade};
use crate::report::glossary;
use crate::text::grouped;

impl ReportInput<'_> {
    pub(super) fn attacks(&self) -> Markup {
        html! {
            section aria-labelledby="attacks" {
                h2 id="attacks" { "Attacks" }
                @match self.audit {
                    Some(audit) => { (measures(audit)) (victims(audit)) (sampled(audit)) (skipped(audit)) }
                    None => p {
                        "Not attacked yet: " code { "moretta audit DIR --original POLICY" } " adds this section."
                    }
                }
            }
        }
    }
}

fn measures(audit: &Audit) -> Markup {
    html! {
        div.wide {
            table {
                caption { "What adversaries reach, and what was promised" }
                thead {
                    tr {
                        th scope="col" { "attack" }
                        th scope="col" { "measure" }
                        th scope="col" { "promised" }
                        th scope="col" { "measured" }
                        th scope="col" { "people hit" }
                        th scope="col" { "verdict" }
                    }
                }
                tbody { @for attack in &audit.attacks { (measure(attack)) } }
            }
        }
    }
}

fn measure(attack: &AttackReport) -> Markup {
    let finding = &attack.finding;
    let (mark, class) = match finding.holds {
        Some(true) => ("holds", if finding.grade == Grade::None { "good" } else { "quiet" }),
        Some(false) => ("broken", "bad"),
        None => ("not promised", "quiet"),
    };
    html! {
        tr {
            th scope="row" {
                span title={ "The adversary " (attack.adversary) } { (attack.name) }
                @if let Some(word) = glossary::attack(attack.name) { br; span.quiet { (word.summary) "." } }
            }
            td { (finding.measure) @if let Some(name) = &finding.attribute { " (" (name) ")" } }
            td.n { (finding.promised.map_or("–".to_owned(), number)) }
            td.n {
                (number(finding.measured))
                @if let Some(known) = finding.known_group {
                    br;
                    span title="for somebody who knows in which group the person stands" {
                        "known group: " (number(known))
                    }
                }
            }
            td.n { span title=(finding.counts) { (grouped(finding.hit)) } }
            td {
                span class=(class) { (mark) }
                @if finding.grade > Grade::None { " " span class=(class_of(finding.grade)) { (finding.grade.name()) } }
            }
        }
    }
}

fn victims(audit: &Audit) -> Markup {
    html! {
        h3 { "The worst-hit people" }
        div.wide {
            table {
                caption { "Rows of the original, counted from 1" }
                thead {
                    tr {
                        th scope="col" { "attack" }
                        th scope="col" { "row" }
                        th scope="col" { "what happens" }
                    }
                }
                tbody {
                    @for attack in &audit.attacks {
                        @for victim in attack.victims().iter().take(3) {
                            tr {
                                th scope="row" { (attack.name) }
                                td.n { (grouped(victim.row)) }
                                td { (victim.says) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn sampled(audit: &Audit) -> Markup {
    let parts = || audit.attacks.iter().filter_map(|attack| Some((attack, attack.finding.sampled.as_ref()?)));
    html! {
        @if parts().next().is_some() {
            details {
                summary { "Findings about a part of the people" }
                ul {
                    @for (attack, how) in parts() {
                        li {
                            (attack.name) ", " (attack.finding.measure)
                            @if let Some(attribute) = &attack.finding.attribute { " (" (attribute) ")" }
                            ": " (how)
                        }
                    }
                }
            }
        }
    }
}

fn skipped(audit: &Audit) -> Markup {
    html! {
        @if !audit.skipped.is_empty() {
            details {
                summary { "Attacks that were not run" }
                ul { @for skipped in &audit.skipped { li { (skipped.name) ": " (skipped.reason) } } }
            }
        }
    }
}
