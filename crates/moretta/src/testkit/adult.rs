//! The Adult table, if the papers' data are there.

use std::path::{Path, PathBuf};

use moretta_lab::adult::Adult;
use moretta_lab::datasets;

use crate::policy::Policy;

/// The folder of the data, if it has a file; else notes that a test is skipped.
pub(crate) fn data_folder(test: &str, file: &str) -> Option<PathBuf> {
    datasets::for_test(test, file).expect("the list of skipped tests")
}

/// A policy on the table, with what is required and the method.
pub(crate) fn policy(folder: &Path, table: &Adult, rest: &str) -> Policy {
    Policy::in_file(table.text(rest), &folder.join("policy.toml"), &[]).unwrap()
}
