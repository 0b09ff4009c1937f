//! A limit of memory changes nothing in what is published, and whatever happens while a run makes do with little, nothing is left behind.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use support::{Desk, skip};

/// More rows than fit into a megabyte.
fn prepare(desk: &Desk) {
    desk.json(&["generate", "census", "--rows", "150000", "--seed", "3", "--out", "census.csv"]);
    let quasi = ["age", "gender", "education", "marital", "race", "work_class", "country"];
    let roles: String = quasi.iter().map(|name| format!("{name} = {{ role = \"quasi\" }}\n")).collect();
    desk.write(
        "policy.toml",
        format!(
            "[data]\nsource = \"census.csv\"\n[attributes]\n{roles}occupation = {{ role = \"sensitive\" }}\n\
             salary_class = {{ role = \"insensitive\" }}\n[[require]]\nmodel = \"k-anonymity\"\nk = 10\n[method]\nname = \"mondrian\"\n"
        ),
    );
}

/// Every file below a folder but the report, which tells how long it took.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            found.extend(files(&entry.path()).into_iter().map(|(below, bytes)| (format!("{name}/{below}"), bytes)));
        } else if name != "report.json" {
            found.insert(name, fs::read(entry.path()).expect("a file"));
        }
    }
    found
}

#[test]
fn a_release_is_the_same_in_much_memory_and_in_little() {
    let desk = Desk::new();
    prepare(&desk);
    let publish = |out: &str, more: &[&str]| {
        desk.json(&[&["publish", "policy.toml", "--seed", "1", "--out", out], more].concat());
        files(&desk.path(out))
    };
    let much = publish("much", &["--memory", "4GiB"]);
    assert!(much.contains_key("release/data.csv") && much.contains_key("private/map.csv"));
    for threads in ["1", "2"] {
        let little = publish(&format!("little{threads}"), &["--memory", "1MiB", "--threads", threads]);
        assert_eq!(much.keys().collect::<Vec<_>>(), little.keys().collect::<Vec<_>>(), "no temporary file is left");
        much.iter().for_each(|(name, bytes)| assert!(little[name] == *bytes, "{name} with {threads} threads"));
    }
}

#[test]
fn a_disk_that_is_full_of_temporary_files_is_named_and_left_empty() {
    let desk = Desk::new();
    prepare(&desk);
    let place = desk.path("small");
    fs::create_dir_all(&place).expect("a folder to mount on");
    let mut mount = Command::new("mount");
    mount.args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"]).arg(&place).stderr(Stdio::null());
    if !mount.status().is_ok_and(|status| status.success()) {
        return skip("a_disk_that_is_full_of_temporary_files_is_named_and_left_empty (no mount)");
    }
    let output = desk.run(&["publish", "policy.toml", "--out", "small/out", "--memory", "1MiB", "--json"]);
    let left = fs::read_dir(&place).expect("the folder").count();
    let _ = Command::new("umount").arg(&place).status();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    assert_eq!((output.status.code(), json["error"]["code"].as_str()), (Some(3), Some("disk-full")));
    assert!(String::from_utf8_lossy(&output.stdout).contains("temporary file"), "{json}");
    assert_eq!(left, 0);
}
