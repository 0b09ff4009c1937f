//! PostgreSQL servers, for a library that was built without the feature `postgres`.

use super::relation::Steady;
use super::{Input, ReadOptions};
use crate::error::{Code, Error, Result};

pub(super) fn open(input: &Input, _: &ReadOptions) -> Result<Steady> {
    Err(Error::input("this is a table of PostgreSQL, and the library was built without the feature `postgres`")
        .coded(Code::TableUnreadable)
        .at_file(input.name())
        .help("build with the feature, or export the table as CSV"))
}
