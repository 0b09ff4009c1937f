//! Every kind of release of one table, and what is left when a run has ended.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Output;

use super::Desk;

/// A method of each kind of release, with a promise that it keeps.
pub(crate) const KINDS: [(&str, &str, &str); 8] = [
    ("generalized", "name = \"mondrian\"", "model = \"k-anonymity\"\nk = 5"),
    ("full-domain", "name = \"full-domain\"", "model = \"k-anonymity\"\nk = 5"),
    ("bucketized", "name = \"anatomy\"", "model = \"distinct-l-diversity\"\nl = 3"),
    (
        "ambiguous",
        "name = \"ambiguity\"",
        "model = \"alpha-beta-privacy\"\nalpha = 0.9\nbeta = 0.5\npresence = \"group\"",
    ),
    (
        "distribution",
        "name = \"distribution\"\ngroups = [\"region\"]\nfakes = 0.1",
        "model = \"p-private\"\ntarget = \"table\"",
    ),
    ("uncertain", "name = \"uncertain\"\ncategorical = \"drop\"", "model = \"uncertain-k-anonymity\"\nk = 3"),
    ("condensed", "name = \"condensation\"\ncategorical = \"drop\"", "model = \"condensed-k\"\nk = 5"),
    ("sliced", "name = \"slicing\"\ncolumns = 2\nsensitive_column = 1", "model = \"l-diverse-slicing\"\nl = 3"),
];

/// A table of some people, and a policy for each kind of release.
pub(crate) fn prepare(desk: &Desk, rows: u32) {
    let mut table = "age,region,disease\n".to_owned();
    for row in 0..rows {
        let mixed = row.wrapping_mul(2_654_435_761) >> 16;
        let _ = writeln!(table, "{},r{},d{}", 20 + mixed % 60, mixed / 60 % 7, mixed / 420 % 8);
    }
    desk.write("table.csv", table);
    for (kind, method, promise) in KINDS {
        let policy = format!(
            "[data]\nsource = \"table.csv\"\n[attributes]\nage = {{ role = \"quasi\", hierarchy = {{ intervals = [5, 10, 20] }} }}\n\
             region = {{ role = \"quasi\", hierarchy = {{ mask = \"right\" }} }}\ndisease = {{ role = \"sensitive\" }}\n\
             [[require]]\n{promise}\n[method]\n{method}\n"
        );
        desk.write(&format!("{kind}.toml"), policy);
    }
}

/// The names in a folder, hidden ones too.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder").flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The exit status of a run, and the code of its error.
pub(crate) fn code(output: &Output) -> (Option<i32>, String) {
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output.status.code(), json["error"]["code"].as_str().unwrap_or("").to_owned())
}
