//! Full disks and folders that can't be written: every kind of release, every form of its files and every command that writes. An output is
//! whole or not there, nothing else is left behind, and what was there before stays.

mod support;

use std::fs;

use support::kinds::{KINDS, code, names, prepare};
use support::small_disk::SmallDisk;
use support::{Desk, skip};

#[test]
fn a_full_disk_leaves_nothing_half_written() {
    let desk = Desk::new();
    prepare(&desk, 800);
    let place = desk.path("small");
    for (kind, _, _) in KINDS {
        let (mut full, mut done) = (0, 0);
        for size in [4, 12, 20, 28, 36, 44, 56, 72, 88, 112, 144, 192, 288, 512, 2048] {
            let Some(mounted) = SmallDisk::mount(&place, &format!("size={size}k")) else {
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
    let Some(mounted) = SmallDisk::mount(&place, "size=256k") else {
        return skip("a_full_disk_keeps_the_earlier_output (no mount)");
    };
    desk.json(&["publish", "generalized.toml", "--out", "small/out", "--seed", "5"]);
    let before = fs::read(place.join("out/release/data.csv")).expect("the first release");
    mounted.fill(0);
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
    let Some(_mounted) = SmallDisk::mount(&place, "size=64k,ro") else {
        return skip("a_folder_that_cannot_be_written_is_named (no mount)");
    };
    let output = desk.run(&["publish", "generalized.toml", "--out", "closed/out", "--json"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("closed"));
    assert_eq!(names(&place), [""; 0]);
}

/// The ways to write the tables of a release, beside CSV.
const FORMS: [&str; 4] = [
    "format = \"parquet\"",
    "format = \"xlsx\"",
    "intervals = \"bounds\"",
    "database = \"sqlite:small/r.db\"\nschema = \"r_1\"",
];

#[test]
fn so_does_every_form_of_its_files() {
    let desk = Desk::new();
    prepare(&desk, 800);
    let place = desk.path("small");
    for form in FORMS {
        desk.write("form.toml", format!("{}[output]\n{form}\n", desk.read("generalized.toml")));
        let (mut full, mut done) = (0, 0);
        for size in [4, 16, 28, 40, 56, 72, 88, 104, 120, 136, 152, 168, 184, 200, 240, 2048] {
            let Some(mounted) = SmallDisk::mount(&place, &format!("size={size}k")) else {
                return skip("so_does_every_form_of_its_files (no mount)");
            };
            let output = desk.run(&["publish", "form.toml", "--out", "small/out", "--json"]);
            let left = names(&place);
            match code(&output) {
                (Some(0), _) => {
                    done += 1;
                    let in_base = form.starts_with("database");
                    assert_eq!(left, if in_base { vec!["out", "r.db"] } else { vec!["out"] }, "{form} in {size} KiB");
                    let written = if in_base { "sqlite:small/r.db#r_1" } else { "small/out" };
                    assert!(desk.run(&["check", written]).status.success(), "{form} in {size} KiB");
                }
                (Some(3), code) if code == "disk-full" => {
                    full += 1;
                    assert_eq!(left, [""; 0], "{form} in {size} KiB");
                }
                other => panic!("{form} in {size} KiB: {other:?} {}", String::from_utf8_lossy(&output.stderr)),
            }
            drop(mounted);
        }
        assert!(full > 1 && done > 0, "{form}: {full} full, {done} done");
    }
}

#[test]
fn findings_that_find_no_room_leave_the_release_and_earlier_findings() {
    let desk = Desk::new();
    prepare(&desk, 800);
    let place = desk.path("small");
    let Some(mounted) = SmallDisk::mount(&place, "size=2m") else {
        return skip("findings_that_find_no_room_leave_the_release_and_earlier_findings (no mount)");
    };
    desk.json(&["publish", "generalized.toml", "--out", "small/out", "--seed", "5"]);
    let before = names(&place.join("out/private"));
    let (mut full, mut done) = (0, 0);
    for room in [0, 4, 8, 16, 32, 48, 64, 1024_u64] {
        mounted.fill(room << 10);
        let earlier = fs::read(place.join("out/private/audit.json")).ok();
        let output = desk.run(&["audit", "small/out", "--original", "generalized.toml", "--json"]);
        let left = names(&place.join("out/private"));
        assert!(!left.iter().any(|name| name.starts_with('.')), "{left:?}");
        match code(&output) {
            (Some(0), _) => done += 1,
            (Some(3), code) if code == "disk-full" => {
                full += 1;
                assert_eq!(fs::read(place.join("out/private/audit.json")).ok(), earlier, "{room} KiB");
                assert!(earlier.is_some() || left == before, "{left:?}");
            }
            other => panic!("{room} KiB: {other:?} {}", String::from_utf8_lossy(&output.stderr)),
        }
        fs::remove_file(place.join("filler")).expect("the filler");
        assert!(desk.run(&["check", "small/out"]).status.success(), "{room} KiB");
    }
    assert!(full > 0 && done > 0, "{full} full, {done} done");
}

#[test]
fn a_comparison_that_finds_no_room_goes_on_when_there_is_some() {
    let desk = Desk::new();
    prepare(&desk, 800);
    desk.write(
        "plan.toml",
        "policy = \"generalized.toml\"\n[[grid]]\nmethod = { name = \"mondrian\", recoding = [\"generalize\", \"bucketize\"] }\n\
         require = { model = \"k-anonymity\", k = [2, 3, 5] }\n",
    );
    let place = desk.path("small");
    let Some(mounted) = SmallDisk::mount(&place, "size=4k") else {
        return skip("a_comparison_that_finds_no_room_goes_on_when_there_is_some (no mount)");
    };
    let mut full = 0;
    for size in [4, 12, 20, 28, 36, 48, 64, 96, 4096] {
        mounted.resize(&format!("{size}k"));
        let output = desk.run(&["compare", "plan.toml", "--out", "small/out", "--json"]);
        match code(&output) {
            (Some(0), _) => break,
            (Some(3), code) if code == "disk-full" => full += 1,
            other => panic!("{size} KiB: {other:?} {}", String::from_utf8_lossy(&output.stderr)),
        }
    }
    assert!(full > 0, "it was full at first");
    let left = names(&place.join("out"));
    assert!(
        left.iter().any(|name| name == "points.csv") && !left.iter().any(|name| name.contains(".part")),
        "{left:?}"
    );
}

#[test]
fn a_single_file_is_whole_or_not_there() {
    let desk = Desk::new();
    prepare(&desk, 5_000);
    let place = desk.path("small");
    let commands: [&[&str]; 3] = [
        &["hierarchy", "table.csv", "age", "balanced=2", "--out", "small/file.csv"],
        &["generate", "census", "--rows", "2000", "--out", "small/file.csv"],
        &["generate", "census", "--rows", "2000", "--out", "small/file.parquet"],
    ];
    for command in commands {
        let Some(mounted) = SmallDisk::mount(&place, "size=256k") else {
            return skip("a_single_file_is_whole_or_not_there (no mount)");
        };
        mounted.fill(0);
        let output = desk.run(&[command, &["--json"]].concat());
        assert_eq!(code(&output), (Some(3), "disk-full".to_owned()), "{command:?}");
        assert_eq!(names(&place), ["filler"], "{command:?}");
    }
}
