//! What a release must not depend on, and must not hold: the order of the source, where it lies, and the seed.

use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;

use crate::chance::Seed;
use crate::method::registry::METHODS;
use crate::policy::Policy;
use crate::progress::Progress;
use crate::steward::{Options, publish};

/// A way to publish with every method: its promise, its options, and whether it publishes insensitive attributes.
const WAYS: &[(&str, &str, &str, bool)] = &[
    ("least-loss", "model = \"k-anonymity\"\nk = 2", "suppression = 0.2", true),
    ("mondrian", "model = \"distinct-l-diversity\"\nl = 2", "suppression = 0.2", true),
    ("mondrian", "model = \"distinct-l-diversity\"\nl = 2", "recoding = \"bucketize\"", true),
    ("full-domain", "model = \"k-anonymity\"\nk = 2", "suppression = 0.5", true),
    ("top-down", "model = \"k-anonymity\"\nk = 2", "", true),
    ("clustering", "model = \"k-anonymity\"\nk = 2", "", true),
    ("anatomy", "model = \"probabilistic-l-diversity\"\nl = 2", "suppression = 0.9", true),
    ("transparent", "model = \"probabilistic-l-diversity\"\nl = 2", "", true),
    ("transparent", "model = \"probabilistic-l-diversity\"\nl = 2", "recoding = \"bucketize\"", true),
    ("injector", "model = \"matching-l-diversity\"\nl = 2\nmin_expectation = 0.99", "suppression = 0.9", true),
    ("distribution", "model = \"p-private\"\ntarget = \"table\"", "groups = [\"age >= 3\"]", true),
    ("slicing", "model = \"l-diverse-slicing\"\nl = 1", "columns = 2", true),
    ("ambiguity", "model = \"alpha-beta-privacy\"\nalpha = 1\nbeta = 1", "suppression = 0.9", false),
    ("uncertain", "model = \"uncertain-k-anonymity\"\nk = 2", "categorical = \"keep\"", false),
    ("condensation", "model = \"condensed-k\"\nk = 2", "categorical = \"one-hot\"", false),
];

#[test]
fn every_method_is_among_the_ways() {
    for entry in METHODS {
        assert!(WAYS.iter().any(|way| way.0 == entry.name), "{}", entry.name);
    }
}

fn policy((method, promise, options, insensitive): &(&str, &str, &str, bool), source: &str, format: &str) -> String {
    let ticket = if *insensitive { "insensitive" } else { "drop" };
    format!(
        "[data]\nsource = \"{source}\"\nmissing_values = [\"NA\", \"?\"]\nmissing = \"keep\"\n[attributes]\n\
         age = {{ role = \"quasi\", hierarchy = {{ balanced = 2 }} }}\n\
         zip = {{ role = \"quasi\", type = \"text\", hierarchy = {{ mask = \"right\" }} }}\n\
         disease = {{ role = \"sensitive\", type = \"text\" }}\nticket = {{ role = \"{ticket}\", type = \"text\" }}\n\
         [[require]]\n{promise}\n[method]\nname = \"{method}\"\n{options}\n[output]\nformat = \"{format}\"\n"
    )
}

/// All files of a release, or why there is none.
fn released(home: &Path, way: &(&str, &str, &str, bool), name: &str, csv: &str, seed: u128) -> Result<Files, String> {
    std::fs::write(home.join(name), csv).unwrap();
    let out = home.join(format!("{name}.out"));
    let policy = Policy::in_file(policy(way, name, "csv"), &home.join("policy.toml"), &[]).unwrap();
    let options = Options { out: Some(out.clone()), force: true, seed: Some(seed) };
    publish(&policy, &options, &Progress::default()).map_err(|error| error.to_string())?;
    let read = |entry: std::io::Result<std::fs::DirEntry>| {
        let entry = entry.unwrap();
        (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap())
    };
    Ok(out.join("release").read_dir().unwrap().map(read).collect())
}

type Files = BTreeMap<String, Vec<u8>>;

