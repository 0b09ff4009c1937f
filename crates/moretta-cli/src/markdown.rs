//! Pages of Markdown as a terminal shows them: headings in bold, tables aligned, no signs that only Markdown needs.

use std::fmt::Write as _;

use crate::console::STRONG;
use crate::layout::Table;

/// A page for the terminal.
pub(crate) fn for_terminal(page: &str) -> String {
    let mut text = String::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        if line.trim_start().starts_with("```") {
            // Code stays as it is, without its fence.
            for code in lines.by_ref().take_while(|code| !code.trim_start().starts_with("```")) {
                let _ = writeln!(text, "    {code}");
            }
        } else if line.starts_with('|') {
            let mut table = Table::new(cells(line));
            while let Some(row) = lines.next_if(|row| row.starts_with('|')) {
                if !is_rule(row) {
                    table.row(cells(row));
                }
            }
            text.push_str(&table.render());
        } else if let Some(heading) = line.strip_prefix('#') {
            let _ = writeln!(text, "{STRONG}{}{STRONG:#}", inline(heading.trim_start_matches('#').trim_start()));
        } else {
            let _ = writeln!(text, "{}", inline(line));
        }
    }
    text
}

/// The line below the header of a table.
fn is_rule(row: &str) -> bool {
    row.chars().all(|sign| matches!(sign, '|' | '-' | ':' | ' '))
}

/// The cells of a row. A bar with a backslash before it is part of its cell, and so is one between backticks.
fn cells(row: &str) -> Vec<String> {
    let inner = row.trim().trim_start_matches('|');
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let (mut found, mut cell, mut code) = (Vec::new(), String::new(), false);
    let mut signs = inner.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '\\' if signs.peek() == Some(&'|') => cell.extend(signs.next()),
            '|' if !code => found.push(std::mem::take(&mut cell)),
            _ => {
                code ^= sign == '`';
                cell.push(sign);
            }
        }
    }
    found.push(cell);
    found.iter().map(|cell| inline(cell.trim())).collect()
}

/// A line without emphasis, escapes and the addresses of links.
fn inline(line: &str) -> String {
    let mut text = String::new();
    for (number, part) in line.split('`').enumerate() {
        match number % 2 {
            1 => text.push_str(part),
            _ => text.push_str(&without_signs(part)),
        }
    }
    text
}

fn without_signs(part: &str) -> String {
    let mut text = String::new();
    let mut rest = part;
    while let Some(at) = rest.find(['\\', '*', '[']) {
        text.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        match rest.as_bytes()[at] {
            // What follows a backslash stands for itself.
            b'\\' => {
                let sign = after.chars().next().filter(char::is_ascii_punctuation);
                text.push(sign.unwrap_or('\\'));
                rest = &after[sign.map_or(0, char::len_utf8)..];
            }
            b'[' => match link(after) {
                Some((words, end)) => {
                    text.push_str(&without_signs(words));
                    rest = &after[end..];
                }
                None => {
                    text.push('[');
                    rest = after;
                }
            },
            // Asterisks between blanks, or behind a digit as in 130**, are meant; others emphasize.
            _ => {
                let run = rest[at..].len() - rest[at..].trim_start_matches('*').len();
                let (before, next) = (rest[..at].chars().next_back(), rest[at + run..].chars().next());
                let is_blank = |sign: Option<char>| sign.is_none_or(char::is_whitespace);
                if (is_blank(before) && is_blank(next)) || before.is_some_and(|sign| sign.is_ascii_digit()) {
                    text.push_str(&rest[at..at + run]);
                }
                rest = &rest[at + run..];
            }
        }
    }
    text + rest
}

/// The words of `words](address)`, and where it ends.
fn link(after: &str) -> Option<(&str, usize)> {
    let middle = after.find("](")?;
    let end = after[middle..].find(')')? + middle;
    (!after[..middle].contains('[')).then_some((&after[..middle], end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_aligned_and_signs_are_gone() {
        let page = "## Parameters\n\n| name | meaning |\n|---|---:|\n| `l` | \\|G\\| of *each* group |\n| longer | **x** |\n\nSee [the page](a/b.md), 130** and 2 * 3.\n\n```toml\nk = 5\n```\n";
        let shown = anstream::adapter::strip_str(&for_terminal(page)).to_string();
        assert_eq!(
            shown,
            "Parameters\n\n  name     meaning\n  l        |G| of each group\n  longer   x\n\nSee the page, 130** and 2 * 3.\n\n    k = 5\n"
        );
    }

    #[test]
    fn every_page_is_rendered_without_markdown() {
        for entry in moretta::catalogue() {
            let shown = anstream::adapter::strip_str(&for_terminal(&entry.text())).to_string();
            let code = |line: &&str| !line.starts_with("    ");
            for line in shown.lines().filter(code) {
                assert!(
                    !line.starts_with('#') && !line.starts_with('|') && !line.contains("\\|"),
                    "{}: {line}",
                    entry.name
                );
                assert!(!line.contains("]("), "{}: {line}", entry.name);
            }
        }
    }
}
