//! Trees of categories, each in a file of its own that the command line reads, too.

use std::fs;
use std::io::ErrorKind;

use moretta::{Error, Result, files};

use super::Workspace;

/// Where they stand.
pub(super) const FOLDER: &str = "hierarchies";

impl Workspace {
    /// Keeps the tree of a column, and gives the name of its file.
    ///
    /// A file that was written is never changed: releases that were made with it name it, and can be looked at again.
    pub(crate) fn keep_tree(&self, column: &str, tree: &str) -> Result<String> {
        self.folder(FOLDER)?;
        let stem = plain(column);
        for number in 1..u32::MAX {
            let name = if number == 1 { stem.clone() } else { format!("{stem}-{number}") };
            let file = format!("{FOLDER}/{name}.csv");
            let path = self.inside(&file)?;
            match fs::read(&path) {
                Ok(known) if known == tree.as_bytes() => return Ok(file),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    files::write(path, tree)?;
                    return Ok(file);
                }
                Err(error) => return Err(Error::machine("read the tree", &path, error)),
            }
        }
        Err(Error::input(format!("{column:?} has too many trees in {FOLDER}/")).help("remove some"))
    }
}

/// A name as part of a file's name: what could lead elsewhere, or is no letter, is a line.
pub(super) fn plain(name: &str) -> String {
    name.chars().take(60).map(|c| if c.is_alphanumeric() || c == '-' { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_that_was_kept_stays_what_it_is() {
        let home = tempfile::tempdir().expect("a folder");
        let workspace = Workspace::open(home.path()).expect("a workspace");
        let keep = |column: &str, tree: &str| workspace.keep_tree(column, tree).expect("kept");
        assert_eq!(keep("a b", "x,*\n"), "hierarchies/a_b.csv");
        assert_eq!(keep("a b", "x,*\n"), "hierarchies/a_b.csv");
        assert_eq!(keep("a_b", "y,*\n"), "hierarchies/a_b-2.csv");
        assert_eq!(keep("../..", "z,*\n"), "hierarchies/_____.csv");
        assert_eq!(fs::read_to_string(home.path().join("hierarchies/a_b.csv")).expect("kept"), "x,*\n");
    }
}
