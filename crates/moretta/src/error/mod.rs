//! One error type for the whole library.
//!
//! An error is part of the interface: it says what is wrong, where, and what would be right. Its
//! [`Fault`] tells whose it is, because that decides the exit status and what a person does next;
//! its [`Code`] tells programs what it is about.

mod code;

use std::error::Error as StdError;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use code::Code;

/// The result of everything in this library that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Whose fault an error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The policy is fine, but this data can't meet it.
    Data,
    /// The input or the policy is wrong, whatever the data.
    Input,
    /// The machine failed: unreadable, unwritable, full.
    Machine,
    /// A promise of ours is broken: a bug to report.
    Bug,
    /// Nobody's: the work was asked to stop.
    Cancelled,
}

/// Where in a file something is wrong. Lines and columns count from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The file, as the user named it.
    pub file: Option<PathBuf>,
    /// The line in it.
    pub line: Option<u64>,
    /// The column: of a policy, in characters; of a table, the attribute's name stands in the message.
    pub column: Option<u64>,
}

/// What went wrong, where, and what would be right.
#[derive(Clone, Debug)]
pub struct Error {
    fault: Fault,
    code: Code,
    message: String,
    place: Box<Place>,
    help: Option<String>,
    /// Shared, so that an error can be cloned although the system's can't.
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

impl Error {
    /// An error of the given kind.
    pub fn new(fault: Fault, message: impl Into<String>) -> Self {
        let code = fault.code();
        Self { fault, code, message: message.into(), place: Box::default(), help: None, source: None }
    }

    /// The input or the policy is wrong, whatever the data.
    pub fn input(message: impl Into<String>) -> Self {
        Self::new(Fault::Input, message)
    }

    /// The policy is fine, but this data can't meet it.
    pub fn data(message: impl Into<String>) -> Self {
        Self::new(Fault::Data, message)
    }

    /// An invariant of ours does not hold.
    pub fn bug(message: impl Into<String>) -> Self {
        Self::new(Fault::Bug, message).help("this is a bug in moretta; please report it")
    }

    /// The work was asked to stop, and has left nothing behind.
    pub fn cancelled() -> Self {
        Self::new(Fault::Cancelled, "cancelled; nothing was written")
    }

    /// The same, where what was done so far is kept.
    #[must_use]
    pub(crate) fn keeping(mut self, what: &str) -> Self {
        self.message = format!("cancelled; the {what} found so far are kept");
        self
    }

    /// The operating system refused something about a file.
    pub fn machine(action: &str, path: &Path, source: std::io::Error) -> Self {
        Self::system(&format!("can't {action}"), source).at_file(path)
    }

    /// The operating system refused something.
    pub fn system(what: &str, source: std::io::Error) -> Self {
        Self::new(Fault::Machine, format!("{what}: {source}")).coded(Code::of_io(&source)).caused_by(source)
    }

    /// Says more closely what kind of error it is.
    #[must_use]
    pub fn coded(mut self, code: Code) -> Self {
        self.code = code;
        self
    }

    /// Adds the error that led to this one.
    #[must_use]
    pub fn caused_by(mut self, source: impl StdError + Send + Sync + 'static) -> Self {
        self.source = Some(Arc::new(source));
        self
    }

    /// Says what the error is about, before everything else.
    #[must_use]
    pub fn about(mut self, what: &str) -> Self {
        self.message = format!("{what}: {}", self.message);
        self
    }

    /// Adds what would be right.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds the file, unless one is known already.
    #[must_use]
    pub fn at_file(mut self, file: &Path) -> Self {
        self.place.file.get_or_insert_with(|| file.to_path_buf());
        self
    }

    /// Adds the line, where it is known.
    #[must_use]
    pub fn at_line(mut self, line: impl Into<Option<u64>>) -> Self {
        self.place.line = line.into().or(self.place.line);
        self
    }

    /// Adds the line and the column.
    #[must_use]
    pub fn at(mut self, line: u64, column: u64) -> Self {
        self.place.line = Some(line);
        self.place.column = Some(column);
        self
    }

    /// Whose fault it is.
    pub fn fault(&self) -> Fault {
        self.fault
    }

    /// What kind of error it is, for programs: one of [`Code::ALL`], such as `unknown-key`.
    pub fn code(&self) -> &'static str {
        self.code.as_str()
    }

    /// What is wrong, in one sentence.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Where it is wrong.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// What would be right, where we know.
    pub fn advice(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

impl Fault {
    /// The code of an error that no other describes.
    fn code(self) -> Code {
        match self {
            Self::Data => Code::DataRefused,
            Self::Input => Code::WrongInput,
            Self::Machine => Code::Machine,
            Self::Bug => Code::Bug,
            Self::Cancelled => Code::Cancelled,
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.line) {
            (Some(file), None) => write!(f, "{}", file.display()),
            (Some(file), Some(line)) => write!(f, "{}:{line}", file.display()),
            (None, Some(line)) => write!(f, "line {line}"),
            (None, None) => Ok(()),
        }?;
        match self.column {
            Some(column) => write!(f, ":{column}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if self.place.file.is_some() || self.place.line.is_some() {
            write!(f, "\n  at {}", self.place)?;
        }
        for line in self.help.iter().flat_map(|help| help.lines()) {
            f.write_str(if line.is_empty() { "\n" } else { "\n  " })?;
            f.write_str(line)?;
        }
        Ok(())
    }
}

/// The candidate closest to `wanted`, if one is close enough to be a slip of the fingers.
pub fn nearest<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (wanted.chars().count() / 3).max(2);
    candidates
        .into_iter()
        .map(|candidate| (strsim::levenshtein(wanted, candidate), candidate))
        .filter(|&(distance, _)| distance <= limit)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_a_small_slip_away() {
        let names = ["k-anonymity", "t-closeness", "p-sensitive"];
        assert_eq!(nearest("k-anonimity", names), Some("k-anonymity"));
        assert_eq!(nearest("closeness", names), Some("t-closeness"));
        assert_eq!(nearest("differential-privacy", names), None);
    }

    #[test]
    fn an_error_says_what_where_and_what_would_be_right() {
        let error = Error::input("k is 0").at_file(Path::new("p.toml")).at(3, 5).help("k starts at 1");
        assert_eq!(error.to_string(), "k is 0\n  at p.toml:3:5\n  k starts at 1");
        assert_eq!(error.code(), "wrong-input");
        assert_eq!(error.coded(Code::WrongParameter).code(), "wrong-parameter");
    }

    #[test]
    fn a_line_that_is_not_known_leaves_the_place_as_it_is() {
        let error = Error::input("k is 0").at_line(3);
        assert_eq!(error.clone().at_line(None).place().line, Some(3));
        assert_eq!(error.at_line(Some(4)).place().line, Some(4));
    }

    #[test]
    fn the_error_of_the_system_is_kept_even_in_a_clone() {
        let missing = std::fs::read("/no/such/file").expect_err("no such file");
        let text = format!("can't read: {missing}\n  at /no/such/file");
        let error = Error::machine("read", Path::new("/no/such/file"), missing).clone();
        let source = error.source().and_then(|source| source.downcast_ref::<std::io::Error>());
        assert_eq!(source.map(std::io::Error::kind), Some(std::io::ErrorKind::NotFound));
        assert_eq!((error.code(), error.to_string()), ("file-not-found", text));
    }
}
