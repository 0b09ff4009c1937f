//! Row order: whether the rows of a release, or the numbers of its groups, follow the order of the original.
//!
//! Whoever knows that order, or one row of it, then knows whose rows the others are. Two tests: inside a class of equal published
//! quasi-identifiers, sensitive values follow each other as in the original more often than by chance; and rows that can be
//! matched by unique values stand in correlated places. An order that sorting explains carries nothing. A third needs the files alone: whether
//! a column goes with the numbers of groups ([`super::group_order`]).

use super::finding::{Finding, Tested};
use super::input::OriginalTable;
use super::{Attack, AuditInput, PublishedTable, group_order};
use crate::data::lookup::HashMap;
use crate::data::table::Column;
use crate::data::value::Value;
use crate::error::Result;
use crate::model::Placed;
use crate::numeric::tolerance;
use crate::progress::Progress;

pub(super) const ATTACK: Attack = Attack {
    name: "row-order",
    adversary: "knows in which order people stand in the original: by date of admission, say, or by name",
    run,
};

/// So many standard deviations beyond chance are no accident, where so many things were looked at: a normal variable is
/// beyond z with less than 2·exp(−z²/2).
fn line(tests: usize) -> f64 {
    (2.0 * (2.0 * tests.max(1) as f64 / tolerance::FALSE_ALARMS).ln()).sqrt()
}

/// Fewer matched rows tell nothing.
const FEWEST: usize = 20;

fn run(scene: &AuditInput<'_>, progress: &Progress) -> Result<Tested> {
    let mut levels: Vec<(f64, String)> = Vec::new();
    if let Some(original_table) = scene.original_table {
        let kept = |name: &str| format!("the rows of {name} stand in the order of the original");
        for table in scene.audited.tables.iter().filter(|table| !is_sorted(table)) {
            progress.check()?;
            levels.extend(correlation(table, original_table).map(|level| (level, kept(&table.name))));
        }
        levels.extend(sequence_in_classes(scene, original_table, progress)?.map(|level| (level, kept("data"))));
    }
    let quasi: Vec<&str> = scene.audited.quasi.iter().map(String::as_str).collect();
    for table in scene.audited.numbered_tables() {
        progress.check()?;
        levels.extend(group_order::tests(table, &quasi).into_iter().map(|test| {
            let among = if test.inside { " among equal quasi-identifiers" } else { "" };
            (test.level, format!("{} goes with the numbers of groups{among}", test.column))
        }));
    }
    if levels.is_empty() && scene.original_table.is_none() {
        let reason =
            "groups have no numbers, and the order of the original is only known beside it: add --original POLICY";
        return Ok(Tested::Skipped(reason.into()));
    }
    let line = line(levels.len());
    let tests = levels.len();
    let worst = levels.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default();
    let people = scene.audited.people;
    let broken = worst.0 > line;
    let mut finding = Finding::new("beyond chance, in σ", worst.0.max(0.0), people)
        .hitting(if broken { people } else { 0 }, "everybody, if the order is kept")
        .worst(broken.then_some(worst.1))
        .detail("tests", tests);
    (finding.promised, finding.holds) = (Some(line), Some(!broken));
    Ok(Tested::Found(vec![finding]))
}

/// Whether rows ascend by what they publish, column after column.
fn is_sorted(table: &PublishedTable) -> bool {
    let ranks: Vec<Vec<(f64, u32)>> = table.columns.iter().map(ranks).collect();
    (1..table.rows).all(|row| {
        let key =
            |row: usize| ranks.iter().zip(&table.columns).map(move |(ranks, column)| ranks[column.codes[row] as usize]);
        key(row - 1).partial_cmp(key(row)).is_some_and(std::cmp::Ordering::is_le)
    })
}

/// Where each value stands among others: by its first number if it has one, then as a text.
fn ranks(column: &Column) -> Vec<(f64, u32)> {
    let number = |value: &Value| {
        let text = value.to_string();
        let digits: String = text
            .trim_start_matches(|c: char| !c.is_ascii_digit() && c != '-')
            .chars()
            .take_while(|c| c.is_ascii_digit() || matches!(c, '.' | '-'))
            .collect();
        digits.parse().unwrap_or(f64::NEG_INFINITY)
    };
    column.domain.values().iter().zip(0..).map(|(value, code)| (number(value), code)).collect()
}

/// The standardized rank correlation of places, over rows that exact values tell apart in both tables.
fn correlation(table: &PublishedTable, original_table: &OriginalTable) -> Option<f64> {
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
    let mut indices: HashMap<Vec<u32>, (u32, u32, u32)> = HashMap::new();
    for row in 0..original.rows() {
        let key = pairs.iter().map(|(_, own, _)| own.codes[row]).collect();
        let seen = indices.entry(key).or_insert((0, row as u32, 0));
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
        if let Some(&(1, own, _)) = once.and_then(|key| indices.get(&key)) {
            matched.push((row as u32, own));
        }
    }
    if matched.len() < FEWEST {
        return None;
    }
    let mut order: Vec<u32> = (0..matched.len() as u32).collect();
    order.sort_unstable_by_key(|&at| matched[at as usize].1);
    let n = matched.len() as f64;
    let squares: f64 = order.iter().enumerate().map(|(rank, &at)| (rank as f64 - f64::from(at)).powi(2)).sum();
    let rho = 1.0 - 6.0 * squares / (n * (n * n - 1.0));
    Some(rho.abs() * (n - 1.0).sqrt())
}

/// How far sensitive values stand, inside classes, where they stand in the original, beyond chance.
fn sequence_in_classes(
    scene: &AuditInput<'_>,
    original_table: &OriginalTable,
    progress: &Progress,
) -> Result<Option<f64>> {
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
    let (mut agreement, mut expected, mut variance) = (0.0, 0.0, 0.0);
    for (before, after) in before.iter().zip(&after) {
        let n = before.len() as f64;
        // Sorted values say nothing.
        if before.len() != after.len() || before.len() < 2 || after.is_sorted() || after.iter().rev().is_sorted() {
            continue;
        }
        let mut sorted = before.clone();
        sorted.sort_unstable();
        let counts = || sorted.chunk_by(|a, b| a == b).map(|same| same.len() as u128);
        let pairs = counts().map(|c| c * c).sum::<u128>() as f64;
        let triples = counts().map(|c| c * c * c).sum::<u128>() as f64;
        agreement += before.iter().zip(after).filter(|(a, b)| a == b).count() as f64;
        expected += pairs / n;
        // Of the matches of two random arrangements of the same values.
        variance += (pairs * pairs / n + n * pairs - 2.0 * triples) / (n * (n - 1.0));
    }
    Ok((variance > 0.0).then(|| (agreement - expected) / f64::sqrt(variance)))
}
