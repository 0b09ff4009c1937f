//! Whether the numbers of groups tell something: groups are numbered at random, so no column may rise or fall with them.
//!
//! The null hypothesis is that numbers were given to groups in any order, all as likely, whatever stands in them. Then groups, sorted by a column's sum over
//! each, centred among the rows that it is compared with, have their numbers in random order; how likely so few or so many inversions are is
//! bounded for any number of groups ([`super::random_order`]). Rows are compared with all others, and with those of equal quasi-identifiers: people of one cell who are dealt to their
//! groups in the order of the source make insensitive columns rise with the number there, and who knows that order reads off who is who.

use super::PublishedTable;
use super::random_order::{Inversions, Surprise};
use crate::data::cells::count_distinct;
use crate::data::table::Column;
use crate::data::value::Value;
use crate::kind::bucketized::GROUP;
use crate::kind::sliced::BUCKET;

/// What a column of a table has to do with the numbers of groups.
#[derive(Clone, Debug)]
pub(super) struct NumberTest {
    /// How unlikely chance alone does as much.
    pub(super) surprise: Surprise,
    /// The table and the column.
    pub(super) column: String,
    /// Whether rows were compared inside equal quasi-identifiers.
    pub(super) inside: bool,
}

/// Fewer groups tell nothing.
const FEWEST_GROUPS: usize = 8;

/// Whether a column holds the numbers of groups.
pub(super) fn is_number(column: &&Column) -> bool {
    column.name == GROUP || column.name == BUCKET
}

/// All tests that a table allows. `quasi` names the columns by which people are recognized.
pub(super) fn tests(table: &PublishedTable, quasi: &[&str]) -> Vec<NumberTest> {
    let Some(numbers) = table.columns.iter().find(is_number) else { return Vec::new() };
    let Some(order) = group_order(numbers) else { return Vec::new() };
    let known: Vec<(&[u32], usize)> = table
        .columns
        .iter()
        .filter(|column| quasi.contains(&column.name.as_str()))
        .map(|column| (column.codes.as_slice(), column.domain.len()))
        .collect();
    let everybody = vec![0; table.rows];
    let alike = (!known.is_empty()).then(|| count_distinct(&known, table.rows, None).cell_of_row);
    let mut found = Vec::new();
    for column in table.columns.iter().filter(|column| !is_number(column)) {
        let is_known = quasi.contains(&column.name.as_str());
        let places = places(column);
        for (strata, inside) in std::iter::once((&everybody, false)).chain(alike.iter().map(|alike| (alike, true))) {
            // What is equal inside says nothing there.
            let surprise = if inside && is_known { None } else { goes_with(&numbers.codes, &order, strata, &places) };
            found.extend(surprise.map(|surprise| NumberTest {
                surprise,
                column: format!("{}.{}", table.name, column.name),
                inside,
            }));
        }
    }
    found
}

/// The codes of groups in the order of their numbers; nothing where groups are too few or have no numbers.
fn group_order(numbers: &Column) -> Option<Vec<usize>> {
    let number = |value: &Value| value.to_string().parse::<i64>().ok();
    let parsed: Vec<i64> = numbers.domain.values().iter().map(number).collect::<Option<_>>()?;
    if parsed.len() < FEWEST_GROUPS {
        return None;
    }
    let mut order: Vec<usize> = (0..parsed.len()).collect();
    order.sort_unstable_by_key(|&code| parsed[code]);
    Some(order)
}

/// The place of each row's value: by number where all values are numbers, else in the order of the alphabet.
fn places(column: &Column) -> Vec<u32> {
    let texts: Vec<String> = column.domain.values().iter().map(ToString::to_string).collect();
    let numbers: Option<Vec<f64>> = texts.iter().map(|text| text.trim().parse().ok()).collect();
    let mut order: Vec<u32> = (0..texts.len() as u32).collect();
    match &numbers {
        Some(numbers) => order.sort_by(|&a, &b| numbers[a as usize].total_cmp(&numbers[b as usize])),
        None => order.sort_by(|&a, &b| texts[a as usize].cmp(&texts[b as usize])),
    }
    let mut place = vec![0; texts.len()];
    order.iter().zip(0..).for_each(|(&code, at)| place[code as usize] = at);
    column.codes.iter().map(|&code| place[code as usize]).collect()
}

