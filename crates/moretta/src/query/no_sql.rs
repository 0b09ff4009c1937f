//! Questions in SQL, for a library that was built without the feature `sql`.

use super::Query;
use crate::error::{Code, Error, Result};

pub(super) fn query(_: &str) -> Result<Query> {
    Err(Error::input("questions are read with the feature `sql`, which this library was built without")
        .coded(Code::QueryUnsupported)
        .help("build with the feature"))
}
