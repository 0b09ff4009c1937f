//! The report: one page that a person can decide from.
//!
//! Self-contained: no script, no font and no picture from elsewhere; readable in print, in light and in dark, by keyboard and by ear.

use std::fmt::Write as _;

use serde_json::{Map, Value as Json};

use super::before::Before;
use super::plot::Bars;
use super::words::{escape, section, to_html};
use crate::audit::Audit;
use crate::model::Verdict;
use crate::query::RelativeError;
use crate::release::Release;

/// All that a report tells.
#[derive(Debug)]
pub struct Story<'a> {
    /// The method that made the release, if it says so.
    pub method: Option<&'a str>,
    /// The people in the release.
    pub people: u64,
    /// The people of the original who are not in it.
    pub suppressed: u64,
    /// The judgement about each promise.
    pub verdicts: &'a [Verdict],
    /// The release.
    pub release: &'a Release,
    /// The original.
    pub before: &'a Before,
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
    pub seed: Option<u64>,
}

/// The file in `private/` that holds the page.
pub const FILE: &str = "report.html";

/// A release of more people is not asked about every part of every attribute: it would take longer than publishing it.
const MOST_PEOPLE: u64 = 2_000_000;

impl Story<'_> {
    /// The page.
    pub fn to_html(&self) -> String {
        let mut html = HEAD.to_owned();
        let made = self.method.map_or("another tool".to_owned(), |method| format!("moretta, method {method}"));
        let _ = write!(
            html,
            "<header><h1>Release report</h1><p class=\"lead\">{} people, published with {}. {}</p>\
             <p class=\"private\">This page names people of the original by row. It must not be given away.</p></header>\n<main id=\"main\">\n",
            grouped(self.people),
            escape(&made),
            self.verdict_in_words(),
        );
        self.promises(&mut html);
        self.risk(&mut html);
        self.attacks(&mut html);
        self.utility(&mut html);
        self.reproduce(&mut html);
        html.push_str("</main>\n</body>\n</html>\n");
        html
    }

    fn verdict_in_words(&self) -> String {
        let broken = self.verdicts.iter().filter(|verdict| !verdict.holds).count();
        let by_attack = self
            .audit
            .map_or(0, |audit| audit.attacks.iter().filter(|attack| attack.finding.holds == Some(false)).count());
        match (broken, by_attack) {
            (0, 0) => {
                "<strong class=\"good\">Every promise holds, as proved from the released files.</strong>".to_owned()
            }
            _ => format!(
                "<strong class=\"bad\">{} of its bounds are broken. Do not publish it.</strong>",
                broken.max(by_attack)
            ),
        }
    }

    fn promises(&self, html: &mut String) {
        html.push_str("<section aria-labelledby=\"promise\"><h2 id=\"promise\">What is promised</h2>\n");
        if self.verdicts.is_empty() {
            html.push_str("<p>Nothing is promised about groups or beliefs.</p>\n");
        }
        for verdict in self.verdicts {
            let entry = crate::model::registry::find(verdict.model);
            let summary = entry.map_or("", |entry| entry.summary);
            let (mark, class) = if verdict.holds { ("holds", "good") } else { ("broken", "bad") };
            let _ = write!(
                html,
                "<h3>{} <span class=\"{class}\">{mark}</span></h3><p>{}.</p><table><caption>Required and reached</caption>\
                 <thead><tr><th scope=\"col\">parameter</th><th scope=\"col\">required</th><th scope=\"col\">reached</th></tr></thead><tbody>",
                escape(verdict.model),
                escape(&capitalized(summary)),
            );
            let mut names: Vec<&String> = verdict.promised.keys().collect();
            names.extend(verdict.achieved.keys().filter(|name| !verdict.promised.contains_key(*name)));
            for name in names {
                let cell =
                    |map: &Map<String, Json>| map.get(name).map_or("–".to_owned(), |value| escape(&spelled(value)));
                let _ = write!(
                    html,
                    "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>",
                    escape(name),
                    cell(&verdict.promised),
                    cell(&verdict.achieved)
                );
            }
            html.push_str("</tbody></table>\n");
            if let Some(entry) = entry {
                let _ = write!(
                    html,
                    "<div class=\"pair\"><div><h4>It protects</h4>{}</div><div><h4>It does not protect</h4>{}</div></div>\n",
                    to_html(section(entry.page, "Protects")),
                    to_html(section(entry.page, "Does not protect")),
                );
            }
        }
        if let Some(entry) = self.method.and_then(crate::method::registry::find) {
            let _ = write!(
                html,
                "<h3>The method: {}</h3><p>{}.</p><details><summary>What it does not protect</summary>{}</details>\n",
                escape(entry.name),
                escape(&capitalized(entry.summary)),
                to_html(section(entry.page, "Does not protect")),
            );
        }
        for warning in self.warnings {
            let _ = writeln!(html, "<p class=\"note\">Look at this: {}</p>", escape(warning));
        }
        html.push_str("</section>\n");
    }

    /// How many people hide among how many, before and after.
    fn risk(&self, html: &mut String) {
        html.push_str("<section aria-labelledby=\"risk\"><h2 id=\"risk\">Risk before and after</h2>\n");
        let after = self.release.groups().map(|groups| groups.people.as_slice());
        let share = |classes: &[u64]| -> Vec<f64> {
            let total = classes.iter().sum::<u64>().max(1) as f64;
            let inside =
                |&(low, high): &(u64, u64)| -> u64 { classes.iter().filter(|&&c| low <= c && c <= high).sum() };
            SIZES.iter().map(|size| 100.0 * inside(size) as f64 / total).collect()
        };
        let mut series: Vec<(String, Vec<f64>)> =
            self.before.classes.iter().map(|classes| ("original".to_owned(), share(classes))).collect();
        series.extend(after.map(|classes| ("release".to_owned(), share(classes))));
        let alone = self.before.classes.as_ref().map_or(String::new(), |classes| {
            let unique = classes.iter().filter(|&&size| size == 1).count() as u64;
            let people = grouped(self.before.people);
            format!("In the original, {} of {people} people are alone with their quasi-identifiers.", grouped(unique))
        });
        let _ = writeln!(
            html,
            "<p>{alone} {}</p>",
            match after.and_then(|classes| classes.iter().min()) {
                Some(smallest) =>
                    format!("In the release nobody stands in a group of fewer than {}.", grouped(*smallest)),
                None => "The release has no groups: see the promise for what hides a person.".to_owned(),
            }
        );
        let bars = Bars {
            title: "Among how many does a person hide?".to_owned(),
            description: "The share of people by the size of the class of equal quasi-identifiers, in the original and in the release.".to_owned(),
            labels: SIZES.iter().map(label_of_size).collect(),
            y_name: "% of people".to_owned(),
            series,
        };
        let _ = writeln!(html, "<figure>{}</figure>\n</section>", bars.to_svg());
    }

    fn attacks(&self, html: &mut String) {
        html.push_str("<section aria-labelledby=\"attacks\"><h2 id=\"attacks\">Attacks</h2>\n");
        let Some(audit) = self.audit else {
            html.push_str("<p>Not attacked yet: <code>moretta audit DIR --original POLICY</code> adds this section.</p></section>\n");
            return;
        };
        html.push_str(
            "<div class=\"wide\"><table><caption>What adversaries reach, and what was promised</caption><thead><tr><th scope=\"col\">attack</th>\
             <th scope=\"col\">measure</th><th scope=\"col\">promised</th><th scope=\"col\">measured</th><th scope=\"col\">people hit</th><th scope=\"col\">verdict</th></tr></thead><tbody>",
        );
        for attack in &audit.attacks {
            let finding = &attack.finding;
            let (mark, class) = match finding.holds {
                Some(true) => ("holds", "good"),
                Some(false) => ("broken", "bad"),
                None => ("not promised", "quiet"),
            };
            let of = finding.attribute.as_ref().map_or(String::new(), |name| format!(" ({name})"));
            let _ = write!(
                html,
                "<tr><th scope=\"row\"><span title=\"The adversary {}\">{}</span></th><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
                 <td class=\"n\"><span title=\"{}\">{}</span></td><td><span class=\"{class}\">{mark}</span></td></tr>",
                escape(attack.adversary),
                escape(attack.name),
                escape(&format!("{}{of}", finding.measure)),
                finding.promised.map_or("–".to_owned(), number),
                number(finding.measured),
                escape(&finding.counts),
                grouped(finding.affected),
            );
        }
        html.push_str("</tbody></table></div>\n<h3>The worst-hit people</h3>\n");
        html.push_str(
            "<div class=\"wide\"><table><caption>Rows of the original, counted from 1</caption><thead><tr><th scope=\"col\">attack</th>\
             <th scope=\"col\">row</th><th scope=\"col\">what happens</th></tr></thead><tbody>",
        );
        for attack in &audit.attacks {
            for victim in attack.victims().iter().take(3) {
                let _ = write!(
                    html,
                    "<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td><td>{}</td></tr>",
                    escape(attack.name),
                    grouped(victim.row),
                    escape(&victim.says)
                );
            }
        }
        html.push_str("</tbody></table></div>\n");
        if !audit.skipped.is_empty() {
            html.push_str("<details><summary>Attacks that were not run</summary><ul>");
            for skipped in &audit.skipped {
                let _ = write!(html, "<li>{}: {}</li>", escape(skipped.name), escape(&skipped.reason));
            }
            html.push_str("</ul></details>\n");
        }
        html.push_str("</section>\n");
    }

    fn utility(&self, html: &mut String) {
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
            let after = binned.after(self.release.answers());
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

    fn reproduce(&self, html: &mut String) {
        let seed = self.seed.map_or(" and the seed in <code>seed.txt</code>".to_owned(), |seed| {
            format!(" and <code>--seed {seed}</code>")
        });
        let _ = write!(
            html,
            "<section aria-labelledby=\"again\"><h2 id=\"again\">To do it again</h2>\n<p>moretta {}, this policy{seed} give the same bytes.</p>\n\
             <pre tabindex=\"0\"><code>{}</code></pre>\n</section>\n",
            env!("CARGO_PKG_VERSION"),
            escape(self.policy.trim_end()),
        );
    }
}

