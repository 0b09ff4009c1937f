//! Small tables published to a folder, and their files read back naively: as text, split at commas.

use std::path::PathBuf;

use proptest::prelude::*;

use crate::kind::OpenRelease;
use crate::policy::Policy;
use crate::progress::Progress;
use crate::publish::Report;
use crate::steward::{Options, publish_and_read};

/// A release in a folder of its own.
pub(crate) struct Published {
    _home: tempfile::TempDir,
    folder: PathBuf,
    pub(crate) policy: Policy,
    pub(crate) report: Report,
    pub(crate) release: Box<dyn OpenRelease>,
}

/// Publishes a table, given as CSV, under a policy without its `[data]`.
pub(crate) fn publish(csv: &str, policy: &str, seed: u64) -> crate::Result<Published> {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("table.csv"), csv).unwrap();
    let policy = format!("[data]\nsource = \"table.csv\"\n{policy}");
    let policy = Policy::in_file(policy, &home.path().join("policy.toml"), &[])?;
    let folder = home.path().join("out");
    let options = Options { out: Some(folder.clone()), force: false, seed: Some(seed.into()) };
    let (report, release) = publish_and_read(&policy, &options, &Progress::default())?;
    Ok(Published { _home: home, folder, policy, report, release })
}

impl Published {
    /// The folder of its files.
    pub(crate) fn storage(&self) -> crate::storage::Storage {
        crate::storage::Storage::Folder(self.folder.join("release"))
    }

    /// The folder that was published into.
    pub(crate) fn folder(&self) -> &std::path::Path {
        &self.folder
    }

    /// The file of a released table.
    pub(crate) fn file(&self, table: &str) -> PathBuf {
        self.folder.join("release").join(format!("{table}.csv"))
    }

    /// Writes a table anew, and makes the manifest agree with it: a forger's work.
    pub(crate) fn forge(&self, table: &str, text: &str) {
        use sha2::Digest;
        std::fs::write(self.file(table), text).unwrap();
        let manifest = self.folder.join("release/manifest.json");
        let mut json: serde_json::Value = serde_json::from_slice(&std::fs::read(&manifest).unwrap()).unwrap();
        let rows = text.lines().count() as u64 - 1;
        for entry in json["tables"].as_array_mut().unwrap() {
            if entry["name"] == table {
                let hash = crate::storage::hexadecimal(&sha2::Sha256::digest(text));
                entry["sha256"] = hash.into();
                entry["bytes"] = text.len().into();
                entry["rows"] = rows.into();
            }
        }
        if table == "data" || table == "sliced" {
            json["people"] = rows.into();
        }
        std::fs::write(&manifest, serde_json::to_string_pretty(&json).unwrap()).unwrap();
        std::fs::remove_file(self.folder.join("release/datapackage.json")).unwrap_or_default();
    }

    /// What a label of a column stands for, where the manifest says it: a set, spelled out.
    pub(crate) fn spelled_out(&self, column: &str, label: &str) -> String {
        let manifest: serde_json::Value = serde_json::from_str(&self.manifest()).unwrap();
        let columns = manifest["columns"].as_array().unwrap();
        let Some(own) = columns.iter().find(|own| own["name"] == column && own["values"]["meaning"] == "set") else {
            return label.to_owned();
        };
        let nodes = own["values"]["nodes"].as_array().map_or(&[][..], Vec::as_slice);
        let Some(node) = nodes.iter().find(|node| node["label"] == label) else { return label.to_owned() };
        let leaves: Vec<&str> = node["leaves"].as_array().unwrap().iter().map(|leaf| leaf.as_str().unwrap()).collect();
        format!("{{{}}}", leaves.join(", "))
    }

    /// The text of a released table.
    pub(crate) fn text(&self, table: &str) -> String {
        std::fs::read_to_string(self.folder.join("release").join(format!("{table}.csv"))).unwrap()
    }

    /// The text of a file that stays with the steward.
    pub(crate) fn private(&self, file: &str) -> String {
        std::fs::read_to_string(self.folder.join("private").join(file)).unwrap()
    }

    /// The text of the manifest.
    pub(crate) fn manifest(&self) -> String {
        std::fs::read_to_string(self.folder.join("release").join("manifest.json")).unwrap()
    }

    /// The release, read from its files with its insensitive attributes.
    pub(crate) fn for_questions(&self) -> Box<dyn OpenRelease> {
        let storage = crate::check::release_storage(&self.folder, &Progress::default()).unwrap();
        let files = crate::release::Files::open(&storage, &Progress::default()).unwrap().for_questions();
        crate::kind::registry::read(&files, &Progress::default()).unwrap()
    }

    /// The rows of a released table, without its header.
    pub(crate) fn rows(&self, table: &str) -> Vec<Vec<String>> {
        let text = std::fs::read_to_string(self.folder.join("release").join(format!("{table}.csv"))).unwrap();
        text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
    }

    /// The names of a released table's columns.
    pub(crate) fn header(&self, table: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.file(table)).unwrap();
        text.lines().next().unwrap().split(',').map(str::to_owned).collect()
    }

    /// The same, where values may be quoted and hold commas.
    pub(crate) fn rows_unquoted(&self, table: &str) -> Vec<Vec<String>> {
        let path = self.folder.join("release").join(format!("{table}.csv"));
        let mut reader = csv::Reader::from_path(path).unwrap();
        reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
    }
}

/// People with two quasi-identifiers, a disease and a job, as rows of CSV with a header: age, zip, disease, job.
pub(crate) fn people(most: usize) -> impl Strategy<Value = String> {
    (1_u32..9, 1_u32..7, 1_u32..7, 1_u32..5).prop_flat_map(move |(ages, zips, diseases, jobs)| {
        let person = (0..ages, 0..zips, 0..diseases, 0..jobs);
        proptest::collection::vec(person, 1..=most).prop_map(|people| {
            let row = |(age, zip, disease, job): &(u32, u32, u32, u32)| format!("{age},z{zip},d{disease},j{job}\n");
            "age,zip,disease,job\n".to_owned() + &people.iter().map(row).collect::<String>()
        })
    })
}

/// The rows of CSV text, without its header.
pub(crate) fn rows_of(csv: &str) -> Vec<Vec<String>> {
    csv.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}
