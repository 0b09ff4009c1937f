//! Writing an ambiguous release: a table for each attribute, which share nothing but the numbers of groups.

use super::at_name;
use crate::data::cells::count_distinct;
use crate::data::role::Role;
use crate::data::value::Type;
use crate::data::write::{Header, Values};
use crate::error::Result;
use crate::kind::bucketized::write::{number, write_sensitive};
use crate::kind::bucketized::{GROUP, VALUE};
use crate::release::plan::Buckets;
use crate::release::write::{Context, Dealt, WrittenTables, write_map, write_table};
use crate::storage::Storage;

/// Writes the release, and beside it in private who stands where.
pub(crate) fn write(
    plan: &Buckets,
    context: &Context<'_>,
    release: &Storage,
    private: Option<&Storage>,
) -> Result<WrittenTables> {
    let pieces = number(plan, context).pieces;
    let groups: Vec<u32> = pieces.iter().map(|piece| piece.group).collect();
    let mut meanings = context.describe(|index, _| context.exact(index));
    // Weights are in the counts.
    meanings.retain(|column| column.role != Role::Weight);
    let mut tables = Vec::new();
    for (column, codes) in context.table.quasi.iter().zip(&context.cells.columns) {
        let values: Vec<u32> = pieces.iter().map(|piece| codes[piece.cell as usize]).collect();
        // Sorted by value first, so that the rows of a group do not stand in the order of another table.
        let sized = [(values.as_slice(), column.domain.len()), (groups.as_slice(), plan.len)];
        let listed = count_distinct(&sized, pieces.len(), None);
        let numbers: Vec<i64> = listed.columns[1].iter().map(|&group| i64::from(group) + 1).collect();
        let mut headers = [Header::coded(VALUE, column.domain.clone()), Header::plain(GROUP, Type::Integer)];
        let columns = [Values::Codes(&listed.columns[0]), Values::Integers(&numbers)];
        let name = at_name(&column.name);
        let notes = super::ENTRY.annotate(&name, &mut headers, &meanings, context.unit());
        tables.push(write_table(context, release, &name, (&headers, &notes), &columns)?);
    }
    tables.extend(write_sensitive((&super::ENTRY, &meanings), context, (&pieces, plan.len), release)?);
    if let Some(private) = private {
        write_map(context, &Dealt::new(context, &pieces)?, private)?;
    }
    Ok(WrittenTables { columns: meanings, tables, groups: plan.len as u64, ..WrittenTables::default() })
}
