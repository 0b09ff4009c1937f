//! Talking to people and to programs: data on standard output, everything else on standard error.

use std::io::Write;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use moretta::{Error, Fault};
use serde_json::{Value as Json, json};

use crate::command::Outcome;

/// Bold.
pub(crate) const STRONG: Style = Style::new().bold();
/// What holds.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// What does not.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// What is only said in passing.
pub(crate) const FAINT: Style = Style::new().dimmed();

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
    pub(crate) fn result(&self, json: impl FnOnce() -> Json, text: impl FnOnce() -> String) {
        if self.json {
            self.print(&format!("{:#}\n", json()));
        } else if !self.quiet {
            self.print(&text());
        }
    }

    /// Output that was asked for and is printed even when quiet: a generated table, a policy.
    #[expect(clippy::unused_self, reason = "output goes through the console, whatever it is")]
    pub(crate) fn print(&self, text: &str) {
        let mut out = anstream::stdout().lock();
        // Who closes the pipe has read enough.
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }

    /// Something that a person should look at.
    pub(crate) fn warn(&self, message: &str) {
        if !self.quiet {
            let yellow = AnsiColor::Yellow.on_default().bold();
            let _ = writeln!(anstream::stderr(), "{yellow}warning:{yellow:#} {message}");
        }
    }

    pub(crate) fn exit_code(&self, run: std::thread::Result<moretta::Result<Outcome>>) -> ExitCode {
        let error = match run {
            Ok(Ok(Outcome::Done)) => return ExitCode::SUCCESS,
            Ok(Ok(Outcome::PromiseBroken)) => return ExitCode::from(1),
            Ok(Err(error)) => error,
            Err(panic) => {
                let reason = panic.downcast_ref::<&str>().map(ToString::to_string);
                let reason = reason.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
                Error::bug(format!("something impossible happened: {reason}"))
            }
        };
        if self.json {
            self.print(&format!("{:#}\n", error_to_json(&error)));
        }
        let _ = writeln!(anstream::stderr(), "{BAD}error:{BAD:#} {error}");
        ExitCode::from(match error.fault() {
            Fault::Data | Fault::Bug => 1,
            Fault::Input => 2,
            Fault::Machine => 3,
        })
    }
}

fn error_to_json(error: &Error) -> Json {
    let place = error.place();
    json!({
        "schema": 1,
        "error": {
            "message": error.message(),
            "file": place.file.as_ref().map(|file| file.display().to_string()),
            "line": place.line,
            "column": place.column,
            "help": error.advice(),
        },
    })
}
