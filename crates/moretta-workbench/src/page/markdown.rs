//! The pages of models and methods, whose Markdown is our own: headings, paragraphs, lists, tables, code. Everything is escaped by type.

use maud::{Markup, html};

/// A block of a page.
enum Block<'t> {
    Heading(usize, &'t str),
    Paragraph(String),
    List(Vec<String>),
    Table(Vec<Vec<String>>),
    Code(String),
}

/// A whole page, whose title is left to whoever shows it.
pub(super) fn page(text: &str) -> Markup {
    shown(&blocks(text).into_iter().filter(|block| !matches!(block, Block::Heading(1, _))).collect::<Vec<_>>())
}

/// What stands under a heading of the second level.
pub(super) fn section(text: &str, heading: &str) -> Markup {
    let blocks = blocks(text);
    let mut inside = false;
    let mut found = Vec::new();
    for block in blocks {
        match block {
            Block::Heading(level, title) if level <= 2 => inside = title == heading,
            block if inside => found.push(block),
            _ => {}
        }
    }
    shown(&found)
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        let level = trimmed.bytes().take_while(|byte| *byte == b'#').count();
        if trimmed.is_empty() {
            continue;
        }
        if level > 0 {
            blocks.push(Block::Heading(level, trimmed[level..].trim()));
        } else if trimmed.starts_with("```") {
            let code: Vec<&str> = lines.by_ref().take_while(|line| !line.trim().starts_with("```")).collect();
            blocks.push(Block::Code(code.join("\n")));
        } else if trimmed.starts_with('|') {
            let mut rows = vec![cells(trimmed)];
            while let Some(row) = lines.next_if(|line| line.trim().starts_with('|')) {
                rows.push(cells(row.trim()));
            }
            rows.retain(|row| {
                !row.iter().all(|cell| !cell.is_empty() && cell.bytes().all(|byte| b"-:".contains(&byte)))
            });
            blocks.push(Block::Table(rows));
        } else if let Some(first) = trimmed.strip_prefix("- ") {
            let mut items = vec![first.to_owned()];
            while let Some(more) = lines.next_if(|line| !line.trim().is_empty()) {
                match (more.trim().strip_prefix("- "), items.last_mut()) {
                    (Some(item), _) => items.push(item.to_owned()),
                    (None, Some(last)) => *last = format!("{last} {}", more.trim()),
                    (None, None) => {}
                }
            }
            blocks.push(Block::List(items));
        } else {
            let mut paragraph = trimmed.to_owned();
            while let Some(more) = lines.next_if(|line| !line.trim().is_empty()) {
                paragraph = format!("{paragraph} {}", more.trim());
            }
            blocks.push(Block::Paragraph(paragraph));
        }
    }
    blocks
}

fn cells(row: &str) -> Vec<String> {
    // A bar that parts no cells is written `\|`.
    let cell = |text: &str| text.trim().replace("\\|", "|");
    let row = row.trim_matches('|');
    let mut cells = Vec::new();
    let mut start = 0;
    for (at, _) in row.match_indices('|').filter(|(at, _)| !row[..*at].ends_with('\\')) {
        cells.push(cell(&row[start..at]));
        start = at + 1;
    }
    cells.push(cell(&row[start..]));
    cells
}

fn shown(blocks: &[Block<'_>]) -> Markup {
    html! {
        @for block in blocks {
            @match block {
                Block::Heading(level, text) if *level <= 2 => h2 { (words(text)) },
                Block::Heading(_, text) => h3 { (words(text)) },
                Block::Paragraph(text) => p { (words(text)) },
                Block::List(items) => ul { @for item in items { li { (words(item)) } } },
                Block::Code(code) => pre tabindex="0" { code { (code) } },
                Block::Table(rows) => div.wide tabindex="0" role="region" aria-label="Table" {
                    table {
                        @if let Some(head) = rows.first() { thead { tr { @for cell in head { th scope="col" { (words(cell)) } } } } }
                        tbody { @for row in rows.iter().skip(1) { tr { @for cell in row { td { (words(cell)) } } } } }
                    }
                },
            }
        }
    }
}

/// Words with `code`, **strong** and *emphasis*; of links only their words.
fn words(text: &str) -> Markup {
    for (mark, kind) in [("`", 'c'), ("**", 's'), ("*", 'e')] {
        if let Some((before, rest)) = text.split_once(mark)
            && let Some((inside, after)) = rest.split_once(mark)
            && !inside.is_empty()
        {
            return html! {
                (words(before))
                @match kind { 'c' => code { (inside) }, 's' => strong { (words(inside)) }, _ => em { (words(inside)) } }
                (words(after))
            };
        }
    }
    if let Some((before, rest)) = text.split_once('[')
        && let Some((label, rest)) = rest.split_once("](")
        && let Some((_, after)) = rest.split_once(')')
    {
        return html! { (words(before)) (label) (words(after)) };
    }
    html! { (text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_becomes_markup_by_itself() {
        let shown = page("# T\n\nA <b> & `x < y`, **bold** and [a link](b.md).\n\n- one\n  more\n- two\n\n| a | b |\n|---|---|\n| \\|G\\| | `p \\| q` |\n").into_string();
        assert!(
            shown.contains("A &lt;b&gt; &amp; <code>x &lt; y</code>, <strong>bold</strong> and a link."),
            "{shown}"
        );
        assert!(shown.contains("<li>one more</li><li>two</li>") && shown.contains("<code>p | q</code>"), "{shown}");
        assert!(!shown.contains("<h1"));
    }

    #[test]
    fn every_model_says_what_it_protects_and_what_not() {
        for entry in moretta::catalogue().iter().filter(|entry| entry.kind == moretta::EntryKind::Model) {
            for heading in ["Protects", "Does not protect"] {
                assert!(!section(entry.page, heading).into_string().is_empty(), "{}: {heading}", entry.name);
            }
        }
    }
}
