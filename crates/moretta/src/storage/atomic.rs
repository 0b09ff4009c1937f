//! Files that appear whole or not at all.
//!
//! A file is written under another name in the same folder, put onto the disk, and renamed. The other name is always the same, so that
//! what a killed run has left is overwritten by the next; a lock on it keeps two runs that are alive apart.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Who may read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Whoever may read what the user makes otherwise.
    Usual,
    /// The user alone, where the system knows of users.
    Owner,
}

/// Writes a file, whole or not at all: `write` gets it empty, and nothing is changed where it fails.
pub fn write_atomically(
    path: &Path,
    readers: Readers,
    write: impl FnOnce(&mut &File) -> io::Result<()>,
) -> io::Result<()> {
    let aside = aside(path)?;
    let file = open_alone(&aside, readers)?;
    let written = write(&mut &file).and_then(|()| file.sync_all()).and_then(|()| fs::rename(&aside, path));
    match written {
        Ok(()) => sync_folder(path),
        Err(_) => drop(fs::remove_file(&aside)),
    }
    written
}

/// The name under which a file is written.
fn aside(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "it has no name"))?;
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(".part");
    Ok(path.with_file_name(hidden))
}

/// Opens the file aside, empty. Another run that writes it is waited for; its file has then got its real name, so that a new one is needed.
fn open_alone(aside: &Path, readers: Readers) -> io::Result<File> {
    loop {
        let file = open(aside, readers)?;
        // Where the system has no locks, two runs at a time are the user's affair.
        let _ = file.lock();
        if is_at(&file, aside)? {
            file.set_len(0)?;
            return Ok(file);
        }
    }
}

#[cfg(unix)]
fn open(path: &Path, readers: Readers) -> io::Result<File> {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    if readers == Readers::Usual {
        return options.open(path);
    }
    let file = options.mode(0o600).open(path)?;
    // A leftover may have been open to more.
    file.set_permissions(fs::Permissions::from_mode(0o600))?;
    Ok(file)
}

#[cfg(not(unix))]
fn open(path: &Path, _: Readers) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(false).open(path)
}

/// Whether a file still has this name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let own = file.metadata()?;
    Ok(fs::metadata(path).is_ok_and(|there| (there.dev(), there.ino()) == (own.dev(), own.ino())))
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> io::Result<bool> {
    fs::exists(path)
}

/// Puts a name onto the disk: a rename is durable when the folder that holds the name is.
pub(super) fn sync_folder(path: &Path) {
    if let Some(parent) = path.parent() {
        let folder = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn names(folder: &Path) -> Vec<OsString> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    }

    #[test]
    fn a_file_is_there_whole_or_as_it_was() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a.csv");
        // A killed run has left more than is written now.
        fs::write(home.path().join(".a.csv.part"), "half of a long table").unwrap();
        write_atomically(&path, Readers::Usual, |file| file.write_all(b"whole")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");

        let failed = write_atomically(&path, Readers::Usual, |file| {
            file.write_all(b"ha")?;
            assert_eq!(fs::read(&path)?, b"whole", "until the end the old file stays");
            Err(io::ErrorKind::StorageFull.into())
        });
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert_eq!(names(home.path()), ["a.csv"]);
        assert!(write_atomically(&home.path().join(".."), Readers::Usual, |_| Ok(())).is_err());
    }

    #[test]
    fn writers_at_the_same_time_do_not_mix() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a.csv");
        let write = |letter: u8| {
            for _ in 0..20 {
                write_atomically(&path, Readers::Usual, |file| (0..9).try_for_each(|_| file.write_all(&[letter; 99])))
                    .unwrap();
                let read = fs::read(&path).unwrap();
                assert!(read.len() == 9 * 99 && read.iter().all(|byte| *byte == read[0]));
            }
        };
        std::thread::scope(|scope| (b'a'..b'e').for_each(|letter| drop(scope.spawn(move || write(letter)))));
        assert_eq!(names(home.path()), ["a.csv"]);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_reads_what_is_private() {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("audit.json");
        fs::write(home.path().join(".audit.json.part"), "left open to all").unwrap();
        write_atomically(&path, Readers::Owner, |file| file.write_all(b"{}")).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
