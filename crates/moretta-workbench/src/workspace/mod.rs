//! The folder in which everything stands: tables, `policy.toml`, hierarchies, releases.
//!
//! Nothing outside of it is read or written, whatever a name says: a path is taken apart, and where its links lead is looked at.

mod picture;
mod place;
mod policy;
mod releases;
mod saved;
mod tables;
mod trees;
mod upload;
pub(crate) mod zip;

use std::fs;
use std::path::{Component, Path, PathBuf};

use moretta::{Error, Result};

pub(crate) use picture::{Bin, ColumnPicture, Picture};
pub(crate) use place::TableName;
pub(crate) use policy::{AttributeText, PolicyFile};
pub(crate) use tables::{Stamp, TableFile};
pub(crate) use upload::Upload;

/// A folder with tables, a policy, hierarchies and releases.
#[derive(Clone, Debug)]
pub(crate) struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// Opens a folder, and makes it where there is none. What a killed server has left of uploads and releases is removed.
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder).map_err(|e| Error::machine("make the workspace", folder, e))?;
        let root = folder.canonicalize().map_err(|e| Error::machine("open the workspace", folder, e))?;
        let workspace = Self { root };
        upload::remove_leftovers(&workspace);
        if let Ok(releases) = workspace.inside("releases") {
            moretta::files::remove_what_dead_runs_left(&releases);
        }
        Ok(workspace)
    }

    /// The folder itself.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The policy that the command line reads, too.
    pub(crate) fn policy_file(&self) -> Result<PathBuf> {
        self.inside("policy.toml")
    }

    /// The plan of the comparison that was run last.
    pub(crate) fn plan_file(&self) -> Result<PathBuf> {
        self.inside("compare.toml")
    }

    /// What a comparison keeps.
    pub(crate) fn comparison(&self) -> Result<PathBuf> {
        self.inside("comparison")
    }

    /// A path within the folder, named relative to it. Whatever leads out is refused: `..`, an absolute path, a link.
    pub(crate) fn inside(&self, relative: &str) -> Result<PathBuf> {
        let outside =
            || Error::input(format!("{relative:?} is not in the workspace")).help("name a file in its folder");
        let plain =
            !relative.is_empty() && Path::new(relative).components().all(|part| matches!(part, Component::Normal(_)));
        if !plain || relative.contains(['\0', '\\']) {
            return Err(outside());
        }
        let path = self.root.join(relative);
        // What does not exist yet lies where its folder does.
        let existing = path.ancestors().find(|ancestor| ancestor.symlink_metadata().is_ok()).ok_or_else(outside)?;
        let real = existing.canonicalize().map_err(|_| outside())?;
        if real.starts_with(&self.root) { Ok(path) } else { Err(outside()) }
    }

    /// A folder of the workspace, made where there is none; a link that leads out is refused.
    pub(crate) fn folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.inside(name)?;
        fs::create_dir_all(&folder).map_err(|e| Error::machine("make a folder", &folder, e))?;
        Ok(folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_is_named() {
        let home = tempfile::tempdir().expect("a folder");
        fs::write(home.path().join("secret.csv"), "a\n1\n").expect("written");
        let workspace = Workspace::open(&home.path().join("ws")).expect("a workspace");
        fs::write(workspace.root().join("table.csv"), "a\n1\n").expect("written");
        assert!(workspace.inside("table.csv").is_ok() && workspace.inside("tables/new.csv").is_ok());
        for path in [
            "../secret.csv",
            "/etc/passwd",
            "tables/../../secret.csv",
            "",
            ".",
            "..",
            "a\0b",
            "..\\secret.csv",
            "./table.csv/..",
        ] {
            assert!(workspace.inside(path).is_err(), "{path:?}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(home.path(), workspace.root().join("out")).expect("a link");
            std::os::unix::fs::symlink(home.path().join("secret.csv"), workspace.root().join("link.csv"))
                .expect("a link");
            std::os::unix::fs::symlink("/nowhere", workspace.root().join("dangling")).expect("a link");
            for path in ["out/secret.csv", "out/new.csv", "link.csv", "dangling", "dangling/x"] {
                assert!(workspace.inside(path).is_err(), "{path:?}");
            }
            assert!(workspace.folder("out").is_err());
            std::os::unix::fs::symlink("table.csv", workspace.root().join("within.csv")).expect("a link");
            assert!(workspace.inside("within.csv").is_ok());
        }
    }
}
