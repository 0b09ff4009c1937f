//! Releases in a database: written whole or not at all, and read back as if they were files. SQLite here; the servers in `checks/databases`.

mod support;

use std::fmt::Write as _;
use std::fs;

use rusqlite::Connection;
use support::Desk;

/// A method of each kind of release, with a promise that it keeps.
const KINDS: [(&str, &str); 8] = [
    ("name = \"mondrian\"", "model = \"k-anonymity\"\nk = 5"),
    ("name = \"least-loss\"\nsuppression = 0.1", "model = \"probabilistic-l-diversity\"\nl = 2"),
    ("name = \"anatomy\"", "model = \"distinct-l-diversity\"\nl = 3"),
    (
        "name = \"ambiguity\"\nsuppression = 0.7",
        "model = \"alpha-beta-privacy\"\nalpha = 0.9\nbeta = 0.6\npresence = \"group\"",
    ),
    ("name = \"distribution\"", "model = \"p-private\"\ntarget = \"uniform\""),
    ("name = \"uncertain\"\ncategorical = \"drop\"", "model = \"uncertain-k-anonymity\"\nk = 3"),
    ("name = \"condensation\"\ncategorical = \"drop\"", "model = \"condensed-k\"\nk = 5"),
    ("name = \"slicing\"\ncolumns = 2\nsensitive_column = 1", "model = \"l-diverse-slicing\"\nl = 2"),
];

