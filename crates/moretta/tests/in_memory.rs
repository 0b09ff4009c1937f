//! Tables that were never in a file: published, given back, attacked.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::{ArrayRef, DictionaryArray, Int16Array, LargeStringArray, RecordBatch, StringArray};
use arrow_schema::FieldRef;

use moretta::methods::{LeastLoss, Mondrian};
use moretta::models::KAnonymity;
use moretta::{Attacked, Grid, Policy, Release, Run, Source, Table, audit, compare, files, publish};

const POLICY: &str = "[data]\nsource = \"people.csv\"\n[attributes]\nname = { role = \"identifier\" }\nage = { role = \"quasi\" }\n\
                      sex = { role = \"quasi\" }\ndisease = { role = \"sensitive\" }\n[[require]]\nmodel = \"k-anonymity\"\nk = 3\n\
                      [method]\nname = \"mondrian\"\n";

type Row = [String; 4];

/// Forty people, of whom nobody is like another.
fn people() -> Vec<Row> {
    let row = |n: usize| {
        let sex = if n.is_multiple_of(3) { "F" } else { "M" };
        [format!("person {n}"), (20 + n * 7 % 41).to_string(), sex.to_owned(), format!("d{}", n * 5 % 4)]
    };
    (0..40).map(row).collect()
}

fn csv(rows: &[Row]) -> String {
    let lines = rows.iter().map(|row| row.join(",") + "\n");
    ["name,age,sex,disease\n".to_owned()].into_iter().chain(lines).collect()
}

/// The same in memory, in batches of seven rows, of types that files do not have.
fn batches(rows: &[Row]) -> Vec<RecordBatch> {
    let column = |rows: &[Row], at: usize| rows.iter().map(|row| row[at].clone()).collect::<Vec<_>>();
    let batch = |rows: &[Row]| {
        let ages = column(rows, 1).iter().map(|age| age.parse::<i16>().ok()).collect::<Int16Array>();
        let sexes: DictionaryArray<Int8Type> = rows.iter().map(|row| row[2].as_str()).collect();
        let columns: [(&str, ArrayRef); 4] = [
            ("name", Arc::new(StringArray::from(column(rows, 0)))),
            ("age", Arc::new(ages)),
            ("sex", Arc::new(sexes)),
            ("disease", Arc::new(LargeStringArray::from(column(rows, 3)))),
        ];
        RecordBatch::try_from_iter(columns).unwrap()
    };
    rows.chunks(7).map(batch).collect()
}

fn source(rows: &[Row]) -> Source {
    let batches = batches(rows);
    Source::from_batches(batches[0].schema(), batches).unwrap()
}

#[test]
fn a_table_in_memory_is_attacked_as_its_file_is() {
    let home = tempfile::TempDir::new().unwrap();
    let people = people();
    fs::write(home.path().join("people.csv"), csv(&people)).unwrap();
    fs::write(home.path().join("policy.toml"), POLICY).unwrap();
    let (policy, run) = (files::load_policy(home.path().join("policy.toml"), &[]).unwrap(), Run::new().seed(3));
    let of_file = files::read_table(&policy, &run).unwrap();
    let batches = batches(&people);
    let in_memory = Table::from_batches(batches[0].schema(), batches, policy.schema()).unwrap();
    let release = publish(&policy, &in_memory, &run).unwrap().release().clone();
    let public = [files::csv(csv(&people[..30])).unwrap(), source(&people[..30])];
    let found = [&of_file, &in_memory].into_iter().zip(&public).enumerate().map(|(number, (original, public))| {
        let named = home.path().join(format!("private-{number}"));
        let attacked = Attacked::release(&release).beside(original).public(public).name_people_in(&named);
        let found = audit(&attacked, &run).unwrap().to_json(original.accepted()).unwrap();
        (found, fs::read_to_string(named.join(files::FINDINGS)).unwrap())
    });
    let found: Vec<_> = found.collect();
    assert!(found[0].1.contains("\"people_hit_worst\""));
    assert_eq!(found[0], found[1]);
}

#[test]
fn a_table_of_another_tool_in_memory_is_attacked_as_its_file_is() {
    let policy = Policy::parse(POLICY.replace("[data]\nsource = \"people.csv\"\n", "")).unwrap();
    let (people, run) = (people(), Run::new());
    let mut published = people.clone();
    for row in &mut published {
        row[1] = format!("{}0s", &row[1][..1]);
    }
    let batches = batches(&people);
    let original = Table::from_batches(batches[0].schema(), batches, policy.schema()).unwrap();
    let columns = published.iter().map(|row| row[1..].join(",") + "\n");
    let text: String = ["age,sex,disease\n".to_owned()].into_iter().chain(columns).collect();
    let column = |at: usize| -> ArrayRef {
        Arc::new(StringArray::from(published.iter().map(|row| row[at].clone()).collect::<Vec<_>>()))
    };
    let batch = RecordBatch::try_from_iter([("age", column(1)), ("sex", column(2)), ("disease", column(3))]).unwrap();
    let tables = [files::csv(text).unwrap(), Source::from_batches(batch.schema(), [batch]).unwrap()];
    let found = tables.map(|table| audit(&Attacked::table(&table, &original), &run).unwrap());
    assert!(!found[0].attacks.is_empty());
    let [file, memory] = found.map(|found| found.to_json(original.accepted()).unwrap());
    assert_eq!(file, memory);
}

