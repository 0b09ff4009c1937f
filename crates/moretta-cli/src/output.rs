//! Standard output: a closed pipe is forgiven, every other failure is an error.

use std::io::{BufWriter, ErrorKind, Result as IoResult, Write};
use std::path::Path;

use moretta::{Error, Result};

/// Standard output for one result. Make one with [`text`] or [`data`].
pub(crate) struct StandardOutput {
    out: BufWriter<Pipe>,
}

/// What remembers that nobody reads any more.
struct Pipe {
    out: Box<dyn Write + Send>,
    closed: bool,
}

/// Prints a text for people: colours are left out where standard output is no terminal, or `NO_COLOR` is set.
pub(crate) fn text(text: &str) -> Result<()> {
    StandardOutput::new(Box::new(anstream::stdout())).print(|out| out.put(text))
}

/// Prints data, byte for byte. What prints them stops at the first failure, even if only nobody reads any more.
pub(crate) fn data(print: impl FnOnce(&mut StandardOutput) -> Result<()>) -> Result<()> {
    StandardOutput::new(Box::new(std::io::stdout())).print(print)
}

/// The error for output that can't be written.
pub(crate) fn unwritable(error: std::io::Error) -> Error {
    Error::machine("write the output", Path::new("standard output"), error)
}

impl StandardOutput {
    fn new(out: Box<dyn Write + Send>) -> Self {
        Self { out: BufWriter::new(Pipe { out, closed: false }) }
    }

    /// Prints a text.
    pub(crate) fn put(&mut self, text: &str) -> Result<()> {
        self.write_all(text.as_bytes()).map_err(unwritable)
    }

    fn print(mut self, print: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let printed = print(&mut self).and_then(|()| self.flush().map_err(unwritable));
        // Who closes the pipe has read enough.
        if self.out.get_ref().closed { Ok(()) } else { printed }
    }
}

impl Write for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> IoResult<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> IoResult<()> {
        self.out.flush()
    }
}

impl Pipe {
    fn watch<T>(&mut self, result: IoResult<T>) -> IoResult<T> {
        self.closed |= result.as_ref().is_err_and(|e| e.kind() == ErrorKind::BrokenPipe);
        result
    }
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> IoResult<usize> {
        let written = self.out.write(bytes);
        self.watch(written)
    }

    fn flush(&mut self) -> IoResult<()> {
        let flushed = self.out.flush();
        self.watch(flushed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Failing(ErrorKind);

    impl Write for Failing {
        fn write(&mut self, _: &[u8]) -> IoResult<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> IoResult<()> {
            Ok(())
        }
    }

    #[test]
    fn only_a_closed_pipe_is_forgiven() {
        let print = |kind| StandardOutput::new(Box::new(Failing(kind))).print(|out| out.put("one"));
        print(ErrorKind::BrokenPipe).expect("nobody reads any more");
        let error = print(ErrorKind::StorageFull).expect_err("a full disk");
        assert_eq!((error.fault(), error.code()), (moretta::Fault::Machine, "disk-full"));
    }

    #[test]
    fn whoever_prints_learns_that_nobody_reads() {
        let mut lines = 0;
        let out = StandardOutput::new(Box::new(Failing(ErrorKind::BrokenPipe)));
        let endless = |out: &mut StandardOutput| loop {
            lines += 1;
            out.put("a line\n")?;
        };
        out.print(endless).expect("nobody reads any more");
        assert!(lines < 10_000, "{lines}");
    }

    #[test]
    fn an_error_of_whoever_prints_stays_one() {
        let print = |_: &mut StandardOutput| Err(Error::data("no"));
        let out = StandardOutput::new(Box::new(Vec::new()));
        assert_eq!(out.print(print).expect_err("an error").message(), "no");
    }
}
