//! Row order: whether the rows of a release, or the numbers of its groups, follow the order of the original.
//!
//! Whoever knows that order, or one row of it, then knows whose rows the others are. Three tests beside the original: inside a class of equal published
//! quasi-identifiers, sensitive values follow each other as in the original more often than by chance; rows that can be
//! matched by unique values stand in the order of the original, or against it; and people with equal quasi-identifiers and sensitive values are dealt to groups
//! by where they stand in the original ([`super::dealt_order`]). A fourth needs the files alone: whether a column goes with the
//! numbers of groups ([`super::group_order`]). An order that sorting explains carries nothing ([`super::sorted_rows`]).
//!
//! Each test bounds the probability of what it finds under its own null hypothesis, for tables of every size; together they call
//! a sound release spoiled with at most [`tolerance::FALSE_ALARMS`](crate::numeric::tolerance::FALSE_ALARMS) ([`super::random_order`]).

use super::finding::{Finding, Tested};
use super::input::OriginalTable;
use super::random_order::{Inversions, Surprise, line, surprise_of_matches};
use super::sorted_rows::is_sorted;
use super::{Attack, AuditInput, PublishedTable, dealt_order, group_order};
use crate::data::lookup::HashMap;
use crate::data::table::Column;
use crate::data::value::Value;
use crate::error::Result;
use crate::model::Placed;
use crate::progress::Progress;

pub(super) const ATTACK: Attack = Attack {
    name: "row-order",
    adversary: "knows in which order people stand in the original: by date of admission, say, or by name",
    run,
};

/// Fewer matched rows tell nothing: their order may be chance.
const FEWEST: usize = 8;

fn run(scene: &AuditInput<'_>, progress: &Progress) -> Result<Tested> {
    let mut tests: Vec<(Surprise, String)> = Vec::new();
    if let Some(original_table) = scene.original_table {
        let kept = |name: &str| format!("the rows of {name} stand in the order of the original");
        let tables = &scene.audited.tables;
        let unsorted: Vec<&PublishedTable> =
            tables.iter().filter(|table| !is_sorted(table, Some(original_table))).collect();
        for table in &unsorted {
            progress.check()?;
            tests.extend(matched_rows(table, original_table).map(|surprise| (surprise, kept(&table.name))));
        }
        if let [only] = unsorted.as_slice() {
            tests.extend(
                sequence_in_classes(scene, original_table, progress)?.map(|surprise| (surprise, kept(&only.name))),
            );
        }
        for table in scene.audited.numbered_tables() {
            progress.check()?;
            let dealt = format!("{} deals people who are alike to groups in the order of the original", table.name);
            tests.extend(dealt_order::test(table, original_table)?.map(|surprise| (surprise, dealt)));
        }
    }
    let quasi: Vec<&str> = scene.audited.quasi.iter().map(String::as_str).collect();
    for table in scene.audited.numbered_tables() {
        progress.check()?;
        tests.extend(group_order::tests(table, &quasi).into_iter().map(|test| {
            let among = if test.inside { " among equal quasi-identifiers" } else { "" };
            (test.surprise, format!("{} goes with the numbers of groups{among}", test.column))
        }));
    }
    if tests.is_empty() && scene.original_table.is_none() {
        let reason =
            "groups have no numbers, and the order of the original is only known beside it: add --original POLICY";
        return Ok(Tested::Skipped(reason.into()));
    }
    let (line, count) = (line(tests.len()), tests.len());
    let levels = tests.into_iter().map(|(surprise, what)| (surprise.level(), what));
    let worst = levels.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default();
    let people = scene.audited.people;
    let broken = worst.0 > line;
    let mut finding = Finding::new("beyond chance, in σ", worst.0, people)
        .hitting(if broken { people } else { 0 }, "everybody, if the order is kept")
        .worst(broken.then_some(worst.1))
        .detail("tests", count);
    (finding.promised, finding.holds) = (Some(line), Some(!broken));
    Ok(Tested::Found(vec![finding]))
}

/// How far rows that exact values tell apart in both tables stand in one order, or in opposite ones.
fn matched_rows(table: &PublishedTable, original_table: &OriginalTable) -> Option<Surprise> {
    let original = &original_table.counted.table;
    let mut pairs: Vec<(&Column, &Column, Vec<Option<u32>>)> = Vec::new();
    for column in &table.columns {
        let Some(own) = original.quasi.iter().chain(&original.sensitive).find(|own| own.name == column.name) else {
            continue;
        };
        let texts: HashMap<String, u32> = own.domain.values().iter().map(Value::to_string).zip(0..).collect();
        let codes: Vec<Option<u32>> =
            column.domain.values().iter().map(|value| texts.get(&value.to_string()).copied()).collect();
        if codes.iter().all(Option::is_some) {
            pairs.push((column, own, codes));
        }
    }
    if pairs.is_empty() {
        return None;
    }
    let mut indices: HashMap<Vec<u32>, (u32, u32)> = HashMap::new();
    for row in 0..original.rows() {
        let key = pairs.iter().map(|(_, own, _)| own.codes[row]).collect();
        let seen = indices.entry(key).or_insert((0, row as u32));
        seen.0 += 1;
    }
    let mut matched = Vec::new();
    let released_key = |row: usize| -> Option<Vec<u32>> {
        pairs.iter().map(|(column, _, codes)| codes[column.codes[row] as usize]).collect()
    };
    let mut released: HashMap<Vec<u32>, u32> = HashMap::new();
    for key in (0..table.rows).filter_map(released_key) {
        *released.entry(key).or_default() += 1;
    }
    for row in 0..table.rows {
        let once = released_key(row).filter(|key| released[key] == 1);
        if let Some(&(1, own)) = once.and_then(|key| indices.get(&key)) {
            matched.push((row, own));
        }
    }
    if matched.len() < FEWEST {
        return None;
    }
    order_of(&matched, table).surprise()
}

