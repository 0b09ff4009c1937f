//! The rule of the house, read off the sources: tolerances have one home.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// A source with its comments, texts and characters blanked out; lines stay where they are.
fn blanked(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(next) = rest.chars().next() {
        let quoted = rest.trim_start_matches('r').trim_start_matches('#').starts_with('"');
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if next == '"' || (next == 'r' && quoted && !code.ends_with(|c: char| c.is_alphanumeric() || c == '_')) {
            length_of_text(rest)
        } else if next == '\'' {
            // A character ends with a quote; a lifetime does not.
            let escaped = rest[1..].starts_with('\\');
            let end = rest[1..].char_indices().skip(if escaped { 2 } else { 1 }).find(|(_, c)| *c == '\'');
            end.map(|(at, _)| at + 2)
                .filter(|length| escaped && *length < 14 || rest[1..*length].chars().count() == 2)
                .unwrap_or(1)
        } else {
            code.push(next);
            rest = &rest[next.len_utf8()..];
            continue;
        };
        code.extend(rest[..length].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        rest = &rest[length..];
    }
    code
}

fn length_of_text(rest: &str) -> usize {
    let raw = rest.starts_with('r');
    let hashes = rest.chars().skip(usize::from(raw)).take_while(|c| *c == '#').count();
    let start = usize::from(raw) + hashes + 1;
    let end = format!("\"{}", "#".repeat(hashes));
    let mut at = start;
    while at < rest.len() && !rest[at..].starts_with(&end) {
        let c = rest[at..].chars().next().unwrap();
        at += c.len_utf8();
        if c == '\\' && !raw {
            at += rest[at..].chars().next().map_or(0, char::len_utf8);
        }
    }
    (at + end.len()).min(rest.len())
}

/// Blanks out what only tests see, and names the modules of it that are files of their own.
fn without_tests(code: &str) -> (String, Vec<String>) {
    const MARK: &str = "#[cfg(test)]";
    let (mut kept, mut modules) = (String::new(), Vec::new());
    let mut rest = code;
    while let Some(start) = rest.find(MARK) {
        kept.push_str(&rest[..start]);
        let item = &rest[start + MARK.len()..];
        let end = item.find(['{', ';']).unwrap_or(item.len() - 1);
        let length = if item[end..].starts_with('{') { end + length_of_block(&item[end..]) } else { end + 1 };
        if let Some((_, name)) = item[..end].split_once("mod ").filter(|_| !item[end..].starts_with('{')) {
            modules.push(name.trim().to_owned());
        }
        kept.extend(rest[start..start + MARK.len() + length].chars().filter(|c| *c == '\n'));
        rest = &item[length..];
    }
    kept.push_str(rest);
    (kept, modules)
}

fn length_of_block(block: &str) -> usize {
    let mut depth = 0;
    let end = block.char_indices().find(|(_, c)| {
        depth += match c {
            '{' => 1,
            '}' => -1,
            _ => 0,
        };
        depth == 0
    });
    end.map_or(block.len(), |(at, _)| at + 1)
}

/// Whether a line of code holds a number with a negative exponent, or one below a thousandth.
fn holds_tolerance(line: &str) -> bool {
    let number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let small = |(at, _): (usize, &str)| {
        let before = line[..at].rsplit(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).next();
        before.is_some_and(number) && line[at + 2..].starts_with(|c: char| c.is_ascii_digit())
    };
    line.match_indices("e-").any(small) || line.contains("0.000")
}

/// All production code outside this folder.
fn production() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    files.sort();
    let mut of_tests: BTreeSet<PathBuf> = BTreeSet::new();
    let mut found = Vec::new();
    for path in files {
        let (code, modules) = without_tests(&blanked(&fs::read_to_string(&path).unwrap()));
        let folder = match path.file_stem().and_then(|stem| stem.to_str()) {
            Some("mod" | "lib") | None => path.parent().unwrap().to_owned(),
            Some(stem) => path.parent().unwrap().join(stem),
        };
        of_tests.extend(modules.iter().map(|name| folder.join(name)));
        found.push((path, code));
    }
    let is_test = |path: &Path| path.with_extension("").ancestors().any(|part| of_tests.contains(part));
    found.retain(|(path, _)| !is_test(path) && !path.starts_with(root.join("numeric")));
    found
}

#[test]
fn tolerances_are_named_in_one_place() {
    let code = production();
    assert!(code.len() > 100, "the sources were not found");
    let lines = code.iter().flat_map(|(path, code)| (1..).zip(code.lines()).map(move |line| (path, line)));
    let elsewhere: Vec<String> = lines
        .filter(|(_, (_, line))| holds_tolerance(line))
        .map(|(path, (number, line))| format!("{}:{number}: {}", path.display(), line.trim()))
        .collect();
    assert!(elsewhere.is_empty(), "name them in numeric/tolerance.rs, with their argument:\n{}", elsewhere.join("\n"));
}

#[test]
fn what_is_read_off_the_sources_is_what_is_there() {
    let source = "let a = 1e-9; // 1e-3\nlet b = \"1e-9 \\\" 1e-9\"; let c = '\"';\nfn f<'a>(x: &'a str) {}\nlet d = r#\"1e-4\"#;\n\
                  #[cfg(test)]\nmod tests {\n    fn g() { 1e-5; }\n}\n#[cfg(test)]\nmod other;\nlet e = 2.5e-7; let name-1 = e-1; x = 1.0;\n";
    let (code, modules) = without_tests(&blanked(source));
    assert_eq!(modules, ["other"]);
    let found: Vec<usize> = (1..).zip(code.lines()).filter(|(_, line)| holds_tolerance(line)).map(|(n, _)| n).collect();
    assert_eq!(found, [1, 11], "{code}");
}
