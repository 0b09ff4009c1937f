//! A folder of its own for each test, and the program to run in it.
#![allow(dead_code, reason = "each test file uses a part of it")]

pub(crate) mod kinds;
pub(crate) mod small_disk;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use moretta_lab::adult::{self, Adult, QI_6};
use moretta_lab::datasets;
use serde_json::Value as Json;
use tempfile::TempDir;

/// A folder with inputs and outputs of one test.
pub(crate) struct Desk {
    home: TempDir,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self { home: TempDir::new().expect("a temporary folder") }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).expect(name);
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect(name)
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_moretta"));
        command.current_dir(self.home.path()).args(args);
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("the program starts")
    }

    /// Runs with `--json`, expecting success.
    pub(crate) fn json(&self, args: &[&str]) -> Json {
        let output = self.run(&[args, &["--json"]].concat());
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).expect("one JSON object")
    }

    /// The names in the folder, hidden ones too.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.home.path()).expect("the folder");
        let mut names: Vec<String> = entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

/// The rows of a CSV file, without its header.
pub(crate) fn rows(path: &Path) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_path(path).expect("a CSV file");
    reader.records().map(|record| record.expect("a row").iter().map(str::to_owned).collect()).collect()
}

/// The size of each group of rows that agree in the chosen columns.
pub(crate) fn group_sizes(rows: &[Vec<String>], columns: &[usize]) -> BTreeMap<Vec<String>, usize> {
    let mut sizes = BTreeMap::new();
    for row in rows {
        *sizes.entry(columns.iter().map(|&column| row[column].clone()).collect()).or_default() += 1;
    }
    sizes
}

/// The folder of the shared data sets; where there is none, notes that `test` is skipped.
pub(crate) fn data_folder(test: &str) -> Option<PathBuf> {
    datasets::for_test(test, adult::FILE).expect("the list of skipped tests")
}

/// Notes that a test is skipped, for the last line of `./x test`.
pub(crate) fn skip(test: &str) {
    datasets::note_skipped(test).expect("the list of skipped tests");
}

/// The browser that looks at pages; where there is none, notes that `test` is skipped.
pub(crate) fn browser(test: &str) -> Option<PathBuf> {
    let named = std::env::var_os("MORETTA_BROWSER").map(PathBuf::from);
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = named.or_else(|| {
        let names = ["chromium", "chromium-browser", "google-chrome"];
        std::env::split_paths(&folders)
            .flat_map(|folder| names.map(|name| folder.join(name)))
            .find(|file| file.is_file())
    });
    if found.is_none() {
        skip(&format!("{test} (no Chromium)"));
    }
    found
}

/// The policy for the complete training rows of Adult with six quasi-identifiers and their hierarchies.
pub(crate) fn adult_policy(data: &Path, require: &str) -> String {
    let table = Adult::train().with_hierarchies("quasi", &QI_6).with_hierarchies("sensitive", &["occupation"]);
    table.in_folder(data).text(&format!("{require}\n[method]\nname = \"least-loss\"\n"))
}
