//! The pages of models and methods, as far as a report quotes them.

use std::fmt::Write as _;

/// The text of a page under a heading of the second level.
pub(super) fn section<'p>(page: &'p str, heading: &str) -> &'p str {
    let wanted = format!("## {heading}\n");
    let Some(start) = page.find(&wanted).map(|at| at + wanted.len()) else { return "" };
    let rest = &page[start..];
    rest[..rest.find("\n## ").unwrap_or(rest.len())].trim()
}

/// Plain Markdown as HTML: paragraphs, lists, `code` and *emphasis*. Tables and fenced code are left out.
pub(super) fn to_html(markdown: &str) -> String {
    let mut html = String::new();
    for block in markdown.split("\n\n").map(str::trim).filter(|block| !block.is_empty()) {
        if block.starts_with('|') || block.starts_with("```") || block.starts_with('#') {
            continue;
        }
        if block.starts_with("- ") {
            let items = block.strip_prefix("- ").unwrap_or(block).split("\n- ");
            let items: String = items.map(|item| format!("<li>{}</li>", inline(item))).collect();
            let _ = writeln!(html, "<ul>{items}</ul>");
        } else {
            let _ = writeln!(html, "<p>{}</p>", inline(block));
        }
    }
    html
}

fn inline(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut html = String::new();
    for (place, part) in words.join(" ").split('`').enumerate() {
        // Every second part stands between backticks.
        if place % 2 == 1 {
            let _ = write!(html, "<code>{}</code>", escape(part));
            continue;
        }
        for (place, part) in part.split('*').enumerate() {
            let part = escape(part);
            let _ = if place % 2 == 1 { write!(html, "<em>{part}</em>") } else { write!(html, "{part}") };
        }
    }
    html
}

/// A text as it stands in HTML.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_found_and_become_html() {
        let page = "# x\n\n## Protects\n\nAgainst `a < b` and\n*much* more.\n\n- one\n- two\n  lines\n\n| a |\n\n## Cost\n\nnone\n";
        let html = to_html(section(page, "Protects"));
        assert_eq!(
            html,
            "<p>Against <code>a &lt; b</code> and <em>much</em> more.</p>\n<ul><li>one</li><li>two lines</li></ul>\n"
        );
        assert_eq!(section(page, "Paper"), "");
    }

    #[test]
    fn every_model_and_method_says_what_it_does_not_protect() {
        let models = crate::model::registry::MODELS.iter().map(|entry| (entry.name, entry.page));
        let methods = crate::method::registry::METHODS.iter().map(|entry| (entry.name, entry.page));
        for (name, page) in models.chain(methods) {
            for heading in ["Protects", "Does not protect"] {
                assert!(
                    to_html(section(page, heading)).contains("<p>") || section(page, heading).contains("- "),
                    "{name}: {heading}"
                );
            }
        }
    }
}
