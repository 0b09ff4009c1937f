//! The releases of a workspace, each a folder with `release/`, which may be given away, and `private/`, which must not.

use std::fs;
use std::path::PathBuf;

use moretta::{Error, Result};
use serde_json::Value as Json;

use super::Workspace;

impl Workspace {
    /// The releases, by name; one that is being made is not among them.
    pub(crate) fn releases(&self) -> Vec<String> {
        let entries = fs::read_dir(self.root().join("releases")).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut found: Vec<String> = names.filter(|name| self.release(name).is_ok()).collect();
        found.sort();
        found
    }

    /// The folder of a release that is there.
    pub(crate) fn release(&self, name: &str) -> Result<PathBuf> {
        let folder = self.new_release(name)?;
        for part in ["release", "private"] {
            self.refuse_links_out(&format!("releases/{name}/{part}"))?;
        }
        if folder.join("release/manifest.json").is_file() {
            Ok(folder)
        } else {
            Err(Error::input(format!("there is no release {name:?}")))
        }
    }

    /// Refuses a folder that leads out of the workspace, or holds anything that does: a file within it may be a link as well as one above it.
    fn refuse_links_out(&self, folder: &str) -> Result<()> {
        let path = self.inside(folder)?;
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name =
                name.to_str().ok_or_else(|| Error::input(format!("{folder:?} holds a file whose name is no text")))?;
            let within = format!("{folder}/{name}");
            // A plain file is where its folder is.
            match entry.file_type() {
                Ok(kind) if kind.is_file() => {}
                Ok(kind) if kind.is_dir() => self.refuse_links_out(&within)?,
                _ => drop(self.inside(&within)?),
            }
        }
        Ok(())
    }

    /// The folder of a release that may not be there yet.
    pub(crate) fn new_release(&self, name: &str) -> Result<PathBuf> {
        let is_plain = !name.is_empty()
            && name.len() <= 60
            && !name.starts_with(['-', '.'])
            && name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c));
        if !is_plain {
            return Err(Error::input(format!("{name:?} is no name for a release")).help("letters, digits and - _ ."));
        }
        self.inside(&format!("releases/{name}"))
    }

    /// A name that no release has yet.
    pub(crate) fn free_name(&self) -> String {
        let taken = |name: &String| self.root().join("releases").join(name).exists();
        (1..u32::MAX).map(|number| format!("release-{number}")).find(|name| !taken(name)).unwrap_or_default()
    }

    /// A file that stays with the steward, as JSON.
    pub(crate) fn private_json(&self, release: &str, file: &str) -> Option<Json> {
        serde_json::from_slice(&fs::read(self.release(release).ok()?.join("private").join(file)).ok()?).ok()
    }
}
