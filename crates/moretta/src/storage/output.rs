//! Output that appears whole or not at all.
//!
//! Everything is written into a folder aside, next to the output, which is renamed into place when it
//! is complete. A lock file beside it tells a run that is alive from one that was killed: the
//! operating system gives the lock back when a process dies, however it dies. The next run to the same
//! output removes what dead runs have left.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use super::Storage;
use super::atomic::sync_folder;
use crate::error::{Code, Error, Result};

const LOCK: &str = "lock"; // the ending of the lock file's name
const ASIDE: &str = ".moretta-"; // between the output's name and a random number

/// An output folder in the making.
#[derive(Debug)]
pub struct AtomicOutput {
    out: PathBuf,
    aside: PathBuf,
    replace: bool,
    /// Held until the output is in place, or the process dies.
    _lock: File,
}

impl AtomicOutput {
    /// Starts an output folder. An existing one is refused unless it is to be replaced.
    pub fn begin(out: &Path, replace: bool) -> Result<Self> {
        refuse_existing(out, replace)?;
        let out = absolute(out)?;
        let parent = out.parent().ok_or_else(|| Error::input("the output can't be the root folder").at_file(&out))?;
        if !parent.is_dir() {
            return Err(Error::machine("write the output", parent, std::io::ErrorKind::NotFound.into())
                .help("make the folder that is to hold the output"));
        }
        let prefix = prefix(&out)?;
        remove_leftovers(parent, |name| name.starts_with(&prefix));
        let aside = parent.join(format!("{prefix}{:08x}", random()?));
        let lock_file = lock_beside(&aside);
        let lock = File::create(&lock_file).map_err(|e| Error::machine("write the output", parent, e))?;
        lock.lock().map_err(|e| Error::machine("lock the output", &lock_file, e))?;
        let stage = Self { out, aside, replace, _lock: lock };
        let aside = &stage.aside;
        create_private(aside)?;
        fs::create_dir(aside.join("release")).map_err(|e| Error::machine("write the output", aside, e))?;
        create_private(&aside.join("private"))?;
        Ok(stage)
    }

    /// The folder aside.
    pub fn path(&self) -> &Path {
        &self.aside
    }

    /// The shelf of what may be given away.
    pub fn release(&self) -> Storage {
        Storage::Folder(self.aside.join("release"))
    }

    /// The shelf of what must not.
    pub fn private(&self) -> Storage {
        Storage::Folder(self.aside.join("private"))
    }

    /// Puts the output into place.
    pub fn commit(self) -> Result<()> {
        self.commit_before(|| Ok(()))
    }

    /// Puts the output into place, and takes it away again where what has to come after it fails.
    pub fn commit_before(self, last: impl FnOnce() -> Result<()>) -> Result<()> {
        let failed = |e: std::io::Error| Error::machine("put the output into place", &self.out, e);
        close_files(&self.aside.join("private")).map_err(failed)?;
        open_to_readers(&self.aside).map_err(failed)?;
        if self.replace && self.out.exists() {
            exchange(&self.aside, &self.out).map_err(failed)?;
            // The old output now stands aside. If it can't be removed, the next run tries again.
            last().or_else(|error| exchange(&self.aside, &self.out).map_err(failed).and(Err(error)))?;
            let _ = fs::remove_dir_all(&self.aside);
        } else {
            refuse_existing(&self.out, false)?;
            fs::rename(&self.aside, &self.out).map_err(failed)?;
            last().or_else(|error| fs::rename(&self.out, &self.aside).map_err(failed).and(Err(error)))?;
        }
        sync_folder(&self.out);
        Ok(())
    }
}

impl Drop for AtomicOutput {
    fn drop(&mut self) {
        // After a commit there is nothing aside any more; after an error nothing half-written may stay.
        let _ = fs::remove_dir_all(&self.aside);
        let _ = fs::remove_file(lock_beside(&self.aside));
    }
}

/// Refuses an output folder that is there already, unless it is to be replaced and was made by this program.
pub fn refuse_existing(out: &Path, replace: bool) -> Result<()> {
    if out.exists() && !replace {
        return Err(Error::input("the output folder exists already")
            .coded(Code::OutputExists)
            .at_file(out)
            .help("choose another, or replace it whole with --force"));
    }
    if out.exists() && !looks_like_output(out) {
        return Err(Error::input("this folder was not made by moretta, so it is not replaced")
            .coded(Code::OutputExists)
            .at_file(out)
            .help("remove it yourself, or choose another"));
    }
    Ok(())
}

/// `--force` must not become a way to lose a home folder.
fn looks_like_output(out: &Path) -> bool {
    let is_empty = || fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_none());
    out.join("release").join(super::MANIFEST).is_file() || is_empty()
}

fn absolute(out: &Path) -> Result<PathBuf> {
    std::path::absolute(out).map_err(|e| Error::machine("find the output folder", out, e))
}

fn prefix(out: &Path) -> Result<String> {
    let name = out.file_name().ok_or_else(|| Error::input("the output folder has no name").at_file(out))?;
    Ok(format!(".{}{ASIDE}", name.to_string_lossy()))
}

fn lock_beside(aside: &Path) -> PathBuf {
    aside.with_added_extension(LOCK)
}

