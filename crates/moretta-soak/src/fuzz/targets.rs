//! What is fed with hostile bytes: each reader as a plain function. It may refuse; it must not panic, hang, or take the machine's memory.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use moretta::Policy;
use moretta::internals::data::source::{Input, ReadOptions, Source};
use moretta::internals::prepare::Prepared;
use moretta::internals::progress::Progress;
use moretta::internals::query::{Labels, Query, answer, statements};
use moretta::internals::release::{ColumnMeaning, Files, regions};
use moretta::internals::storage::Storage;
use moretta::internals::{check, inspect, kind};

/// A reader that takes hostile bytes, with bytes to start from.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name.
    pub name: &'static str,
    /// Feeds it.
    pub feed: fn(&[u8]),
    /// Where mutation starts.
    pub corpus: &'static [&'static [u8]],
}

/// All of them.
pub const TARGETS: &[Target] = &[
    Target {
        name: "csv",
        feed: csv,
        corpus: &[include_bytes!("../../corpus/csv/plain.csv"), include_bytes!("../../corpus/csv/odd.csv")],
    },
    Target {
        name: "parquet",
        feed: parquet,
        corpus: &[
            include_bytes!("../../corpus/parquet/small.parquet"),
            // Its columns have different numbers of rows.
            include_bytes!("../../corpus/parquet/uneven.parquet"),
        ],
    },
    Target {
        name: "hierarchy",
        feed: hierarchy,
        corpus: &[
            include_bytes!("../../corpus/hierarchy/even.csv"),
            include_bytes!("../../corpus/hierarchy/uneven.csv"),
        ],
    },
    Target {
        name: "policy",
        feed: policy,
        corpus: &[include_bytes!("../../corpus/policy/groups.toml"), include_bytes!("../../corpus/policy/target.toml")],
    },
    Target {
        name: "sql",
        feed: sql,
        corpus: &[include_bytes!("../../corpus/sql/count.sql"), include_bytes!("../../corpus/sql/many.sql")],
    },
    Target {
        name: "manifest",
        feed: manifest,
        corpus: &[
            include_bytes!("../../corpus/manifest/generalized.json"),
            include_bytes!("../../corpus/manifest/ambiguous.json"),
        ],
    },
    Target { name: "labels", feed: labels, corpus: &[include_bytes!("../../corpus/labels/labels.txt")] },
];

/// Looks at a table as `inspect` does: every field is read.
fn look_at(name: &str, data: &[u8]) {
    let input = Input::Memory(PathBuf::from(name), Bytes::copy_from_slice(data));
    if let Ok(source) = Source::open(input, ReadOptions::detect()) {
        let _ = inspect::inspect(&source, &Progress::default());
    }
}

/// A table as CSV.
pub fn csv(data: &[u8]) {
    look_at("table.csv", data);
}

/// A table as Parquet: its footer, its pages.
pub fn parquet(data: &[u8]) {
    look_at("table.parquet", data);
}

/// A hierarchy file, used by a small table.
pub fn hierarchy(data: &[u8]) {
    let Ok(folder) = tempfile::tempdir() else { return };
    let text = "[data]\nsource = \"table.csv\"\n[attributes]\na = { role = \"quasi\", type = \"text\", hierarchy = \"tree.csv\" }\n";
    let written = std::fs::write(folder.path().join("tree.csv"), data)
        .and_then(|()| std::fs::write(folder.path().join("table.csv"), "a\nx\ny\nz\n"));
    if written.is_ok()
        && let Ok(policy) = Policy::in_file(text.to_owned(), &folder.path().join("policy.toml"), &[])
    {
        let _ = Prepared::read(&policy, &Progress::default());
    }
}

/// A policy. Files that it names are looked for in a folder that is not there.
pub fn policy(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = Policy::in_file(text.to_owned(), Path::new("/nonexistent-moretta/policy.toml"), &[]);
    }
}

/// A file of questions.
pub fn sql(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        for statement in statements(text) {
            let _ = Query::parse(&statement.sql);
        }
    }
}

/// A manifest beside small tables: checked, and asked.
pub fn manifest(data: &[u8]) {
    let storage = Storage::memory();
    let tables = [
        ("manifest.json", data),
        ("data.csv", b"q0,s0,group\n1,a,1\n\"[1, 2]\",b,1\n*,,2\n".as_slice()),
        ("at_q0.csv", b"value,group\n1,1\n2,1\n"),
        ("st_s0.csv", b"group,value,count\n1,a,1\n1,b,2\n"),
        ("qit.csv", b"q0,group\n1,1\n2,1\n"),
        ("sliced.csv", b"bucket,q0,s0\n1,1,a\n1,2,b\n"),
    ];
    if tables.iter().any(|(name, content)| storage.write(name, content).is_err()) {
        return;
    }
    let _ = check::release(&storage, None, &Progress::default());
    let Ok(files) = Files::open(&storage, &Progress::default()) else { return };
    let files = files.for_questions();
    let Ok(release) = kind::registry::read(&files, &Progress::default()) else { return };
    let Ok(query) = Query::parse("SELECT COUNT(*), SUM(q0) WHERE q0 > 1 GROUP BY s0") else { return };
    if let Ok(query) = Labels::of(&files.manifest).resolve(&query, &*release) {
        let _ = answer(&*release, &query);
    }
}

/// Published labels, one a line, under every meaning and type.
pub fn labels(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let meanings = ["exact", "interval", "set", "intervals", "mask", "calendar"];
    for meaning in meanings {
        for kind in ["integer", "number", "text", "date", "boolean"] {
            let column =
                serde_json::json!({ "name": "a", "role": "quasi", "type": kind, "values": { "meaning": meaning } });
            if let Ok(column) = serde_json::from_value::<ColumnMeaning>(column) {
                let _ = regions(&column, text.lines().zip(1..));
            }
        }
    }
}
