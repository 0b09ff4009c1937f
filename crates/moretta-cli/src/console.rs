//! Talking to people and to programs: data on standard output, everything else on standard error.

use std::io::Write;

use anstyle::{AnsiColor, Style};
use moretta::{Error, Fault, Result, SCHEMA};
use serde_json::{Value as Json, json};

use crate::command::Outcome;
use crate::output;

/// Bold.
pub(crate) const STRONG: Style = Style::new().bold();
/// What holds.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// What does not.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// What somebody should look at.
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default().bold();
/// What is only said in passing.
pub(crate) const FAINT: Style = Style::new().dimmed();

/// The exit status of a run that was stopped: what shells report of a program that Ctrl-C ends.
pub(crate) const CANCELLED: u8 = 130;

/// Where output goes. Colours are left out where standard output is no terminal, or `NO_COLOR` is set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Console {
    json: bool,
    quiet: bool,
}

impl Console {
    pub(crate) fn new(json: bool, quiet: bool) -> Self {
        Self { json, quiet }
    }

    pub(crate) fn wants_json(&self) -> bool {
        self.json
    }

    /// Whether progress may be shown.
    pub(crate) fn is_chatty(&self) -> bool {
        !self.quiet && !self.json
    }

    /// The result of a command: JSON for programs, a text for people.
    pub(crate) fn result(&self, json: impl FnOnce() -> Result<Json>, text: impl FnOnce() -> String) -> Result<()> {
        if self.json {
            let json = json()?;
            output::data(|out| out.put(&format!("{json:#}\n")))
        } else if !self.quiet {
            output::text(&text())
        } else {
            Ok(())
        }
    }

    /// Something that a person should look at.
    pub(crate) fn warn(&self, message: &str) {
        if !self.quiet {
            let yellow = AnsiColor::Yellow.on_default().bold();
            let _ = writeln!(anstream::stderr(), "{yellow}warning:{yellow:#} {message}");
        }
    }

    /// Tells how the run ended.
    pub(crate) fn status(&self, run: Result<Outcome>) -> u8 {
        match run {
            Ok(Outcome::Done) => 0,
            Ok(Outcome::PromiseBroken) => 1,
            Err(error) => {
                self.error(&error);
                status(&error)
            }
        }
    }

    /// An error: a text for people on standard error, and JSON for programs on standard output.
    fn error(&self, error: &Error) {
        if self.json {
            // Where even this can't be written, the text and the exit status still tell.
            let _ = output::data(|out| out.put(&format!("{:#}\n", error_to_json(error))));
        }
        let _ = match error.fault() {
            // Whoever stopped it knows that, and it is no error.
            Fault::Cancelled => writeln!(anstream::stderr(), "{error}"),
            _ => writeln!(anstream::stderr(), "{BAD}error:{BAD:#} {error}"),
        };
    }
}

/// The exit status tells whose fault an error is.
fn status(error: &Error) -> u8 {
    match error.fault() {
        Fault::Data => 1,
        Fault::Input => 2,
        Fault::Machine => 3,
        Fault::Bug => 4,
        Fault::Cancelled => CANCELLED,
    }
}

fn error_to_json(error: &Error) -> Json {
    let place = error.place();
    json!({
        "schema": SCHEMA,
        "error": {
            "code": error.code(),
            "message": error.message(),
            "file": place.file.as_ref().map(|file| file.display().to_string()),
            "line": place.line,
            "column": place.column,
            "help": error.advice(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bug_is_no_broken_promise() {
        let errors =
            [Error::data(""), Error::input(""), Error::new(Fault::Machine, ""), Error::bug(""), Error::cancelled()];
        assert_eq!(errors.map(|error| status(&error)), [1, 2, 3, 4, 130]);
    }
}
