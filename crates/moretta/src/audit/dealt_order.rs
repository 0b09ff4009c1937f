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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fmt::Write as _;

    use super::super::random_order::line;
    use super::super::{AuditInput, AuditedRelease, run};
    use super::*;
    use crate::chance::Seed;
    use crate::policy::Policy;
    use crate::progress::Progress;
    use crate::testkit::published::{Published, publish};

    const POLICY: &str = "[attributes]\nsex = { role = \"quasi\" }\ndisease = { role = \"sensitive\" }\n\
        ticket = { role = \"insensitive\" }\n[[require]]\nmodel = \"probabilistic-l-diversity\"\nl = 2\n[method]\nname = \"anatomy\"\n";

    const PEOPLE: usize = 120;

    /// Tickets that say nothing about the order in which people stand.
    fn ticket(row: usize) -> usize {
        1000 + row * 89 % 127
    }

    fn disease(row: usize) -> usize {
        row * 7 % 11 % 6
    }

    fn people() -> String {
        let mut csv = "sex,disease,ticket\n".to_owned();
        (0..PEOPLE).for_each(|row| writeln!(csv, "s{},d{},{}", row % 2, disease(row), ticket(row)).unwrap());
        csv
    }

    fn original(published: &Published) -> OriginalTable {
        let policy = Policy::in_file(published.policy.text.clone(), &published.policy.file, &[]).unwrap();
        OriginalTable::read(policy, &Progress::default()).unwrap()
    }

    /// The level of the test by itself, and the words of the attack where it finds something.
    fn look(published: &Published) -> (f64, Option<String>) {
        let original_table = original(published);
        let audited = AuditedRelease::of_release(&published.storage(), None, &Progress::default()).unwrap();
        let qit = audited.tables.iter().find(|table| table.name == "qit").unwrap();
        let level = test(qit, &original_table).unwrap().unwrap().level();
        let input = AuditInput::new(&audited, Seed(3)).with_original(Some(&original_table));
        let audit = run(&input, &Progress::default()).unwrap();
        let found = audit.attacks.into_iter().find(|attack| attack.name == "row-order").unwrap().finding;
        (level, found.worst.filter(|_| found.holds == Some(false)))
    }

    /// The same groups, with the people of each cell of sex and disease dealt to them in the order of the source.
    fn deal_in_order(published: &Published) {
        let mut cells: BTreeMap<(String, usize), (Vec<usize>, Vec<usize>)> = BTreeMap::new();
        for row in published.rows("qit") {
            let number: usize = row[1].parse().unwrap();
            let source = (0..PEOPLE).find(|&row| ticket(row) == number).unwrap();
            let (rows, groups) = cells.entry((row[0].clone(), disease(source))).or_default();
            rows.push(source);
            groups.push(row[2].parse().unwrap());
        }
        let mut lines = Vec::new();
        for ((sex, _), (mut rows, mut groups)) in cells {
            rows.sort_unstable();
            groups.sort_unstable();
            lines.extend(rows.iter().zip(&groups).map(|(&row, group)| format!("{sex},{},{group}\n", ticket(row))));
        }
        lines.sort_unstable();
        published.forge("qit", &("sex,ticket,group\n".to_owned() + &lines.concat()));
    }

    #[test]
    fn people_who_are_alike_and_dealt_in_the_order_of_the_source_are_found() {
        for seed in 0..3 {
            let published = publish(&people(), POLICY, seed).unwrap();
            let (level, found) = look(&published);
            assert!(level < line(1) && found.is_none(), "{level} {found:?}");
            deal_in_order(&published);
            let (level, found) = look(&published);
            assert!(level > line(8), "{level}");
            assert_eq!(found.unwrap(), "qit deals people who are alike to groups in the order of the original");
        }
    }
}
