//! Input that is larger, deeper or stranger than anybody's table: an answer or an error with a reason, no blow-up of memory or stack.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use moretta::internals::check;
use moretta::internals::data::source::{Input, ReadOptions, Source};
use moretta::internals::inspect;
use moretta::internals::prepare::Prepared;
use moretta::internals::progress::Progress;
use moretta::internals::query::Query;
use moretta::internals::steward::{Options, publish};
use moretta::internals::storage::Storage;
use moretta::{Fault, Policy, Result};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// The table of a folder, read by a policy.
fn read(folder: &Path, attributes: &str) -> Result<Prepared> {
    let text = format!("[data]\nsource = \"table.csv\"\n[attributes]\n{attributes}\n");
    let policy = Policy::in_file(text, &folder.join("policy.toml"), &[])?;
    Prepared::read(&policy, &Progress::default())
}

#[test]
fn a_field_of_a_hundred_megabytes_is_read() {
    let home = TempDir::new().unwrap();
    let table = format!("a,b\n{},1\nx,2\n", "y".repeat(100 << 20));
    fs::write(home.path().join("table.csv"), table).unwrap();
    let prepared = read(home.path(), "a = { role = \"quasi\", type = \"text\" }\nb = { role = \"quasi\" }").unwrap();
    assert_eq!(prepared.table.rows(), 2);
}

#[test]
fn a_million_columns_are_an_error_that_names_one() {
    let home = TempDir::new().unwrap();
    let mut table = "a".to_owned();
    (0..1_000_000).for_each(|column| {
        let _ = write!(table, ",c{column}");
    });
    table.push('\n');
    table.extend(std::iter::repeat_n("1,", 1_000_000));
    table.push_str("1\n");
    fs::write(home.path().join("table.csv"), table).unwrap();
    let error = read(home.path(), "a = { role = \"quasi\" }").unwrap_err();
    assert_eq!(error.code(), "unnamed-column", "{error}");
    assert!(error.to_string().len() < 10_000, "a message, not a list");
}

#[test]
fn a_million_different_values_are_counted() {
    let home = TempDir::new().unwrap();
    let mut table = "a,b\n".to_owned();
    (0..1_000_000).for_each(|row| {
        let _ = writeln!(table, "{row},v{}", row % 7);
    });
    fs::write(home.path().join("table.csv"), table).unwrap();
    let prepared = read(home.path(), "a = { role = \"quasi\" }\nb = { role = \"sensitive\" }").unwrap();
    assert_eq!(prepared.table.quasi[0].domain.len(), 1_000_000);
}

#[test]
fn a_hierarchy_of_a_thousand_levels_is_used() {
    let home = TempDir::new().unwrap();
    let mut tree = String::new();
    for leaf in 0..12 {
        let _ = write!(tree, "l{leaf}");
        (1..1000).for_each(|level| {
            let _ = write!(tree, ",n{level}_{}", if level < 500 { leaf / 3 } else { 0 });
        });
        tree.push_str(",*\n");
    }
    fs::write(home.path().join("tree.csv"), tree).unwrap();
    let table: String = (0..60).map(|row| format!("l{},d{}\n", row % 12, row % 5)).collect();
    fs::write(home.path().join("table.csv"), format!("a,s\n{table}")).unwrap();
    for method in ["least-loss", "mondrian", "full-domain", "top-down", "clustering"] {
        let text = format!(
            "[data]\nsource = \"table.csv\"\n[attributes]\na = {{ role = \"quasi\", hierarchy = \"tree.csv\" }}\ns = {{ role = \"sensitive\" }}\n\
             [[require]]\nmodel = \"k-anonymity\"\nk = 9\n[method]\nname = \"{method}\"\n"
        );
        let policy = Policy::in_file(text, &home.path().join("policy.toml"), &[]).unwrap();
        let report = publish(&policy, &Options::default(), &Progress::default()).unwrap();
        assert_eq!(report.rows_out, 60, "{method}");
    }
}

/// A release in a folder of its own.
fn release() -> (TempDir, Json) {
    let home = TempDir::new().unwrap();
    let table: String = (0..60).map(|row| format!("{},d{}\n", row % 12, row % 5)).collect();
    fs::write(home.path().join("table.csv"), format!("a,s\n{table}")).unwrap();
    let text = "[data]\nsource = \"table.csv\"\n[attributes]\na = { role = \"quasi\" }\ns = { role = \"sensitive\" }\n\
         [[require]]\nmodel = \"n-t-closeness\"\nn = 10\nt = 0.5\ndistance = \"equal\"\n[method]\nname = \"mondrian\"\n";
    let policy = Policy::in_file(text.to_owned(), &home.path().join("policy.toml"), &[]).unwrap();
    publish(&policy, &Options { out: Some(home.path().join("out")), ..Options::default() }, &Progress::default())
        .unwrap();
    let manifest = serde_json::from_slice(&fs::read(home.path().join("out/release/manifest.json")).unwrap()).unwrap();
    (home, manifest)
}

