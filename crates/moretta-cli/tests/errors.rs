//! What programs see of errors: codes, the exit status, and standard output that can't be written.

mod support;

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value as Json;
use support::Desk;

/// The codes of the golden cases, command by command, in their order.
const BAD_INPUT: [&str; 40] = [
    "unknown-attribute",
    "unnamed-column",
    "unknown-model",
    "unknown-method",
    "wrong-parameter",
    "unknown-key",
    "wrong-parameter",
    "wrong-parameter",
    "policy-syntax",
    "policy-syntax",
    "wrong-input",
    "wrong-parameter",
    "value-of-wrong-type",
    "policy-syntax",
    "query-unreadable",
    "unknown-attribute",
    "file-not-found",
    "table-unreadable",
    "table-unreadable",
    "table-unreadable",
    "table-unreadable",
    "table-unreadable",
    "table-unreadable",
    "table-unreadable",
    "value-of-wrong-type",
    "table-unreadable",
    "table-unreadable",
    "hierarchy-wrong",
    "hierarchy-wrong",
    "hierarchy-wrong",
    "hierarchy-wrong",
    "output-exists",
    "output-exists",
    "file-not-found",
    "promise-impossible",
    "no-rows-left",
    "unknown-model",
    "wrong-input",
    "no-release",
    "wrong-parameter",
];

const BAD_PROMISES: [&str; 12] = [
    "wrong-parameter",
    "wrong-parameter",
    "wrong-parameter",
    "wrong-parameter",
    "wrong-parameter",
    "wrong-parameter",
    "wrong-input",
    "wrong-parameter",
    "wrong-input",
    "promise-impossible",
    "promise-impossible",
    "wrong-input",
];

#[test]
fn golden_errors_have_their_codes() {
    for (name, codes) in [("bad-input", BAD_INPUT.as_slice()), ("bad-promises", BAD_PROMISES.as_slice())] {
        let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
        let desk = Desk::new();
        copy(&scenarios.join(name).with_extension("in"), &desk.path("."));
        let text = fs::read_to_string(scenarios.join(name).with_extension("md")).expect("the scenario");
        let commands: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("$ moretta ")).collect();
        let found: Vec<(&str, String)> = commands.iter().map(|command| (*command, code(&desk, command))).collect();
        let expected: Vec<(&str, String)> =
            commands.iter().copied().zip(codes.iter().map(ToString::to_string)).collect();
        assert_eq!(found, expected, "{name}");
        assert_eq!(commands.len(), codes.len(), "{name}");
    }
}

/// The code of the error of a command. The object and the text agree.
fn code(desk: &Desk, command: &str) -> String {
    let mut args = words(command);
    args.retain(|arg| arg != "--json");
    args.push("--json".to_owned());
    let output = desk.run(&args.iter().map(String::as_str).collect::<Vec<_>>());
    let object: Json = serde_json::from_slice(&output.stdout).expect("one JSON object");
    let error = &object["error"];
    let message = error["message"].as_str().expect("a message");
    assert!(stderr(&output).starts_with(&format!("error: {message}")), "{command}: {}", stderr(&output));
    error["code"].as_str().expect("a code").to_owned()
}

