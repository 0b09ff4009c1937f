//! The documentation knows every model and every method, and its links lead somewhere.

use std::path::{Path, PathBuf};

use moretta::Code;
use moretta::internals::method::registry::METHODS;
use moretta::internals::model::registry::MODELS;
use moretta::plugin::Transparency;

#[test]
fn every_model_and_method_has_its_page_and_its_line_in_the_readme() {
    let readme = include_str!("../../../README.md");
    let models = MODELS.iter().map(|entry| ("models", entry.name, entry.summary, entry.page));
    let methods = METHODS.iter().map(|entry| ("methods", entry.name, entry.summary, entry.page));
    for (folder, name, summary, page) in models.chain(methods) {
        assert!(page.starts_with(&format!("# {name}\n")), "{name}: the page has another title");
        for heading in ["## Protects", "## Does not protect", "## Parameters", "## Cost", "## Paper"] {
            assert!(page.contains(heading), "{name}: the page lacks {heading:?}");
        }
        let line = format!("| [{name}](crates/moretta/docs/{folder}/{name}.md) | {summary} |");
        assert!(readme.contains(&line), "README.md lacks: {line}");
    }
    for entry in METHODS {
        let holds = if matches!(entry.transparency, Transparency::Holds(_)) { "yes" } else { "not shown" };
        let row = readme.lines().find(|line| line.starts_with(&format!("| [{}](", entry.name)));
        assert!(row.is_some_and(|row| row.ends_with(&format!("| {holds} |"))), "README.md: {} is {holds}", entry.name);
    }
}

#[test]
fn every_link_leads_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository");
    let pages = pages(&root);
    assert!(pages.len() > 40, "only {} pages are found", pages.len());
    let dead: Vec<String> = pages.iter().flat_map(|page| dead_links(page)).collect();
    assert!(dead.is_empty(), "dead links:\n{}", dead.join("\n"));
}

#[test]
fn a_dead_link_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("page.md");
    let text = "# One: *two*\n[a](page.md) ![b](gone.svg) [c](#one-two) [d](page.md#three) `[e](f)` [g](https://h.i/)\n\
                ```\n[j](k.md)\n# Three\n```\n[l](../no/where.md)\n";
    std::fs::write(&page, text).expect("a page");
    assert_eq!(pages(folder.path()), std::slice::from_ref(&page));
    let dead = dead_links(&page);
    let ends = [": gone.svg", ": page.md#three", ": ../no/where.md"];
    assert!(dead.len() == 3 && dead.iter().zip(ends).all(|(line, end)| line.ends_with(end)), "{dead:?}");
}

/// The Markdown files below a folder; hidden folders and what cargo built have none of ours.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in folder.read_dir().expect("a folder").map(|entry| entry.expect("an entry")) {
        let path = entry.path();
        if path.is_dir() {
            let name = entry.file_name();
            let is_hidden = name.to_string_lossy().starts_with('.') || name == "node_modules";
            let is_ours = !is_hidden && !path.join("CACHEDIR.TAG").exists();
            found.extend(is_ours.then(|| pages(&path)).into_iter().flatten());
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The relative links of a page that lead to no file, or to no heading of one.
fn dead_links(page: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(page).expect("a page");
    let prose = prose(&text).join("\n");
    let links = prose.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0));
    let is_dead = |link: &&str| !link.contains("://") && !link.starts_with("mailto:") && !leads_somewhere(page, link);
    links.filter(is_dead).map(|link| format!("{}: {link}", page.display())).collect()
}

fn leads_somewhere(page: &Path, link: &str) -> bool {
    let (file, heading) = link.split_once('#').map_or((link, None), |(file, heading)| (file, Some(heading)));
    let target = if file.is_empty() { page.to_path_buf() } else { page.with_file_name(file) };
    let Some(heading) = heading else { return target.exists() };
    let Ok(text) = std::fs::read_to_string(target) else { return false };
    prose(&text).iter().filter_map(|line| line.strip_prefix('#')).any(|title| anchor(title) == heading)
}

/// The lines outside code blocks, without the code inside them.
fn prose(text: &str) -> Vec<String> {
    let mut is_code = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            lines.push(line.split('`').step_by(2).collect());
        }
    }
    lines
}

/// How a heading is named in a link.
fn anchor(title: &str) -> String {
    let title = title.trim_start_matches('#').trim().to_lowercase();
    let kept = title.chars().filter(|&c| c.is_alphanumeric() || c == ' ' || c == '-' || c == '_');
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn the_guide_lists_the_codes_of_errors_in_their_order() {
    let guide = include_str!("../../../docs/guide.md");
    let listed = guide.lines().skip_while(|line| *line != "| code | what is wrong |").skip(2);
    let listed: Vec<&str> = listed.map_while(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    let codes: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(listed, codes);
}

/// What stands in backticks in the last cell of a table's rows.
fn named_in_tables(text: &str) -> Vec<String> {
    let rows = text
        .lines()
        .filter(|line| line.starts_with("| "))
        .filter_map(|line| line.trim_end_matches('|').rsplit_once('|'));
    rows.flat_map(|(_, cell)| cell.split('`').skip(1).step_by(2).map(str::to_owned)).collect()
}

/// The sources below a folder, as one text.
fn sources(folder: &Path, text: &mut String) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        if path.is_dir() {
            if name != "target" && !name.to_string_lossy().starts_with('.') {
                sources(&path, text);
            }
        } else if path.extension().is_some_and(|ending| ending == "rs" || ending == "py") {
            text.push_str(&std::fs::read_to_string(&path).expect("a source"));
        }
    }
}

#[test]
fn the_tests_that_the_first_hour_names_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/first-hour.md")).expect("the page");
    let (_, table) = page.split_once("and what holds it").expect("the table");
    let mut text = String::new();
    ["crates", "python/tests"].iter().for_each(|folder| sources(&root.join(folder), &mut text));
    let named = named_in_tables(table);
    assert!(named.len() >= 25, "{named:?}");
    for name in named {
        let is_there = if name.contains('/') {
            root.join(&name).is_file()
        } else {
            ["fn", "def"].iter().any(|word| text.contains(&format!("{word} {name}(")))
        };
        assert!(is_there, "{name} is no test");
    }
}
