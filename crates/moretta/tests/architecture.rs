//! The house rules that can be read off the sources: arrows point one way, kinds are listed once, files stay small, and
//! CONTRIBUTING's map is true.
//!
//! `cargo test -p moretta --test architecture -- --nocapture` prints the order. After a change of the list below,
//! `MORETTA_MAP=write cargo test -p moretta --test architecture` writes the map anew.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The modules of the library from the bottom to the top: a module may use those above it in this list, never those below.
const MODULES: &[(&str, &str)] = &[
    ("text", "numbers, shares and names as people read them"),
    ("error", "what is wrong, where, and what would be right; the codes of errors"),
    ("progress", "what long work shows of itself, how it is stopped, how many threads and how much memory it has"),
    ("chance", "where chance comes from"),
    ("numeric", "exact numbers (fractions, decimals, whole numbers of any size), and every tolerance"),
    ("data", "values, domains, tables, counted cells; reading (source/) and writing (write/)"),
    ("config", "settings that know where they stand: read key by key, written as TOML; the files that they name"),
    ("hierarchy", "generalization trees, how they are made, what generalizing costs (scale)"),
    ("distance", "distances between distributions, exact where they are rational"),
    ("condition", "conditions over attributes: predicates, and the disjoint boxes they become"),
    ("schema", "attributes, roles, missing values; reading a table by them"),
    ("knowledge", "what an adversary knows beforehand: rules, priors, posteriors"),
    ("storage", "where files stand, whole or not at all"),
    ("release", "what all kinds share: manifest, files, groups, questions and answers, rows and their order"),
    (
        "kind",
        "the kinds of release, one folder each: plan, writer, reader, answers, adversary, costs, mathematics; registry.rs",
    ),
    ("database", "a release in a database, written and read back in one transaction"),
    ("model", "privacy models, one file each; registry.rs"),
    ("method", "publication methods, one file or folder each; registry.rs; recoding/ is what they are built from"),
    ("policy", "the policy file, checked, with the line and column of every mistake"),
    ("prepare", "a table made ready once: read, encoded, counted"),
    ("query", "questions in SQL, their answers, workloads, the truth"),
    ("check", "from files to verdicts"),
    ("utility", "what a release costs"),
    ("publish", "stages from a prepared table to a proved release"),
    ("audit", "attacks, one file each; registry.rs"),
    ("inspect", "what a table is, and a policy to start with"),
    ("export", "a release for other programs: a script of SQL, Arrow record batches"),
    ("compare", "many releases on one plane"),
    ("report", "the page and its plots, as SVG and as text"),
    ("steward", "publishing into a folder, and what only the steward gets"),
    ("api", "the front door: what a program calls, and nothing computed of its own; build/ makes policies"),
    ("plugin", "what models, methods and attacks of other crates are made of"),
    ("internals", "parts that the lab and the soak take apart; no interface, and not in the docs"),
];

/// The most lines of a file without its tests.
const MOST_LINES: usize = 400;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// A source file of the library, without its comments and its tests.
struct Source {
    path: PathBuf,
    /// The top module that it belongs to.
    module: String,
    code: String,
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Files and folders that stand behind `#[cfg(test)] mod NAME;`.
fn test_modules(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in paths {
        let text = fs::read_to_string(path).unwrap();
        let is_root = path.file_name().is_some_and(|name| name == "mod.rs" || name == "lib.rs");
        let folder = if is_root { path.parent().unwrap().to_path_buf() } else { path.with_extension("") };
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            let declared = lines.peek().map(|next| next.trim_start_matches("pub(crate) "));
            if line == "#[cfg(test)]"
                && let Some(name) = declared.and_then(|next| next.strip_prefix("mod ")?.strip_suffix(';'))
            {
                found.push(folder.join(name));
                found.push(folder.join(format!("{name}.rs")));
            }
        }
    }
    found
}

fn sources() -> Vec<Source> {
    let mut paths = Vec::new();
    files(&root(), &mut paths);
    let tests = test_modules(&paths);
    let is_test = |path: &Path| tests.iter().any(|test| path.starts_with(test));
    paths.iter().filter(|path| !is_test(path)).filter_map(|path| source(path)).collect()
}

