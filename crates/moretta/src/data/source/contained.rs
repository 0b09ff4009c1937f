//! Code of others that may panic where bytes are forged. Such a panic is an error about the file: it ends no program, and nothing is shown of it.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use super::Input;
use crate::error::{Code, Error, Result};

thread_local! {
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// Runs work of a reader that is not ours on an input; a panic in it means that the input is not what its format says.
pub(super) fn contained<T>(input: &Input, work: impl FnOnce() -> Result<T>) -> Result<T> {
    silence();
    let outer = CONTAINED.replace(true);
    // Whatever the work has left half done is dropped with it.
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    CONTAINED.set(outer);
    done.unwrap_or_else(|_| {
        Err(Error::input("the file is damaged: its parts contradict each other")
            .coded(Code::TableUnreadable)
            .at_file(input.name())
            .help("write it anew, or get another copy"))
    })
}

/// Panics of contained work, and no others, are kept from the hook that is set. Whoever sets one later sees them too.
fn silence() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            // A thread that is being taken down has no flag any more, and contains nothing.
            if !CONTAINED.try_with(Cell::get).unwrap_or(false) {
                usual(info);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_a_reader_is_an_error_about_its_file_and_others_stay_panics() {
        let input = Input::Memory("odd.parquet".into(), bytes::Bytes::new());
        let error = contained(&input, || -> Result<()> { panic!("index out of bounds") }).unwrap_err();
        assert_eq!(error.code(), "table-unreadable");
        assert!(error.to_string().contains("odd.parquet"), "{error}");
        assert_eq!(contained(&input, || Ok(3)).unwrap(), 3);
        assert!(!CONTAINED.get());
        let again = contained(&input, || contained(&input, || -> Result<u8> { panic!("inner") }).or_else(|_| Ok(4)));
        assert_eq!(again.unwrap(), 4);
        assert!(panic::catch_unwind(|| panic!("ours")).is_err());
    }
}
