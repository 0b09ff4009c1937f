//! What analysts lose.

use std::fmt::Write as _;

use super::Story;
use super::spelling::{percent, spelled};
use crate::report::plot::Bars;
use crate::report::words::escape;

/// A release of more people is not asked about every part of every attribute: it would take longer than publishing it.
const MOST_PEOPLE: u64 = 2_000_000;

impl Story<'_> {
    pub(super) fn utility(&self, html: &mut String) {
        html.push_str("<section aria-labelledby=\"utility\"><h2 id=\"utility\">What analysts lose</h2>\n");
        if !self.utility.is_empty() {
            html.push_str("<table><caption>Costs</caption><thead><tr><th scope=\"col\">measure</th><th scope=\"col\">value</th></tr></thead><tbody>");
            for (name, value) in self.utility.iter().filter(|(_, value)| !value.is_null()) {
                let _ = write!(
                    html,
                    "<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td></tr>",
                    escape(name),
                    escape(&spelled(value))
                );
            }
            html.push_str("</tbody></table>\n");
        }
        if let Some(error) = &self.query_error {
            let _ = writeln!(
                html,
                "<p>Random count queries over two attributes, {} of them: answers are off by {} on average, by {} in the middle, and by at most {} for 95 %.</p>",
                error.queries,
                percent(error.mean),
                percent(error.median),
                percent(error.p95)
            );
        }
        if self.people > MOST_PEOPLE {
            html.push_str(
                "<p>The distributions of single attributes are left out: the table is large.</p></section>\n",
            );
            return;
        }
        html.push_str("<p>How the values of each attribute are distributed, as an analyst expects them from the release:</p>\n<div class=\"charts\">\n");
        for binned in &self.before.attributes {
            let share = |people: f64, all: f64| 100.0 * people / all.max(1.0);
            let of_original =
                binned.bins.iter().map(|bin| share(bin.people as f64, self.before.people as f64)).collect();
            let mut series = vec![("original".to_owned(), of_original)];
            let after = binned.after(self.release);
            series.extend(after.map(|after| {
                (
                    "release".to_owned(),
                    after.into_iter().map(|people| share(people.max(0.0), self.people as f64)).collect(),
                )
            }));
            let role = if binned.sensitive { "sensitive" } else { "quasi-identifier" };
            let bars = Bars {
                title: format!("{} ({role})", binned.name),
                description: format!(
                    "The share of people by {}, in the original and as estimated from the release.",
                    binned.name
                ),
                labels: binned.bins.iter().map(|bin| bin.label.clone()).collect(),
                y_name: "% of people".to_owned(),
                series,
            };
            let _ = writeln!(html, "<figure>{}</figure>", bars.to_svg());
        }
        html.push_str("</div>\n</section>\n");
    }
}
