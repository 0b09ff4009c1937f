//! docs/first-hour.md walks a real table from file to hand-over: its commands are run, and what they print is what stands there.
//!
//! `MORETTA_FIRST_HOUR=write cargo test -p moretta-cli --test first_hour` writes the page anew.

mod support;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use moretta_lab::datasets;
use support::Desk;

/// The table of the walk.
const TABLE: &str = "fars.parquet";

/// A console block of the page: its commands, and what they print.
const FENCE: &str = "```console";

/// The longest that is shown of what a command prints; the rest is left out, and said so.
const MOST_LINES: usize = 45;

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/first-hour.md")
}

/// Runs a line of the page, which may write to a file or show one.
fn run(desk: &Desk, command: &str) -> String {
    let (command, target) = command.split_once(" > ").map_or((command, None), |(line, file)| (line, Some(file)));
    let words = words(command);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (out, said) = match words.split_first() {
        Some((&"moretta", args)) => {
            let output = desk.command(args).env("NO_COLOR", "1").output().expect("the program starts");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.code().is_some_and(|code| code < 2), "{command}: {said}");
            (String::from_utf8_lossy(&output.stdout).into_owned(), said)
        }
        Some((&"cat", [file])) => (desk.read(file), String::new()),
        Some((&"ls", [folder])) => (list(&desk.path(folder)), String::new()),
        other => panic!("{other:?} is no command of the walk"),
    };
    match target {
        Some(file) => {
            desk.write(file, out);
            said
        }
        None => out + &said,
    }
}

fn list(folder: &Path) -> String {
    let entries = folder.read_dir().expect("a folder").map(|entry| entry.expect("an entry"));
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names.join("\n") + "\n"
}

/// The words of a command, some of them in double quotes.
fn words(command: &str) -> Vec<String> {
    let parts = command.split('"').enumerate();
    let words = parts.flat_map(|(index, part)| match index % 2 {
        1 => vec![part.to_owned()],
        _ => part.split_whitespace().map(str::to_owned).collect(),
    });
    words.collect()
}

/// What a command prints, as the page shows it: without what depends on the machine, and not endlessly.
fn shown(printed: &str) -> Vec<String> {
    let varies = |line: &&str| !line.contains(" s: read ") && !is_stage(line);
    let lines: Vec<String> = printed.lines().filter(varies).map(|line| line.trim_end().to_owned()).collect();
    let more = lines.len().saturating_sub(MOST_LINES);
    let mut kept: Vec<String> = lines.into_iter().take(MOST_LINES).collect();
    if more > 0 {
        kept.push(format!("… {more} more lines"));
    }
    while kept.last().is_some_and(String::is_empty) {
        kept.pop();
    }
    kept
}

/// A line that tells of a stage and the time it took.
fn is_stage(line: &str) -> bool {
    let seconds = |text: &str| text.trim_end_matches(')').strip_suffix(" s").is_some_and(|n| n.parse::<f64>().is_ok());
    line.rsplit_once(": ").is_some_and(|(_, end)| seconds(end))
        || line.rsplit_once('(').is_some_and(|(_, end)| seconds(end))
}

/// The page with what its commands print now.
fn walked(text: &str, desk: &Desk) -> String {
    let mut page = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let _ = writeln!(page, "{line}");
        if line != FENCE {
            continue;
        }
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        for command in block.iter().filter_map(|line| line.strip_prefix("$ ")) {
            let _ = writeln!(page, "$ {command}");
            shown(&run(desk, command)).iter().for_each(|line| {
                let _ = writeln!(page, "{line}");
            });
        }
        page.push_str("```\n");
    }
    page
}

#[test]
fn the_first_hour_prints_what_it_shows() {
    let data = datasets::for_test("the_first_hour_prints_what_it_shows", TABLE).expect("the list of skipped tests");
    let Some(data) = data else { return };
    let desk = Desk::new();
    std::os::unix::fs::symlink(data.join(TABLE), desk.path(TABLE)).expect("a link");
    let text = std::fs::read_to_string(page()).expect("docs/first-hour.md");
    // What a person writes into the policy stands on the page, as TOML.
    let policy = text.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a policy");
    desk.write("edited.toml", policy);
    let found = walked(&text, &desk);
    if std::env::var_os("MORETTA_FIRST_HOUR").is_some() {
        std::fs::write(page(), found).expect("docs/first-hour.md");
    } else {
        assert!(
            found == text,
            "the page is not what the program prints: MORETTA_FIRST_HOUR=write writes it anew\n{found}"
        );
    }
}
