//! The pages of models and methods, as far as a report quotes them.

use maud::{Markup, html};

/// The text of a page under a heading of the second level.
pub(super) fn section<'p>(page: &'p str, heading: &str) -> &'p str {
    let wanted = format!("## {heading}\n");
    let Some(start) = page.find(&wanted).map(|at| at + wanted.len()) else { return "" };
    let rest = &page[start..];
    rest[..rest.find("\n## ").unwrap_or(rest.len())].trim()
}

/// Plain Markdown as HTML: paragraphs, lists, `code` and *emphasis*. Tables and fenced code are left out.
pub(super) fn to_markup(markdown: &str) -> Markup {
    let blocks = markdown.split("\n\n").map(str::trim).filter(|block| !block.is_empty());
    let plain = blocks.filter(|block| !["|", "```", "#"].iter().any(|start| block.starts_with(start)));
    html! {
        @for block in plain {
            @match block.strip_prefix("- ") {
                Some(items) => ul { @for item in items.split("\n- ") { li { (inline(item)) } } }
                None => p { (inline(block)) }
            }
        }
    }
}

/// A line of Markdown. Every second part stands between backticks; of the others, every second between asterisks.
fn inline(text: &str) -> Markup {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    html! {
        @for (number, part) in line.split('`').enumerate() {
            @if number % 2 == 1 { code { (part) } } @else { (emphasis(part)) }
        }
    }
}

fn emphasis(text: &str) -> Markup {
    html! {
        @for (number, part) in text.split('*').enumerate() {
            @if number % 2 == 1 { em { (part) } } @else { (part) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_found_and_become_html() {
        let page = "# x\n\n## Protects\n\nAgainst `a < b` and\n*much* more.\n\n- one\n- two\n  lines\n\n| a |\n\n## Cost\n\nnone\n";
        let html = to_markup(section(page, "Protects")).into_string();
        assert_eq!(
            html,
            "<p>Against <code>a &lt; b</code> and <em>much</em> more.</p><ul><li>one</li><li>two lines</li></ul>"
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
                    to_markup(section(page, heading)).into_string().contains("<p>")
                        || section(page, heading).contains("- "),
                    "{name}: {heading}"
                );
            }
        }
    }
}