/// The columns of an exact fraction, which say by their names what they mean.
const FRACTIONS: [&str; 2] = ["numerator", "denominator"];

/// A method of each kind of release, and what it promises.
const WAYS: &[(&str, &str)] = &[
    ("name = \"mondrian\"", "model = \"k-anonymity\"\nk = 3"),
    ("name = \"anatomy\"", "model = \"distinct-l-diversity\"\nl = 2"),
    ("name = \"distribution\"\nfakes = 0.2", "model = \"p-private\"\ntarget = \"uniform\""),
    ("name = \"slicing\"\ncolumns = 2\nsensitive_column = 1", "model = \"l-diverse-slicing\"\nl = 2"),
    ("name = \"ambiguity\"", "model = \"alpha-beta-privacy\"\nalpha = 0.9\nbeta = 0.5"),
    ("name = \"uncertain\"\ncategorical = \"drop\"", "model = \"uncertain-k-anonymity\"\nk = 3"),
    ("name = \"condensation\"\ncategorical = \"drop\"", "model = \"condensed-k\"\nk = 3"),
];

#[test]
fn tables_of_every_kind_are_those_that_are_saved_and_every_field_says_what_it_means() {
    let home = tempfile::TempDir::new().unwrap();
    let (people, run) = (people(), Run::new().seed(7));
    let mut kinds = BTreeSet::new();
    for (number, (method, promise)) in WAYS.iter().enumerate() {
        let policy = POLICY.split("[[require]]").next().unwrap().replace("[data]\nsource = \"people.csv\"\n", "");
        let policy = Policy::parse(format!("{policy}[[require]]\n{promise}\n[method]\n{method}\n")).unwrap();
        let batches = batches(&people);
        let table = Table::from_batches(batches[0].schema(), batches, policy.schema()).unwrap();
        let published = publish(&policy, &table, &run).unwrap_or_else(|error| panic!("{method}: {error}"));
        let (tables, saved) = (published.tables().unwrap(), home.path().join(number.to_string()));
        published.save(&saved).unwrap();
        let opened = Release::open(&saved).unwrap();
        assert_eq!(opened.tables().unwrap(), tables, "{method}");
        kinds.insert(opened.kind().to_owned());
        for (name, batches) in &tables {
            let (schema, rows) = (batches[0].schema(), batches.iter().map(RecordBatch::num_rows).sum::<usize>());
            assert_eq!(schema.metadata().get("moretta.table"), Some(name), "{method}");
            let says = |field: &FieldRef| {
                FRACTIONS.contains(&field.name().as_str())
                    || field.metadata().keys().any(|key| key == "moretta.meaning" || key == "moretta.bound")
            };
            let silent: Vec<_> = schema.fields().iter().filter(|field| !says(field)).collect();
            assert!(silent.is_empty(), "{method}, {name}: nothing is said of {silent:?}");
            // The file as anybody reads it who has nothing else.
            let text = fs::read_to_string(saved.join(format!("release/{name}.csv"))).unwrap();
            let mut lines = text.lines();
            let header: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
            assert_eq!(lines.next().unwrap(), header.join(","), "{method}, {name}");
            assert_eq!((lines.count(), rows > 0), (rows, true), "{method}, {name}");
        }
    }
    assert_eq!(kinds.len(), WAYS.len(), "{kinds:?}");
}

#[test]
fn comparing_ends_with_any_number_of_threads_and_finds_the_same() {
    let policy = Policy::parse(POLICY.replace("[data]\nsource = \"people.csv\"\n", "")).unwrap();
    let batches = batches(&people());
    let table = Table::from_batches(batches[0].schema(), batches, policy.schema()).unwrap();
    let grid = [2, 3, 5].into_iter().fold(Grid::new(), |grid, k| {
        let promise = || [KAnonymity::new(k).unwrap()];
        grid.candidate(LeastLoss::new(), promise()).candidate(Mondrian::new(), promise())
    });
    let losses = |threads: usize| {
        let compared = compare(&table, &grid, &Run::new().seed(1).threads(threads)).unwrap();
        let losses = compared.points.iter().map(|point| point.measured().unwrap().losses.clone());
        format!("{:?}", losses.collect::<Vec<_>>())
    };
    let shared = losses(0);
    assert!([1, 2, 3].iter().all(|&threads| losses(threads) == shared), "{shared}");
}
