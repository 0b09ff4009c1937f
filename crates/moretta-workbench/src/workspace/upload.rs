//! Files that a browser sends: written as they come, and there whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use moretta::{Error, Result};

use super::Workspace;
use super::tables::{DATABASES, ENDINGS, is_table};

/// Where they go.
const FOLDER: &str = "tables";

/// What a file is called that is not whole yet.
const UNFINISHED: &str = ".upload-";

/// A file that is being written. It is removed again unless it is finished.
#[derive(Debug)]
pub(crate) struct Upload {
    file: File,
    part: PathBuf,
    place: PathBuf,
    name: String,
    left: u64,
}

impl Upload {
    /// Begins a file of at most so many bytes. An existing one is never replaced.
    pub(crate) fn begin(workspace: &Workspace, name: &str, most: u64) -> Result<Self> {
        let name = format!("{FOLDER}/{}", safe_name(name)?);
        let place = workspace.inside(&name)?;
        workspace.folder(FOLDER)?;
        if place.symlink_metadata().is_ok() {
            return Err(
                Error::input(format!("the workspace has a file {name:?} already")).help("give yours another name")
            );
        }
        let stem = place.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let part = place.with_file_name(format!("{UNFINISHED}{stem}"));
        // A new file, never one that a link points to. Two uploads of one name at once: the second is refused.
        let file = own().create_new(true).open(&part).map_err(|e| Error::machine("write the upload", &part, e))?;
        Ok(Self { file, part, place, name, left: most })
    }

    /// Writes what has come.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.left = self.left.checked_sub(bytes.len() as u64).ok_or_else(|| {
            Error::input("the file is larger than the server takes")
                .help("copy it into the folder by hand, or start with a larger --max-upload")
        })?;
        self.file.write_all(bytes).map_err(|e| Error::machine("write the upload", &self.part, e))
    }

    /// Puts the whole file in place, and gives its name within the workspace.
    pub(crate) fn finish(self) -> Result<String> {
        self.file.sync_all().map_err(|e| Error::machine("write the upload", &self.part, e))?;
        // A link, unlike a renamed file, never replaces what somebody else has put there meanwhile.
        fs::hard_link(&self.part, &self.place)
            .map_err(|e| Error::machine("put the upload in place", &self.place, e))?;
        Ok(self.name.clone())
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.part);
    }
}

/// How a file is written that only its owner reads, where the system knows of owners: a table about people came from one person.
fn own() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// The name of a table as a browser states it, without whatever could lead elsewhere.
fn safe_name(stated: &str) -> Result<&str> {
    let name = stated.rsplit(['/', '\\']).next().unwrap_or_default().trim();
    let is_plain = !name.starts_with('.')
        && name.len() <= 120
        && name.chars().all(|c| c.is_alphanumeric() || " ._-()".contains(c));
    if is_plain && is_table(name) {
        return Ok(name);
    }
    Err(Error::input(format!("{name:?} is no name for a table")).help(format!(
        "letters, digits and - _ . ( ) and blanks, at the end one of {} {}",
        ENDINGS.join(" "),
        DATABASES.join(" ")
    )))
}

/// Removes what a killed server has left.
pub(super) fn remove_leftovers(workspace: &Workspace) {
    let Ok(folder) = workspace.inside(FOLDER) else { return };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upload_is_there_whole_or_not_at_all() {
        let home = tempfile::tempdir().expect("a folder");
        let workspace = Workspace::open(home.path()).expect("a workspace");
        let mut upload = Upload::begin(&workspace, "people.csv", 8).expect("begun");
        upload.write(b"a\n1\n").expect("room");
        assert!(Upload::begin(&workspace, "people.csv", 8).is_err(), "two at once");
        assert_eq!(upload.finish().expect("whole"), "tables/people.csv");
        let mut large = Upload::begin(&workspace, "large.csv", 8).expect("begun");
        assert!(large.write(b"123456789").is_err());
        drop(large);
        assert!(Upload::begin(&workspace, "people.csv", 8).is_err(), "an existing file is kept");
        let left: Vec<_> =
            fs::read_dir(home.path().join("tables")).expect("a folder").flatten().map(|e| e.file_name()).collect();
        assert_eq!(left, ["people.csv"]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(home.path().join("tables/people.csv")).expect("a file").permissions().mode();
            assert_eq!(mode & 0o077, 0, "nobody else reads what was sent");
        }
        fs::write(home.path().join("tables/.upload-x.csv"), "half").expect("written");
        Workspace::open(home.path()).expect("a workspace");
        assert!(!home.path().join("tables/.upload-x.csv").exists());
    }

    #[test]
    fn names_lead_nowhere() {
        assert_eq!(safe_name("C:\\files\\people 2.csv").expect("a name"), "people 2.csv");
        assert_eq!(safe_name("../../etc/people.csv").expect("a name"), "people.csv");
        for name in ["", ".csv", "..", "policy.toml", "a\0.csv", "<b>.csv", "people", ".hidden.csv", "a\n.csv"] {
            assert!(safe_name(name).is_err(), "{name:?}");
        }
    }
}
