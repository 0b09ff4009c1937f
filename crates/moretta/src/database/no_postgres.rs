//! PostgreSQL servers, for a library that was built without the feature `postgres`.

use super::{Base, Destination};
use crate::error::{Code, Error, Result};

pub(super) fn connect(destination: &Destination) -> Result<Box<dyn Base>> {
    Err(Error::input("this is a database of PostgreSQL, and the library was built without the feature `postgres`")
        .coded(Code::WrongParameter)
        .at_file(&destination.address)
        .help("build with the feature, or publish into files"))
}
