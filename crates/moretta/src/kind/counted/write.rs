//! Writing a counted release.

use super::{Headcount, PEOPLE, TABLE};
use crate::data::value::Type;
use crate::data::write::{Header, Values};
use crate::error::{Error, Result};
use crate::release::write::{Context, WrittenTables, write_table};
use crate::storage::Storage;

pub(super) fn write(plan: Headcount, context: &Context<'_>, release: &Storage) -> Result<WrittenTables> {
    let people = [i64::try_from(plan.people).map_err(|_| Error::bug("more people than can be written"))?];
    let headers = [Header::plain(PEOPLE, Type::Integer)];
    let table = write_table(context, release, TABLE, (&headers, &[]), &[Values::Integers(&people)])?;
    Ok(WrittenTables { tables: vec![table], ..WrittenTables::default() })
}
