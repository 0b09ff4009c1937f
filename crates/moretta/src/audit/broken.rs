//! Releases that somebody has spoiled: the matching attack must notice, and none may notice where nothing is wrong.

use std::fmt::Write as _;

use super::{Audit, AuditInput, AuditedRelease, OriginalTable, run};
use crate::chance::Seed;
use crate::policy::Policy;
use crate::progress::Progress;
use crate::testkit::published::{Published, publish};

const ROLES: &str = r#"
[attributes]
age = { role = "quasi" }
zip = { role = "quasi" }
disease = { role = "sensitive" }
job = { role = "drop" }
"#;

/// 120 people, whose order is that of their making.
fn people() -> String {
    let mut csv = "age,zip,disease,job\n".to_owned();
    for i in 0..120_u32 {
        let _ = writeln!(csv, "{},z{},d{},j{i}", 20 + i * 7 % 40, i * 5 % 6, (i * i + i / 7) % 5);
    }
    csv
}

fn published(promise_and_method: &str) -> Published {
    publish(&people(), &format!("{ROLES}{promise_and_method}"), 5).unwrap()
}

fn original_table(published: &Published) -> OriginalTable {
    let policy = Policy::parse(published.policy.text.clone(), &published.policy.file, &[]);
    OriginalTable::read(policy.unwrap(), &Progress::default()).unwrap()
}

fn audit(published: &Published) -> Audit {
    let original_table = original_table(published);
    let original = original_table.counted.original();
    let audited = AuditedRelease::of_release(&published.storage(), Some(&original), &Progress::default()).unwrap();
    run(&AuditInput::new(&audited, Seed(3)).with_original(Some(&original_table)), &Progress::default()).unwrap()
}

fn audit_table(published: &Published, csv: &str) -> Audit {
    let original_table = original_table(published);
    let file = published.policy.file.with_file_name("foreign.csv");
    std::fs::write(&file, csv).unwrap();
    let audited = AuditedRelease::of_table(&file, &original_table, &Progress::default()).unwrap();
    run(&AuditInput::new(&audited, Seed(3)).with_original(Some(&original_table)), &Progress::default()).unwrap()
}

/// The attacks that a release does not withstand.
fn broken(audit: &Audit) -> Vec<&str> {
    audit.attacks.iter().filter(|attack| attack.finding.holds == Some(false)).map(|attack| attack.name).collect()
}

const K: &str = "[[require]]\nmodel = \"k-anonymity\"\nk = 4\n[method]\nname = \"least-loss\"\n";
const SLICED: &str = "[[require]]\nmodel = \"l-diverse-slicing\"\nl = 2\n[method]\nname = \"slicing\"\ncolumns = [[\"age\"], [\"zip\"], [\"disease\"]]\n";

#[test]
fn sound_releases_break_nothing() {
    for method in [
        K,
        SLICED,
        "[[require]]\nmodel = \"probabilistic-l-diversity\"\nl = 3\n[method]\nname = \"anatomy\"\n",
        "[[require]]\nmodel = \"alpha-beta-privacy\"\nalpha = 0.5\nbeta = 0.5\npresence = \"group\"\n[method]\nname = \"ambiguity\"\n",
        "[[require]]\nmodel = \"p-private\"\ntarget = \"table\"\n[method]\nname = \"distribution\"\n",
    ] {
        let audit = audit(&published(method));
        assert_eq!(broken(&audit), [""; 0], "{method}");
        assert!(audit.holds());
    }
}

#[test]
fn a_group_below_k_is_found_by_linkage() {
    let published = published(K);
    let text = std::fs::read_to_string(published.file("data")).unwrap();
    let labels = |line: &str| line.rsplit_once(',').unwrap().0.to_owned();
    let first = labels(text.lines().nth(1).unwrap());
    let mut kept = 0;
    let mut forged = String::new();
    for line in text.lines() {
        kept += u32::from(labels(line) == first);
        if labels(line) != first || kept <= 2 {
            let _ = writeln!(forged, "{line}");
        }
    }
    published.forge("data", &forged);
    let audit = audit(&published);
    assert!(broken(&audit).contains(&"re-identification"), "{:?}", broken(&audit));
    assert!(broken(&audit).contains(&"promises"));
}

#[test]
fn an_unshuffled_column_is_found() {
    let published = published(SLICED);
    let csv = people();
    let original: Vec<Vec<&str>> = csv.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let rows = published.rows("sliced");
    // Everybody into buckets of eight, in order, with all columns as they stood.
    let mut text = std::fs::read_to_string(published.file("sliced")).unwrap().lines().next().unwrap().to_owned() + "\n";
    let columns: Vec<&str> = text.trim().split(',').collect();
    assert_eq!(columns[0], "bucket");
    let buckets = published.report.groups as usize;
    let index = |name: &str| ["age", "zip", "disease"].iter().position(|own| *own == name).unwrap();
    let order: Vec<usize> = columns[1..].iter().map(|name| index(name)).collect();
    for (row, person) in original.iter().enumerate() {
        let values: Vec<&str> = order.iter().map(|&at| person[at]).collect();
        let _ = writeln!(text, "{},{}", rows[0][0].parse::<usize>().map_or(1, |_| 1 + row % buckets), values.join(","));
    }
    published.forge("sliced", &text);
    let audit = audit(&published);
    assert!(
        broken(&audit).contains(&"linked-columns"),
        "{:?} {}",
        broken(&audit),
        serde_json::to_string_pretty(&audit).unwrap()
    );
}

