//! Linked columns: whether the columns of a sliced release still stand as they stood in the original.
//!
//! Inside a bucket every column must be in random order of its own. Rows of the release that look like people of the original
//! are counted, and compared with how many there are when one column is shuffled anew.

use rand::seq::SliceRandom;

use super::finding::{Finding, Tested};
use super::input::OriginalTable;
use super::{Attack, AuditInput};
use crate::data::cells::count_distinct;
use crate::data::lookup::HashSet;
use crate::data::table::Column;
use crate::error::Result;
use crate::kind::sliced::Sliced;
use crate::progress::Progress;

pub(super) const ATTACK: Attack = Attack {
    name: "linked-columns",
    adversary: "takes what stands in one row of a sliced release for one person",
    run,
};

/// How often a column is shuffled anew.
const SHUFFLES: usize = 60;

/// So many standard deviations beyond chance are no accident: less than one in a million shuffled tables.
const LINE: f64 = 5.0;

fn run(scene: &AuditInput<'_>, progress: &Progress) -> Result<Tested> {
    let release = match scene.audited.release.slices() {
        Ok(slices) => slices,
        Err(lacks) => return Ok(Tested::Skipped(lacks.into())),
    };
    let Some(original_table) = scene.original_table else {
        return Ok(Tested::Skipped(
            "how values stood together is only known from the original: add --original POLICY".into(),
        ));
    };
    let columns: Vec<Option<Slice>> =
        release.columns.iter().map(|indices| Slice::new(release, original_table, indices)).collect();
    let mut worst: Option<(f64, String)> = None;
    let mut pairs = 0;
    for (index, first) in columns.iter().enumerate() {
        for second in &columns[index + 1..] {
            let (Some(first), Some(second)) = (first, second) else { continue };
            pairs += 1;
            let level = excess(scene, release, first, second, pairs, progress)?;
            if worst.as_ref().is_none_or(|worst| level > worst.0) {
                worst = Some((level, format!("({}) with ({})", first.names.join(", "), second.names.join(", "))));
            }
        }
    }
    let Some((level, which)) = worst else {
        return Ok(Tested::Skipped("no two columns are published as they are".into()));
    };
    let people = release.buckets().len() as u64;
    let mut finding = Finding::new("beyond chance, in σ", level.max(0.0), people)
        .hitting(if level > LINE { people } else { 0 }, "everybody, if columns are linked")
        .worst((level > LINE).then(|| format!("columns stand as they stood: {which}")))
        .detail("pairs_of_columns", pairs)
        .detail("shuffles", SHUFFLES);
    (finding.promised, finding.holds) = (Some(LINE), Some(level <= LINE));
    Ok(Tested::Found(vec![finding]))
}

/// A column of the release beside the same attributes of the original, both as numbers of their combinations.
struct Slice {
    names: Vec<String>,
    released: Vec<u32>,
    original: Vec<u32>,
}

impl Slice {
    /// Nothing where a published value is not one of the original: it was generalized.
    fn new(release: &Sliced, original_table: &OriginalTable, indices: &[usize]) -> Option<Self> {
        let quasi = release.table.quasi.len();
        let published = |index: usize| -> &Column {
            release.table.quasi.get(index).unwrap_or_else(|| &release.table.sensitive[index - quasi])
        };
        let table = &original_table.counted.table;
        let mut names = Vec::new();
        let mut stacked: Vec<(Vec<u32>, usize)> = Vec::new();
        for &index in indices {
            let column = published(index);
            let own = table.quasi.iter().chain(&table.sensitive).position(|own| own.name == column.name)?;
            let domain = &table.quasi.get(own).unwrap_or_else(|| &table.sensitive[own - table.quasi.len()]).domain;
            let codes: Vec<u32> =
                column.domain.values().iter().map(|value| domain.code(value)).collect::<Option<_>>()?;
            let mut both: Vec<u32> = column.codes.iter().map(|&code| codes[code as usize]).collect();
            both.extend_from_slice(&original_table.counted.cells.columns[own]);
            names.push(column.name.clone());
            stacked.push((both, domain.len()));
        }
        let rows = stacked.first()?.0.len();
        let sized: Vec<(&[u32], usize)> = stacked.iter().map(|(codes, size)| (codes.as_slice(), *size)).collect();
        let mut numbers = count_distinct(&sized, rows, None).cell_of_row;
        let original = numbers.split_off(release.table.rows());
        Some(Self { names, released: numbers, original })
    }
}

/// By how many standard deviations more rows look like people of the original than when the second column is shuffled.
fn excess(
    scene: &AuditInput<'_>,
    release: &Sliced,
    first: &Slice,
    second: &Slice,
    number: u64,
    progress: &Progress,
) -> Result<f64> {
    let key = |a: u32, b: u32| u64::from(a) << 32 | u64::from(b);
    let real: HashSet<u64> = first.original.iter().zip(&second.original).map(|(&a, &b)| key(a, b)).collect();
    let seen =
        |second: &[u32]| first.released.iter().zip(second).filter(|&(&a, &b)| real.contains(&key(a, b))).count() as f64;
    let mut rows_of: Vec<Vec<u32>> = Vec::new();
    for (row, &bucket) in release.buckets().iter().enumerate() {
        if rows_of.len() <= bucket as usize {
            rows_of.resize(bucket as usize + 1, Vec::new());
        }
        rows_of[bucket as usize].push(row as u32);
    }
    let found = seen(&second.released);
    let mut chance = scene.seed.stream("shuffled columns", number);
    let mut shuffled = second.released.clone();
    let counts = (0..SHUFFLES)
        .map(|_| {
            progress.check()?;
            for rows in &rows_of {
                let mut values: Vec<u32> = rows.iter().map(|&row| second.released[row as usize]).collect();
                values.shuffle(&mut chance);
                rows.iter().zip(values).for_each(|(&row, value)| shuffled[row as usize] = value);
            }
            Ok(seen(&shuffled))
        })
        .collect::<Result<Vec<f64>>>()?;
    let mean = counts.iter().sum::<f64>() / SHUFFLES as f64;
    let variance = counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / (SHUFFLES - 1) as f64;
    // With next to no variance a single row more would be many deviations; a count has at least this much.
    Ok((found - mean) / variance.sqrt().max(0.5))
}