/// What `check` says of a manifest.
fn judge(home: &TempDir, manifest: &[u8]) -> Result<bool> {
    let folder = home.path().join("out/release");
    fs::write(folder.join("manifest.json"), manifest).unwrap();
    let verified = check::release(&Storage::Folder(folder), None, &Progress::default())?;
    Ok(verified.verdicts.iter().all(|verdict| verdict.holds))
}

#[test]
fn a_manifest_that_lies_is_refused() {
    let (home, manifest) = release();
    assert!(judge(&home, manifest.to_string().as_bytes()).unwrap());
    let lies = [
        ("/people", json!(u64::MAX)),
        ("/people", json!(-1)),
        ("/people", json!(1e308)),
        ("/groups", json!(u64::MAX)),
        ("/groups", json!(0)),
        ("/tables/0/rows", json!(u64::MAX)),
        ("/tables/0/bytes", json!(0)),
        ("/tables/0/sha256", json!("00")),
        ("/tables/0/file", json!("../../table.csv")),
        ("/tables/0/file", json!("/etc/passwd")),
        ("/tables/0/file", json!("nothing.csv")),
        ("/tables/0/name", json!("other")),
        ("/kind", json!("unheard-of")),
        ("/schema", json!(99)),
        ("/columns/0/name", json!("b")),
        ("/columns", json!([])),
        ("/guarantees/0/model", json!("unheard-of")),
        ("/guarantees/0/parameters/n", json!(u64::MAX)),
        ("/guarantees/0/parameters/t", json!(-1)),
        ("/partition/parents", json!([5, 4, 3, 2, 1, 0])),
        ("/partition/parents", json!([])),
        ("/partition/node_of_group", json!([u32::MAX])),
        ("/partition/node_of_group", json!([])),
    ];
    for (place, lie) in lies {
        let mut changed = manifest.clone();
        let Some(value) = changed.pointer_mut(place) else { panic!("{place} is not in the manifest") };
        *value = lie.clone();
        match judge(&home, changed.to_string().as_bytes()) {
            Ok(holds) => assert!(!holds, "{place} = {lie} passes"),
            Err(error) => assert!(matches!(error.fault(), Fault::Input | Fault::Data), "{place} = {lie}: {error}"),
        }
    }
}

#[test]
fn depth_is_no_way_to_break_a_reader() {
    let (home, _) = release();
    for deep in ["[", "{\"a\":"] {
        let error = judge(&home, deep.repeat(100_000).as_bytes()).unwrap_err();
        assert_eq!(error.code(), "manifest-unreadable");
    }
    let deep = format!("a = {}", "[".repeat(100_000));
    assert!(Policy::in_file(deep, Path::new("policy.toml"), &[]).is_err());
    for (open, close) in [("(", ")"), ("NOT (", ")")] {
        let condition = format!("{}a = 1{}", open.repeat(20_000), close.repeat(20_000));
        let _ = Query::parse(&format!("SELECT COUNT(*) WHERE {condition}"));
    }
    let chain = |terms: u32| (0..terms).map(|value| format!("a = {value}")).collect::<Vec<_>>().join(" OR ");
    assert!(Query::parse(&format!("SELECT COUNT(*) WHERE {}", chain(1_000))).is_ok());
    let error = Query::parse(&format!("SELECT COUNT(*) WHERE {}", chain(20_000))).unwrap_err();
    assert_eq!(error.code(), "query-unsupported");
}

#[test]
fn files_that_are_nothing_are_errors() {
    for (name, bytes) in [
        ("t.csv", b"".as_slice()),
        ("t.parquet", b"PAR1"),
        ("t.parquet", b"PAR1\xff\xff\xff\x7fPAR1"),
        ("t.csv.gz", b"\x1f\x8b"),
    ] {
        let source = Source::open(Input::Memory(name.into(), bytes.to_vec().into()), ReadOptions::detect());
        let looked = source.and_then(|source| inspect::inspect(&source, &Progress::default()));
        assert!(looked.is_err(), "{name}");
    }
}
