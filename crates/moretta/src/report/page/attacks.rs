//! What attacks found, and whom they hit worst.

use std::fmt::Write as _;

use super::Story;
use super::spelling::{grouped, number};
use crate::report::words::escape;

impl Story<'_> {
    pub(super) fn attacks(&self, html: &mut String) {
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
}