/// People of few kinds, so that many share a cell; tickets that repeat, so that some publish the same.
fn people() -> impl Strategy<Value = Vec<(u32, u32, u32, u32)>> {
    proptest::collection::vec((0_u32..4, 0_u32..3, 0_u32..3, 0_u32..9), 8..40)
}

fn csv(people: &[(u32, u32, u32, u32)], missing: &str) -> String {
    let zip = |zip: u32| if zip == 0 { missing.to_owned() } else { format!("z{zip}") };
    let row =
        |&(age, area, disease, ticket): &(u32, u32, u32, u32)| format!("{age},{},d{disease},t{ticket}\n", zip(area));
    "age,zip,disease,ticket\n".to_owned() + &people.iter().map(row).collect::<String>()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_shuffled_copy_of_the_source_gives_the_same_bytes(people in people(), seed in any::<u128>(), turn in any::<u64>()) {
        let order = crate::chance::permutation(people.len(), &mut Seed(turn.into()).stream("order", 0));
        let moved: Vec<_> = order.iter().map(|&row| people[row as usize]).collect();
        let home = tempfile::tempdir().unwrap();
        for way in WAYS {
            // Uncertain records and condensed ones have no value to blur where one is missing.
            let missing = if matches!(way.0, "uncertain" | "condensation") { ["z9", "z9"] } else { ["NA", "?"] };
            let straight = released(home.path(), way, "straight.csv", &csv(&people, missing[0]), seed);
            let shuffled = released(home.path(), way, "another.csv", &csv(&moved, missing[1]), seed);
            prop_assert_eq!(straight.is_ok(), shuffled.is_ok(), "{:?}", way);
            if let (Ok(straight), Ok(shuffled)) = (straight, shuffled) {
                for (name, bytes) in &straight {
                    prop_assert_eq!(
                        String::from_utf8_lossy(bytes), String::from_utf8_lossy(&shuffled[name]), "{:?} {}", way, name
                    );
                }
            }
        }
    }
}

#[test]
fn another_table_and_another_promise_have_draws_of_their_own() {
    let people: Vec<(u32, u32, u32, u32)> = (0..40).map(|i| (i % 4, 1 + i % 2, i * 7 % 3, i)).collect();
    let home = tempfile::tempdir().unwrap();
    let groups = |way: &(&str, &str, &str, bool), people: &[(u32, u32, u32, u32)]| -> Vec<String> {
        let files = released(home.path(), way, "t.csv", &csv(people, "NA"), 7).unwrap();
        let text = String::from_utf8(files["qit.csv"].clone()).unwrap();
        // Who is in the table already: the group of each, by ticket.
        let mut rows: Vec<String> = text
            .lines()
            .skip(1)
            .map(|line| line.split(',').skip(2).collect::<Vec<_>>().join(" "))
            .filter(|row| !row.starts_with("t99 "))
            .collect();
        rows.sort();
        rows
    };
    let way = WAYS.iter().find(|way| way.0 == "anatomy").unwrap();
    let same = groups(way, &people);
    assert_eq!(same, groups(way, &people));
    let mut more = people.clone();
    more.push((0, 1, 0, 99));
    assert_ne!(same, groups(way, &more), "one more person changes every draw");
    let other = ("anatomy", "model = \"distinct-l-diversity\"\nl = 2", "suppression = 0.9", true);
    assert_ne!(same, groups(&other, &people), "so does another promise");
}

