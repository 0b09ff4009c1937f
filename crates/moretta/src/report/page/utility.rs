//! What analysts lose.

use maud::{Markup, PreEscaped, html};

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
                @if !self.utility.is_empty() { (self.costs()) }
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
                        tr { th scope="row" { (name) } td.n { (spelled(value)) } }
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
            (percent(error.mean)) " on average, by " (percent(error.median)) " in the middle, and by at most "
            (percent(error.p95)) " for 95 %."
        }
    }
}
