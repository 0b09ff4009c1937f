//! Machines that fail: sources that change, runs that are killed or meet each other. Whatever happens, an output is whole or not there, and
//! nothing else is left behind. Disks that are full: `full_disk.rs`.

mod support;

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use support::Desk;
use support::kinds::{KINDS, code, names, prepare};

/// How long a run takes that nothing disturbs.
fn undisturbed(desk: &Desk, policy: &str) -> Duration {
    let clock = Instant::now();
    desk.json(&["publish", policy, "--out", "whole", "--force"]);
    let took = clock.elapsed();
    fs::remove_dir_all(desk.path("whole")).expect("remove the output");
    took
}

#[test]
fn a_source_that_changes_or_vanishes_is_noticed_or_was_read_before() {
    let desk = Desk::new();
    prepare(&desk, 30_000);
    let original = desk.read("table.csv");
    let whole_run = undisturbed(&desk, "generalized.toml");
    let mut disturbed = 0;
    for attempt in 0..12_u32 {
        desk.write("table.csv", &original);
        let mut command = desk.command(&["publish", "generalized.toml", "--out", "out", "--json"]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        std::thread::sleep(whole_run * attempt / 12);
        match attempt % 3 {
            0 => fs::remove_file(desk.path("table.csv")).expect("remove the table"),
            1 => desk.write("table.csv", format!("{original}99,r1,d1\n")),
            _ => desk.write("table.csv", &original[..original.len() / 2]),
        }
        let output = child.wait_with_output().expect("it ends");
        match code(&output).0 {
            Some(0) => {
                assert!(desk.run(&["check", "out"]).status.success(), "attempt {attempt}");
                fs::remove_dir_all(desk.path("out")).expect("remove the output");
            }
            Some(2 | 3) => {
                disturbed += 1;
                assert!(!desk.path("out").exists(), "attempt {attempt}");
            }
            other => panic!("attempt {attempt}: {other:?} {}", String::from_utf8_lossy(&output.stderr)),
        }
        assert!(!desk.names().iter().any(|name| name.starts_with(".out")), "attempt {attempt}: {:?}", desk.names());
    }
    assert!(disturbed > 0, "some runs were disturbed in time");
}

#[test]
fn a_killed_run_of_any_kind_leaves_no_output_or_a_whole_one() {
    let desk = Desk::new();
    prepare(&desk, 3_000);
    for (kind, _, _) in KINDS {
        let policy = format!("{kind}.toml");
        let whole_run = undisturbed(&desk, &policy);
        for attempt in 1..=6_u32 {
            let mut child = desk.command(&["publish", &policy, "--out", "out", "--quiet"]).spawn().expect("it starts");
            std::thread::sleep(whole_run * attempt / 6);
            let _ = child.kill();
            let _ = child.wait();
            if desk.path("out").exists() {
                assert!(desk.run(&["check", "out"]).status.success(), "{kind}, attempt {attempt}");
                assert!(desk.path("out/private/report.json").is_file(), "{kind}, attempt {attempt}");
                fs::remove_dir_all(desk.path("out")).expect("remove the output");
            }
        }
        desk.json(&["publish", &policy, "--out", "out"]);
        fs::remove_dir_all(desk.path("out")).expect("remove the output");
        assert!(!desk.names().iter().any(|name| name.starts_with(".out")), "{kind}: {:?}", desk.names());
    }
}

#[test]
fn two_runs_to_one_folder_leave_one_whole_output() {
    let desk = Desk::new();
    prepare(&desk, 2_000);
    for force in [false, true] {
        for _ in 0..4 {
            let mut args = vec!["publish", "generalized.toml", "--out", "out", "--json"];
            args.extend(force.then_some("--force"));
            let runs = [0; 3]
                .map(|_| desk.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts"));
            let ends = runs.map(|run| code(&run.wait_with_output().expect("it ends")));
            assert!(ends.iter().any(|(status, _)| *status == Some(0)), "{ends:?}");
            assert!(ends.iter().all(|(status, _)| matches!(status, Some(0 | 2 | 3))), "{ends:?}");
            assert!(desk.run(&["check", "out"]).status.success());
            assert!(!desk.names().iter().any(|name| name.starts_with(".out")), "{:?}", desk.names());
            fs::remove_dir_all(desk.path("out")).expect("remove the output");
        }
    }
}

#[test]
fn an_interrupted_comparison_goes_on_and_comes_to_the_same() {
    let desk = Desk::new();
    prepare(&desk, 1_500);
    desk.write(
        "plan.toml",
        "policy = \"generalized.toml\"\n[[grid]]\nmethod = { name = \"mondrian\", recoding = [\"generalize\", \"bucketize\"] }\n\
         require = { model = \"k-anonymity\", k = [2, 3, 5, 8, 13] }\n",
    );
    let clock = Instant::now();
    desk.json(&["compare", "plan.toml", "--out", "whole"]);
    let whole_run = clock.elapsed();
    for attempt in 1..=5_u32 {
        let mut child = desk.command(&["compare", "plan.toml", "--out", "out", "--quiet"]).spawn().expect("it starts");
        std::thread::sleep(whole_run * attempt / 8);
        let _ = child.kill();
        let _ = child.wait();
    }
    desk.json(&["compare", "plan.toml", "--out", "out"]);
    assert_eq!(losses(&desk, "out"), losses(&desk, "whole"));
    assert!(!names(&desk.path("out")).iter().any(|name| name.contains(".part")), "{:?}", names(&desk.path("out")));
}

/// The points of a comparison without the time that each took.
fn losses(desk: &Desk, folder: &str) -> Vec<Vec<String>> {
    let text = desk.read(&format!("{folder}/points.csv"));
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let timed = |name: &str| name.contains("second") || name.contains("time");
    let kept: Vec<usize> = (0..header.len()).filter(|&index| !timed(&header[index])).collect();
    reader
        .records()
        .map(|row| row.expect("a row"))
        .map(|row| kept.iter().map(|&index| row[index].to_owned()).collect())
        .collect()
}
