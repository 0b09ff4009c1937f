//! The files that settings name, opened before anything else is read from the settings.
//!
//! Whoever reads a setting then finds the content of the file in its place, and needs no file system.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Content, Node, section};
use crate::error::{Error, Result};

/// Finds the files that a policy names: hierarchies and targets.
pub trait Resolver {
    /// The content of a file, by the name that the policy gives it.
    fn read(&self, name: &str) -> Result<Vec<u8>>;

    /// Where the file is, as messages call it.
    fn location(&self, name: &str) -> PathBuf {
        PathBuf::from(name)
    }
}

/// Files beside each other in a folder. Names are relative to it.
#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// This folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self(folder.into())
    }

    /// The folder that a file stands in.
    pub fn of(file: &Path) -> Self {
        Self(file.parent().unwrap_or(Path::new(".")).to_path_buf())
    }
}

impl Resolver for Folder {
    fn read(&self, name: &str) -> Result<Vec<u8>> {
        let path = self.location(name);
        std::fs::read(&path).map_err(|e| Error::machine("read the file", &path, e))
    }

    fn location(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

/// No files at all: a policy that names one is refused.
#[derive(Clone, Copy, Debug)]
pub struct NoFiles;

impl Resolver for NoFiles {
    fn read(&self, name: &str) -> Result<Vec<u8>> {
        Err(Error::input(format!("the file {name:?} is named, and files can't be found from here"))
            .help("state a resolver, or write the content in place of the name: hierarchy = { rows = [[\"flu\", \"infection\", \"*\"]] }"))
    }
}

/// A file that was opened.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The name that the settings give it.
    pub name: String,
    /// Where it is, as messages call it.
    pub location: PathBuf,
    /// Its content.
    pub bytes: Arc<[u8]>,
}

/// Whether a text at the end of these keys names a file that is read with the settings.
fn names_file(keys: &[&str]) -> bool {
    matches!(keys, ["attributes", _, "hierarchy"] | ["attributes", _, "hierarchy", "file"] | [.., "target", "file"])
}

impl Node {
    /// Opens every file that these settings name and that is not open yet: its content then stands in place of its name.
    pub fn open_files(&mut self, resolver: &dyn Resolver, file: &Path) -> Result<()> {
        self.each_file(&mut Vec::new(), &mut |node| {
            let Content::Text(name) = &node.content else { return Ok(()) };
            let bytes = resolver.read(name).map_err(|error| match error.place().file {
                Some(_) => error,
                None => section::place(error, &node.origin, file),
            })?;
            let (name, location) = (name.clone(), resolver.location(name));
            node.content = Content::File(Opened { name, location, bytes: bytes.into() });
            Ok(())
        })
    }

    /// Names files that are open by where they are, whatever folder is the present one.
    pub fn anchor_files(&mut self) -> Result<()> {
        self.each_file(&mut Vec::new(), &mut |node| {
            let Content::File(opened) = &node.content else { return Ok(()) };
            node.content = Content::Text(absolute(&opened.location)?);
            Ok(())
        })
    }

    fn each_file(&mut self, keys: &mut Vec<String>, visit: &mut dyn FnMut(&mut Self) -> Result<()>) -> Result<()> {
        if matches!(self.content, Content::Text(_) | Content::File(_)) {
            let path: Vec<&str> = keys.iter().map(String::as_str).collect();
            return if names_file(&path) { visit(self) } else { Ok(()) };
        }
        match &mut self.content {
            Content::Table(entries) => entries.iter_mut().try_for_each(|(key, inner)| {
                keys.push(key.clone());
                let visited = inner.each_file(keys, visit);
                keys.pop();
                visited
            }),
            Content::List(items) => items.iter_mut().try_for_each(|item| item.each_file(keys, visit)),
            _ => Ok(()),
        }
    }
}

/// A path that does not depend on the present folder.
pub fn absolute(path: &Path) -> Result<String> {
    let path = std::path::absolute(path).map_err(|e| Error::machine("find the folder of a file", path, e))?;
    Ok(path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[attributes]\na = { role = \"quasi\", hierarchy = \"a.csv\" }\nfile = { role = \"drop\" }\n\
                        [[require]]\nmodel = \"p-private\"\ntarget = { file = \"t.csv\" }\n";

    struct Recorded;

    impl Resolver for Recorded {
        fn read(&self, name: &str) -> Result<Vec<u8>> {
            Ok(format!("content of {name}").into_bytes())
        }
    }

    #[test]
    fn files_are_opened_where_they_are_named_and_written_by_name() {
        let mut tree = Node::parse(TEXT, Path::new("p.toml")).unwrap();
        let before = tree.to_toml();
        tree.open_files(&Recorded, Path::new("p.toml")).unwrap();
        let shown = format!("{tree:?}");
        assert_eq!(shown.matches("File(Opened").count(), 2, "{shown}");
        assert_eq!(tree.to_toml(), before);
        tree.open_files(&NoFiles, Path::new("p.toml")).expect("nothing is left to open");
        tree.anchor_files().unwrap();
        let folder = std::env::current_dir().unwrap().display().to_string();
        assert_eq!(tree.to_toml().matches(&folder).count(), 2);
    }

    #[test]
    fn without_a_resolver_a_file_is_refused_where_it_is_named() {
        let mut tree = Node::parse(TEXT, Path::new("p.toml")).unwrap();
        let error = tree.open_files(&NoFiles, Path::new("p.toml")).unwrap_err();
        assert_eq!((error.place().line, error.place().file.as_deref()), (Some(2), Some(Path::new("p.toml"))));
    }
}
