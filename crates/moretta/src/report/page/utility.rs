//! What analysts lose.

use std::collections::BTreeMap;

use maud::{Markup, PreEscaped, html};
use serde_json::Value as Json;

use super::ReportInput;
use super::spelling::spelled;
use crate::query::RelativeError;
use crate::report::plot::Bars;
use crate::report::{Binned, glossary};
use crate::text::{bounded, percent};

/// So many attributes are drawn and listed, those that lose most first; the page of a table of thousands of columns would else be too large to be opened.
const MOST_CHARTS: usize = 40;
const MOST_LISTED: usize = 200;

/// A release of more people is not asked about every part of every attribute: it would take longer than publishing it.
const MOST_PEOPLE: u64 = 2_000_000;

impl ReportInput<'_> {
    pub(super) fn utility(&self) -> Markup {
        html! {
            section aria-labelledby="utility" {
                h2 id="utility" { "What analysts lose" }
                @if let Some(sentence) = self.bounded() { p { (sentence) } }
                @if !self.utility.is_empty() { (self.costs()) (self.columns()) }
                @if let Some(error) = &self.query_error { (off_by(error)) }
                @if self.people > MOST_PEOPLE {
                    p { "The distributions of single attributes are left out: the table is large." }
                } @else {
                    p {
                        "How the values of each attribute are distributed, as an analyst expects them from the release"
                        @if self.before.attributes.len() > MOST_CHARTS {
                            " (" (MOST_CHARTS) " of " (self.before.attributes.len()) ": sensitive ones and those that lose most)"
                        }
                        ":"
                    }
                    div.charts {
                        @for binned in self.drawn() { figure { (PreEscaped(self.distribution(binned).to_svg())) } }
                    }
                }
            }
        }
    }

    /// How far the loss is from the least that there can be.
    fn bounded(&self) -> Option<String> {
        Some(bounded(self.utility.get("loss")?.as_f64()?, self.bound?))
    }

    fn costs(&self) -> Markup {
        html! {
            table {
                caption { "Costs" }
                thead { tr { th scope="col" { "measure" } th scope="col" { "value" } th scope="col" { "what it means" } } }
                tbody {
                    @for (name, value) in self.utility.iter().filter(|(_, value)| !value.is_null()) {
                        @match value {
                            Json::Array(_) => {}
                            Json::Object(parts) => {
                                @for (part, value) in parts {
                                    tr {
                                        th scope="row" { (name) ", " (part) }
                                        td.n { (spelled(value)) }
                                        td { (meaning(name)) }
                                    }
                                }
                            }
                            value => tr {
                                th scope="row" { (name) }
                                td.n { (spelled(value)) }
                                td { (meaning(name)) }
                            }
                        }
                    }
                }
            }
        }
    }

    /// The same for each quasi-identifier, in the columns that any of them has.
    fn columns(&self) -> Markup {
        let columns = self.column_costs();
        let (all, columns) = (columns.len(), &columns[..columns.len().min(MOST_LISTED)]);
        let has = |name: &str| columns.iter().any(|column| column.get(name).is_some());
        let costs: Vec<&str> = ["loss", "gcp"].into_iter().filter(|name| has(name)).collect();
        let pairs = |column: &Json| column.get("association").and_then(Json::as_array).cloned().unwrap_or_default();
        let sensitive: Vec<Json> = columns
            .first()
            .map(|column| pairs(column))
            .unwrap_or_default()
            .iter()
            .map(|pair| pair["sensitive"].clone())
            .collect();
        html! {
            @if !columns.is_empty() {
                div.wide {
                    table {
                        caption {
                            "Costs of each quasi-identifier"
                            @if all > MOST_LISTED { ", the " (MOST_LISTED) " of " (all) " that lose most; report.json has all" }
                            @if (1..self.sensitive()).contains(&sensitive.len()) {
                                "; association with " (sensitive.len()) " of " (self.sensitive()) " sensitive attributes"
                            }
                        }
                        thead {
                            tr {
                                th scope="col" { "attribute" }
                                @for name in &costs { th scope="col" { (name) } }
                                @for name in &sensitive {
                                    th scope="col" { "association with " (name.as_str().unwrap_or_default()) }
                                }
                            }
                        }
                        tbody {
                            @for column in columns {
                                tr {
                                    th scope="row" { (column["name"].as_str().unwrap_or_default()) }
                                    @for name in &costs { td.n { (spelled(&column[*name])) } }
                                    @for pair in pairs(column) {
                                        td.n {
                                            @if pair["kept"].is_null() { "none in the original" }
                                            @else { (spelled(&pair["kept"])) }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn sensitive(&self) -> usize {
        self.before.attributes.iter().filter(|binned| binned.sensitive).count()
    }

    /// What each quasi-identifier costs; where there are too many for a page, the dearest first.
    fn column_costs(&self) -> Vec<&Json> {
        let columns = self.utility.get("columns").and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
        let mut columns: Vec<&Json> = columns.iter().collect();
        if columns.len() > MOST_LISTED {
            columns.sort_by(|a, b| loss(b).total_cmp(&loss(a)));
        }
        columns
    }

    /// The attributes whose distributions are drawn: all or, where there are too many, sensitive ones and those that lose most.
    fn drawn(&self) -> Vec<&Binned> {
        let mut attributes: Vec<&Binned> = self.before.attributes.iter().collect();
        if attributes.len() > MOST_CHARTS {
            let columns = self.utility.get("columns").and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
            let losses: BTreeMap<&str, f64> =
                columns.iter().filter_map(|column| Some((column["name"].as_str()?, loss(column)))).collect();
            let lost = |binned: &Binned| losses.get(binned.name.as_str()).copied().unwrap_or(0.0);
            attributes.sort_by(|a, b| b.sensitive.cmp(&a.sensitive).then(lost(b).total_cmp(&lost(a))));
            attributes.truncate(MOST_CHARTS);
        }
        attributes
    }

    /// The shares of an attribute's values, in the original and as expected from the release.
    fn distribution(&self, binned: &Binned) -> Bars {
        let share = |people: f64, all: f64| 100.0 * people / all.max(1.0);
        let of_original = binned.bins.iter().map(|bin| share(bin.people as f64, self.before.people as f64)).collect();
        let mut series = vec![("original".to_owned(), of_original)];
        let after = binned.after(self.release);
        series.extend(after.map(|after| {
            let shares = after.into_iter().map(|people| share(people.max(0.0), self.people as f64));
            ("release".to_owned(), shares.collect())
        }));
        let role = if binned.sensitive { "sensitive" } else { "quasi-identifier" };
        Bars {
            title: format!("{} ({role})", binned.name),
            description: format!(
                "The share of people by {}, in the original and as estimated from the release.",
                binned.name
            ),
            labels: binned.bins.iter().map(|bin| bin.label.clone()).collect(),
            y_name: "% of people".to_owned(),
            series,
        }
    }
}

fn loss(column: &Json) -> f64 {
    column["loss"].as_f64().unwrap_or(0.0)
}

/// What a cost measures, in a sentence.
fn meaning(name: &str) -> &'static str {
    glossary::cost(name).map_or("", |word| word.summary)
}

fn off_by(error: &RelativeError) -> Markup {
    html! {
        p {
            "Random count queries over two attributes, " (error.queries) " of them: answers are off by "
            (percent(error.mean)) " on average, by " (percent(error.median)) " at the median, and by at most "
            (percent(error.p95)) " for 95 %. The average is driven by counts of few people; most answers are as good as the median."
        }
    }
}