/// The order of matched rows, each with where it stands in the original.
///
/// Where rows stand by the numbers of their groups, chance orders the groups, and the rows inside each: few groups of neighbours are in order by accident.
fn order_of(matched: &[(usize, u32)], table: &PublishedTable) -> Inversions {
    let numbers = table.columns.iter().find(group_order::is_number).filter(|column| in_runs(&column.codes));
    let mut order = Inversions::default();
    let same_group =
        |a: &(usize, u32), b: &(usize, u32)| numbers.is_none_or(|column| column.codes[a.0] == column.codes[b.0]);
    let mut firsts = Vec::new();
    for group in matched.chunk_by(same_group) {
        let inside: Vec<u32> = group.iter().map(|&(_, own)| own).collect();
        firsts.extend(inside.iter().min());
        order.add(&inside);
    }
    order.add(&firsts);
    order
}

/// Whether equal codes stand together.
fn in_runs(codes: &[u32]) -> bool {
    let mut of_runs: Vec<u32> = codes.chunk_by(|a, b| a == b).map(|run| run[0]).collect();
    let runs = of_runs.len();
    of_runs.sort_unstable();
    of_runs.dedup();
    of_runs.len() == runs
}

/// How far sensitive values stand, inside classes, where they stand in the original, beyond chance.
fn sequence_in_classes(
    scene: &AuditInput<'_>,
    original_table: &OriginalTable,
    progress: &Progress,
) -> Result<Option<Surprise>> {
    let Ok(release) = scene.audited.release.labels() else { return Ok(None) };
    let original = original_table.counted.original();
    let Some(placed) = Placed::new(&*scene.audited.release, &original, &original_table.points, progress.token())?
    else {
        return Ok(None);
    };
    let Some(sensitive) = release.table.sensitive.first() else { return Ok(None) };
    if release.table.weights.is_some() {
        return Ok(None);
    }
    let mut group_of_point = vec![u32::MAX; original_table.points.len()];
    let groups: Vec<Vec<u32>> = placed.each(|members, _| members.points.iter().map(|&(point, _)| point).collect())?;
    for (group, points) in groups.iter().enumerate() {
        points.iter().for_each(|&point| group_of_point[point as usize] = group as u32);
    }
    let own = &original_table.counted.table.sensitive[0];
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); groups.len()];
    for (row, &cell) in original_table.counted.cells.cell_of_row.iter().enumerate() {
        let group = group_of_point[original_table.points.of_cell[cell as usize] as usize];
        if group != u32::MAX {
            before[group as usize].push(own.codes[row]);
        }
    }
    let codes: Option<Vec<u32>> = sensitive.domain.values().iter().map(|value| own.domain.code(value)).collect();
    let Some(codes) = codes else { return Ok(None) };
    let mut after: Vec<Vec<u32>> = vec![Vec::new(); groups.len()];
    for (row, group) in release.groups.rows_to_groups(&release.table).into_iter().enumerate() {
        after[group as usize].push(codes[sensitive.codes[row] as usize]);
    }
    let (mut agreement, mut expected) = (0.0, 0.0);
    for (before, after) in before.iter().zip(&after) {
        // Sorted values say nothing.
        if before.len() != after.len() || before.len() < 2 || after.is_sorted() || after.iter().rev().is_sorted() {
            continue;
        }
        let mut sorted = before.clone();
        sorted.sort_unstable();
        let pairs: u128 = sorted.chunk_by(|a, b| a == b).map(|same| (same.len() as u128).pow(2)).sum();
        agreement += before.iter().zip(after).filter(|(a, b)| a == b).count() as f64;
        expected += pairs as f64 / before.len() as f64;
    }
    Ok((expected > 0.0).then(|| surprise_of_matches(agreement, expected)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::domain::Domain;
    use crate::data::value::Type;
    use std::sync::Arc;

    /// A table of so many buckets of so many rows, one after the other.
    fn buckets(count: u32, each: usize) -> PublishedTable {
        let numbers = (0..count).map(|number| Value::Integer(number.into())).collect();
        let domain = Arc::new(Domain::from_sorted(Type::Integer, numbers));
        let codes = (0..count).flat_map(|number| std::iter::repeat_n(number, each)).collect();
        let rows = count as usize * each;
        PublishedTable { name: "sliced".into(), columns: vec![Column { name: "bucket".into(), domain, codes }], rows }
    }

    fn level(matched: &[u32], table: &PublishedTable) -> f64 {
        let rows: Vec<(usize, u32)> = matched.iter().copied().enumerate().collect();
        order_of(&rows, table).surprise().unwrap().level()
    }

    #[test]
    fn few_buckets_of_neighbours_in_order_are_an_accident_and_rows_in_order_are_none() {
        // Four buckets of eight neighbours, shuffled inside, by accident in the order of the original.
        let inside = [3, 0, 6, 1, 7, 4, 2, 5];
        let accident: Vec<u32> = (0..4).flat_map(|bucket| inside.map(|at| bucket * 8 + at)).collect();
        let table = buckets(4, 8);
        assert!(level(&accident, &table) < 3.0, "{}", level(&accident, &table));
        let kept: Vec<u32> = (0..32).collect();
        assert!(level(&kept, &table) > 5.0, "{}", level(&kept, &table));
        // Many groups in order are no accident any more.
        let table = buckets(200, 2);
        let groups: Vec<u32> = (0..200).flat_map(|group| [2 * group + group % 2, 2 * group + 1 - group % 2]).collect();
        assert!(level(&groups, &table) > 6.0, "{}", level(&groups, &table));
    }
}
