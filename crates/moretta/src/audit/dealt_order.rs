//! Dealt order: whether people who are alike in quasi-identifiers and sensitive values stand in groups by where they stood in the original.
//!
//! Only an insensitive attribute tells such people apart, so only then is there anything to see. The null hypothesis is that inside such a cell every
//! way of dealing its people to its places is as likely, whatever the numbers of groups mean; cells are dealt independently of each other.

use super::PublishedTable;
use super::group_order::is_number;
use super::input::OriginalTable;
use super::random_order::{Inversions, Surprise};
use crate::data::lookup::HashMap;
use crate::data::role::Role;
use crate::data::table::Column;
use crate::data::value::Value;
use crate::error::Result;

/// Tests a table in which people have their values as they are, and a group; nothing where rows can't be found in the original.
pub(super) fn test(table: &PublishedTable, original_table: &OriginalTable) -> Result<Option<Surprise>> {
    let Some(numbers) = table.columns.iter().find(is_number) else { return Ok(None) };
    let own = &original_table.counted.table;
    let insensitive: Vec<&str> =
        original_table.policy.with_role(Role::Insensitive).map(|attribute| attribute.name.as_str()).collect();
    let names = own.quasi.iter().map(|column| column.name.as_str()).chain(insensitive.iter().copied());
    let columns: Option<Vec<&Column>> = names.map(|name| table.column(name)).collect();
    let Some(columns) = columns.filter(|_| !insensitive.is_empty()) else { return Ok(None) };
    let keys = keys_of_original(&columns, original_table, &insensitive)?;
    let mut row_of_key: HashMap<Vec<u32>, Option<u32>> = HashMap::new();
    for (row, key) in keys.into_iter().enumerate() {
        let Some(key) = key else { continue };
        // Of people whom nothing tells apart it can't be said who is where.
        row_of_key.entry(key).and_modify(|seen| *seen = None).or_insert(Some(row as u32));
    }
    let number = |value: &Value| value.to_string().parse::<u32>().ok();
    let Some(numbers_of_codes) = numbers.domain.values().iter().map(number).collect::<Option<Vec<u32>>>() else {
        return Ok(None);
    };
    // Cell, row of the original, and number of the group.
    let mut dealt: Vec<(u32, u32, u32)> = Vec::new();
    for row in 0..table.rows {
        let key: Vec<u32> = columns.iter().map(|column| column.codes[row]).collect();
        if let Some(Some(source)) = row_of_key.get(&key) {
            let cell = original_table.counted.cells.cell_of_row[*source as usize];
            dealt.push((cell, *source, numbers_of_codes[numbers.codes[row] as usize]));
        }
    }
    dealt.sort_unstable();
    // A person in several groups was split by weight.
    let once = |row: &[(u32, u32, u32)]| row.len() == 1;
    let mut order = Inversions::default();
    for cell in dealt.chunk_by(|a, b| a.0 == b.0) {
        let people = cell.chunk_by(|a, b| a.1 == b.1).filter(|row| once(row));
        order.add(&people.map(|row| row[0].2).collect::<Vec<u32>>());
    }
    Ok(order.surprise())
}

/// What each row of the original publishes in some columns, by the codes of the release; nothing where the release has no such value.
fn keys_of_original(
    columns: &[&Column],
    original_table: &OriginalTable,
    insensitive: &[&str],
) -> Result<Vec<Option<Vec<u32>>>> {
    let (own, source) = (&original_table.counted.table, &original_table.counted.source);
    let codes: Vec<HashMap<String, u32>> = columns
        .iter()
        .map(|column| column.domain.values().iter().map(ToString::to_string).zip(0..).collect())
        .collect();
    let quasi: Vec<Vec<Option<u32>>> = own
        .quasi
        .iter()
        .zip(&codes)
        .map(|(column, codes)| {
            column.domain.values().iter().map(|value| codes.get(&value.to_string()).copied()).collect()
        })
        .collect();
    let mut keys: Vec<Option<Vec<u32>>> = (0..own.rows())
        .map(|row| quasi.iter().zip(&own.quasi).map(|(codes, column)| codes[column.codes[row] as usize]).collect())
        .collect();
    let wanted: Vec<usize> = insensitive.iter().filter_map(|name| source.position(name)).collect();
    let mut kept = (0_usize..).zip(own.source_rows.iter().copied()).peekable();
    source.stream(&wanted, &mut |batch| {
        let end = batch.first_row + batch.rows as u64;
        while let Some((row, source_row)) = kept.next_if(|&(_, source_row)| u64::from(source_row) < end) {
            let index = (u64::from(source_row) - batch.first_row) as usize;
            for (column, codes) in batch.columns.iter().zip(&codes[own.quasi.len()..]) {
                let code = codes.get(column[index].as_deref().unwrap_or_default());
                keys[row] = keys[row].take().zip(code).map(|(mut key, &code)| {
                    key.push(code);
                    key
                });
            }
        }
        Ok(())
    })?;
    Ok(keys)
}