/// Sizes of classes that are shown together.
const SIZES: [(u64, u64); 8] = [(1, 1), (2, 2), (3, 4), (5, 9), (10, 19), (20, 49), (50, 99), (100, u64::MAX)];

fn label_of_size(&(low, high): &(u64, u64)) -> String {
    match high {
        _ if low == high => low.to_string(),
        u64::MAX => format!("{low} or more"),
        _ => format!("{low} – {high}"),
    }
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// 30162 as `30,162`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn number(x: f64) -> String {
    if x.is_finite() { format!("{}", (x * 1e4).round() / 1e4) } else { "∞".to_owned() }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn spelled(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Null => "∞".to_owned(),
        Json::Number(n) if n.is_f64() => n.as_f64().map_or_else(|| n.to_string(), number),
        Json::Number(n) => n.as_u64().map_or_else(|| n.to_string(), grouped),
        other => other.to_string(),
    }
}

const HEAD: &str = concat!(
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
    "<meta name=\"color-scheme\" content=\"light dark\">\n<title>moretta: release report</title>\n<style>\n",
    include_str!("page.css"),
    "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the report</a>\n",
    "<nav aria-label=\"Sections\"><a href=\"#promise\">Promise</a> <a href=\"#risk\">Risk</a> <a href=\"#attacks\">Attacks</a> ",
    "<a href=\"#utility\">Utility</a> <a href=\"#again\">Again</a></nav>\n",
);
