//! The tour of the README shows what the program prints: its commands are run on the bundled example, and every line that stands below one must
//! come out.

mod support;

use std::path::{Path, PathBuf};

use support::Desk;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// The commands of a page that start the program, each with the lines below it.
fn shown(page: &str) -> Vec<(&str, Vec<&str>)> {
    let mut found: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut is_console = false;
    for line in page.lines() {
        if line.starts_with("```") {
            is_console = line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| is_console) {
            found.push((command, Vec::new()));
        } else if let Some((_, lines)) = found.last_mut().filter(|_| is_console) {
            lines.push(line);
        }
    }
    found.retain(|(command, _)| command.starts_with("moretta "));
    found
}

/// The words of a command, some of them in double quotes.
fn words(command: &str) -> Vec<String> {
    let parts = command.split('"').enumerate();
    let words = parts.flat_map(|(index, part)| match index % 2 {
        1 => vec![part.to_owned()],
        _ => part.split_whitespace().map(str::to_owned).collect(),
    });
    words.skip(1).collect()
}

/// Whether a line depends on the machine, or only says that lines were left out.
fn varies(line: &str) -> bool {
    line.contains(" s: read ") || line == "…" || line.trim() == "…"
}

#[test]
fn the_tour_prints_what_it_shows() {
    let desk = Desk::new();
    std::os::unix::fs::symlink(repository().join("examples"), desk.path("examples")).expect("a link");
    let readme = std::fs::read_to_string(repository().join("README.md")).expect("README.md");
    let tour = shown(&readme);
    assert!(tour.len() >= 5, "{tour:?}");
    for (command, lines) in tour {
        let words = words(command);
        let output = desk.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        let printed = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        let printed: Vec<&str> = printed.lines().map(str::trim_end).collect();
        for line in lines.into_iter().filter(|line| !varies(line)) {
            assert!(
                printed.contains(&line.trim_end()),
                "{command}\nno longer prints\n{line}\nbut\n{}",
                printed.join("\n")
            );
        }
    }
}
