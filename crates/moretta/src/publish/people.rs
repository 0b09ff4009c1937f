//! Tables in which several rows belong to one person: what is published is recounted from the files and the private map, as text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use proptest::prelude::*;

use crate::data::role::Role;
use crate::error::{Code, Fault};
use crate::method::registry::METHODS;
use crate::model::registry::MODELS;
use crate::model::{ProvedFrom, SeveralRows};
use crate::policy::Policy;
use crate::prepare::Prepared;
use crate::progress::Progress;
use crate::testkit::published::{Published, publish, rows_of};

const ATTRIBUTES: &str = r#"
[attributes]
patient = { role = "person" }
age = { role = "quasi", type = "integer", hierarchy = { intervals = [2, 4, 8] } }
zip = { role = "quasi", hierarchy = { mask = "right" } }
disease = { role = "sensitive", categories = [["d0", "d1"], ["d2", "d3"], ["d4"]] }
"#;

/// Visits: whose, at which age, where, with what.
fn visits() -> impl Strategy<Value = String> {
    (2_u32..14, 1_u32..9, 1_u32..6).prop_flat_map(|(patients, ages, diseases)| {
        let visit = (0..patients, 0..ages, 0_u32..2, 0_u32..3, 0..diseases.min(5));
        proptest::collection::vec(visit, 1..60).prop_map(|visits| {
            let mut text = "patient,age,zip,disease\n".to_owned();
            for (patient, age, ward, block, disease) in visits {
                let _ = writeln!(text, "p{patient},{age},{ward}{block},d{disease}");
            }
            text
        })
    })
}

fn method() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "name = \"mondrian\"",
        "name = \"mondrian\"\nrecoding = \"bucketize\"",
        "name = \"least-loss\"",
        "name = \"full-domain\"",
        "name = \"full-domain\"\nsuppression = 0.4",
        "name = \"full-domain\"\nsearch = \"minimal\"",
    ])
}

/// What must hold of the people of a group, and of those who have each value.
type Naive = fn(usize, &BTreeMap<String, BTreeSet<String>>) -> bool;

fn promise() -> impl Strategy<Value = (&'static str, Naive)> {
    proptest::sample::select(vec![
        ("model = \"k-anonymity\"\nk = 3", (|people, _| people >= 3) as Naive),
        ("model = \"k-anonymity\"\nk = 2", (|people, _| people >= 2) as Naive),
        ("model = \"distinct-l-diversity\"\nl = 2", (|_, values| values.len() >= 2) as Naive),
        (
            "model = \"probabilistic-l-diversity\"\nl = 1.5",
            (|people, values| values.values().all(|v| 3 * v.len() <= 2 * people)) as Naive,
        ),
        (
            "model = \"alpha-k-anonymity\"\nalpha = 0.6\nk = 2",
            (|people, values| people >= 2 && values.values().all(|v| 10 * v.len() <= 6 * people)) as Naive,
        ),
        ("model = \"p-sensitive\"\np = 2\nk = 3", (|people, values| people >= 3 && values.len() >= 2) as Naive),
        (
            "model = \"p-plus-sensitive\"\np = 2\nk = 2",
            (|people, values| {
                let category = |value: &String| match value.as_str() {
                    "d0" | "d1" => 0,
                    "d2" | "d3" => 1,
                    _ => 2,
                };
                people >= 2 && values.keys().map(category).collect::<BTreeSet<_>>().len() >= 2
            }) as Naive,
        ),
    ])
}

/// The rows of each group, by the private map.
fn groups(csv: &str, published: &Published) -> Vec<Vec<Vec<String>>> {
    let rows = rows_of(csv);
    let mut groups: BTreeMap<usize, Vec<Vec<String>>> = BTreeMap::new();
    for line in published.private("map.csv").lines().skip(1) {
        let (row, group) = line.split_once(',').unwrap();
        groups.entry(group.parse().unwrap()).or_default().push(rows[row.parse::<usize>().unwrap() - 1].clone());
    }
    groups.into_values().collect()
}

