//! Releases of counts beside those of rows, and what a folder of parts refuses.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Counted, PartFile, PartsFolder};
use crate::api::release::Release;
use crate::api::run::Run;
use crate::api::table::Table;
use crate::api::{files, publish};
use crate::data::role::Role;
use crate::data::source::Source;
use crate::error::Code;
use crate::policy::Policy;
use crate::progress::Progress;
use crate::release::{Files, TableFile};
use crate::storage::{Fingerprint, Storage};

const PEOPLE: &str = "[attributes]\nname = { role = \"drop\" }\nage = { role = \"quasi\" }\nsex = { role = \"quasi\" }\n\
                      disease = { role = \"sensitive\" }\n[[require]]\nmodel = \"k-anonymity\"\nk = 3\n";

fn policy(rest: &str) -> Policy {
    Policy::parse(format!("{PEOPLE}{rest}")).unwrap()
}

/// Rows whose values depend on each other; the age of some is missing.
fn rows(number: u32) -> Vec<[String; 4]> {
    let age = |row: u32| if row.is_multiple_of(17) { String::new() } else { (20 + row * row % 31).to_string() };
    let row = |row: u32| {
        let sex = if row.is_multiple_of(3) { "f" } else { "m" };
        let disease = ["flu", "gout", "ulcer"][(row * row % 7 % 3) as usize];
        [format!("p{row}"), age(row), sex.to_owned(), disease.to_owned()]
    };
    (0..number).map(row).collect()
}

fn csv(names: &str, rows: impl IntoIterator<Item = Vec<String>>) -> Source {
    let lines: String = rows.into_iter().map(|row| row.join(",") + "\n").collect();
    files::csv(format!("{names}\n{lines}")).unwrap()
}

fn counted(rows: &[[String; 4]]) -> Source {
    let mut cells: BTreeMap<&[String], u64> = BTreeMap::new();
    rows.iter().for_each(|row| *cells.entry(&row[1..]).or_default() += 1);
    let line = |(cell, people): (&[String], u64)| cell.iter().cloned().chain([people.to_string()]).collect();
    csv("age,sex,disease,people", cells.into_iter().rev().map(line))
}

/// The rows of a release as texts, each as often as it counts.
fn laid_out(release: &Release) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    let weight = release.stated().columns.iter().position(|column| column.role == Role::Weight);
    let source = Files::open(release.files().unwrap(), &Progress::new()).unwrap().source("data").unwrap();
    let wanted: Vec<usize> = (0..source.names().len()).collect();
    let mut take = |row: Vec<Option<Box<str>>>| {
        let mut row: Vec<String> = row.into_iter().map(|text| text.unwrap_or_default().into()).collect();
        let times = weight.map_or(1, |weight| row.remove(weight).parse().unwrap());
        all.extend(std::iter::repeat_n(row, times));
    };
    let taken = source.stream(&wanted, &mut |batch| {
        (0..batch.rows).for_each(|row| take(batch.columns.iter().map(|column| column[row].clone()).collect()));
        Ok(())
    });
    taken.unwrap();
    all
}

#[test]
fn a_release_of_counts_has_the_rows_of_one_of_rows() {
    let rows = rows(160);
    let table = csv("name,age,sex,disease", rows.iter().map(|row| row.to_vec()));
    for method in ["least-loss", "mondrian", "clustering", "top-down"] {
        for more in ["", "suppression = 0.1\n[data]\nmissing = \"keep\"\n"] {
            let policy = policy(&format!("[method]\nname = \"{method}\"\n{more}"));
            let run = Run::new().seed(7);
            let alone = publish(&policy, Table::read(&table, policy.schema(), &run).unwrap(), &run).unwrap();
            let cells = Counted::read(&counted(&rows), "people", &policy, &run).unwrap();
            assert_eq!(cells.people(), alone.report().rows_in);
            let made = cells.publish(&run).unwrap();
            assert_eq!(laid_out(made.release()), laid_out(alone.release()), "{method}");
            assert_eq!(made.report().suppressed, alone.report().suppressed);
        }
    }
}