/// The words of a command, as a shell would split them.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for sign in command.chars() {
        match (sign, words.last_mut()) {
            ('"', _) => quoted = !quoted,
            (' ', _) if !quoted => words.push(String::new()),
            (_, Some(word)) => word.push(sign),
            (_, None) => {}
        }
    }
    words
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("the input of a scenario").map(|entry| entry.expect("an entry")) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a copy");
        }
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A desk with a release, and commands that write to standard output.
fn talkative() -> (Desk, Vec<Vec<&'static str>>) {
    let desk = Desk::new();
    let row = |i: u32| format!("{},{}\n", 20 + i % 40, ["flu", "asthma", "gout"][i as usize % 3]);
    desk.write("t.csv", format!("age,disease\n{}", (0..400).map(row).collect::<String>()));
    desk.write(
        "p.toml",
        "[data]\nsource = \"t.csv\"\n[attributes]\nage = { role = \"quasi\" }\ndisease = { role = \"sensitive\" }\n\
         [[require]]\nmodel = \"k-anonymity\"\nk = 5\n[method]\nname = \"mondrian\"\n",
    );
    let made = desk.run(&["publish", "p.toml", "--out", "out", "--seed", "1"]);
    assert!(made.status.success(), "{}", stderr(&made));
    let commands = vec![
        vec!["init", "t.csv"],
        vec!["inspect", "t.csv"],
        vec!["check", "out"],
        vec!["check", "out", "--json"],
        vec!["query", "out", "SELECT COUNT(*)", "--csv"],
        vec!["export", "out", "--sql"],
        vec!["generate", "census", "--rows", "20000"],
        vec!["explain"],
        vec!["explain", "k-anonymity"],
        vec!["completions", "bash"],
    ];
    (desk, commands)
}

#[test]
fn a_full_disk_is_an_error_of_the_machine() {
    let (desk, commands) = talkative();
    for args in commands {
        let full = File::options().write(true).open("/dev/full").expect("a device that is always full");
        let output = desk.command(&args).stdout(full).stderr(Stdio::piped()).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(3), "{args:?}: {}", stderr(&output));
        assert!(stderr(&output).contains("No space left on device"), "{args:?}: {}", stderr(&output));
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let (desk, commands) = talkative();
    for args in commands {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = desk.command(&args).stdout(writer).stderr(Stdio::piped()).output().expect("the program starts");
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{args:?}");
    }
}

/// Whoever makes a table stops when nobody reads it: this one would take days.
#[test]
fn a_table_that_nobody_reads_is_not_finished() {
    let desk = Desk::new();
    let mut command: Command = desk.command(&["generate", "census", "--rows", "1000000000000"]);
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let output = command.stdout(writer).stderr(Stdio::piped()).output().expect("the program starts");
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
}

#[test]
fn a_file_that_differs_from_the_manifest_is_a_damaged_release() {
    let (desk, _) = talkative();
    let whole = desk.read("out/release/data.csv");
    let of = |args: &str| code(&desk, args);
    desk.write("out/release/data.csv", whole.replacen("flu", "FLU", 1));
    assert_eq!(of("check out"), "release-damaged");
    fs::remove_file(desk.path("out/release/data.csv")).expect("the table");
    assert_eq!(of("check out"), "release-damaged");
    desk.write("out/release/data.csv", whole);
    assert_eq!(of("query out \"SELECT COUNT(* FROM\""), "query-unreadable");
    assert_eq!(of("query out \"SELECT COUNT(*) WHERE weight > 3\""), "unknown-attribute");
    assert_eq!(of("query out \"SELECT COUNT(*) LIMIT 3\""), "query-unsupported");
    let manifest = desk.read("out/release/manifest.json");
    desk.write("out/release/manifest.json", manifest.replacen("\"generalized\"", "\"folded\"", 1));
    assert_eq!(of("check out"), "unknown-release-kind");
    desk.write("out/release/manifest.json", &manifest[..manifest.len() / 2]);
    assert_eq!(of("check out"), "manifest-unreadable");
}

#[test]
fn a_number_that_is_lost_is_not_0() {
    let desk = Desk::new();
    let scenario = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/uncertain.in");
    copy(&scenario, &desk.path("."));
    assert!(desk.run(&["publish", "policy.toml", "--out", "out", "--seed", "1"]).status.success());
    let map = desk.read("out/private/map.csv");
    for wrong in ["0", "-3"] {
        let (first, rest) = map.split_once("\n1,").expect("the first row of the table");
        desk.write("out/private/map.csv", format!("{first}\n{wrong},{rest}"));
        assert_eq!(code(&desk, "check out --original policy.toml"), "release-damaged");
    }
}
