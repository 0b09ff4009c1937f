//! What analysts lose.

use maud::{Markup, PreEscaped, html};
use serde_json::Value as Json;

use super::ReportInput;
use super::spelling::spelled;
use crate::query::RelativeError;
use crate::report::Binned;
use crate::report::plot::Bars;
use crate::text::percent;

/// A release of more people is not asked about every part of every attribute: it would take longer than publishing it.
const MOST_PEOPLE: u64 = 2_000_000;

impl ReportInput<'_> {
    pub(super) fn utility(&self) -> Markup {
        html! {
            section aria-labelledby="utility" {
                h2 id="utility" { "What analysts lose" }
                @if !self.utility.is_empty() { (self.costs()) (self.columns()) }
                @if let Some(error) = &self.query_error { (off_by(error)) }
                @if self.people > MOST_PEOPLE {
                    p { "The distributions of single attributes are left out: the table is large." }
                } @else {
                    p { "How the values of each attribute are distributed, as an analyst expects them from the release:" }
                    div.charts {
                        @for binned in &self.before.attributes {
                            figure { (PreEscaped(self.distribution(binned).to_svg())) }
                        }
                    }
                }
            }
        }
    }

    fn costs(&self) -> Markup {
        html! {
            table {
                caption { "Costs" }
                thead { tr { th scope="col" { "measure" } th scope="col" { "value" } } }
                tbody {
                    @for (name, value) in self.utility.iter().filter(|(_, value)| !value.is_null()) {
                        @match value {
                            Json::Array(_) => {}
                            Json::Object(parts) => {
                                @for (part, value) in parts {
                                    tr { th scope="row" { (name) ", " (part) } td.n { (spelled(value)) } }
                                }
                            }
                            value => tr { th scope="row" { (name) } td.n { (spelled(value)) } }
                        }
                    }
                }
            }
        }
    }

    /// The same for each quasi-identifier, in the columns that any of them has.
    fn columns(&self) -> Markup {
        let columns = self.utility.get("columns").and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
        let has = |name: &str| columns.iter().any(|column| column.get(name).is_some());
        let costs: Vec<&str> = ["loss", "gcp"].into_iter().filter(|name| has(name)).collect();
        let pairs = |column: &Json| column.get("association").and_then(Json::as_array).cloned().unwrap_or_default();
        let sensitive: Vec<Json> =
            columns.first().map(pairs).unwrap_or_default().iter().map(|pair| pair["sensitive"].clone()).collect();
        html! {
            @if !columns.is_empty() {
                div.wide {
                    table {
                        caption { "Costs of each quasi-identifier" }
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

fn off_by(error: &RelativeError) -> Markup {
    html! {
        p {
            "Random count queries over two attributes, " (error.queries) " of them: answers are off by "
            (percent(error.mean)) " on average, by " (percent(error.median)) " at the median, and by at most "
            (percent(error.p95)) " for 95 %."
        }
    }
}
