//! What a sliced release says of people, recomputed naively from its file and the original's rows.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::kind::OpenRelease;
use crate::prepare::Prepared;
use crate::progress::Progress;
use crate::testkit::published::{Published, people, publish, rows_of};

/// The columns of a policy, as indices among age, zip, disease, job; disease is sensitive.
const COLUMNS: [(&str, &[&[usize]]); 4] = [
    ("[[\"age\", \"zip\", \"job\"], [\"disease\"]]", &[&[0, 1, 3], &[2]]),
    ("[[\"age\"], [\"zip\", \"disease\"], [\"job\"]]", &[&[0], &[1, 2], &[3]]),
    ("[[\"age\", \"job\", \"disease\"], [\"zip\"]]", &[&[0, 3, 2], &[1]]),
    ("[[\"age\"], [\"zip\"], [\"job\"], [\"disease\"]]", &[&[0], &[1], &[3], &[2]]),
];

const DISEASE: usize = 2;

fn policy(columns: usize, promise: &str) -> String {
    format!(
        "[attributes]\nage = {{ role = \"quasi\", type = \"integer\" }}\nzip = {{ role = \"quasi\" }}\n\
         disease = {{ role = \"sensitive\" }}\njob = {{ role = \"quasi\" }}\n[[require]]\n{promise}\n\
         [method]\nname = \"slicing\"\ncolumns = {}\n",
        COLUMNS[columns].0
    )
}

/// The rows of the file by bucket, each with the attributes in the original's order.
fn buckets(published: &Published, columns: &[&[usize]]) -> BTreeMap<String, Vec<Vec<String>>> {
    let order: Vec<usize> = columns.iter().flat_map(|column| column.iter().copied()).collect();
    let mut sorted: Vec<Vec<usize>> = columns.iter().map(|column| column.to_vec()).collect();
    sorted.iter_mut().for_each(|column| column.sort_by_key(|&index| [0, 1, 3, 2][index]));
    let written: Vec<usize> = sorted.concat();
    assert_eq!(order.len(), written.len());
    let mut buckets: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
    for row in published.rows("sliced") {
        let mut person = vec![String::new(); written.len()];
        written.iter().zip(&row[1..]).for_each(|(&index, value)| person[index].clone_from(value));
        buckets.entry(row[0].clone()).or_default().push(person);
    }
    buckets
}

