//! Where the papers' data are.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use moretta::{Error, Result};

/// The variable that names the folder of the data.
pub const FOLDER: &str = "MORETTA_DATA";

/// The variable that names the file in which skipped tests are listed.
const SKIPPED: &str = "MORETTA_SKIPPED";

/// Where the folder stands if nobody names it, seen from the project.
const BESIDE: &str = "../shared/data";

/// The folder of the data: the one stated, else the one that the environment names, else the one beside the project.
pub fn folder(stated: Option<&Path>) -> PathBuf {
    let named = || std::env::var_os(FOLDER).map(PathBuf::from);
    stated.map(Path::to_path_buf).or_else(named).unwrap_or_else(|| BESIDE.into())
}

/// The folder of the data if it has the file that a test needs, as an absolute path; else notes that the test is skipped.
pub fn for_test(test: &str, file: &str) -> Result<Option<PathBuf>> {
    // Tests of a package run in its folder, which lies two below the project's.
    let beside = || Path::new("../..").join(BESIDE);
    let folder = std::env::var_os(FOLDER).map_or_else(beside, PathBuf::from);
    if !folder.join(file).is_file() {
        return note_skipped(test).map(|()| None);
    }
    folder.canonicalize().map(Some).map_err(|e| Error::machine("find the data", &folder, e))
}

/// Notes that a test is skipped, where the environment names a file for that.
pub fn note_skipped(test: &str) -> Result<()> {
    let Some(list) = std::env::var_os(SKIPPED).map(PathBuf::from) else { return Ok(()) };
    let opened = OpenOptions::new().create(true).append(true).open(&list);
    opened.and_then(|mut file| writeln!(file, "{test}")).map_err(|e| Error::machine("list a skipped test", &list, e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_stated_comes_first() {
        assert_eq!(folder(Some(Path::new("here"))), Path::new("here"));
    }
}
