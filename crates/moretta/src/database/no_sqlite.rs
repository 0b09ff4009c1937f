//! SQLite files, for a library that was built without the feature `sqlite`.

use std::path::Path;

use super::{Base, Destination};
use crate::error::{Code, Error, Result};

pub(super) fn connect(_: &Path, destination: &Destination) -> Result<Box<dyn Base>> {
    Err(Error::input("this is an SQLite database, and the library was built without the feature `sqlite`")
        .coded(Code::WrongParameter)
        .at_file(&destination.address)
        .help("build with the feature, or publish into files"))
}
