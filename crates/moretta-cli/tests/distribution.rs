//! Releases that follow a target, through the program: the paper's figures, files, databases.

mod support;

use std::io::Write;
use std::process::{Command, Stdio};

use moretta_lab::adult::Adult;
use serde_json::Value as Json;
use support::{Desk, data_folder, rows};

const SALARIES: &str = include_str!("../../../scenarios/distribution.in/salaries.csv");
const UNIFORM: &str = include_str!("../../../scenarios/distribution.in/uniform.toml");

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("salaries.csv", SALARIES);
    desk.write("uniform.toml", UNIFORM);
    desk
}

fn numbers(answer: &Json) -> (f64, f64) {
    (answer["lower"].as_f64().unwrap(), answer["upper"].as_f64().unwrap())
}

#[test]
fn the_release_holds_no_fake_mark_and_is_the_same_for_every_number_of_threads() {
    let desk = desk();
    for (out, threads) in [("one", "1"), ("two", "2")] {
        desk.json(&[
            "publish",
            "uniform.toml",
            "--out",
            out,
            "--seed",
            "3",
            "--threads",
            threads,
            "--set",
            "method.fakes=0.34",
        ]);
    }
    for file in ["qit", "sensitive", "bounds", "targets"] {
        let name = format!("release/{file}.csv");
        assert_eq!(desk.read(&format!("one/{name}")), desk.read(&format!("two/{name}")), "{file}");
    }
    assert_eq!(desk.read("one/release/manifest.json"), desk.read("two/release/manifest.json"));
    let entries: u64 =
        rows(&desk.path("one/release/sensitive.csv")).iter().map(|row| row[3].parse::<u64>().unwrap()).sum();
    let fakes: u64 = rows(&desk.path("one/private/fakes.csv")).iter().map(|row| row[2].parse::<u64>().unwrap()).sum();
    assert_eq!((entries, fakes), (13, 2));
}

#[test]
fn a_changed_subdomain_is_found_by_the_recipient() {
    let desk = desk();
    desk.json(&["publish", "uniform.toml", "--out", "out", "--seed", "3"]);
    // Whoever changes a table and its hash still can't make it follow the target.
    let table = desk.read("out/release/sensitive.csv").replacen(",30,60,2", ",30,40,2", 1);
    desk.write("out/release/sensitive.csv", &table);
    assert!(!desk.run(&["check", "out"]).status.success());
    let sum = |bytes: &str| {
        let mut child = Command::new("sha256sum").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
        child.stdin.take()?.write_all(bytes.as_bytes()).ok()?;
        Some(String::from_utf8(child.wait_with_output().ok()?.stdout).ok()?.split_whitespace().next()?.to_owned())
    };
    let Some(hash) = sum(&table) else { return };
    let mut manifest: Json = serde_json::from_str(&desk.read("out/release/manifest.json")).unwrap();
    manifest["tables"][1]["sha256"] = hash.into();
    desk.write("out/release/manifest.json", manifest.to_string());
    let output = desk.run(&["check", "out"]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The bounds of SUM and AVG that the exported script finds, for a condition.
fn in_sqlite(script: &str, condition: &str) -> Option<Vec<f64>> {
    let program = "import sqlite3, sys, json\n\
        script = sys.stdin.read()\n\
        load, question = script.split('-- Bounds of SUM')\n\
        base = sqlite3.connect(':memory:')\n\
        base.executescript(load)\n\
        question = question.split('\\n', 1)[1].replace('1 = 1', sys.argv[1])\n\
        print(json.dumps(base.execute(question).fetchone()))\n";
    let mut child = Command::new("python3")
        .args(["-c", program, condition])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(script.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    assert!(output.status.success(), "SQLite refuses the script");
    serde_json::from_slice(&output.stdout).ok()
}

/// The same in the PostgreSQL that the variable names, if there is one.
fn in_postgres(script: &str, condition: &str) -> Option<Vec<f64>> {
    let place = std::env::var("MORETTA_POSTGRES").ok()?;
    let script = format!(
        "CREATE TEMPORARY TABLE nothing (x BIGINT);\nSET search_path TO pg_temp;\n{}",
        script.replace("1 = 1", condition)
    );
    let mut child = Command::new("psql")
        .args([place.as_str(), "-q", "-A", "-t", "-F", ",", "-v", "ON_ERROR_STOP=1", "-f", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(script.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    assert!(output.status.success(), "PostgreSQL refuses the script");
    String::from_utf8(output.stdout).ok()?.trim().split(',').map(|number| number.parse().ok()).collect()
}

#[test]
fn databases_answer_as_we_do() {
    let desk = desk();
    for fakes in ["0.0", "0.34"] {
        let set = format!("method.fakes={fakes}");
        desk.json(&["publish", "uniform.toml", "--out", "out", "--force", "--seed", "3", "--set", &set]);
        let output = desk.run(&["export", "out", "--sql"]);
        assert!(output.status.success());
        let script = String::from_utf8(output.stdout).unwrap();
        for condition in
            ["gender = 'F'", "zipcode >= '91200' AND zipcode < '91300'", "zipcode <> '91110' OR gender = 'M'"]
        {
            let ask = |aggregate: &str| {
                let query = format!("SELECT {aggregate}(salary_k) WHERE {condition}");
                numbers(&desk.json(&["query", "out", &query]))
            };
            let (sum, average) = (ask("SUM"), ask("AVG"));
            let ours = [sum.0, sum.1, average.0, average.1];
            for theirs in [in_sqlite(&script, condition), in_postgres(&script, condition)].into_iter().flatten() {
                assert!(
                    ours.iter().zip(&theirs).all(|(a, b)| (a - b).abs() < 1e-9),
                    "{condition}: {ours:?} {theirs:?}"
                );
            }
        }
    }
}

#[test]
fn capital_losses_by_age_are_published_with_fakes() {
    let Some(data) = data_folder("capital_losses_by_age_are_published_with_fakes") else { return };
    let desk = Desk::new();
    let losses = Adult::capital_losses().with("quasi", &["age"]).with("sensitive", &["capital_loss"]);
    let rest = "[[require]]\nmodel = \"p-private\"\ntarget = \"table\"\n\n\
                [method]\nname = \"distribution\"\ngrouping = \"qi-sa\"\nfakes = 0.2\n";
    desk.write("loss.toml", losses.in_folder(&data).text(rest));
    let report = desk.json(&["publish", "loss.toml", "--out", "out", "--seed", "1"]);
    assert_eq!((&report["rows_out"], &report["guarantees"][0]["holds"]), (&1427.into(), &true.into()));
    let answer = desk.json(&[
        "query",
        "out",
        "SELECT AVG(capital_loss) WHERE age >= 30 AND age <= 60",
        "--original",
        "loss.toml",
    ]);
    let ((low, high), exact) = (numbers(&answer), answer["exact"].as_f64().unwrap());
    assert!(low <= exact && exact <= high, "{answer}");
}