/// p(t, ·), in floats, straight from the definition.
fn belief(
    buckets: &BTreeMap<String, Vec<Vec<String>>>,
    columns: &[&[usize]],
    person: &[String],
) -> BTreeMap<String, f64> {
    let agrees = |row: &[String], column: &[usize]| {
        column.iter().filter(|&&index| index != DISEASE).all(|&index| row[index] == person[index])
    };
    let own = columns.iter().find(|column| column.contains(&DISEASE)).unwrap();
    let (mut sums, mut total) = (BTreeMap::new(), 0.0);
    for rows in buckets.values() {
        let share =
            |column: &&[usize]| rows.iter().filter(|row| agrees(row, column)).count() as f64 / rows.len() as f64;
        let degree: f64 = columns.iter().map(share).product();
        let candidates: Vec<&Vec<String>> = rows.iter().filter(|row| agrees(row, own)).collect();
        for candidate in &candidates {
            *sums.entry(candidate[DISEASE].clone()).or_insert(0.0) += degree / candidates.len() as f64;
        }
        total += degree;
    }
    sums.values_mut().for_each(|sum| *sum /= total);
    sums.retain(|_, sum| *sum > 0.0);
    sums
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_file_keeps_the_promise_about_everybody_and_the_adversary_reads_it_so(
        csv in people(24), columns in 0..COLUMNS.len(), tenths in 10_u32..30, seed in 0_u64..5,
    ) {
        let l = f64::from(tenths) / 10.0;
        let promise = format!("model = \"l-diverse-slicing\"\nl = {l}");
        let published = match publish(&csv, &policy(columns, &promise), seed) {
            Ok(published) => published,
            Err(error) => {
                prop_assert_eq!(error.fault(), crate::Fault::Data, "{}", error);
                return Ok(());
            }
        };
        let columns = COLUMNS[columns].1;
        let (rows, buckets) = (rows_of(&csv), buckets(&published, columns));
        // Columns are whole, and every bucket's column holds some people's values.
        for column in columns {
            let part = |row: &Vec<String>| -> Vec<String> { column.iter().map(|&index| row[index].clone()).collect() };
            let mut before: Vec<_> = rows.iter().map(part).collect();
            let mut after: Vec<_> = buckets.values().flatten().map(part).collect();
            before.sort_unstable();
            after.sort_unstable();
            prop_assert_eq!(before, after);
        }
        let sliced = published.release.slices().unwrap();
        prop_assert_eq!(published.report.groups as usize, buckets.len());
        let counted = Prepared::read(&published.policy, &Progress::default()).unwrap();
        let original = counted.original();
        let adversary = sliced.adversary(&original.quasi).unwrap();
        let mut worst: f64 = 0.0;
        for (row, &cell) in rows.iter().zip(&counted.cells.cell_of_row) {
            let expected = belief(&buckets, columns, row);
            worst = expected.values().copied().fold(worst, f64::max);
            let person: Vec<u32> = (0..3).map(|a| counted.cells.columns[a][cell as usize]).collect();
            let found = adversary.posterior(&person, 0).unwrap();
            let named = sliced.table.sensitive[0].domain.values().iter().map(ToString::to_string).zip(found);
            for (name, share) in named {
                prop_assert!((share - expected.get(&name).copied().unwrap_or(0.0)).abs() < 1e-9);
            }
            let candidates = adversary.candidates(&person);
            prop_assert!((candidates.iter().map(|(_, weight)| weight).sum::<f64>() - 1.0).abs() < 1e-9);
            let presence = adversary.presence(&person).unwrap();
            prop_assert!(presence > 0.0 && presence <= 1.0);
        }
        prop_assert!(worst <= 1.0 / l + 1e-9, "{worst} with l = {l}");
        let achieved = published.report.guarantees[0].achieved["l"].as_f64().unwrap();
        prop_assert!((achieved - 1.0 / worst).abs() < 1e-6);
    }

    #[test]
    fn closeness_holds_for_the_belief_about_everybody(csv in people(24), columns in 0..COLUMNS.len(), t in 1_u32..9) {
        let t = f64::from(t) / 10.0;
        let promise = format!("model = \"t-closeness\"\nt = {t}\ndistance = \"equal\"");
        let Ok(published) = publish(&csv, &policy(columns, &promise), 1) else { return Ok(()) };
        let columns = COLUMNS[columns].1;
        let (rows, buckets) = (rows_of(&csv), buckets(&published, columns));
        let mut whole: BTreeMap<String, f64> = BTreeMap::new();
        rows.iter().for_each(|row| *whole.entry(row[DISEASE].clone()).or_default() += 1.0 / rows.len() as f64);
        for row in &rows {
            let belief = belief(&buckets, columns, row);
            let apart: f64 = whole.iter().map(|(value, q)| (belief.get(value).unwrap_or(&0.0) - q).abs()).sum();
            prop_assert!(apart / 2.0 <= t + 1e-9);
        }
    }
}

#[test]
fn unclassified_attributes_are_hidden_and_insensitive_ones_stand_in_a_column_of_their_own() {
    let csv: String = (0..40).map(|row| format!("{},z{},d{},j{row}\n", row % 7, row % 5, row % 3)).collect();
    let csv = format!("age,zip,disease,job\n{csv}");
    let policy = "[attributes]\nage = { role = \"unclassified\", type = \"integer\" }\nzip = { role = \"unclassified\" }\n\
                  disease = { role = \"unclassified\" }\njob = { role = \"insensitive\" }\n[method]\nname = \"slicing\"\n\
                  columns = [[\"age\", \"disease\"], [\"zip\"]]\nbucket_size = 10\n";
    let published = publish(&csv, policy, 3).unwrap();
    assert!(published.report.warnings.iter().any(|note| note.contains("only membership is protected")));
    let rows = published.rows("sliced");
    let mut jobs: Vec<&str> = rows.iter().map(|row| row[4].as_str()).collect();
    jobs.sort_unstable();
    let mut all: Vec<String> = (0..40).map(|row| format!("j{row}")).collect();
    all.sort_unstable();
    assert_eq!(jobs, all);
    assert!(published.report.groups > 1);
    let again = publish(&csv, policy, 3).unwrap();
    assert_eq!(rows, again.rows("sliced"));
    assert_ne!(rows, publish(&csv, policy, 4).unwrap().rows("sliced"));
    let linked =
        rows.iter().filter(|row| csv.contains(&format!("{},{},{},{}\n", row[1], row[3], row[2], row[4]))).count();
    assert!(linked < 20, "{linked} rows are linked as in the original");
}