/// The sensitive values of each group, as the files show them.
fn released(published: &Published, bucketized: bool) -> Vec<Vec<String>> {
    let mut groups: BTreeMap<Vec<String>, Vec<String>> = BTreeMap::new();
    if bucketized {
        for row in published.rows_unquoted("st_disease") {
            let count: usize = row[2].parse().unwrap();
            groups.entry(vec![row[0].clone()]).or_default().extend(std::iter::repeat_n(row[1].clone(), count));
        }
    } else {
        for row in published.rows_unquoted("data") {
            groups.entry(row[..2].to_vec()).or_default().push(row[2].clone());
        }
    }
    sorted(groups.into_values().collect())
}

fn sorted(mut groups: Vec<Vec<String>>) -> Vec<Vec<String>> {
    groups.iter_mut().for_each(|values| values.sort());
    groups.sort();
    groups
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn groups_count_people_and_the_proof_is_what_a_recount_gives(
        csv in visits(), method in method(), (promise, holds) in promise(), seed in 0_u64..4,
    ) {
        let text = format!("{ATTRIBUTES}\n[[require]]\n{promise}\n[method]\n{method}\n");
        let published = match publish(&csv, &text, seed) {
            Ok(published) => published,
            Err(error) => {
                // Bucketized releases refuse what is a promise of generalized ones.
                let refused = method.contains("bucketize") && error.code() == Code::ModelUnsupported.as_str();
                prop_assert!(refused || error.fault() == Fault::Data, "{}", error);
                return Ok(());
            }
        };
        let bucketized = method.contains("bucketize");
        let groups = groups(&csv, &published);
        let values = |group: &Vec<Vec<String>>| group.iter().map(|row| row[3].clone()).collect::<Vec<_>>();
        prop_assert_eq!(released(&published, bucketized), sorted(groups.iter().map(values).collect()));
        let (mut fewest, mut present) = (usize::MAX, BTreeSet::new());
        for group in &groups {
            let people: BTreeSet<&String> = group.iter().map(|row| &row[0]).collect();
            let mut having: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
            for row in group {
                having.entry(row[3].clone()).or_default().insert(row[0].clone());
            }
            prop_assert!(holds(people.len(), &having), "{group:?}");
            fewest = fewest.min(people.len());
            present.extend(people);
        }
        let verdict = &published.report.guarantees[0];
        prop_assert!(verdict.holds && verdict.proved_from == ProvedFrom::FilesAndOriginal);
        if let Some(k) = verdict.achieved.get("k") {
            prop_assert_eq!(k.as_u64(), Some(fewest as u64));
        }
        prop_assert_eq!(published.report.people_out, Some(present.len() as u64));
        prop_assert_eq!(published.report.rows_out, groups.iter().map(Vec::len).sum::<usize>() as u64);
        // Whoever has the files alone sees rows, and can prove nothing about people.
        let alone = crate::check::release(&published.storage(), None, &Progress::default()).unwrap();
        prop_assert!(alone.verdicts.is_empty() && alone.unproved.len() == 1 && alone.by_people.is_none());
        // Later, beside the original alone: the same, or nothing where people fit several groups. With the private map, the same.
        let counted = Prepared::read(&published.policy, &Progress::default()).unwrap();
        let check = |claim| {
            let original = counted.original().claiming(claim);
            crate::check::release(&published.storage(), Some(&original), &Progress::default()).unwrap().verdicts
        };
        let later = check(None);
        prop_assert!(later.iter().all(|later| later.holds && later.achieved == verdict.achieved));
        prop_assert!(!later.is_empty() || !bucketized);
        let claim = crate::check::placement(published.folder(), &counted, &Progress::default()).unwrap();
        prop_assert!(claim.is_some());
        let mapped = check(claim);
        prop_assert!(mapped.len() == 1 && mapped[0].holds && mapped[0].achieved == verdict.achieved);
    }
}

