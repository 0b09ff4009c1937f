//! A release whose large sets have short labels beside the same release with every set spelled out, as older programs wrote it: whoever reads them can't tell them
//! apart.

use std::fmt::Write as _;

use proptest::prelude::*;

use crate::check;
use crate::kind::OpenRelease;
use crate::progress::Progress;
use crate::query::{Labels, Query, answer};
use crate::release::Files;
use crate::testkit::published::{Published, publish};

const POLICY: &str = "[attributes]\ntown = { role = \"quasi\" }\nsex = { role = \"quasi\" }\nage = { role = \"quasi\" }\n\
                      disease = { role = \"sensitive\" }\n[[require]]\nmodel = \"k-anonymity\"\n";

const METHODS: [&str; 3] =
    ["name = \"mondrian\"\nsuppression = 0.1", "name = \"least-loss\"", "name = \"clustering\"\nsuppression = 0.2"];

fn people() -> impl Strategy<Value = String> {
    let person = (0..24_u32, 0..3_u32, 0..9_u32, 0..4_u32);
    proptest::collection::vec(person, 12..60).prop_map(|people| {
        people.iter().fold("town,sex,age,disease\n".to_owned(), |mut csv, (town, sex, age, disease)| {
            let town = if *town == 0 { String::new() } else { format!("t{town}") };
            let _ = writeln!(csv, "{town},{},{},d{disease}", ["f", "m", "*"][*sex as usize], 20 + age);
            csv
        })
    })
}

/// Spells out every set, in the table and nowhere else, from nothing but what the files say.
fn spelled_out(published: &Published) {
    let mut manifest: serde_json::Value = serde_json::from_str(&published.manifest()).unwrap();
    let nodes = |column: usize| manifest["columns"][column]["values"]["nodes"].as_array().cloned().unwrap_or_default();
    let in_full = |column: usize, label: &str| {
        let Some(node) = nodes(column).into_iter().find(|node| node["label"] == label) else { return label.to_owned() };
        let leaves: Vec<String> =
            node["leaves"].as_array().unwrap().iter().map(|leaf| leaf.as_str().unwrap().to_owned()).collect();
        if let [only] = &leaves[..] { only.clone() } else { format!("{{{}}}", leaves.join(", ")) }
    };
    let mut text = published.text("data").lines().next().unwrap().to_owned() + "\n";
    for row in published.rows_unquoted("data") {
        let fields = row.iter().enumerate().map(|(column, label)| format!("\"{}\"", in_full(column, label)));
        text += &(fields.collect::<Vec<_>>().join(",") + "\n");
    }
    published.forge("data", &text);
    manifest = serde_json::from_str(&published.manifest()).unwrap();
    manifest["schema"] = 2.into();
    for column in manifest["columns"].as_array_mut().unwrap() {
        column["values"].as_object_mut().unwrap().remove("nodes");
    }
    let folder = published.folder().join("release");
    std::fs::write(folder.join("manifest.json"), manifest.to_string()).unwrap();
    let _ = std::fs::remove_file(folder.join("datapackage.json"));
}

fn questions() -> Vec<String> {
    let towns = (1..24).map(|town| format!("town = 't{town}'"));
    let others = [
        "sex = '*'",
        "sex <> 'f' AND town IS NULL",
        "town IN ('t1', 't9', 't17') OR sex = 'm'",
        "age >= 24 AND town = 't3'",
    ];
    let conditions = towns.chain(others.map(str::to_owned));
    conditions.map(|condition| format!("SELECT COUNT(*) WHERE {condition}")).collect()
}

/// Groups with their sizes, and all answers: estimates and bounds.
fn seen(release: &dyn OpenRelease) -> (Vec<u64>, Vec<String>) {
    let ask = |question: String| format!("{:?}", answer(release, &Query::parse(&question).unwrap()).unwrap().rows);
    let shown = release.shown().unwrap().into_iter().map(|rows| format!("{rows:?}"));
    (release.groups().unwrap().people.clone(), questions().into_iter().map(ask).chain(shown).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn short_labels_change_no_group_no_answer_and_no_bound(csv in people(), k in 3..14_u32, method in 0..METHODS.len()) {
        let policy = format!("missing = \"keep\"\n{POLICY}k = {k}\n[method]\n{}\n", METHODS[method]);
        let Ok(published) = publish(&csv, &policy, 3) else { return Ok(()) };
        let short = seen(&*published.for_questions());
        let levels = |published: &Published| {
            let verified = check::release(&published.storage(), None, &Progress::default()).unwrap();
            format!("{:?}", verified.verdicts)
        };
        let promised = levels(&published);
        spelled_out(&published);
        prop_assert_eq!(short, seen(&*published.for_questions()));
        prop_assert_eq!(promised, levels(&published));
    }
}

/// One group of people from fifteen towns: all that the column shows.
fn large_sets() -> Published {
    let mut csv = "town,sex,age,disease\n".to_owned();
    for town in 0..30 {
        let _ = writeln!(csv, "t{:02},f,{},flu", town % 15, 20 + town / 15);
    }
    publish(&csv, &format!("{POLICY}k = 16\n[method]\nname = \"mondrian\"\n"), 3).unwrap()
}

#[test]
fn a_question_may_name_a_set_by_its_label() {
    let published = large_sets();
    let storage = published.storage();
    let files = Files::open(&storage, &Progress::default()).unwrap();
    let release = published.for_questions();
    let count = |question: &str| {
        let asked = Labels::of(&files.manifest).resolve(&Query::parse(question).unwrap(), &*release).unwrap();
        let row = &answer(&*release, &asked).unwrap().rows[0].estimates[0];
        (row.lower, row.upper)
    };
    assert_eq!(count("SELECT COUNT(*) WHERE town = '*'"), (Some(30.0), Some(30.0)));
    assert_eq!(count("SELECT COUNT(*) WHERE town <> '*'"), (Some(0.0), Some(0.0)));
}

#[test]
fn a_manifest_that_gives_two_sets_one_meaning_is_refused() {
    let published = large_sets();
    assert!(published.text("data").contains("\n*,f,"), "{}", published.text("data"));
    let file = published.folder().join("release/manifest.json");
    let mut manifest: serde_json::Value = serde_json::from_str(&published.manifest()).unwrap();
    let nodes = manifest["columns"][0]["values"]["nodes"].as_array_mut().unwrap();
    let twice = nodes[0].clone();
    nodes.push(twice);
    std::fs::write(&file, manifest.to_string()).unwrap();
    let refused = check::release(&published.storage(), None, &Progress::default()).unwrap_err();
    assert_eq!(refused.code(), "release-damaged");
}