fn random() -> Result<u32> {
    getrandom::u32().map_err(|e| Error::new(crate::Fault::Machine, format!("the system gives no randomness: {e}")))
}

/// Removes from a folder what runs that were killed have left beside any output. Runs that are alive keep theirs.
pub fn remove_what_dead_runs_left(folder: &Path) {
    remove_leftovers(folder, |name| name.starts_with('.') && name.contains(ASIDE));
}

/// Removes folders aside, and lock files, of runs that are dead: their lock can be had.
fn remove_leftovers(parent: &Path, is_aside: impl Fn(&str) -> bool) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        if !is_aside(&entry.file_name().to_string_lossy()) {
            continue;
        }
        let path = entry.path();
        let lock_file = if path.is_dir() { lock_beside(&path) } else { path.clone() };
        let alive = File::open(&lock_file).is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)));
        if !alive {
            let _ = fs::remove_dir_all(&path);
            let _ = fs::remove_file(&path);
        }
    }
}

#[cfg(unix)]
fn create_private(folder: &Path) -> Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    let made = fs::DirBuilder::new().mode(0o700).create(folder);
    made.map_err(|e| Error::machine("write the output", folder, e))
}

#[cfg(not(unix))]
fn create_private(folder: &Path) -> Result<()> {
    fs::create_dir(folder).map_err(|e| Error::machine("write the output", folder, e))
}

/// The output itself may be listed by others; only `private` within it stays closed.
#[cfg(unix)]
fn open_to_readers(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))
}

/// Whoever copies a file out of the closed folder copies its mode with it, so each file is the owner's alone too.
#[cfg(unix)]
fn close_files(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::read_dir(folder)?.try_for_each(|file| fs::set_permissions(file?.path(), fs::Permissions::from_mode(0o600)))
}

#[cfg(not(unix))]
fn close_files(_: &Path) -> std::io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
fn open_to_readers(_: &Path) -> std::io::Result<()> {
    Ok(())
}

/// Swaps two folders in one step where the system can, so that no moment is without an output.
#[cfg(target_os = "linux")]
fn exchange(a: &Path, b: &Path) -> std::io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    match renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(()),
        Err(_) => exchange_in_steps(a, b),
    }
}

#[cfg(not(target_os = "linux"))]
fn exchange(a: &Path, b: &Path) -> std::io::Result<()> {
    exchange_in_steps(a, b)
}

fn exchange_in_steps(a: &Path, b: &Path) -> std::io::Result<()> {
    let old = a.with_added_extension("old");
    fs::rename(b, &old)?;
    fs::rename(a, b)?;
    fs::rename(&old, a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_appears_whole_and_leftovers_of_dead_runs_go() {
        let home = tempfile::tempdir().unwrap();
        let out = home.path().join("out");
        let dead = home.path().join(".out.moretta-deadbeef");
        fs::create_dir_all(dead.join("release")).unwrap();

        let stage = AtomicOutput::begin(&out, false).unwrap();
        assert!(!dead.exists() && !out.exists());
        let other = AtomicOutput::begin(&out, false).unwrap();
        assert!(stage.aside.exists(), "a run that is alive keeps its folder");
        drop(other);
        stage.release().write(crate::storage::MANIFEST, b"{}").unwrap();
        stage.commit().unwrap();
        assert!(out.join("release").is_dir() && out.join("private").is_dir());
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);

        assert!(AtomicOutput::begin(&out, false).is_err(), "an existing output is refused");
        let stage = AtomicOutput::begin(&out, true).unwrap();
        stage.release().write(crate::storage::MANIFEST, b"never seen").unwrap();
        assert!(stage.commit_before(|| Err(Error::bug("what follows fails"))).is_err());
        assert_eq!(fs::read(out.join("release").join(crate::storage::MANIFEST)).unwrap(), b"{}");
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1, "the earlier output is back, alone");
        let elsewhere = home.path().join("elsewhere");
        let stage = AtomicOutput::begin(&elsewhere, false).unwrap();
        assert!(stage.commit_before(|| Err(Error::bug("what follows fails"))).is_err());
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1, "a new output is gone");
        let stage = AtomicOutput::begin(&out, true).unwrap();
        stage.release().write(crate::storage::MANIFEST, b"new").unwrap();
        stage.commit().unwrap();
        assert_eq!(fs::read(out.join("release").join(crate::storage::MANIFEST)).unwrap(), b"new");
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn what_is_private_is_the_owner_s_alone() {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        let out = home.path().join("out");
        let stage = AtomicOutput::begin(&out, false).unwrap();
        stage.release().write(crate::storage::MANIFEST, b"{}").unwrap();
        stage.private().write("seed.txt", b"0x0").unwrap();
        stage.commit().unwrap();
        let mode = |path: &str| fs::metadata(out.join(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("private"), mode("private/seed.txt")), (0o700, 0o600));
        assert_ne!(mode("release/manifest.json"), 0o600);
    }

    #[test]
    fn an_abandoned_stage_leaves_nothing() {
        let home = tempfile::tempdir().unwrap();
        drop(AtomicOutput::begin(&home.path().join("out"), false).unwrap());
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_of_somebody_else_is_never_replaced() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("thesis.txt"), "").unwrap();
        assert!(AtomicOutput::begin(home.path(), true).is_err());
    }
}