#[test]
fn a_release_of_rows_that_holds_too_few_people_is_not_proved() {
    // Five rows, of which a forger says that they belong to five people: one has two.
    let csv = "patient,age,zip,disease\na,1,11,d0\na,1,11,d1\nb,1,11,d2\nc,1,11,d0\nd,1,11,d3\n";
    let text = format!("{ATTRIBUTES}\n[[require]]\nmodel = \"k-anonymity\"\nk = 5\n[method]\nname = \"mondrian\"\n");
    let error = publish(csv, &text, 0).err().unwrap();
    assert_eq!((error.fault(), error.code()), (Fault::Data, Code::PromiseImpossible.as_str()));
    assert!(error.to_string().contains("all 4 people in one group"), "{error}");
    let published = publish(csv, &text.replace("k = 5", "k = 4"), 0).unwrap();
    let counted = Prepared::read(&published.policy, &Progress::default()).unwrap();
    let check = || crate::check::release(&published.storage(), Some(&counted.original()), &Progress::default());
    assert_eq!(check().unwrap().by_people, Some(vec![4]));
    let manifest = published.manifest();
    let file = published.file("data").with_file_name("manifest.json");
    std::fs::write(&file, manifest.replace("\"k\": 4", "\"k\": 5")).unwrap();
    let verdicts = check().unwrap().verdicts;
    assert!(!verdicts[0].holds && verdicts[0].achieved["k"] == 4);
    std::fs::write(&file, manifest.replace("\"persons\": 4", "\"persons\": 5")).unwrap();
    assert_eq!(check().err().unwrap().code(), Code::OriginalMismatch.as_str());
}

#[test]
fn a_repeated_identifier_is_refused_and_missing_ones_are_not_equal() {
    let promise = "[[require]]\nmodel = \"k-anonymity\"\nk = 2\n[method]\nname = \"mondrian\"\n";
    let attributes = "[attributes]\nid = { role = \"identifier\" }\nage = { role = \"quasi\" }\n";
    let repeated = "id,age\na,1\na,1\nb,2\nc,2\n";
    let error = publish(repeated, &format!("{attributes}{promise}"), 0).err().unwrap();
    assert_eq!((error.fault(), error.code()), (Fault::Data, Code::RepeatedIdentifier.as_str()));
    assert!(error.to_string().contains("2 rows share their identifier (\"id\")"), "{error}");
    publish("id,age\n,1\n,1\nb,2\nc,2\n", &format!("{attributes}{promise}"), 0).unwrap();
    // A row that is nobody's may be anybody's: it is left out, or refused.
    let person = attributes.replace("identifier", "person");
    let kept = publish("id,age\na,1\n,1\nb,1\n", &format!("{person}{promise}"), 0).unwrap();
    assert_eq!((kept.report.rows_out, kept.report.people_out, kept.report.left_out.missing), (2, Some(2), 1));
    let keep = format!("missing = \"keep\"\n{person}{promise}");
    assert_eq!(publish("id,age\na,1\n,1\nb,1\n", &keep, 0).err().unwrap().code(), Code::MissingValue.as_str());
}

/// A setting of every model that a policy with the attributes below can state.
const SETTINGS: [(&str, &str); 20] = [
    ("k-anonymity", "k = 2"),
    ("distinct-l-diversity", "l = 2"),
    ("probabilistic-l-diversity", "l = 2"),
    ("entropy-l-diversity", "l = 2"),
    ("recursive-l-diversity", "l = 2\nc = 2"),
    ("alpha-k-anonymity", "alpha = 0.5\nk = 2"),
    ("p-sensitive", "p = 2\nk = 2"),
    ("p-plus-sensitive", "p = 2\nk = 2"),
    ("p-alpha-sensitive", "p = 2\nalpha = 1\nk = 2"),
    ("t-closeness", "t = 0.3\ndistance = \"equal\""),
    ("n-t-closeness", "n = 10\nt = 0.3\ndistance = \"equal\""),
    ("delta-disclosure", "delta = 1"),
    ("alpha-beta-privacy", "alpha = 0.5\nbeta = 0.5"),
    ("matching-l-diversity", "l = 2"),
    ("b-t-privacy", "b = 0.3\nt = 0.3"),
    ("p-private", "p = 0.5"),
    ("uncertain-k-anonymity", "k = 2"),
    ("l-diverse-slicing", "l = 2"),
    ("bucket-size", "k = 2"),
    ("condensed-k", "k = 2"),
];