#[test]
fn a_table_of_another_tool_in_the_order_of_the_original_is_found() {
    let published = published(K);
    let mut csv = "age,zip,disease\n".to_owned();
    for line in people().lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let _ = writeln!(csv, "20-59,*,{}", fields[2]);
    }
    assert_eq!(broken(&audit_table(&published, &csv)), ["row-order"]);
    // The same, sorted.
    let mut rows: Vec<&str> = csv.lines().skip(1).collect();
    rows.sort_unstable();
    let sorted = format!("age,zip,disease\n{}\n", rows.join("\n"));
    assert_eq!(broken(&audit_table(&published, &sorted)), [""; 0]);
}

#[test]
fn identifiers_and_row_numbers_are_found() {
    let roles =
        ROLES.replace("job = { role = \"drop\" }", "job = { role = \"identifier\" }\nnumber = { role = \"drop\" }");
    let csv: String = people().lines().enumerate().fold(String::new(), |mut csv, (row, line)| {
        let _ = if row == 0 { writeln!(csv, "{line},number") } else { writeln!(csv, "{line},{row}") };
        csv
    });
    let published = publish(&csv, &format!("{roles}{K}"), 5).unwrap();
    assert_eq!(broken(&audit(&published)), [""; 0]);
    let mut leaky = "age,zip,disease,job,number\n".to_owned();
    let mut lines: Vec<&str> = csv.lines().skip(1).collect();
    lines.sort_unstable_by_key(|line| line.split(',').nth(2).unwrap().to_owned());
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let _ = writeln!(leaky, "*,*,{},{},{}", fields[2], fields[3], fields[4]);
    }
    let found = audit_table(&published, &leaky);
    let identified = found.attacks.iter().find(|attack| attack.name == "identifiers").unwrap();
    assert_eq!(identified.finding.hit, 120);
    assert!(
        broken(&found).contains(&"identifiers") && broken(&found).contains(&"leftover-keys"),
        "{:?}",
        broken(&found)
    );
}

/// The original is parsed once, before any attack: none needs its file again, the search for identifiers least of all.
#[test]
fn attacks_do_not_read_the_original_again() {
    let roles = ROLES.replace("job = { role = \"drop\" }", "job = { role = \"identifier\" }");
    let published = publish(&people(), &format!("{roles}{K}"), 5).unwrap();
    let original_table = original_table(&published);
    let original = original_table.counted.original();
    let audited = AuditedRelease::of_release(&published.storage(), Some(&original), &Progress::default()).unwrap();
    std::fs::remove_file(&published.policy.data.source).unwrap();
    let scene = AuditInput::new(&audited, Seed(3)).with_original(Some(&original_table));
    let audit = run(&scene, &Progress::default()).unwrap();
    assert!(audit.attacks.iter().any(|attack| attack.name == "identifiers" && attack.finding.holds == Some(true)));
}

/// A value that may be published is nobody's identifier, in whatever column it stands; nor is one letter.
#[test]
fn values_that_may_be_published_identify_nobody() {
    let roles = ROLES
        .replace("job = { role = \"drop\" }", "job = { role = \"identifier\" }\nnote = { role = \"insensitive\" }");
    let mut csv = "age,zip,disease,job,note\n".to_owned();
    for (row, line) in people().lines().skip(1).enumerate() {
        let fields: Vec<&str> = line.split(',').collect();
        let job = ["x", "n17", "z3", "d2"].get(row).copied().unwrap_or(fields[3]);
        let _ = writeln!(csv, "{},{},{},{job},n{row}", fields[0], fields[1], fields[2]);
    }
    let published = publish(&csv, &format!("{roles}{K}"), 5).unwrap();
    let leaky = format!("age,zip,disease,note\n{}", "*,*,d1,x\n*,*,d2,n17\n*,*,d3,z3\n*,*,d4,d2\n*,*,d0,j99\n");
    let found = audit_table(&published, &leaky);
    let identified = found.attacks.iter().find(|attack| attack.name == "identifiers").unwrap();
    assert_eq!(identified.finding.hit, 1);
}

#[test]
fn labels_that_mean_nothing_are_doubted() {
    let published = published(K);
    let original_table = original_table(&published);
    let file = published.policy.file.with_file_name("foreign.csv");
    std::fs::write(&file, "age,zip,disease\n20-40,z1,d1\n20-40,north,d2\n").unwrap();
    let audited = AuditedRelease::of_table(&file, &original_table, &Progress::default()).unwrap();
    assert_eq!(audited.doubts, ["zip = \"north\" stands for no value of the original"]);
}

#[test]
fn nobody_is_named_in_what_is_shown() {
    let audit = audit(&published(K));
    let shown = serde_json::to_string(&audit).unwrap();
    assert!(!shown.contains("\"row\"") && audit.attacks.iter().any(|attack| !attack.victims().is_empty()));
}

#[test]
fn the_policy_of_another_release_is_refused() {
    let (one, other) = (published(K), published(K));
    let text = other.policy.text.replace("disease = { role = \"sensitive\" }", "disease = { role = \"drop\" }");
    let original_table =
        OriginalTable::read(Policy::parse(text, &other.policy.file, &[]).unwrap(), &Progress::default()).unwrap();
    let audited = AuditedRelease::of_release(&one.storage(), None, &Progress::default()).unwrap();
    let refused = run(&AuditInput::new(&audited, Seed(3)).with_original(Some(&original_table)), &Progress::default())
        .unwrap_err();
    assert_eq!(refused.message(), "the original does not have the sensitive attributes of the release");
}