fn source(path: &Path) -> Option<Source> {
    let inside = path.strip_prefix(root()).unwrap();
    let module = inside.components().next()?.as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned();
    let text = fs::read_to_string(path).unwrap();
    let production = text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default();
    let code = production.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code = code.collect::<Vec<_>>().join("\n");
    (module != "lib").then(|| Source { path: inside.to_path_buf(), module, code })
}

/// The top modules that a source uses: `crate::X`, and each of `crate::{X, Y}`.
fn uses(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in code.split("crate::").skip(1) {
        let names = match part.strip_prefix('{') {
            Some(list) => list.split('}').next().unwrap_or_default(),
            None => part.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default(),
        };
        let first = |name: &str| name.trim().split("::").next().unwrap_or_default().to_owned();
        found.extend(names.split(',').map(first).filter(|name| !name.is_empty()));
    }
    found
}

fn rank(module: &str) -> Option<usize> {
    MODULES.iter().position(|(name, _)| *name == module)
}

#[test]
#[expect(clippy::print_stdout, reason = "whoever asks for the order gets it here")]
fn arrows_point_one_way() {
    let mut edges: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut against = Vec::new();
    for Source { path, module, code } in sources() {
        let Some(own) = rank(&module) else { panic!("{} belongs to no declared module", path.display()) };
        for other in uses(&code).iter().filter_map(|name| rank(name)).filter(|&other| other != own) {
            *edges.entry((own, other)).or_default() += 1;
            if other > own {
                against.push(format!("{}: {} → {}", path.display(), module, MODULES[other].0));
            }
        }
    }
    let order: Vec<&str> = MODULES.iter().map(|(name, _)| *name).collect();
    println!("{}", order.join(" ← "));
    println!("{} edges, {} references", edges.len(), edges.values().sum::<usize>());
    println!("{} edges against the order", against.len());
    assert!(against.is_empty(), "{}", against.join("\n"));
    assert!(edges.len() > 100, "the sources were not read");
}

#[test]
fn every_module_is_declared_in_the_order() {
    let library = fs::read_to_string(root().join("lib.rs")).unwrap();
    let mut modules: Vec<&str> = library
        .lines()
        .map(|line| line.trim_start_matches("pub "))
        .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'))
        .collect();
    let mut declared: Vec<&str> = MODULES.iter().map(|(name, _)| *name).collect();
    modules.sort_unstable();
    declared.sort_unstable();
    assert_eq!(modules, declared);
}

#[test]
fn every_file_is_part_of_the_library() {
    let mut paths = Vec::new();
    files(&root(), &mut paths);
    for path in paths.iter().filter(|path| !path.ends_with("lib.rs")) {
        let folder = path.parent().unwrap();
        let (name, above) = match path.file_stem().unwrap().to_str().unwrap() {
            "mod" => (folder.file_name().unwrap().to_str().unwrap(), folder.parent().unwrap()),
            name => (name, folder),
        };
        let declared = if above == root() { above.join("lib.rs") } else { above.join("mod.rs") };
        let text = fs::read_to_string(&declared).unwrap();
        let stands_in = format!("path = \"{name}.rs\"");
        assert!(
            text.contains(&format!("mod {name};")) || text.contains(&stands_in),
            "{} is declared nowhere",
            path.display()
        );
    }
}

#[test]
fn kinds_are_listed_once() {
    let registry = fs::read_to_string(root().join("kind/registry.rs")).unwrap();
    let listed = registry.lines().filter_map(|line| line.trim().strip_prefix('&')?.strip_suffix("::ENTRY,"));
    let kinds: Vec<String> = listed.map(|kind| format!("{kind}::ENTRY")).collect();
    assert!(kinds.len() >= 7, "{kinds:?}");
    for Source { path, module, code } in sources() {
        // Methods may be called as the kind that they make.
        let from = if module == "kind" { "" } else { "kind::" };
        let named = kinds.iter().filter(|kind| code.contains(&format!("{from}{kind}"))).count();
        assert!(named < 2 || path == Path::new("kind/registry.rs"), "{} lists kinds too", path.display());
        let texts =
            kinds.iter().filter(|kind| code.contains(&format!("\"{}\" =>", kind.replace("::ENTRY", "")))).count();
        assert!(texts == 0, "{} tells kinds apart by their names", path.display());
    }
}

