//! Machines that fail: full disks, folders that can't be written, sources that change, runs that are killed or meet each other. Whatever
//! happens, an output is whole or not there, and nothing else is left behind.

mod support;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use support::{Desk, skip};

/// A method of each kind of release, with a promise that it keeps.
const KINDS: [(&str, &str, &str); 8] = [
    ("generalized", "name = \"mondrian\"", "model = \"k-anonymity\"\nk = 5"),
    ("full-domain", "name = \"full-domain\"", "model = \"k-anonymity\"\nk = 5"),
    ("bucketized", "name = \"anatomy\"", "model = \"distinct-l-diversity\"\nl = 3"),
    (
        "ambiguous",
        "name = \"ambiguity\"",
        "model = \"alpha-beta-privacy\"\nalpha = 0.9\nbeta = 0.5\npresence = \"group\"",
    ),
    (
        "distribution",
        "name = \"distribution\"\ngroups = [\"region\"]\nfakes = 0.1",
        "model = \"p-private\"\ntarget = \"table\"",
    ),
    ("uncertain", "name = \"uncertain\"\ncategorical = \"drop\"", "model = \"uncertain-k-anonymity\"\nk = 3"),
    ("condensed", "name = \"condensation\"\ncategorical = \"drop\"", "model = \"condensed-k\"\nk = 5"),
    ("sliced", "name = \"slicing\"\ncolumns = 2\nsensitive_column = 1", "model = \"l-diverse-slicing\"\nl = 3"),
];

/// A table of some people, and a policy for each kind of release.
fn prepare(desk: &Desk, rows: u32) {
    let mut table = "age,region,disease\n".to_owned();
    for row in 0..rows {
        let mixed = row.wrapping_mul(2_654_435_761) >> 16;
        let _ = writeln!(table, "{},r{},d{}", 20 + mixed % 60, mixed / 60 % 7, mixed / 420 % 8);
    }
    desk.write("table.csv", table);
    for (kind, method, promise) in KINDS {
        let policy = format!(
            "[data]\nsource = \"table.csv\"\n[attributes]\nage = {{ role = \"quasi\", hierarchy = {{ intervals = [5, 10, 20] }} }}\n\
             region = {{ role = \"quasi\", hierarchy = {{ mask = \"right\" }} }}\ndisease = {{ role = \"sensitive\" }}\n\
             [[require]]\n{promise}\n[method]\n{method}\n"
        );
        desk.write(&format!("{kind}.toml"), policy);
    }
}

/// A file system in memory of some size, as long as this lives.
struct Small<'d>(&'d Path);

impl<'d> Small<'d> {
    /// Nothing where this user may not mount.
    fn mount(place: &'d Path, options: &str) -> Option<Self> {
        fs::create_dir_all(place).expect("a folder to mount on");
        let done = Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "tmpfs"])
            .arg(place)
            .stderr(Stdio::null())
            .status();
        done.is_ok_and(|status| status.success()).then_some(Self(place))
    }
}

impl Drop for Small<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder").flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn code(output: &Output) -> (Option<i32>, String) {
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output.status.code(), json["error"]["code"].as_str().unwrap_or("").to_owned())
}

#[test]
fn a_full_disk_leaves_nothing_half_written() {
    let desk = Desk::new();
    prepare(&desk, 800);
    let place = desk.path("small");
    for (kind, _, _) in KINDS {
        let (mut full, mut done) = (0, 0);
        for size in [4, 12, 20, 28, 36, 44, 56, 72, 88, 112, 144, 192, 288, 512, 2048] {
            let Some(mounted) = Small::mount(&place, &format!("size={size}k")) else {
                return skip("a_full_disk_leaves_nothing_half_written (no mount)");
            };
            let output = desk.run(&["publish", &format!("{kind}.toml"), "--out", "small/out", "--json"]);
            match code(&output) {
                (Some(0), _) => {
                    done += 1;
                    assert_eq!(names(&place), ["out"], "{kind} with {size} KiB");
                    assert!(desk.run(&["check", "small/out"]).status.success(), "{kind} with {size} KiB");
                }
                (Some(3), code) if code == "disk-full" => {
                    full += 1;
                    assert_eq!(names(&place), [""; 0], "{kind} with {size} KiB");
                }
                other => panic!("{kind} with {size} KiB: {other:?} {}", String::from_utf8_lossy(&output.stderr)),
            }
            drop(mounted);
        }
        assert!(full > 1 && done > 0, "{kind}: {full} full, {done} done");
    }
}

#[test]
fn a_full_disk_keeps_the_earlier_output() {
    let desk = Desk::new();
    prepare(&desk, 800);
    let place = desk.path("small");
    let Some(_mounted) = Small::mount(&place, "size=256k") else {
        return skip("a_full_disk_keeps_the_earlier_output (no mount)");
    };
    desk.json(&["publish", "generalized.toml", "--out", "small/out", "--seed", "5"]);
    let before = fs::read(place.join("out/release/data.csv")).expect("the first release");
    let free = Command::new("dd")
        .args(["if=/dev/zero", "of=small/filler"])
        .current_dir(desk.path(""))
        .stderr(Stdio::null())
        .status();
    assert!(free.is_ok(), "dd fills the disk");
    let output = desk.run(&["publish", "generalized.toml", "--out", "small/out", "--force", "--json"]);
    assert_eq!(code(&output), (Some(3), "disk-full".to_owned()));
    assert_eq!(fs::read(place.join("out/release/data.csv")).expect("the first release"), before);
    assert_eq!(names(&place), ["filler", "out"]);
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let desk = Desk::new();
    prepare(&desk, 100);
    let place = desk.path("closed");
    let Some(_mounted) = Small::mount(&place, "size=64k,ro") else {
        return skip("a_folder_that_cannot_be_written_is_named (no mount)");
    };
    let output = desk.run(&["publish", "generalized.toml", "--out", "closed/out", "--json"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("closed"));
    assert_eq!(names(&place), [""; 0]);
}

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
