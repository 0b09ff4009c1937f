//! The library's errors as Python's exceptions, with the same text.

use arrow_schema::ArrowError;
use moretta::{Code, Error, Fault};
use pyo3::prelude::*;

/// An error of the library on its way to Python.
pub(crate) struct Failed(Error);

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl From<Failed> for PyErr {
    fn from(Failed(error): Failed) -> Self {
        Python::attach(|py| exception(py, &error).unwrap_or_else(|failed| failed))
    }
}

/// The exception, made by the Python half, which has the classes.
fn exception(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let fault = match error.fault() {
        Fault::Data => "data",
        Fault::Input => "input",
        Fault::Machine => "machine",
        Fault::Bug => "bug",
        Fault::Cancelled => "cancelled",
    };
    let place = error.place();
    let file = place.file.as_ref().map(|file| file.display().to_string());
    let of = py.import("moretta._errors")?.getattr("of")?;
    let made = of.call1((
        fault,
        error.code(),
        error.message(),
        error.to_string(),
        error.advice(),
        (file, place.line, place.column),
    ))?;
    Ok(PyErr::from_value(made))
}

/// What a producer of Arrow data could not give.
pub(crate) fn unreadable(error: &ArrowError) -> Failed {
    Error::input(format!("the table can't be read: {error}")).coded(Code::TableUnreadable).into()
}

/// A parameter that is no JSON: only the Python half could make one.
pub(crate) fn no_json(error: &serde_json::Error) -> Failed {
    Error::bug(format!("a parameter is no JSON: {error}")).into()
}
