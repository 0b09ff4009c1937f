//! SQLite files, for a library that was built without the feature `sqlite`.

use std::path::Path;

use super::relation::Steady;
use super::{Input, ReadOptions};
use crate::error::{Code, Error, Result};

pub(super) fn open(input: &Input, _: &Path, _: &ReadOptions) -> Result<Steady> {
    Err(Error::input("this is an SQLite database, and the library was built without the feature `sqlite`")
        .coded(Code::TableUnreadable)
        .at_file(input.name())
        .help("build with the feature, or export the table as CSV"))
}
