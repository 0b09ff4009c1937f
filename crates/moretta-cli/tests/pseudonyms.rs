//! Identifiers that are published under keyed pseudonyms.

mod support;

use std::collections::BTreeSet;
use std::fs;

use support::{Desk, rows};

const METHOD: &str = "[[require]]\nmodel = \"k-anonymity\"\nk = 4\n[method]\nname = \"mondrian\"\n";

fn table(people: impl Iterator<Item = u32>) -> String {
    let row = |person: u32| {
        let mixed = person.wrapping_mul(2_654_435_761) >> 12;
        format!(
            "p{person:03},{},{},{}\n",
            20 + mixed % 40,
            ["f", "m"][mixed as usize / 40 % 2],
            ["flu", "gout", "cold"][mixed as usize / 80 % 3]
        )
    };
    "id,age,sex,disease\n".to_owned() + &people.map(row).collect::<String>()
}

fn policy(more: &str) -> String {
    format!(
        "[data]\nsource = \"t.csv\"\n[attributes]\nid = {{ role = \"identifier\", pseudonym = true }}\nage = {{ role = \"quasi\" }}\n\
         sex = {{ role = \"quasi\" }}\ndisease = {{ role = \"sensitive\" }}\n{more}"
    )
}

fn desk(more: &str) -> Desk {
    let desk = Desk::new();
    desk.write("t.csv", table(0..120));
    desk.write("policy.toml", policy(more));
    desk
}

fn pseudonyms(desk: &Desk, file: &str) -> Vec<String> {
    rows(&desk.path(file)).into_iter().map(|mut row| row.swap_remove(0)).collect()
}

#[test]
fn each_person_has_one_and_nothing_follows_from_the_name() {
    let desk = desk(METHOD);
    desk.json(&["publish", "policy.toml", "--out", "one", "--seed", "7"]);
    desk.json(&["publish", "policy.toml", "--out", "two", "--seed", "7"]);
    let one = pseudonyms(&desk, "one/release/data.csv");
    let all: BTreeSet<&String> = one.iter().collect();
    assert_eq!((one.len(), all.len()), (120, 120));
    assert!(one.iter().all(|text| text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())));
    // A seed that somebody has chosen does not give the key away.
    let two = pseudonyms(&desk, "two/release/data.csv");
    assert!(two.iter().all(|text| !all.contains(text)));

    let manifest = desk.read("one/release/manifest.json");
    assert!(manifest.contains("\"role\": \"pseudonym\""), "{manifest}");
    let key = desk.read("one/private/pseudonym.key");
    assert_eq!(key.trim().len(), 64);
    for entry in fs::read_dir(desk.path("one/release")).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        assert!(!text.contains(key.trim()) && !text.contains("p007"));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(desk.path("one/private/pseudonym.key")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    assert!(desk.json(&["check", "one"])["k"].as_u64() >= Some(4));
    assert!(desk.run(&["check", "one", "--original", "policy.toml"]).status.success());
    let found = desk.json(&["audit", "one", "--original", "policy.toml", "--only", "identifiers,leftover-keys"]);
    for attack in found["attacks"].as_array().unwrap() {
        assert_eq!(attack["holds"], true, "{attack}");
    }
    let asked = desk.run(&["query", "one", "SELECT COUNT(*) WHERE id = 'x'"]);
    assert!(!asked.status.success(), "a pseudonym is no attribute to ask for");
}

#[test]
fn the_order_of_rows_follows_nobody() {
    let desk = desk(METHOD);
    desk.json(&["publish", "policy.toml", "--out", "one", "--seed", "7"]);
    let key = desk.path("one/private/pseudonym.key");
    desk.write("t.csv", table((0..120).rev()));
    let args = ["publish", "policy.toml", "--out", "two", "--seed", "7", "--pseudonym-key", key.to_str().unwrap()];
    desk.json(&args);
    assert_eq!(desk.read("one/release/data.csv"), desk.read("two/release/data.csv"));
    assert_eq!(desk.read("one/private/pseudonym.key"), desk.read("two/private/pseudonym.key"));
}

