//! Conditions in SQL, for a library that was built without the feature `sql`.

use super::Predicate;
use crate::error::{Code, Error, Result};

pub(crate) fn predicate(_: &str) -> Result<Predicate> {
    Err(Error::input("conditions are read with the feature `sql`, which this library was built without")
        .coded(Code::QueryUnsupported)
        .help("build with the feature"))
}