#[test]
fn what_counts_do_not_tell_is_refused_by_name() {
    for (rest, code, words) in [
        ("[method]\nname = \"slicing\"\ncolumns = 2\n", Code::WrongParameter, "slicing"),
        ("[method]\nname = \"mondrian\"\n[data]\nwhere = \"age > 30\"\n", Code::WrongParameter, "where"),
        ("[method]\nname = \"mondrian\"\n[data]\nmissing = \"drop-any\"\n", Code::WrongParameter, "drop-any"),
    ] {
        let refused = Counted::columns(&policy(rest), "people").unwrap_err();
        assert!(refused.code() == code.as_str() && refused.to_string().contains(words), "{refused}");
    }
    let taken = Counted::columns(&policy("[method]\nname = \"mondrian\"\n"), "age").unwrap_err();
    assert!(taken.to_string().contains("\"age\""));
    let open = PEOPLE.replace("drop", "insensitive") + "[method]\nname = \"mondrian\"\n";
    let refused = Counted::columns(&Policy::parse(open).unwrap(), "people").unwrap_err();
    assert_eq!(refused.code(), Code::RoleUnsupported.as_str());
    assert_eq!(
        Counted::columns(&policy("[method]\nname = \"mondrian\"\n"), "people").unwrap(),
        ["age", "sex", "disease"]
    );
}

#[test]
fn a_folder_of_parts_is_read_as_one_table_and_nothing_in_it_may_be_another() {
    let (policy, run) = (policy("[method]\nname = \"mondrian\"\n"), Run::new().seed(7));
    let made = Counted::read(&counted(&rows(160)), "people", &policy, &run).unwrap().publish(&run).unwrap();
    let home = tempfile::tempdir().unwrap();
    let (out, folder) = (home.path().join("out"), "release/data.parquet");
    let begun = PartsFolder::begin(&out, false).unwrap();
    let content = made.release().files().unwrap().read("data.parquet").unwrap();
    std::fs::create_dir_all(begun.path().join(folder)).unwrap();
    let part = |name: &str, path: &Path| {
        std::fs::write(path.join(folder).join(name), &content).unwrap();
        let found = Fingerprint::of_bytes(&content);
        PartFile {
            file: name.to_owned(),
            rows: made.release().stated().tables[0].rows,
            bytes: found.bytes,
            sha256: found.sha256,
        }
    };
    // The same people twice, as weights.
    let parts = vec![part("a.parquet", begun.path()), part("b.parquet", begun.path())];
    let mut manifest = made.release().stated().clone();
    manifest.people *= 2;
    let manifest = serde_json::to_value(manifest).unwrap();
    let release = begun.commit(&manifest, None, parts, Some(made.release()), &run).unwrap();
    let twice = laid_out(&release);
    assert_eq!(twice.len(), 2 * laid_out(made.release()).len());
    assert!(crate::check(&Release::open(&out).unwrap(), None, &run).unwrap().holds());
    assert!(out.join("private/policy.toml").is_file() && !out.join("private/map.parquet").exists());
    let copy = home.path().join("copy");
    release.save(&copy, false).unwrap();
    assert_eq!(laid_out(&Release::open(&copy).unwrap()), twice);

    let stranger = out.join(folder).join("c.parquet");
    std::fs::write(&stranger, &content).unwrap();
    assert_eq!(Release::open(&out).unwrap_err().code(), Code::ReleaseDamaged.as_str());
    std::fs::remove_file(stranger).unwrap();
    std::fs::write(out.join(folder).join("b.parquet"), &content[1..]).unwrap();
    assert_eq!(Release::open(&out).unwrap_err().code(), Code::ReleaseDamaged.as_str());
    // A file beside the folder, whose hashes are right, is none of its parts.
    let mut stated = release.stated().clone();
    let mut parts = stated.tables[0].parts.clone();
    parts[1].file = "../b.parquet".to_owned();
    std::fs::remove_file(out.join(folder).join("b.parquet")).unwrap();
    std::fs::write(out.join("release/b.parquet"), &content).unwrap();
    let table = &stated.tables[0];
    stated.tables = vec![TableFile::of_parts(&table.name, table.file.clone(), table.format, parts)];
    stated.write(&Storage::Folder(out.join("release"))).unwrap();
    let outside = Release::open(&out).unwrap_err().to_string();
    assert!(outside.contains("\"../b.parquet\", which is no file of this release"), "{outside}");

    let begun = PartsFolder::begin(home.path().join("short"), false).unwrap();
    std::fs::create_dir_all(begun.path().join(folder)).unwrap();
    let one = vec![part("a.parquet", begun.path())];
    assert_eq!(begun.commit(&manifest, Some("people"), one, None, &run).unwrap_err().code(), "bug");
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 2, "nothing half-written stays");
}
