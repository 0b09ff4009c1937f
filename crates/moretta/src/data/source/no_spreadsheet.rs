//! Spreadsheets, for a library that was built without the feature `spreadsheet`.

use super::relation::Steady;
use super::{Input, ReadOptions};
use crate::error::{Code, Error, Result};

pub(super) fn open(input: &Input, _: &ReadOptions) -> Result<Steady> {
    Err(Error::input("this is a spreadsheet, and the library was built without the feature `spreadsheet`")
        .coded(Code::TableUnreadable)
        .at_file(input.name())
        .help("build with the feature, or save the sheet as CSV"))
}