/// How far a column goes with the numbers of groups: whether its sums, of ranks that are centred in each stratum, rise or fall with them.
fn goes_with(group_of_row: &[u32], order: &[usize], strata: &[u32], places: &[u32]) -> Option<Surprise> {
    let mut rows: Vec<u32> = (0..strata.len() as u32).collect();
    rows.sort_unstable_by_key(|&row| (strata[row as usize], places[row as usize], row));
    let mut sums = vec![0.0; order.len()];
    for stratum in rows.chunk_by(|&a, &b| strata[a as usize] == strata[b as usize]) {
        let middle = (stratum.len() as f64 - 1.0) / 2.0;
        let mut first = 0;
        for equal in stratum.chunk_by(|&a, &b| places[a as usize] == places[b as usize]) {
            // Equal values share the rank in their middle.
            let rank = first as f64 + (equal.len() as f64 - 1.0) / 2.0 - middle;
            first += equal.len();
            equal.iter().for_each(|&row| sums[group_of_row[row as usize] as usize] += rank / stratum.len() as f64);
        }
    }
    // What a group sums up to depends on its rows alone, so that equal sums stay equal whatever the numbers are.
    let mut ascending = sums.clone();
    ascending.sort_by(f64::total_cmp);
    ascending.dedup_by(|a, b| a.total_cmp(b).is_eq());
    let place = |code: &usize| ascending.partition_point(|sum| sum.total_cmp(&sums[*code]).is_lt()) as u32;
    let mut numbered = Inversions::default();
    numbered.add(&order.iter().map(place).collect::<Vec<u32>>());
    numbered.surprise()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fmt::Write as _;

    use super::super::{AuditInput, AuditedRelease, OriginalTable, run};
    use super::*;
    use crate::chance::Seed;
    use crate::policy::Policy;
    use crate::progress::Progress;
    use crate::testkit::published::{Published, publish};

    const POLICY: &str = "[attributes]\nsex = { role = \"quasi\" }\ndisease = { role = \"sensitive\" }\n\
        ticket = { role = \"insensitive\" }\n[[require]]\nmodel = \"probabilistic-l-diversity\"\nl = 2\n[method]\nname = \"anatomy\"\n";

    const PEOPLE: usize = 100;

    fn disease(ticket: usize) -> usize {
        ticket * 7 % 5 % 4
    }

    /// People in the order of their tickets.
    fn people() -> String {
        let mut csv = "sex,disease,ticket\n".to_owned();
        for ticket in 0..PEOPLE {
            let _ = writeln!(csv, "s{},d{},{}", ticket % 2, disease(ticket), 1000 + ticket);
        }
        csv
    }

    fn audit(published: &Published, beside: bool) -> super::super::Audit {
        let policy = Policy::in_file(published.policy.text.clone(), &published.policy.file, &[]).unwrap();
        let original_table = OriginalTable::read(policy, &Progress::default()).unwrap();
        let audited = AuditedRelease::of_release(&published.storage(), None, &Progress::default()).unwrap();
        let input = AuditInput::new(&audited, Seed(3)).with_original(beside.then_some(&original_table));
        run(&input, &Progress::default()).unwrap()
    }

    fn finds_order(audit: &super::super::Audit) -> bool {
        audit.attacks.iter().any(|attack| attack.name == "row-order" && attack.finding.holds == Some(false))
    }

    /// The same groups, with the people of each cell dealt to them in the order of their tickets, lowest number first.
    fn deal_in_order(published: &Published) {
        let rows = published.rows("qit");
        let cell = |row: &Vec<String>| (row[0].clone(), disease(row[1].parse::<usize>().unwrap() - 1000));
        let mut cells: BTreeMap<(String, usize), (Vec<usize>, Vec<usize>)> = BTreeMap::new();
        for row in &rows {
            let (tickets, groups) = cells.entry(cell(row)).or_default();
            tickets.push(row[1].parse().unwrap());
            groups.push(row[2].parse().unwrap());
        }
        let mut lines = Vec::new();
        for ((sex, _), (mut tickets, mut groups)) in cells {
            tickets.sort_unstable();
            groups.sort_unstable();
            lines.extend(tickets.iter().zip(&groups).map(|(ticket, group)| format!("{sex},{ticket},{group}\n")));
        }
        lines.sort_unstable();
        published.forge("qit", &("sex,ticket,group\n".to_owned() + &lines.concat()));
    }

    #[test]
    fn people_dealt_in_the_order_of_the_source_are_found_with_and_without_the_original() {
        for seed in 0..4 {
            let published = publish(&people(), POLICY, seed).unwrap();
            assert!(!finds_order(&audit(&published, false)) && !finds_order(&audit(&published, true)));
            deal_in_order(&published);
            let found = audit(&published, false);
            assert!(finds_order(&found), "{}", serde_json::to_string_pretty(&found).unwrap());
            assert!(finds_order(&audit(&published, true)));
        }
    }

    #[test]
    fn sound_releases_raise_no_alarm() {
        let csv = people();
        let mut beyond = 0;
        for seed in 0..300 {
            let published = publish(&csv, POLICY, seed).unwrap();
            let audited = AuditedRelease::of_release(&published.storage(), None, &Progress::default()).unwrap();
            let levels = audited.numbered_tables().flat_map(|table| tests(table, &["sex"]));
            let worst = levels.map(|test| test.surprise.level()).fold(0.0, f64::max);
            // What is beyond 3 by chance, in one of some 100 releases.
            beyond += u32::from(worst > 3.0);
            assert!(worst < 4.8, "seed {seed}: {worst}");
        }
        assert!(beyond < 15, "{beyond} of 300");
    }
}