/// People with awkward values: commas, quotes, other letters, decimals that floats change.
fn table() -> String {
    let mut text = "name,age,region,disease\n".to_owned();
    for row in 0..240_u32 {
        let mixed = row.wrapping_mul(2_654_435_761) >> 12;
        let region = ["north, far", "\"south\"", "ést", "west"][mixed as usize / 40 % 4];
        let disease = ["flu", "cold", "gout", "ulcer", "a\\b\tc"][mixed as usize / 240 % 5];
        let _ = writeln!(text, "name{row},{},{},\"{disease}\"", 20 + mixed % 40, quoted(region));
    }
    text
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

fn policy(method: &str, require: &str, output: &str) -> String {
    format!(
        "[data]\nsource = \"t.csv\"\n[attributes]\nname = {{ role = \"identifier\" }}\nage = {{ role = \"quasi\" }}\n\
         region = {{ role = \"quasi\" }}\ndisease = {{ role = \"sensitive\" }}\n[[require]]\n{require}\n[method]\n{method}\n{output}"
    )
}

fn in_sqlite(schema: &str) -> String {
    format!("[output]\ndatabase = \"sqlite:r.db\"\nschema = \"{schema}\"\n")
}

fn desk(method: &str, require: &str) -> Desk {
    let desk = Desk::new();
    desk.write("t.csv", table());
    desk.write("files.toml", policy(method, require, ""));
    desk.write("base.toml", policy(method, require, &in_sqlite("r_1")));
    desk
}

fn said(desk: &Desk, args: &[&str]) -> (Option<i32>, String) {
    let output = desk.run(args);
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn every_kind_comes_back_from_a_database_as_the_files_that_it_would_be() {
    for (method, require) in KINDS {
        let desk = desk(method, require);
        desk.json(&["publish", "files.toml", "--out", "files", "--seed", "7"]);
        let report = desk.json(&["publish", "base.toml", "--out", "base", "--seed", "7"]);
        assert_eq!(report["guarantees"][0]["holds"], true, "{method}");
        let mut names: Vec<_> =
            fs::read_dir(desk.path("base/release")).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["README.txt", "manifest.json"], "{method}");
        let manifest = desk.read("base/release/manifest.json");
        assert_eq!(manifest, desk.read("files/release/manifest.json"), "{method}");
        assert!(!desk.read("base/private/policy.toml").is_empty() && !manifest.contains("r.db"));
        let (files, base) = (desk.json(&["check", "files"]), desk.json(&["check", "sqlite:r.db#r_1"]));
        assert_eq!(files, base, "{method}");
        let of = |place: &str| desk.json(&["audit", place, "--skip", "minimality"])["attacks"].clone();
        assert_eq!(of("files"), of("sqlite:r.db#r_1"), "{method}");
        let of = |place: &str| desk.run(&["query", place, "SELECT COUNT(*) WHERE age < 40", "--csv"]).stdout;
        assert_eq!(of("files"), of("sqlite:r.db#r_1"), "{method}");
    }
}

#[test]
fn columns_have_types_keys_and_meanings() {
    let desk = desk("name = \"anatomy\"", "model = \"distinct-l-diversity\"\nl = 3");
    desk.json(&["publish", "base.toml", "--out", "base", "--seed", "7"]);
    let base = Connection::open(desk.path("r.db")).unwrap();
    let text = |sql: &str| base.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap();
    assert_eq!(text("SELECT DISTINCT typeof(age) FROM r_1_qit"), "integer");
    assert_eq!(text("SELECT group_concat(name) FROM pragma_table_info('r_1_qit')"), "moretta_row,age,region,group");
    assert_eq!(text("SELECT name FROM pragma_table_info('r_1_qit') WHERE pk = 1"), "moretta_row");
    let indexed = text("SELECT group_concat(i.name) FROM pragma_index_list('r_1_qit') l, pragma_index_info(l.name) i");
    assert_eq!(indexed, "group");
    let meaning = |table: &str, column: &str| {
        text(&format!(
            "SELECT coalesce(attribute, '-') || ' ' || coalesce(role, '-') || ' ' || coalesce(type, '-') || ' ' || meaning \
             FROM r_1_moretta_columns WHERE table_name = '{table}' AND column_name = '{column}'"
        ))
    };
    assert_eq!(meaning("qit", "age"), "age quasi integer exact");
    assert_eq!(meaning("qit", "group"), "- - - group");
    assert_eq!(meaning("st_disease", "value"), "disease sensitive text exact");
}

#[test]
fn an_existing_release_stays_unless_it_is_to_be_replaced() {
    let desk = desk("name = \"mondrian\"", "model = \"k-anonymity\"\nk = 5");
    desk.json(&["publish", "base.toml", "--out", "one", "--seed", "7"]);
    let before = fs::read(desk.path("r.db")).unwrap();
    let (code, error) = said(&desk, &["publish", "base.toml", "--out", "two"]);
    assert!(code == Some(2) && error.contains("holds a release already") && error.contains("--force"), "{error}");
    assert_eq!((fs::read(desk.path("r.db")).unwrap(), desk.path("two").exists()), (before, false));

    // Another schema has room beside it; --force replaces the release, and what is no release's stays.
    Connection::open(desk.path("r.db")).unwrap().execute_batch("CREATE TABLE r_1_own (a)").unwrap();
    desk.json(&["publish", "base.toml", "--out", "two", "--set", "output.schema=r_2", "--set", "require.0.k=9"]);
    desk.json(&["publish", "base.toml", "--out", "one", "--force", "--set", "require.0.k=9"]);
    assert!(desk.json(&["check", "sqlite:r.db#r_1"])["k"].as_u64() >= Some(9));
    assert!(desk.json(&["check", "sqlite:r.db#r_2"])["k"].as_u64() >= Some(9));
    let base = Connection::open(desk.path("r.db")).unwrap();
    assert_eq!(base.query_row("SELECT count(*) FROM r_1_own", [], |row| row.get::<_, i64>(0)).unwrap(), 0);
}

#[test]
fn what_goes_wrong_is_said_and_leaves_nothing() {
    let desk = desk("name = \"mondrian\"", "model = \"k-anonymity\"\nk = 5");
    let sets = |sets: &[&str]| {
        let mut args = vec!["publish", "base.toml", "--out", "out"];
        sets.iter().for_each(|set| args.extend(["--set", set]));
        let (code, error) = said(&desk, &args);
        assert_eq!(desk.names(), ["base.toml", "files.toml", "t.csv"], "{error}");
        (code, error)
    };
    for (set, words) in [
        ("output.schema=Mine", "can't be the name of a release's schema"),
        ("output.schema=public", "can't be the name"),
        ("output.database=r.db", "is not the address of a database"),
        ("output.database=mysql://me:geheim@host/db", "is not the address of a database"),
        ("output.database=sqlite:r.db#x", "has a table after it"),
        ("output.format=parquet", "has no files, and so no format"),
        ("output.database=postgresql://me:geheim@host/db", "must not hold a password"),
        ("output.database=sqlite:none/r.db", "unable to open database file"),
    ] {
        let (code, error) = sets(&[set]);
        assert!(
            matches!(code, Some(2 | 3)) && error.contains(words) && !error.contains("geheim"),
            "{set}: {code:?} {error}"
        );
    }
    desk.write(
        "half.toml",
        policy("name = \"mondrian\"", "model = \"k-anonymity\"\nk = 5", "[output]\nschema = \"a\"\n"),
    );
    assert!(said(&desk, &["publish", "half.toml"]).1.contains("without a database"));
    desk.write(
        "half.toml",
        policy("name = \"mondrian\"", "model = \"k-anonymity\"\nk = 5", "[output]\ndatabase = \"sqlite:a\"\n"),
    );
    assert!(said(&desk, &["publish", "half.toml"]).1.contains("schema = \"release_2026\""));
    fs::remove_file(desk.path("half.toml")).unwrap();

    // A promise that this data can't keep, and a dry run, make no file.
    assert_eq!(sets(&["require.0.k=1000"]).0, Some(1));
    assert!(said(&desk, &["publish", "base.toml"]).1.contains("nothing was written into"));
    // A column whose name the database needs, and two that it takes for one.
    for (column, words) in [("moretta_row", "the number that each row gets"), ("AGE", "small and capital letters")] {
        desk.write("t.csv", table().replace("region", column));
        desk.write(
            "base.toml",
            policy("name = \"mondrian\"", "model = \"k-anonymity\"\nk = 5", &in_sqlite("r_1"))
                .replace("region", column),
        );
        let (code, error) = sets(&[]);
        assert!(code == Some(2) && error.contains(words), "{error}");
    }
    assert!(!desk.path("r.db").exists());
    for place in ["sqlite:r.db#r_1", "sqlite:r.db"] {
        let (code, error) = said(&desk, &["check", place]);
        assert!(code == Some(2) && error.contains("schema"), "{error}");
    }
    assert!(!desk.path("r.db").exists());
}

#[test]
fn another_writer_is_waited_for_and_then_told_of() {
    let desk = desk("name = \"mondrian\"", "model = \"k-anonymity\"\nk = 5");
    let other = Connection::open(desk.path("r.db")).unwrap();
    other.execute_batch("CREATE TABLE own (a); BEGIN IMMEDIATE; INSERT INTO own VALUES (1)").unwrap();
    let (code, error) = said(&desk, &["publish", "base.toml", "--out", "out"]);
    assert!(code == Some(3) && error.contains("another program is writing"), "{error}");
    assert!(!desk.path("out").exists());
    other.execute_batch("COMMIT").unwrap();
    let tables = "SELECT count(*) FROM sqlite_schema WHERE type = 'table'";
    assert_eq!(other.query_row(tables, [], |row| row.get::<_, i64>(0)).unwrap(), 1);
}

#[test]
fn rows_that_were_changed_in_the_database_are_not_those_that_were_published() {
    let desk = desk("name = \"mondrian\"", "model = \"k-anonymity\"\nk = 5");
    for (number, change) in [
        "UPDATE r_data SET disease = 'flu' WHERE moretta_row = (SELECT min(moretta_row) FROM r_data WHERE disease <> 'flu')",
        "DELETE FROM r_data WHERE moretta_row = 7",
        "INSERT INTO r_data SELECT 1000, age, region, disease FROM r_data WHERE moretta_row = 1",
        "ALTER TABLE r_data ADD COLUMN more",
        "UPDATE r_moretta_release SET content = replace(content, 'data.csv', '../data.csv') WHERE file = 'manifest.json'",
    ]
    .into_iter()
    .enumerate()
    {
        let schema = format!("s{number}");
        desk.json(&["publish", "base.toml", "--out", &schema, "--set", &format!("output.schema={schema}")]);
        let change = change.replace("r_data", &format!("{schema}_data")).replace("r_mor", &format!("{schema}_mor"));
        Connection::open(desk.path("r.db")).unwrap().execute_batch(&change).unwrap();
        let (code, error) = said(&desk, &["check", &format!("sqlite:r.db#{schema}")]);
        assert!(code == Some(1) && error.contains("publish"), "{change}: {code:?} {error}");
    }
}