#[test]
fn the_same_key_links_releases_of_other_tables_and_methods() {
    let desk = desk(METHOD);
    desk.json(&["publish", "policy.toml", "--out", "one"]);
    let key = desk.path("one/private/pseudonym.key");
    desk.write("t.csv", table(60..180));
    let anatomy = "[[require]]\nmodel = \"distinct-l-diversity\"\nl = 2\n[method]\nname = \"anatomy\"\n";
    desk.write("policy.toml", policy(anatomy));
    desk.json(&["publish", "policy.toml", "--out", "two", "--pseudonym-key", key.to_str().unwrap()]);
    let one: BTreeSet<String> = pseudonyms(&desk, "one/release/data.csv").into_iter().collect();
    let two: BTreeSet<String> = pseudonyms(&desk, "two/release/qit.csv").into_iter().collect();
    assert_eq!(one.intersection(&two).count(), 60);
    assert!(desk.run(&["check", "two"]).status.success());
}

#[test]
fn a_pseudonym_that_stands_twice_is_damage() {
    let desk = desk(METHOD);
    desk.json(&["publish", "policy.toml", "--out", "one"]);
    let data = desk.read("one/release/data.csv");
    let all = pseudonyms(&desk, "one/release/data.csv");
    let twice = data.replace(&all[1], &all[0]);
    let print = |text: &str| {
        use std::process::{Command, Stdio};
        let mut command = Command::new("sha256sum").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        std::io::Write::write_all(&mut command.stdin.take().unwrap(), text.as_bytes()).unwrap();
        String::from_utf8(command.wait_with_output().unwrap().stdout).unwrap()[..64].to_owned()
    };
    let manifest = desk.read("one/release/manifest.json").replace(&print(&data), &print(&twice));
    desk.write("one/release/data.csv", &twice);
    desk.write("one/release/manifest.json", manifest);
    fs::remove_file(desk.path("one/release/datapackage.json")).unwrap();
    let output = desk.run(&["check", "one"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && error.contains("a pseudonym stands in two rows"), "{error}");
}

#[test]
fn where_rows_are_not_people_it_is_refused() {
    let with = |method: &str, model: &str| format!("[[require]]\n{model}\n[method]\n{method}\n");
    for (more, words) in [
        (with("name = \"slicing\"\ncolumns = 2", "model = \"l-diverse-slicing\"\nl = 2"), "shuffled"),
        (with("name = \"ambiguity\"", "model = \"alpha-beta-privacy\"\nalpha = 0.9\nbeta = 0.5"), "no row of anybody"),
        (with("name = \"distribution\"", "model = \"p-private\"\ntarget = \"uniform\""), "may be nobody's"),
        (
            with("name = \"uncertain\"\ncategorical = \"drop\"", "model = \"uncertain-k-anonymity\"\nk = 3"),
            "where a person might be",
        ),
        (
            with("name = \"condensation\"\ncategorical = \"drop\"", "model = \"condensed-k\"\nk = 5"),
            "its records are nobody's",
        ),
        (METHOD.to_owned(), ""),
    ] {
        let desk = desk(&more);
        let output = desk.run(&["publish", "policy.toml"]);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.success(), words.is_empty(), "{error}");
        assert!(error.contains(words), "{error}");
    }
    let desk = desk(METHOD);
    for (set, words) in [
        ("attributes.sex.role=\"person\"", "it would link them"),
        ("attributes.sex.role=\"weight\"", "stands for several people"),
        ("attributes.disease.pseudonym=true", "only an identifier can have a pseudonym"),
        ("attributes.id.pseudonym=1", "pseudonym"),
    ] {
        let output = desk.run(&["publish", "policy.toml", "--set", set]);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && error.contains(words), "{set}: {error}");
    }
    // More than one row of a person, and one of nobody.
    desk.write("t.csv", table((0..120).chain([7])));
    let output = desk.run(&["publish", "policy.toml"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("share their identifier (\"id\")"));
    desk.write("t.csv", table(0..120).replace("p007", ""));
    let output = desk.run(&["publish", "policy.toml", "--set", "data.missing=keep"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("\"id\""));
    // A key for nothing.
    desk.write("t.csv", table(0..120));
    desk.write("key", "a".repeat(64));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(desk.path("key"), fs::Permissions::from_mode(0o600)).unwrap();
    }
    let output =
        desk.run(&["publish", "policy.toml", "--set", "attributes.id.pseudonym=false", "--pseudonym-key", "key"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("no identifier has `pseudonym = true`"));
}
