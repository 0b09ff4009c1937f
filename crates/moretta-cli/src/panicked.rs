//! A panic is a bug of ours: it ends as an error that says where it was.

use std::panic::{self, PanicHookInfo, UnwindSafe};
use std::sync::{Arc, Mutex, PoisonError};

use moretta::{Error, Result};

/// Runs something; if it panics, on whichever thread, that is an error.
///
/// With `RUST_BACKTRACE` set, a panic is shown in Rust's own way as well.
pub(crate) fn caught<T>(run: impl FnOnce() -> Result<T> + UnwindSafe) -> Result<T> {
    let first: Arc<Mutex<Option<String>>> = Arc::default();
    let (seen, with_trace, usual) = (first.clone(), wants_trace(), panic::take_hook());
    panic::set_hook(Box::new(move |panic| {
        // Later panics are consequences of the first: threads that waited for the one that panicked.
        seen.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| describe(panic));
        if with_trace {
            usual(panic);
        }
    }));
    let result = panic::catch_unwind(run);
    result.unwrap_or_else(|_| {
        let panic = first.lock().unwrap_or_else(PoisonError::into_inner).take();
        Err(bug(&panic.unwrap_or_default(), with_trace))
    })
}

fn wants_trace() -> bool {
    std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0")
}

/// Where it was, and what it says.
fn describe(panic: &PanicHookInfo<'_>) -> String {
    let place = panic.location().map_or(String::new(), |place| format!(" at {}:{}", place.file(), place.line()));
    format!("{place}: {}", panic.payload_as_str().unwrap_or("no reason was given"))
}

fn bug(panic: &str, with_trace: bool) -> Error {
    let error = Error::bug(format!("something impossible happened{panic}"));
    if with_trace {
        return error;
    }
    error.help("this is a bug in moretta; please report it, with what RUST_BACKTRACE=1 shows")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_that_says_where() {
        let line = line!() + 1;
        let error = caught(|| -> Result<()> { panic!("{} is odd", 3) }).expect_err("a panic");
        let place = format!("{}:{line}: 3 is odd", file!());
        assert_eq!(error.message(), format!("something impossible happened at {place}"));
        assert_eq!((error.fault(), error.code()), (moretta::Fault::Bug, "bug"));
        assert!(error.advice().is_some_and(|help| help.contains("report it")), "{error}");
    }

    #[test]
    fn of_several_threads_the_first_that_panics_is_named() {
        let run = || -> Result<()> {
            std::thread::scope(|scope| drop(scope.spawn(|| panic!("the first"))));
            Ok(())
        };
        let error = caught(run).expect_err("a panic");
        assert!(error.message().contains("the first"), "{error}");
    }

    #[test]
    fn what_does_not_panic_is_handed_on() {
        assert_eq!(caught(|| Ok(3)).expect("no panic"), 3);
        assert_eq!(caught(|| -> Result<()> { Err(Error::data("no")) }).expect_err("an error").message(), "no");
    }
}
