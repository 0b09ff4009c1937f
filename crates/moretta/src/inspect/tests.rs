//! Whole inspections, from the text of a table to its starter policy.

use std::path::Path;

use moretta_lab::generate::by_name;
use proptest::prelude::*;

use crate::data::source::{Input, ReadOptions};
use crate::hierarchy::Scale;
use crate::inspect::*;
use crate::policy::Policy;
use crate::schema::MissingRule;
use crate::testkit::tables::odd_text;

fn open(table: &str) -> Source {
    let input = Input::Memory("table.csv".into(), table.as_bytes().to_vec().into());
    Source::open(input, ReadOptions::detect()).unwrap()
}

fn look(table: &str) -> Inspection {
    inspect(&open(table), &Progress::default()).unwrap()
}

fn generated(kind: &str, rows: usize) -> String {
    let table = by_name(kind, rows as u64, 1).unwrap();
    let columns = table.rows(0, rows);
    let mut text = table.attributes().iter().map(|attribute| attribute.name).collect::<Vec<_>>().join(",") + "\n";
    for row in 0..rows {
        let fields = table.attributes().iter().zip(&columns);
        let fields: Vec<String> =
            fields.map(|(attribute, codes)| format!("\"{}\"", attribute.domain.value(codes[row]))).collect();
        text += &(fields.join(",") + "\n");
    }
    text
}

