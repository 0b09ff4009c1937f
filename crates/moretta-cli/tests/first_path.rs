//! `init`, `publish`, `audit` and `compare` work one after the other, with nothing edited in between.

mod support;

use std::fmt::Write as _;
use std::path::Path;

use support::{Desk, data_folder};

/// Why the path may end before its end: what no program can decide.
const NOTHING_TO_COMPARE: &str = "no attribute is sensitive, so nothing can be measured";
const NOBODY_TO_RECOGNIZE: &str = "the policy has no quasi-identifier";

/// Goes the whole path in a folder that has `policy.toml`. Returns how far it came.
fn walk(desk: &Desk, case: &str) -> usize {
    let steps: [&[&str]; 3] = [
        &["publish", "policy.toml", "--out", "out", "--seed", "1"],
        &["audit", "out", "--original", "policy.toml"],
        &["compare", "policy.toml", "--pick", "picked.toml"],
    ];
    for (number, step) in steps.iter().enumerate() {
        let output = desk.run(step);
        let words = String::from_utf8_lossy(&output.stderr);
        let may_end = [(0, NOBODY_TO_RECOGNIZE), (2, NOTHING_TO_COMPARE)];
        if may_end.iter().any(|(at, reason)| *at == number && words.contains(reason)) {
            return number;
        }
        // An attack that finds more than was promised is a finding (1); anything else is a fault.
        let found = number == 1 && output.status.code() == Some(1);
        let policy = desk.read("policy.toml");
        assert!(output.status.success() || found, "{case}: {step:?}: {words}\n{policy}");
    }
    let picked = desk.read("picked.toml");
    assert!(picked.contains("k-anonymity"), "{case}: the promise of the policy is gone: {picked}");
    steps.len()
}

/// Numbers that look random and are the same on every machine.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn one_of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len() as u64) as usize]
    }
}

const COLUMNS: [&str; 18] = [
    "age",
    "birth",
    "height",
    "city",
    "sex",
    "flag",
    "q7",
    "zip",
    "name",
    "email",
    "const",
    "empty",
    "id",
    "patient_id",
    "disease",
    "weird",
    "note",
    "children",
];

fn value(column: &str, row: u64, draws: &mut Draws) -> String {
    match column {
        "age" => draws.below(100).to_string(),
        "birth" => {
            format!("19{:02}-{:02}-{:02}", 20 + draws.below(80), 1 + draws.below(12), 1 + draws.below(28))
        }
        "height" => format!("{}.{}", 150 + draws.below(50), draws.below(10)),
        "city" => draws.one_of(&["Bonn", "K\u{f6}ln", "\"Rio, RJ\"", "\"\"\"X\"\"\"", "a*b", "{x}"]).to_owned(),
        "sex" => draws.one_of(&["m", "f"]).to_owned(),
        "flag" => draws.one_of(&["true", "false"]).to_owned(),
        "q7" => draws.below(9).to_string(),
        "zip" => format!("{:05}", draws.below(100_000)),
        "name" => format!("Anna Smith{row}"),
        "email" => format!("u{row}@example.org"),
        "const" => "x".to_owned(),
        "id" => (1000 + row).to_string(),
        "patient_id" => (row / 3).to_string(),
        "disease" => draws.one_of(&["flu", "HIV", "gout", "\"[1, 2]\""]).to_owned(),
        "weird" => draws.one_of(&["a b", "\u{e9}", "e\u{301}", "-", "\"[1, 2]\"", "*"]).to_owned(),
        "note" => format!("text {row} about somebody and what was said {}", draws.below(9)),
        "children" => draws.below(4).to_string(),
        _ => String::new(),
    }
}

fn table(seed: u64) -> String {
    let mut draws = Draws(seed);
    draws.below(2);
    let rows = [8, 20, 35, 60, 90][draws.below(5) as usize];
    let columns: Vec<&str> = COLUMNS.into_iter().filter(|_| draws.below(3) == 0).collect();
    let columns = if columns.len() < 2 { vec!["age", "disease"] } else { columns };
    let gaps: Vec<bool> = columns.iter().map(|_| draws.below(3) == 0).collect();
    let mut text = columns.join(",") + "\n";
    for row in 0..rows {
        let mut cell = |(column, gaps): (&&str, &bool)| {
            if *gaps && draws.below(10) == 0 { String::new() } else { value(column, row, &mut draws) }
        };
        let cells: Vec<String> = columns.iter().zip(&gaps).map(&mut cell).collect();
        let _ = writeln!(text, "{}", cells.join(","));
    }
    text
}

/// A quarter of the hundred, so that they run side by side.
fn generated(quarter: u64) {
    let whole = (0..25).map(|number| quarter * 25 + number).filter(|&seed| {
        let desk = Desk::new();
        desk.write("t.csv", table(seed));
        let policy = desk.run(&["init", "t.csv"]);
        assert!(policy.status.success(), "{seed}: {}", String::from_utf8_lossy(&policy.stderr));
        desk.write("policy.toml", policy.stdout);
        walk(&desk, &format!("table {seed}:\n{}", table(seed))) == 3
    });
    assert!(whole.count() >= 3, "some tables are to go the whole way");
}

#[test]
fn generated_tables_go_the_whole_way_1() {
    generated(0);
}

#[test]
fn generated_tables_go_the_whole_way_2() {
    generated(1);
}

#[test]
fn generated_tables_go_the_whole_way_3() {
    generated(2);
}

#[test]
fn generated_tables_go_the_whole_way_4() {
    generated(3);
}

/// A shared table, of which only some rows are published to keep it short.
fn shared(test: &str, file: &str, rows: Option<&str>) {
    let Some(folder) = data_folder(test) else { return };
    let desk = Desk::new();
    let table = Path::new(&folder).join(file);
    let policy = desk.run(&["init", &table.display().to_string()]);
    assert!(policy.status.success(), "{file}: {}", String::from_utf8_lossy(&policy.stderr));
    let mut policy = String::from_utf8(policy.stdout).expect("a policy is UTF-8");
    if let Some(rows) = rows {
        policy = policy.replacen("[data]\n", &format!("[data]\nwhere = \"{rows}\"\n"), 1);
    }
    desk.write("policy.toml", policy);
    walk(&desk, file);
}

#[test]
fn adult_goes_the_whole_way() {
    shared("adult_goes_the_whole_way", "adult.csv", Some("age = 60"));
    shared("adult_goes_the_whole_way", "arx_adult.csv", Some("age = 60"));
}

#[test]
fn fars_goes_the_whole_way() {
    shared("fars_goes_the_whole_way", "fars.parquet", Some("iage = 60"));
}

/// The policy of all rows, and then the whole way with some of them.
#[test]
fn census_income_goes_the_whole_way() {
    let Some(folder) = data_folder("census_income_goes_the_whole_way") else { return };
    let desk = Desk::new();
    let policy = desk.run(&["init", &Path::new(&folder).join("census_income.parquet").display().to_string()]);
    desk.write("policy.toml", policy.stdout);
    let output = desk.run(&["publish", "policy.toml", "--seed", "1"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    shared("census_income_goes_the_whole_way", "census_income.parquet", Some("age = 60 AND sex = 'Male'"));
}

#[test]
fn toys_go_the_whole_way() {
    for file in ["ambiguity", "closeness", "distribution", "injector", "nt_closeness", "psensitive", "slicing"] {
        shared("toys_go_the_whole_way", &format!("toy/{file}.csv"), None);
    }
}
