//! A release whose intervals are texts beside the same release with bounds: whoever reads them can't tell them apart, and the bounds say what the labels say.

use std::fmt::Write as _;

use proptest::prelude::*;

use crate::audit::AuditedRelease;
use crate::check;
use crate::kind::OpenRelease;
use crate::progress::Progress;
use crate::query::{Query, answer};
use crate::release::Files;
use crate::testkit::published::{Published, publish};

/// Whole numbers without a hierarchy, in intervals of their own and in a tree; numbers in intervals that leave out their high end; days in the calendar and in
/// intervals; a hierarchy of names whose nodes are ranges, and one whose nodes are not.
const ATTRIBUTES: &str = "[attributes]
age = { role = \"quasi\", type = \"integer\" }
visits = { role = \"quasi\", type = \"integer\", hierarchy = { intervals = [2, 4] } }
pay = { role = \"quasi\", type = \"number\", hierarchy = { intervals = [0.5, 2] } }
weight = { role = \"quasi\", type = \"number\" }
born = { role = \"quasi\", type = \"date\" }
seen = { role = \"quasi\", type = \"date\", intervals = \"free\" }
grade = { role = \"quasi\", type = \"integer\", hierarchy = { rows = [[\"1\", \"good\", \"any\"], [\"2\", \"good\", \"any\"], [\"3\", \"bad\", \"any\"], [\"4\", \"bad\", \"any\"], [\"\", \"any\"]] } }
odd = { role = \"quasi\", type = \"integer\", hierarchy = { rows = [[\"1\", \"odd\", \"all\"], [\"3\", \"odd\", \"all\"], [\"2\", \"even\", \"all\"], [\"4\", \"even\", \"all\"]] } }
town = { role = \"quasi\" }
disease = { role = \"sensitive\" }
note = { role = \"insensitive\" }
";

const METHODS: [&str; 3] = ["name = \"mondrian\"\nsuppression = 0.1", "name = \"least-loss\"", "name = \"top-down\""];

fn people() -> impl Strategy<Value = String> {
    let person = (0..12_u32, 0..9_u32, 0..14_u32, 0..6_u32, 0..40_u32, 0..5_u32, 0..3_u32);
    proptest::collection::vec(person, 12..50).prop_map(|people| {
        let header = "age,visits,pay,weight,born,seen,grade,odd,town,disease,note\n".to_owned();
        people.iter().fold(header, |mut csv, (age, visits, pay, weight, days, grade, town)| {
            let or_missing = |text: String, at: bool| if at { String::new() } else { text };
            let _ = writeln!(
                csv,
                "{},{},{},{},{},20{:02}-0{}-0{},{},{},t{town},d{},n{}",
                or_missing((20 + age).to_string(), *age == 5),
                or_missing((i64::from(*visits) - 4).to_string(), *visits == 3),
                or_missing((f64::from(*pay) / 4.0 - 1.0).to_string(), *pay == 7),
                f64::from(*weight) * 0.3,
                or_missing(format!("19{}-0{}-1{}", 60 + days / 10, 1 + days % 4, days % 9), *days == 11),
                10 + days / 9,
                1 + days % 6,
                1 + days % 5,
                or_missing(grade.to_string(), *grade == 0),
                1 + visits % 4,
                age % 4,
                days % 3,
            );
            csv
        })
    })
}

fn published(csv: &str, method: usize, k: u32, form: &str, format: &str) -> crate::Result<Published> {
    let policy = format!(
        "missing = \"keep\"\n{ATTRIBUTES}[[require]]\nmodel = \"k-anonymity\"\nk = {k}\n[[require]]\nmodel = \"distinct-l-diversity\"\nl = 1\n\
         [method]\n{}\n[output]\nintervals = \"{form}\"\nformat = \"{format}\"\n",
        METHODS[method]
    );
    publish(csv, &policy, 3)
}

fn questions() -> Vec<String> {
    let ranges = (0..12).map(|low| format!("age >= {} AND age < {}", 20 + low, 23 + low));
    let others = [
        "visits BETWEEN -3 AND 1",
        "pay < 0.5 OR pay >= 1.75",
        "weight > 0.4 AND age IS NULL",
        "born < '1962-02-01'",
        "seen >= '2011-03-01' AND town = 't1'",
        "grade = 2 OR grade IS NULL",
        "odd IN (1, 2)",
        "visits IS NULL",
        "note = 'n1' AND age > 25",
    ];
    let conditions: Vec<String> = ranges.chain(others.map(str::to_owned)).collect();
    let count = conditions.iter().map(|condition| format!("SELECT COUNT(*) WHERE {condition}"));
    count.chain(["age", "pay", "weight"].map(|name| format!("SELECT SUM({name}), AVG({name})"))).collect()
}

/// Groups with their sizes, all answers, and the levels.
fn seen(published: &Published) -> (Vec<u64>, Vec<String>, String) {
    let release: &dyn OpenRelease = &*published.for_questions();
    let ask = |question: String| match answer(release, &Query::parse(&question).unwrap()) {
        Ok(answer) => format!("{:?}", answer.rows),
        Err(error) => error.to_string(),
    };
    let shown = release.shown().unwrap().into_iter().map(|rows| format!("{rows:?}"));
    let verified = check::release(&published.storage(), None, &Progress::default()).unwrap();
    let answers = questions().into_iter().map(ask).chain(shown).collect();
    (release.groups().unwrap().people.clone(), answers, format!("{:?}", verified.verdicts))
}

/// What a label says, by the words of its documentation alone: low, high, and whether there is a value.
fn said(label: &str) -> (String, String, &'static str) {
    let (label, known) = label.strip_suffix(" or missing").map_or((label, "false"), |label| (label, ""));
    let days = |text: &str| -> Option<(String, String)> {
        let last = match text.split_once('-')? {
            (year, "Q1") => return Some((format!("{year}-01-01"), format!("{year}-03-31"))),
            (year, "Q2") => return Some((format!("{year}-04-01"), format!("{year}-06-30"))),
            (_, "01" | "03") => "31",
            (_, "04") => "30",
            ("1960", "02") => "29",
            (_, "02") => "28",
            _ => return None,
        };
        Some((format!("{text}-01"), format!("{text}-{last}")))
    };
    match label {
        "" => (String::new(), String::new(), "true"),
        "*" | "any" | "all" => (String::new(), String::new(), ""),
        "good" => ("1".to_owned(), "2".to_owned(), known),
        "bad" => ("3".to_owned(), "4".to_owned(), known),
        "1960s" => ("1960-01-01".to_owned(), "1969-12-31".to_owned(), known),
        year if year.len() == 4 && year.starts_with("196") => (format!("{year}-01-01"), format!("{year}-12-31"), known),
        other => match (days(other), other.strip_prefix('[')) {
            (Some((first, last)), _) => (first, last, known),
            (None, None) => (other.to_owned(), other.to_owned(), known),
            (None, Some(inner)) => {
                let (low, high) = inner[..inner.len() - 1].split_once(", ").unwrap();
                (low.to_owned(), high.to_owned(), known)
            }
        },
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn both_forms_have_the_same_groups_answers_bounds_and_levels(csv in people(), k in 2..9_u32, method in 0..METHODS.len()) {
        let Ok(text) = published(&csv, method, k, "text", "csv") else { return Ok(()) };
        let expected = seen(&text);
        let bounds = published(&csv, method, k, "bounds", "csv").unwrap();
        prop_assert_eq!(&seen(&bounds), &expected);
        prop_assert_eq!(&seen(&published(&csv, method, k, "bounds", "parquet").unwrap()), &expected);

        // Row by row, the ends are what the labels say.
        let header = |published: &Published| -> Vec<String> {
            published.text("data").lines().next().unwrap().split(',').map(str::to_owned).collect()
        };
        let (labels, ends) = (header(&text), header(&bounds));
        for (label_row, row) in text.rows_unquoted("data").iter().zip(bounds.rows_unquoted("data")) {
            for (name, label) in labels.iter().zip(label_row) {
                let field = |end: &str| {
                    let place = ends.iter().position(|column| *column == format!("{name}_{end}"))?;
                    Some(row[place].clone())
                };
                let Some(low) = field("low") else { continue };
                let (stated_low, stated_high, known) = said(label);
                let missing = field("missing").unwrap_or_else(|| known.to_owned());
                prop_assert_eq!((low, field("high").unwrap(), missing.as_str()), (stated_low, stated_high, known), "{} {}", name, label);
            }
        }
    }
}

/// A table whose release shows every sort of label.
fn table() -> String {
    let mut csv = "age,visits,pay,weight,born,seen,grade,odd,town,disease,note\n".to_owned();
    for row in 0..24_u32 {
        let age = if row % 6 == 5 { String::new() } else { (20 + row % 7).to_string() };
        let _ = writeln!(
            csv,
            "{age},{},{},{},196{}-03-07,2010-01-0{},{},{},t{},d{},n",
            row % 5,
            f64::from(row % 6) / 4.0,
            f64::from(row % 4) * 0.3,
            row % 3,
            1 + row % 5,
            1 + row % 4,
            1 + row % 4,
            row % 2,
            row % 3
        );
    }
    csv
}

#[test]
fn the_manifest_says_which_columns_are_bounds_and_which_end_is_left_out() {
    let published = published(&table(), 1, 4, "bounds", "csv").unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&published.manifest()).unwrap();
    assert_eq!(manifest["schema"], 4);
    let column = |name: &str| {
        manifest["columns"].as_array().unwrap().iter().find(|column| column["name"] == name).unwrap().clone()
    };
    assert_eq!(column("age")["bounds"]["low"], "age_low");
    assert_eq!(column("age")["bounds"]["missing"], "age_missing");
    assert_eq!(column("weight")["bounds"]["high_excluded"], serde_json::Value::Null);
    assert_eq!(column("odd")["bounds"], serde_json::Value::Null);
    let why = column("odd")["stays_text"].as_str().unwrap().to_owned();
    assert!(why.contains("without"), "{why}");
    assert_eq!(column("town")["stays_text"], serde_json::Value::Null);
    let package = std::fs::read_to_string(published.folder().join("release/datapackage.json")).unwrap();
    let package: serde_json::Value = serde_json::from_str(&package).unwrap();
    let fields = package["resources"][0]["schema"]["fields"].as_array().unwrap();
    let kind = |name: &str| fields.iter().find(|field| field["name"] == name).unwrap()["type"].clone();
    assert_eq!(
        [kind("age_low"), kind("age_missing"), kind("weight_high"), kind("born_low"), kind("odd")],
        ["integer", "boolean", "number", "date", "string"]
    );
    let readme = std::fs::read_to_string(published.folder().join("release/README.txt")).unwrap();
    assert!(readme.contains("as the columns age_low, age_high, age_missing"), "{readme}");
    assert!(readme.contains(&format!("as text, since {why}")) && readme.contains("\"age_middle\""), "{readme}");
}

#[test]
fn text_stays_the_default_and_its_files_do_not_change() {
    let text = published(&table(), 0, 4, "text", "csv").unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&text.manifest()).unwrap();
    assert_eq!(manifest["schema"], 3);
    assert!(!text.manifest().contains("bounds") && text.text("data").starts_with("age,visits,"));
}

#[test]
fn a_column_that_has_the_name_of_bounds_is_refused() {
    let policy = |extra: &str| {
        format!(
            "[attributes]\nage = {{ role = \"quasi\" }}\n{extra}\n[[require]]\nmodel = \"k-anonymity\"\nk = 2\n[method]\nname = \"mondrian\"\n\
             [output]\nintervals = \"bounds\"\n"
        )
    };
    let csv = "age,age_low\n20,1\n21,2\n22,3\n23,4\n";
    let error = publish(csv, &policy("age_low = { role = \"insensitive\" }"), 1).err().unwrap();
    assert!(error.to_string().contains("\"age_low\""), "{error}");
    publish(csv, &policy("age_low = { role = \"drop\" }"), 1).unwrap();
}

#[test]
fn bounds_that_are_none_are_damage() {
    let policy = "[attributes]\nage = { role = \"quasi\" }\n[[require]]\nmodel = \"k-anonymity\"\nk = 2\n[method]\nname = \"mondrian\"\n\
                  [output]\nintervals = \"bounds\"\n";
    let published = publish("age\n20\n21\n30\n31\n", policy, 1).unwrap();
    assert_eq!(published.text("data"), "age_low,age_high\n20,21\n20,21\n30,31\n30,31\n");
    let code = |text: &str| {
        published.forge("data", text);
        let storage = published.storage();
        let progress = Progress::default();
        let files = Files::open(&storage, &progress).unwrap();
        crate::kind::registry::read(&files, &progress).map(|_| ()).map_err(|error| error.code())
    };
    assert_eq!(code("age_low,age_high\n20,21\n20,21\n30,31\n30,31\n"), Ok(()));
    for wrong in ["21,20", "20,", ",", "21,x"] {
        let refused = code(&format!("age_low,age_high\n{wrong}\n{wrong}\n30,31\n30,31\n")).unwrap_err();
        assert!(["release-damaged", "value-of-wrong-type"].contains(&refused), "{wrong}: {refused}");
    }
    assert!(code("age_low\n20\n20\n30\n30\n").is_err());
}

#[test]
fn the_auditor_finds_the_same_tables_in_both_forms() {
    for method in 0..2 {
        let seen = |form: &str, format: &str| {
            let published = published(&table(), method, 4, form, format).unwrap();
            let audited = AuditedRelease::of_release(&published.storage(), None, &Progress::default()).unwrap();
            format!("{:?}", audited.tables)
        };
        let expected = seen("text", "csv");
        assert_eq!(seen("bounds", "csv"), expected);
        assert_eq!(seen("bounds", "parquet"), expected);
    }
}