/// The starter policy of a table, which must be fit to read that very table.
fn started(table: &str) -> Policy {
    let inspection = look(table);
    let text = starter_policy(&inspection, "table.csv");
    let policy = Policy::in_file(text.clone(), Path::new("policy.toml"), &[]).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let source = Source::open(open(table).input().clone(), policy.data.options.clone()).unwrap();
    let reading = policy.read_table(source, &Progress::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    for (attribute, column) in policy.with_role(Role::Quasi).zip(&reading.table.quasi) {
        let grown = reading.grown.iter().find(|(name, _)| *name == attribute.name).map(|(_, grown)| grown);
        let hierarchy = grown.unwrap_or(&attribute.hierarchy);
        Scale::new(hierarchy, column.domain.clone(), &attribute.name).unwrap_or_else(|e| panic!("{e}"));
    }
    assert_eq!(policy.for_publishing().is_ok(), inspection.with_role(Role::Quasi).next().is_some());
    policy
}

fn roles(policy: &Policy) -> Vec<(&str, &str)> {
    policy.attributes.iter().map(|attribute| (attribute.name.as_str(), attribute.role.name())).collect()
}

#[test]
fn the_hospital_gets_the_expected_policy() {
    let table = generated("hospital", 2_000);
    let expected = [
        ("patient_id", "identifier"),
        ("age", "quasi"),
        ("sex", "quasi"),
        ("zip_code", "quasi"),
        ("profession", "quasi"),
        ("admission_date", "quasi"),
        ("ward", "quasi"),
        ("diagnosis", "sensitive"),
        ("days_of_stay", "quasi"),
    ];
    assert_eq!(roles(&started(&table)), expected);
    let text = starter_policy(&look(&table), "table.csv");
    for line in [
        "\nage            = { role = \"quasi\", type = \"integer\", hierarchy = { intervals = [5, 10, 20] } }",
        "\nzip_code       = { role = \"quasi\", type = \"text\", hierarchy = { mask = \"right\" } }",
        "\nadmission_date = { role = \"quasi\", type = \"date\" } ",
        "# k people who are alike may also share what is sensitive (\"diagnosis\").",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn the_census_gets_the_expected_policy() {
    let policy = started(&generated("census", 3_000));
    let quasi = ["age", "gender", "education", "marital", "race", "work_class", "country", "occupation"];
    let mut expected: Vec<(&str, &str)> = quasi.map(|name| (name, "quasi")).to_vec();
    expected.push(("salary_class", "sensitive"));
    assert_eq!(roles(&policy), expected);
    assert_eq!(policy.data.missing, MissingRule::Drop);
}

#[test]
fn the_risk_is_that_of_all_quasi_identifiers_and_the_worst_subset_comes_first() {
    let inspection = look("age,sex,disease\n20,f,flu\n20,f,cold\n20,m,flu\n30,m,flu\n");
    let risk = &inspection.risk;
    assert_eq!(risk.classes.columns, ["age", "sex"]);
    assert_eq!((risk.classes.distinct, risk.classes.unique, risk.classes.smallest), (3, 2, 1));
    assert_eq!((risk.classes.unique_share, risk.mean_risk, risk.highest_risk), (0.5, 0.75, 1.0));
    assert_eq!(inspection.uniqueness.subsets.len(), 3);
    assert_eq!(inspection.uniqueness.subsets[0].columns, ["age", "sex"]);
}

#[test]
fn gaps_hide_neither_type_nor_rows() {
    let inspection = look("age,job\n20,?\nNA,clerk\n40,unknown\n,?\n");
    let [age, job] = &inspection.columns[..] else { panic!("two columns") };
    assert_eq!((age.profile.kind.name(), age.profile.distinct, age.profile.missing), ("integer", 2, 2));
    assert_eq!((job.profile.distinct, job.profile.missing), (2, 2));
    assert_eq!(inspection.reading.missing_values, ["", "?", "NA"]);
    assert_eq!(inspection.incomplete_rows, 3);
    let text = starter_policy(&inspection, "t.csv");
    assert!(text.contains("missing_values = [\"\", \"?\", \"NA\"]"), "{text}");
    assert!(text.contains("# Missing too? \"unknown\" in 1 row of \"job\""), "{text}");
    assert!(text.contains("missing        = \"keep\""), "{text}");
}

#[test]
fn what_looks_wrong_is_told_in_words() {
    let rows: Vec<String> = (0..60)
        .map(|i| {
            format!(
                "{i},{},{}\n",
                if i % 9 == 0 { "-9".to_owned() } else { (20 + i).to_string() },
                ["flu", "flu "][i % 2]
            )
        })
        .collect();
    let inspection = look(&format!(",age,disease\n{}", rows.concat()));
    assert_eq!(
        inspection.hints,
        [
            "\"age\": \"-9\" in 7 rows may stand for a missing value; if so, add it to `missing_values`",
            "\"disease\": 1 text has blanks around it, so that \"flu \" and \"flu\" are two values; take the blanks away",
        ]
    );
    let index = &inspection.columns[0];
    assert_eq!((index.profile.name.as_str(), index.suggestion.role.name()), ("column1", "drop"));
    assert_eq!(index.suggestion.reason, "it only numbers the rows");
}

#[test]
fn odd_names_and_odd_columns_make_a_valid_policy() {
    let names = "\"zip code\",\"a.b\",\"say \"\"x\"\"\",Größe,\"two\nlines\",'single',#,empty,=,\\";
    let policy = started(&format!("{names}\n1,2,3,4,5,6,7,,8,9\n2,2,3,4,5,6,7,,8,9\n"));
    let found: Vec<&str> = policy.attributes.iter().map(|attribute| attribute.name.as_str()).collect();
    assert_eq!(found, ["zip code", "a.b", "say \"x\"", "Größe", "two\nlines", "'single'", "#", "empty", "=", "\\"]);
    assert!(roles(&policy).contains(&("empty", "drop")));
    started("a\n1\n");
    started("id,name\n1,Ann\n2,Bob\n");
    started("name\n*\n");
    started("sex,state code\n0,1\n?,2\n");
    started("zip\n02138\n*\n");
    started("zip,age\n02138,?\n?,2\n02139,99\n");
    started("x,y\n1,?\n?,2\n");
}

/// The name of a column, and its value for a person.
type VisitColumn<'a> = (&'a str, fn(usize) -> String);

/// Several visits of each of a hundred people, with columns whose names say nothing.
fn visits(columns: &[VisitColumn<'_>]) -> String {
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let row =
        |row: usize| columns.iter().map(|(_, value)| format!("\"{}\"", value(row / 2))).collect::<Vec<_>>().join(",");
    format!("{}\n{}\n", names.join(","), (0..200).map(row).collect::<Vec<_>>().join("\n"))
}

#[test]
fn contact_data_under_other_names_are_never_published() {
    let table = visits(&[
        ("contact", |i| format!("user{i}@example.org")),
        ("kontakt", |i| format!("+49 30 {}", 500_100 + i)),
        ("x1", |i| format!("10.0.0.{i}")),
        ("x2", |i| format!("52.{}, 13.{}", 5_000 + i, 4_000 + i)),
        ("x3", |i| format!("seen by Ann on day {i} of the stay")),
        ("x4", |i| format!("person {i}")),
        ("age", |i| (20 + i % 40).to_string()),
        ("disease", |i| ["flu", "HIV", "gout"][i % 3].to_owned()),
    ]);
    let expected = [
        ("contact", "person"),
        ("kontakt", "identifier"),
        ("x1", "identifier"),
        ("x2", "identifier"),
        ("x3", "drop"),
        ("x4", "drop"),
        ("age", "quasi"),
        ("disease", "sensitive"),
    ];
    assert_eq!(roles(&started(&table)), expected);
    let inspection = look(&table);
    let reasons: Vec<&str> = inspection.columns.iter().map(|column| column.suggestion.reason.as_str()).collect();
    assert_eq!(reasons[0], "its values are e-mail addresses, which point to people");
    assert!(reasons[5].starts_with("many different texts (100), so that sets would publish them"), "{}", reasons[5]);
}

#[test]
fn texts_that_hardly_repeat_are_no_quasi_identifiers() {
    let role = |name: &str, value: fn(usize) -> String| {
        let rows: Vec<String> = (0..100).map(|i| format!("{},\"{}\"\n", i % 7, value(i))).collect();
        let policy = started(&format!("age,{name}\n{}", rows.concat()));
        policy.attributes[1].role.name()
    };
    assert_eq!(role("occupation", |i| format!("job {i}")), "identifier");
    assert_eq!(role("occupation", |i| format!("job {}", i % 60)), "quasi");
    assert_eq!(role("diagnosis", |i| format!("a long story about patient {i}")), "drop");
    assert_eq!(role("diagnosis", |i| format!("icd {i}")), "sensitive");
    assert_eq!(role("foo", |i| format!("{} called", ["ann@example.org", "nobody"][usize::from(i > 3)])), "drop");
    assert_eq!(role("foo", |i| ["Anna", "Peter", "Maria", "Tom", "Olga", "Wei"][i % 6].to_owned()), "drop");
    assert_eq!(role("city", |i| ["Anna", "Peter", "Maria", "Tom", "Olga", "Wei"][i % 6].to_owned()), "quasi");
}

#[test]
fn a_policy_without_quasi_identifier_says_what_to_do() {
    let text = starter_policy(&look("id,diagnosis\n1,flu\n2,flu\n"), "t.csv");
    assert!(text.contains("# No column looks like a quasi-identifier"), "{text}");
}

#[test]
fn one_row_is_as_risky_as_can_be() {
    let inspection = look("age,sex\n20,f\n");
    assert_eq!((inspection.rows, inspection.risk.classes.unique, inspection.risk.highest_risk), (1, 1, 1.0));
    assert!(inspection.uniqueness.candidates.is_empty());
}

#[test]
fn a_weight_needs_a_table_of_counted_rows() {
    let cells = |last: &str| {
        let rows: Vec<String> =
            (0..64).map(|i| format!("{},{},{},{}\n", i % 4, i / 4 % 4, i / 16, i * 7 % 50)).collect();
        format!("sex,race,state,count\n{}{last}", rows.concat())
    };
    let inspection = look(&cells(""));
    assert_eq!(inspection.with_role(Role::Weight).count(), 1);
    assert_eq!(inspection.people, (0..64).map(|i| i * 7 % 50).sum::<u64>());
    started(&cells(""));
    // One repeated row, and rows are people who have a count.
    assert_eq!(look(&cells("1,1,1,9\n")).with_role(Role::Weight).count(), 0);
    // Few rows that differ prove nothing.
    assert_eq!(look("age,height,weight\n30,180,80\n40,170,60\n50,160,70\n").with_role(Role::Weight).count(), 0);
    assert_eq!(look("age,copies\n30,2\n40,1\n").with_role(Role::Weight).count(), 1);
    assert_eq!(look("age,copies\n30,-2\n40,1\n").with_role(Role::Weight).count(), 0);
    assert_eq!(look("age,copies,count\n30,2,3\n40,1,4\n").people, 3);
}

#[test]
fn a_table_without_rows_is_refused() {
    let error = inspect(&open("a,b\n"), &Progress::default()).unwrap_err();
    assert_eq!(error.message(), "the table has a header but no row");
}

#[test]
fn many_columns_leave_the_least_known_out() {
    let mut names: Vec<String> = (0..23).map(|i| format!("x{i}")).collect();
    names[22] = "age".to_owned();
    let rows = [0, 1, 2].map(|row| vec![if row == 0 { "a" } else { "b" }; 23].join(",") + "\n");
    let found = look(&format!("{}\n{}", names.join(","), rows.concat())).uniqueness;
    assert_eq!(found.candidates.last().map(String::as_str), Some("age"));
    assert_eq!((found.candidates.len(), found.subsets.len()), (20, 1_350));
    assert_eq!(found.left_out, ["x19", "x20", "x21"]);
}

#[test]
fn the_json_is_stable() {
    let json = serde_json::to_value(look("age,id\n20,1\n20,2\n")).unwrap();
    let keys = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(
        keys(&json),
        ["rows", "people", "reading", "columns", "incomplete_rows", "uniqueness", "risk", "dependencies", "hints"]
    );
    assert_eq!(
        serde_json::to_string(&json["columns"][0]).unwrap(),
        "{\"name\":\"age\",\"type\":\"integer\",\"distinct\":1,\"missing\":0,\"repetition\":\"repeated\",\
         \"frequent\":[{\"value\":20,\"count\":2}],\"range\":{\"lowest\":20,\"highest\":20},\"distribution\":[2],\"markers\":[],\
         \"suggestion\":{\"role\":\"quasi\",\
         \"reason\":\"\\\"age\\\": others can see it or look it up\",\"type\":\"integer\",\"hierarchy\":{\"balanced\":4}}}"
    );
    assert_eq!(
        keys(&json["risk"]),
        ["columns", "distinct", "unique", "unique_share", "smallest", "mean", "mean_risk", "highest_risk"]
    );
}

proptest! {
    #[test]
    fn columns_keep_their_names_in_the_starter_policy(
        names in prop::collection::btree_set(odd_text(), 3),
        marker in odd_text(),
        source in odd_text(),
    ) {
        let mut inspection = look("a,b,diagnosis\n1,x,flu\n2,x,flu\n1,y,cold\n");
        for (column, name) in inspection.columns.iter_mut().zip(&names) {
            column.profile.name.clone_from(name);
        }
        inspection.reading.missing_values.push(marker.clone());
        let text = starter_policy(&inspection, &format!("{source}.csv"));
        let policy = Policy::in_file(text.clone(), Path::new("policy.toml"), &[]);
        let policy = policy.map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
        prop_assert!(policy.attributes.iter().map(|attribute| &attribute.name).eq(&names), "{}", text);
        prop_assert!(policy.source().unwrap().ends_with(format!("{source}.csv")), "{}", text);
        prop_assert_eq!(policy.data.options.missing_values.last(), Some(&marker), "{}", text);
    }
}
