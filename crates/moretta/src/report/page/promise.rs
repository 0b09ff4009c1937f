//! What is promised, in words, and what it does not cover.

use std::fmt::Write as _;

use serde_json::{Map, Value as Json};

use super::Story;
use super::spelling::{capitalized, spelled};
use crate::report::words::{escape, section, to_html};

impl Story<'_> {
    pub(super) fn promises(&self, html: &mut String) {
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
                let _ = writeln!(
                    html,
                    "<div class=\"pair\"><div><h4>It protects</h4>{}</div><div><h4>It does not protect</h4>{}</div></div>",
                    to_html(section(entry.page, "Protects")),
                    to_html(section(entry.page, "Does not protect")),
                );
            }
        }
        if let Some(entry) = self.method.and_then(crate::method::registry::find) {
            let _ = writeln!(
                html,
                "<h3>The method: {}</h3><p>{}.</p><details><summary>What it does not protect</summary>{}</details>",
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
}
