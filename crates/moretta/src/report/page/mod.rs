//! The report: one page that a person can decide from.
//!
//! Self-contained: no script, no font and no picture from elsewhere; readable in print, in light and in dark, by keyboard and by ear.

mod attacks;
mod promise;
mod risk;
mod spelling;
mod utility;

use std::fmt::Write as _;

use serde_json::{Map, Value as Json};

use self::spelling::grouped;
use super::before::Before;
use super::words::escape;
use crate::audit::Audit;
use crate::kind::Release;
use crate::model::Verdict;
use crate::query::RelativeError;

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
    pub release: &'a dyn Release,
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

const HEAD: &str = concat!(
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
    "<meta name=\"color-scheme\" content=\"light dark\">\n<title>moretta: release report</title>\n<style>\n",
    include_str!("page.css"),
    "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the report</a>\n",
    "<nav aria-label=\"Sections\"><a href=\"#promise\">Promise</a> <a href=\"#risk\">Risk</a> <a href=\"#attacks\">Attacks</a> ",
    "<a href=\"#utility\">Utility</a> <a href=\"#again\">Again</a></nav>\n",
);
