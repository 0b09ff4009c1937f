//! Reading a table of a policy key by key, with errors that name the place and what would be right.

use std::path::{Path, PathBuf};

use super::{Content, Node, Opened, Origin};
use crate::error::{Code, Error, Result, nearest};

/// A table of the policy that is being read. [`Section::finish`] refuses keys that nobody asked for.
#[derive(Debug)]
pub struct Section<'a> {
    /// What it is, as messages call it: `[data]`, `k-anonymity`.
    name: String,
    file: &'a Path,
    origin: &'a Origin,
    entries: &'a [(String, Node)],
    asked: Vec<&'static str>,
}

impl<'a> Section<'a> {
    /// The table at `node`.
    pub fn new(name: impl Into<String>, node: &'a Node, file: &'a Path) -> Result<Self> {
        let name = name.into();
        match &node.content {
            Content::Table(entries) => Ok(Self { name, file, origin: &node.origin, entries, asked: Vec::new() }),
            other => Err(place(
                Error::input(format!("{name} must be a table, not {}", other.kind())).coded(Code::WrongParameter),
                &node.origin,
                file,
            )),
        }
    }

    /// A table inside this one.
    pub fn inner(&self, name: impl Into<String>, node: &'a Node) -> Result<Self> {
        Self::new(format!("{}: {}", self.name, name.into()), node, self.file)
    }

    /// An error about this table.
    pub fn error(&self, message: impl std::fmt::Display) -> Error {
        place(Error::input(format!("{}: {message}", self.name)), self.origin, self.file)
    }

    /// An error about the value of a key, which may be missing.
    pub fn error_at(&self, key: &str, message: impl std::fmt::Display) -> Error {
        self.refused(key, Error::input(message.to_string()).coded(Code::WrongParameter))
    }

    /// An error about the value of a key, as whoever tried to read that value tells it.
    pub fn refused(&self, key: &str, error: Error) -> Error {
        let origin = self.entries.iter().find(|(name, _)| name == key).map_or(self.origin, |(_, node)| &node.origin);
        place(error.about(&self.name), origin, self.file)
    }

