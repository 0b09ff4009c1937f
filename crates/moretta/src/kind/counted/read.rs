//! Reading a counted release.

use super::{PEOPLE, TABLE};
use crate::data::role::Role;
use crate::data::value::{Type, Value};
use crate::error::Result;
use crate::progress::Progress;
use crate::release::{Files, auxiliary_attribute};

/// A counted release.
#[derive(Debug)]
pub(super) struct Counted {
    pub(super) people: u64,
}

impl Counted {
    pub(super) fn read(files: &Files<'_>, progress: &Progress) -> Result<Self> {
        let column = auxiliary_attribute(PEOPLE, Role::Quasi, Type::Integer);
        let table = files.read(TABLE, &[column], progress)?;
        let people = match table.quasi[0].domain.values() {
            [Value::Integer(people)] => u64::try_from(*people).ok(),
            _ => None,
        };
        let people = people.ok_or_else(|| files.wrong("the number of people is not one whole number"))?;
        files.compare("people", files.manifest.people, people)?;
        Ok(Self { people })
    }
}