#[test]
fn the_seed_is_nowhere_in_a_release() {
    let people: Vec<(u32, u32, u32, u32)> = (0..40).map(|i| (i % 4, 1 + i % 2, i * 7 % 3, i)).collect();
    let home = tempfile::tempdir().unwrap();
    let seed = 0x00c0_ffee_1234_5678_9abc_def0_0fed_cba9_u128;
    let mut published = 0;
    for way in WAYS {
        for format in ["csv", "parquet"] {
            std::fs::write(home.path().join("t.csv"), csv(&people, "z9")).unwrap();
            let policy = Policy::in_file(policy(way, "t.csv", format), &home.path().join("policy.toml"), &[]).unwrap();
            let out = home.path().join("out");
            let options = Options { out: Some(out.clone()), force: true, seed: Some(seed) };
            if publish(&policy, &options, &Progress::default()).is_err() {
                continue;
            }
            published += 1;
            let stored = std::fs::read_to_string(out.join("private/seed.txt")).unwrap();
            assert_eq!(stored.trim().parse::<Seed>().unwrap(), Seed(seed));
            let words =
                [seed.to_string(), format!("{seed:x}"), format!("{:x}", seed as u64), (seed as u64).to_string()];
            let mut traces: Vec<Vec<u8>> = words.into_iter().map(String::into_bytes).collect();
            traces.extend([seed.to_le_bytes().to_vec(), seed.to_be_bytes().to_vec()]);
            for entry in out.join("release").read_dir().unwrap() {
                let path = entry.unwrap().path();
                let bytes = std::fs::read(&path).unwrap();
                for trace in &traces {
                    assert!(!bytes.windows(trace.len()).any(|part| part == trace), "{way:?} {}", path.display());
                }
            }
        }
    }
    assert!(published >= 2 * WAYS.len() - 4, "{published} of {}", 2 * WAYS.len());
}

/// The diseases of a table of thirty people, one for each, whose order is that of their ages; as a release lists them.
fn listed_diseases(method: &str, promise: &str, seed: u64) -> Vec<String> {
    let rows: String = (10..40).map(|age| format!("{age},d{age}\n")).collect();
    let policy = format!(
        "[attributes]\nage = {{ role = \"quasi\" }}\ndisease = {{ role = \"sensitive\" }}\n[[require]]\n{promise}\n[method]\nname = \"{method}\"\n"
    );
    let published = crate::testkit::published::publish(&format!("age,disease\n{rows}"), &policy, seed).unwrap();
    let table = if method == "uncertain" { "uncertain" } else { "data" };
    published.rows(table).into_iter().map(|mut row| row.pop().unwrap()).collect()
}

fn stand_in_a_drawn_order(method: &str, promise: &str) {
    let orders: Vec<Vec<String>> = (0..4).map(|seed| listed_diseases(method, promise, seed)).collect();
    for (number, order) in orders.iter().enumerate() {
        assert!(!order.is_sorted(), "{order:?}");
        assert!(!orders[..number].contains(order), "{order:?}");
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (10..40).map(|age| format!("d{age}")).collect::<Vec<_>>());
    }
}

#[test]
fn uncertain_records_stand_in_a_drawn_order() {
    stand_in_a_drawn_order("uncertain", "model = \"uncertain-k-anonymity\"\nk = 3");
}

#[test]
fn condensed_values_stand_in_a_drawn_order() {
    stand_in_a_drawn_order("condensation", "model = \"condensed-k\"\nk = 30");
}

#[test]
fn leaves_that_nobody_has_are_listed_nowhere_but_below_what_is_published() {
    let rows: String = (0..12).map(|row| format!("{},d{}\n", ["north", "south"][row % 2], row % 3)).collect();
    let policy = "[attributes]\nregion = { role = \"quasi\", hierarchy = { rows = [[\"north\", \"land\", \"*\"], [\"south\", \"land\", \"*\"], \
                  [\"steppe\", \"land\", \"*\"], [\"island\", \"sea\", \"*\"]] } }\ndisease = { role = \"sensitive\" }\n\
                  [[require]]\nmodel = \"k-anonymity\"\nk = 7\n[method]\nname = \"full-domain\"\n";
    let published = crate::testkit::published::publish(&format!("region,disease\n{rows}"), policy, 1).unwrap();
    let manifest = std::fs::read_to_string(published.folder().join("release/manifest.json")).unwrap();
    assert!(manifest.contains("steppe"), "it is below `land`, which is published");
    assert!(!manifest.contains("island") && !manifest.contains("\"sea\""), "{manifest}");
}