/// The table of the guide says of every method and every model whether it counts people, as the program does.
#[test]
fn the_guide_tells_which_methods_and_models_count_people() {
    let guide = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide.md")).unwrap();
    let start = guide.find("### Which methods and models count people").unwrap();
    let table: Vec<&str> = guide[start..]
        .lines()
        .skip(1)
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'))
        .collect();
    let methods = METHODS.iter().map(|entry| (entry.name, entry.several_rows));
    let models = MODELS.iter().map(|entry| (entry.name, entry.several_rows));
    let row = |(name, several): (&str, SeveralRows)| {
        format!("| `{name}` | {} | {} |", if several.are_counted() { "yes" } else { "no" }, several.reason())
    };
    let rows: Vec<String> = methods.chain(models).map(row).collect();
    for row in &rows {
        assert!(table.contains(&row.as_str()), "the guide lacks {row}");
    }
    assert_eq!(table.len(), rows.len() + 2);
}

/// What entries say of models is what these do: searches rely on it.
#[test]
fn a_model_counts_people_where_its_entry_says_so() {
    let file = std::path::Path::new("policy.toml");
    for entry in MODELS {
        let (_, parameters) = SETTINGS.iter().find(|(model, _)| *model == entry.name).unwrap();
        let text = format!(
            "[data]\nsource = \"table.csv\"\n{ATTRIBUTES}\n[[require]]\nmodel = {:?}\n{parameters}\n",
            entry.name
        );
        match Policy::parse(text, file, &[]) {
            Ok(policy) => assert_eq!(
                policy.models[0].safety_by_people().is_some(),
                entry.several_rows.are_counted(),
                "{}",
                entry.name
            ),
            // Some need attributes that this policy has not; none of those counts people.
            Err(error) => assert!(!entry.several_rows.are_counted(), "{}: {error}", entry.name),
        }
    }
}

#[test]
fn what_counts_rows_is_refused_beside_a_person_before_data_are_read() {
    let policy = |promise: &str, method: &str| {
        let text = format!(
            "[data]\nsource = \"nowhere.csv\"\n{ATTRIBUTES}\n[[require]]\n{promise}\n[method]\nname = {method:?}\n"
        );
        Policy::parse(text, std::path::Path::new("policy.toml"), &[]).unwrap()
    };
    let refused = |promise: &str, method: &str| super::check_policy(&policy(promise, method)).err().map(|e| e.code());
    let k = "model = \"k-anonymity\"\nk = 2";
    assert_eq!(refused(k, "mondrian"), None);
    assert_eq!(refused(k, "top-down"), Some(Code::RoleUnsupported.as_str()));
    assert_eq!(
        refused("model = \"t-closeness\"\nt = 0.2\ndistance = \"equal\"", "mondrian"),
        Some(Code::ModelUnsupported.as_str())
    );
    let weighted = ATTRIBUTES.replace("age = {", "w = { role = \"weight\" }\nage = {");
    let text = format!("[data]\nsource = \"nowhere.csv\"\n{weighted}");
    let error = Policy::parse(text, std::path::Path::new("policy.toml"), &[]).err().unwrap();
    assert!(error.to_string().contains("both can't be true"), "{error}");
    assert_eq!(Role::NAMES.iter().filter(|(name, _)| *name == "person").count(), 1);
}