/// CONTRIBUTING shows a kind beyond the others: file by file what is there.
#[test]
fn the_kind_in_contributing_is_the_one_that_is_tested() {
    // The package alone has no CONTRIBUTING.
    let Ok(text) = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../CONTRIBUTING.md")) else {
        return;
    };
    let shown = text.lines().filter_map(|line| line.trim_start().strip_prefix("crates/moretta/src/kind/counted/"));
    let mut shown: Vec<&str> = shown.filter_map(|line| line.split_whitespace().next()).collect();
    shown.sort_unstable();
    let mut paths = Vec::new();
    files(&root().join("kind/counted"), &mut paths);
    let there: Vec<String> =
        paths.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect();
    assert_eq!(shown, there);
}

/// The types of a source that others can see.
fn visible_types(code: &str) -> impl Iterator<Item = &str> {
    code.lines().filter_map(|line| {
        let line = line.trim_start().strip_prefix("pub")?;
        let line = line.strip_prefix('(').map_or(line, |inside| inside.split_once(')').map_or("", |(_, rest)| rest));
        let (keyword, rest) = line.trim_start().split_once(' ')?;
        let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        // Types that a macro makes have no name here.
        (end > 0 && ["struct", "enum", "trait", "type"].contains(&keyword)).then_some(&rest[..end])
    })
}

#[test]
fn a_name_means_one_type_beyond_its_own_file() {
    let sources = sources();
    let mut homes: BTreeMap<&str, &Path> = BTreeMap::new();
    for Source { path, code, .. } in &sources {
        for name in visible_types(code) {
            if let Some(other) = homes.insert(name, path) {
                assert_eq!(other, path, "{name} is a type of {} and of {}", other.display(), path.display());
            }
        }
    }
    assert!(homes.len() > 200, "the sources were not read");
}

#[test]
#[expect(clippy::print_stdout, reason = "whoever asks for the sizes gets them here")]
fn a_file_is_one_idea() {
    let mut lengths: Vec<usize> = Vec::new();
    for Source { path, .. } in sources() {
        let text = fs::read_to_string(root().join(&path)).unwrap();
        let lines = text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default().lines().count();
        assert!(lines <= MOST_LINES, "{} has {lines} lines", path.display());
        lengths.push(lines);
    }
    lengths.sort_unstable();
    let median = lengths[lengths.len() / 2];
    println!("{} files, median {median} lines, at most {}", lengths.len(), lengths[lengths.len() - 1]);
    assert!((80..=200).contains(&median), "the median file has {median} lines");
}

#[test]
fn the_map_in_contributing_is_true() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../CONTRIBUTING.md");
    // The package alone has no CONTRIBUTING.
    let Ok(text) = fs::read_to_string(&path) else { return };
    let is_folder = |name: &str| root().join(name).is_dir();
    let line = |(name, about): &(&str, &str)| {
        let name = if is_folder(name) { format!("{name}/") } else { format!("{name}.rs") };
        format!("    {name:<19} {about}\n")
    };
    let map: String = MODULES.iter().map(line).collect();
    let (start, end) = (
        "crates/moretta/src/     the library, from the bottom to the top: a module uses only those above it\n",
        "    testkit/ ",
    );
    let from = text.find(start).expect("the map begins with the library") + start.len();
    let to = from + text[from..].find(end).expect("the map ends with the testkit");
    if std::env::var_os("MORETTA_MAP").is_some_and(|wish| wish == "write") {
        fs::write(&path, format!("{}{map}{}", &text[..from], &text[to..])).unwrap();
        return;
    }
    assert_eq!(&text[from..to], map, "MORETTA_MAP=write cargo test -p moretta --test architecture writes it");
}