    /// The file that it stands in.
    pub fn file(&self) -> &'a Path {
        self.file
    }

    /// A path of the policy, which is relative to the policy's own folder.
    pub fn beside(&self, path: &str) -> PathBuf {
        self.file.parent().unwrap_or(Path::new(".")).join(path)
    }

    /// The value of a key, if it is there.
    pub fn get(&mut self, key: &'static str) -> Option<&'a Node> {
        self.asked.push(key);
        self.entries.iter().find(|(name, _)| name == key).map(|(_, node)| node)
    }

    /// All keys, with their values, in the order of the file.
    pub fn entries(&self) -> &'a [(String, Node)] {
        self.entries
    }

    /// A text, if it is there.
    pub fn text(&mut self, key: &'static str) -> Result<Option<&'a str>> {
        match self.get(key).map(|node| &node.content) {
            None => Ok(None),
            Some(Content::Text(text)) => Ok(Some(text)),
            Some(other) => Err(self.wrong_kind(key, "a text", other)),
        }
    }

    /// A text that must be there.
    pub fn required_text(&mut self, key: &'static str) -> Result<&'a str> {
        self.text(key)?.ok_or_else(|| self.lacks(key))
    }

    /// A file that was opened where it is named, if it is named.
    pub fn opened(&mut self, key: &'static str) -> Result<Option<&'a Opened>> {
        match self.get(key).map(|node| &node.content) {
            None => Ok(None),
            Some(Content::File(opened)) => Ok(Some(opened)),
            Some(other) => Err(self.wrong_kind(key, "the name of a file", other)),
        }
    }

    /// One of some words, if the key is there.
    pub fn choice<T: Copy>(&mut self, key: &'static str, choices: &[(&'static str, T)]) -> Result<Option<T>> {
        let Some(word) = self.text(key)? else { return Ok(None) };
        match choices.iter().find(|(name, _)| *name == word) {
            Some(&(_, choice)) => Ok(Some(choice)),
            None => {
                let names: Vec<&str> = choices.iter().map(|&(name, _)| name).collect();
                Err(self.error_at(key, format!("`{key}` can't be {word:?}")).help(suggestion(word, &names)))
            }
        }
    }

    /// True or false, if it is there.
    pub fn flag(&mut self, key: &'static str) -> Result<Option<bool>> {
        match self.get(key).map(|node| &node.content) {
            None => Ok(None),
            Some(Content::Boolean(flag)) => Ok(Some(*flag)),
            Some(other) => Err(self.wrong_kind(key, "true or false", other)),
        }
    }

    /// A whole number of at least `least`, if it is there.
    pub fn whole(&mut self, key: &'static str, least: u64) -> Result<Option<u64>> {
        match self.get(key).map(|node| &node.content) {
            None => Ok(None),
            Some(Content::Integer(i)) if u64::try_from(*i).is_ok_and(|i| i >= least) => Ok(Some(i.unsigned_abs())),
            Some(Content::Integer(i)) => {
                Err(self.error_at(key, format!("`{key}` is {i}")).help(format!("a whole number of at least {least}")))
            }
            Some(Content::Float(x)) => {
                Err(self.error_at(key, format!("`{key}` is {x}")).help(format!("a whole number of at least {least}")))
            }
            Some(other) => Err(self.wrong_kind(key, "a whole number", other)),
        }
    }

    /// A whole number that must be there.
    pub fn required_whole(&mut self, key: &'static str, least: u64) -> Result<u64> {
        self.whole(key, least)?.ok_or_else(|| self.lacks(key))
    }

    /// A number for which `allowed` holds, if it is there; `range` says in words what is allowed.
    pub fn number(&mut self, key: &'static str, range: &str, allowed: impl Fn(f64) -> bool) -> Result<Option<f64>> {
        let x = match self.get(key).map(|node| &node.content) {
            None => return Ok(None),
            Some(Content::Float(x)) => *x,
            Some(Content::Integer(i)) => *i as f64,
            Some(other) => return Err(self.wrong_kind(key, "a number", other)),
        };
        if x.is_finite() && allowed(x) {
            Ok(Some(x))
        } else {
            Err(self.error_at(key, format!("`{key}` is {x}")).help(format!("a number {range}")))
        }
    }

    /// A number that must be there.
    pub fn required_number(&mut self, key: &'static str, range: &str, allowed: impl Fn(f64) -> bool) -> Result<f64> {
        self.number(key, range, allowed)?.ok_or_else(|| self.lacks(key))
    }

    /// A list of texts, if it is there.
    pub fn texts(&mut self, key: &'static str) -> Result<Option<Vec<String>>> {
        let Some(node) = self.get(key) else { return Ok(None) };
        texts_of(node).map(Some).ok_or_else(|| self.wrong_kind(key, "a list of texts", &node.content))
    }

    /// The error for a key that must be there.
    pub fn lacks(&self, key: &str) -> Error {
        // What looks like a slip of the fingers is named where it stands.
        let mut unknown = self.entries.iter().filter(|(name, _)| !self.asked.contains(&name.as_str()));
        let slip = unknown.find(|(name, _)| nearest(name, [key]).is_some());
        match slip {
            Some((name, node)) => {
                let error = Error::input(format!("{}: unknown key `{name}`", self.name)).coded(Code::UnknownKey);
                place(error, &node.origin, self.file).help(format!("did you mean `{key}`?"))
            }
            None => self.error(format!("`{key}` is missing")).coded(Code::MissingKey),
        }
    }

    /// The error for a value of the wrong kind.
    pub fn wrong_kind(&self, key: &str, wanted: &str, found: &Content) -> Error {
        self.error_at(key, format!("`{key}` must be {wanted}, not {}", found.kind()))
    }

    /// Refuses keys that nobody asked for: a slip of the fingers must not weaken a policy in silence.
    pub fn finish(self) -> Result<()> {
        self.refuse_unknown()
    }

    /// What [`Section::finish`] does, for a section that is only lent.
    pub fn refuse_unknown(&self) -> Result<()> {
        match self.entries.iter().find(|(name, _)| !self.asked.contains(&name.as_str())) {
            None => Ok(()),
            Some((name, node)) => {
                let error = Error::input(format!("{}: unknown key `{name}`", self.name)).coded(Code::UnknownKey);
                Err(place(error, &node.origin, self.file).help(suggestion(name, &self.asked)))
            }
        }
    }
}

/// The texts of a list, if it is one.
pub fn texts_of(node: &Node) -> Option<Vec<String>> {
    let Content::List(items) = &node.content else { return None };
    let text = |item: &Node| match &item.content {
        Content::Text(text) => Some(text.clone()),
        _ => None,
    };
    items.iter().map(text).collect()
}

/// The nearest of some names, or all of them.
pub fn suggestion(wanted: &str, names: &[&str]) -> String {
    match nearest(wanted, names.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("one of: {}", names.join(", ")),
    }
}

/// Adds to an error the place that a value comes from.
pub fn place(error: Error, origin: &Origin, file: &Path) -> Error {
    match origin {
        Origin::File(line, column) => error.at_file(file).at(*line, *column),
        Origin::Override(setting) => error.at_file(Path::new(&format!("--set {setting}"))),
    }
}
