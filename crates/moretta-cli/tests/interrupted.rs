//! A run that is killed leaves no output or a whole one, and the next run cleans up after it; one that is stopped cleans up itself.

mod support;

use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use support::Desk;

#[test]
fn a_killed_run_leaves_no_output_or_a_whole_one() {
    let desk = Desk::new();
    desk.json(&["generate", "census", "--rows", "20000", "--out", "census.csv"]);
    let policy = desk.run(&["init", "census.csv"]);
    desk.write("policy.toml", policy.stdout);
    let clock = Instant::now();
    desk.json(&["publish", "policy.toml", "--out", "whole"]);
    let whole_run = clock.elapsed();

    let (mut none, mut complete) = (0, 0);
    for attempt in 0..40_u32 {
        let mut child =
            desk.command(&["publish", "policy.toml", "--out", "out", "--quiet"]).spawn().expect("it starts");
        // From right at the start to well after the end of an undisturbed run: the machine may be busier by now.
        std::thread::sleep(whole_run * attempt / 20);
        let _ = child.kill();
        let _ = child.wait();
        let out = desk.path("out");
        if out.exists() {
            complete += 1;
            assert_eq!(desk.json(&["check", "out"])["guarantees"][0]["holds"], true, "attempt {attempt}");
            for private in ["policy.toml", "seed.txt", "map.csv", "report.json"] {
                assert!(out.join("private").join(private).is_file(), "attempt {attempt}: {private}");
            }
            std::fs::remove_dir_all(&out).expect("remove the output");
        } else {
            none += 1;
        }
    }
    assert!(none > 0, "some runs were killed in time");
    assert!(complete > 0 || whole_run < Duration::from_millis(50), "some runs got through");
    desk.json(&["publish", "policy.toml", "--out", "out"]);
    let expected = ["census.csv", "out", "policy.toml", "whole"];
    assert_eq!(desk.names(), expected, "the next run removes what dead runs have left");
}

/// Starts a run whose output is kept.
fn start(desk: &Desk, arguments: &[&str]) -> Child {
    desk.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
}

/// Sends a signal by its name, as a shell does.
fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill is there");
    assert!(sent.success(), "{signal}");
}

/// What a run says that was stopped after a while; nothing if it had ended before.
fn stopped(mut child: Child, signal: &str, after: Duration) -> Option<(Output, Duration)> {
    std::thread::sleep(after);
    if child.try_wait().expect("a state").is_some() {
        return None;
    }
    send(signal, &child);
    let clock = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    Some((output, clock.elapsed()))
}

#[test]
fn a_stopped_run_ends_within_a_second_and_leaves_nothing() {
    let desk = Desk::new();
    desk.json(&["generate", "census", "--rows", "150000", "--out", "census.csv"]);
    let policy = desk.run(&["init", "census.csv"]);
    desk.write("policy.toml", policy.stdout);
    let clock = Instant::now();
    desk.json(&["publish", "policy.toml", "--out", "whole"]);
    let whole_run = clock.elapsed();
    let before = desk.names();
    let mut cancelled = 0;
    for attempt in 1..=10_u32 {
        let signal = if attempt % 2 == 0 { "-INT" } else { "-TERM" };
        let child = start(&desk, &["publish", "policy.toml", "--out", "out"]);
        let Some((output, took)) = stopped(child, signal, whole_run * attempt / 12) else { continue };
        let told = String::from_utf8_lossy(&output.stderr);
        if output.status.code().is_none() {
            // The signal was faster than the program.
            continue;
        }
        if output.status.success() {
            // It was past the point where the output is in place.
            std::fs::remove_dir_all(desk.path("out")).expect("the output");
            continue;
        }
        cancelled += 1;
        assert_eq!(output.status.code(), Some(130), "attempt {attempt}: {told}");
        assert!(told.lines().any(|line| line == "cancelled; nothing was written"), "attempt {attempt}: {told}");
        assert!(took < Duration::from_secs(2), "attempt {attempt} went on for {took:?}");
        assert_eq!(desk.names(), before, "attempt {attempt}");
    }
    assert!(cancelled > 3, "{cancelled} of 10 runs were stopped in time");

    let child = start(&desk, &["inspect", "census.csv", "--json"]);
    if let Some((output, _)) = stopped(child, "-INT", whole_run / 20) {
        let told: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert!(output.status.success() || told["error"]["code"] == "cancelled", "{told}");
    }
}

#[test]
fn whoever_asks_twice_does_not_wait() {
    let desk = Desk::new();
    desk.json(&["generate", "census", "--rows", "150000", "--out", "census.csv"]);
    let policy = desk.run(&["init", "census.csv"]);
    desk.write("policy.toml", policy.stdout);
    let mut child = start(&desk, &["publish", "policy.toml", "--out", "out"]);
    std::thread::sleep(Duration::from_millis(300));
    if child.try_wait().expect("a state").is_some() {
        return;
    }
    send("-INT", &child);
    send("-INT", &child);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    // Whatever the first did not get to clean up, the next run does.
    desk.json(&["publish", "policy.toml", "--out", "out"]);
    assert_eq!(desk.names(), ["census.csv", "out", "policy.toml"]);
}
