//! A run that is killed leaves no output or a whole one, and the next run cleans up after it.

mod support;

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
