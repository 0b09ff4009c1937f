//! Slicing on the Adult table: correlations, refusals, and a promise recomputed from what a recipient gets.

use std::collections::BTreeMap;
use std::path::Path;

use moretta_lab::adult::{Adult, QI_6};

use super::phi::{BinnedColumn, phi_squared};
use crate::policy::Policy;
use crate::prepare::Prepared;
use crate::progress::Progress;
use crate::steward::{Options, publish_and_read};
use crate::testkit::adult::{self, data_folder};

/// How many positions of each bucket hold a part of a person.
type Holding = BTreeMap<Vec<String>, BTreeMap<u32, f64>>;

const FILE: &str = "adult.parquet";

fn policy(folder: &Path, l: f64, sensitive_column: usize) -> Policy {
    let table = Adult::all().from_file(FILE).with("quasi", &QI_6).with("sensitive", &["occupation"]);
    let rest = format!(
        "[[require]]\nmodel = \"l-diverse-slicing\"\nl = {l}\n\
         [method]\nname = \"slicing\"\ncolumns = 3\nsensitive_column = {sensitive_column}\n"
    );
    adult::policy(folder, &table, &rest)
}

#[test]
fn sex_goes_together_with_occupation_most() {
    let Some(folder) = data_folder("slicing::adult::sex_goes_together_with_occupation_most", FILE) else { return };
    let counted = Prepared::read(&policy(&folder, 5.0, 1), &Progress::default()).unwrap();
    let (table, cells) = (&counted.table, &counted.cells);
    let occupation = BinnedColumn::new(&cells.columns[6], &table.sensitive[0].domain, 10);
    for (index, expected) in [(5, 0.190), (1, 0.047), (2, 0.039)] {
        let other = BinnedColumn::new(&cells.columns[index], &table.quasi[index].domain, 10);
        let found = phi_squared(&occupation, &other, &cells.people);
        assert!((found - expected).abs() < 0.0005, "{}: {found}", QI_6[index]);
    }
}

#[test]
fn more_than_the_columns_allow_is_refused_with_the_most_that_they_allow() {
    let Some(folder) = data_folder("slicing::adult::more_than_the_columns_allow_is_refused", FILE) else { return };
    for (l, sensitive_column, message, help) in [
        (8.0, 1, "reach only l = 7.5", "no columns allow more than l = 7.5"),
        (
            5.0,
            2,
            "column {sex, occupation}: all 45222 people in one bucket reach only l = 3.9",
            "{occupation} allows l up to 7.5",
        ),
    ] {
        let policy = policy(&folder, l, sensitive_column);
        let error = publish_and_read(&policy, &Options::default(), &Progress::default()).unwrap_err();
        assert_eq!(error.fault(), crate::Fault::Data);
        assert!(error.message().contains(message), "{error}");
        assert!(error.advice().unwrap_or("").contains(help), "{error}");
    }
}

#[test]
fn a_promise_is_kept_as_recomputed_from_the_table_and_the_original() {
    let Some(folder) = data_folder("slicing::adult::a_promise_is_kept_as_recomputed", FILE) else { return };
    let policy = policy(&folder, 3.0, 2);
    let options = Options { seed: Some(1), ..Options::default() };
    let (_, release) = publish_and_read(&policy, &options, &Progress::default()).unwrap();
    let sliced = release.slices().unwrap();
    let counted = Prepared::read(&policy, &Progress::default()).unwrap();
    assert_eq!(sliced.columns.last().unwrap(), &[5, 6], "sex and occupation");

    // Who agrees with a person in what a column shows of quasi-identifiers, row by row.
    let released = |row: usize, index: usize| {
        let column = sliced.table.quasi.get(index).unwrap_or(&sliced.table.sensitive[0]);
        column.domain.value(column.codes[row]).to_string()
    };
    let original = |cell: usize, index: usize| {
        counted.table.quasi[index].domain.value(counted.cells.columns[index][cell]).to_string()
    };
    let part = |indices: &[usize], value: &dyn Fn(usize) -> String| -> Vec<String> {
        indices.iter().filter(|&&index| index < 6).map(|&index| value(index)).collect()
    };
    let mut sizes: BTreeMap<u32, f64> = BTreeMap::new();
    let mut holding: Vec<Holding> = vec![BTreeMap::new(); sliced.columns.len()];
    let mut jobs: BTreeMap<(u32, Vec<String>), BTreeMap<String, f64>> = BTreeMap::new();
    for (row, &bucket) in sliced.buckets().iter().enumerate() {
        *sizes.entry(bucket).or_default() += 1.0;
        for (column, holding) in sliced.columns.iter().zip(&mut holding) {
            let part = part(column, &|index| released(row, index));
            *holding.entry(part).or_default().entry(bucket).or_default() += 1.0;
        }
        let part = part(&[5], &|index| released(row, index));
        *jobs.entry((bucket, part)).or_default().entry(released(row, 6)).or_default() += 1.0;
    }
    let mut worst: f64 = 0.0;
    for cell in (0..counted.cells.len()).step_by(7) {
        let parts: Vec<Vec<String>> =
            sliced.columns.iter().map(|column| part(column, &|index| original(cell, index))).collect();
        let (mut sums, mut total): (BTreeMap<&String, f64>, f64) = (BTreeMap::new(), 0.0);
        for bucket in holding[0][&parts[0]].keys() {
            let share = |(holding, part): (&Holding, &Vec<String>)| {
                holding[part].get(bucket).copied().unwrap_or(0.0) / sizes[bucket]
            };
            let degree: f64 = holding.iter().zip(&parts).map(share).product();
            if degree > 0.0 {
                let candidates = &jobs[&(*bucket, parts[2].clone())];
                let all: f64 = candidates.values().sum();
                candidates.iter().for_each(|(job, n)| *sums.entry(job).or_default() += degree * n / all);
                total += degree;
            }
        }
        worst = sums.values().fold(worst, |worst, sum| worst.max(sum / total));
    }
    assert!(worst <= 1.0 / 3.0 + 1e-12, "{worst}");
}
