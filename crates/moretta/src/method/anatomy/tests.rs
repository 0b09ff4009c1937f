//! Anatomy on random tables, recomputed from the released files.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::error::Fault;
use crate::testkit::published::{people, publish, rows_of};

fn policy(l: u64, job: &str) -> String {
    policy_leaving_out(l, job, 10)
}

/// Up to so many tenths of the people may be left out.
fn policy_leaving_out(l: u64, job: &str, tenths: u64) -> String {
    format!(
        "[attributes]\nage = {{ role = \"quasi\" }}\nzip = {{ role = \"quasi\" }}\ndisease = {{ role = \"sensitive\" }}\n\
         job = {{ role = {job:?} }}\n[[require]]\nmodel = \"probabilistic-l-diversity\"\nl = {l}\n\
         [method]\nname = \"anatomy\"\nsuppression = {}\n",
        tenths as f64 / 10.0
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn groups_keep_the_promise_and_rows_their_values(
        csv in people(40), l in 1..4_u64, several in any::<bool>(), tenths in 0..=10_u64,
    ) {
        let job = if several { "sensitive" } else { "insensitive" };
        let published = match publish(&csv, &policy_leaving_out(l, job, tenths), 7) {
            Ok(published) => published,
            // A plan that breaks the promise would be a bug.
            Err(error) => {
                prop_assert_eq!(error.fault(), Fault::Data, "{}", error);
                return Ok(());
            }
        };
        prop_assert!(10 * published.report.suppressed <= tenths * rows_of(&csv).len() as u64);
        let mut sizes: BTreeMap<String, u64> = BTreeMap::new();
        let mut released: Vec<Vec<String>> = Vec::new();
        for mut row in published.rows("qit") {
            *sizes.entry(row.pop().unwrap()).or_default() += 1;
            released.push(row);
        }
        for table in if several { &["st_disease", "st_job"][..] } else { &["st_disease"] } {
            let mut held: BTreeMap<String, u64> = BTreeMap::new();
            for row in published.rows(table) {
                let count: u64 = row[2].parse().unwrap();
                prop_assert!(count * l <= sizes[&row[0]], "{row:?} in a group of {}", sizes[&row[0]]);
                *held.entry(row[0].clone()).or_default() += count;
            }
            prop_assert_eq!(&held, &sizes);
        }
        // Every released row is a row of the original, and no more often than there.
        let mut original = rows_of(&csv).into_iter().map(|mut row| {
            row.remove(2);
            row.truncate(if several { 2 } else { 3 });
            row
        }).collect::<Vec<_>>();
        prop_assert_eq!(released.len() as u64 + published.report.suppressed, original.len() as u64);
        for row in released {
            let index = original.iter().position(|known| *known == row);
            prop_assert!(index.is_some(), "{row:?}");
            original.swap_remove(index.unwrap());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Of few people with two sensitive attributes often one more fits nowhere than may be left out.
    #[test]
    fn nobody_more_is_left_out_than_may_be(
        people in proptest::collection::vec((0..4_u32, 0..4_u32), 5..12), may_be in 0..3_usize,
    ) {
        let rows: String = (0..).zip(&people).map(|(age, (disease, job))| format!("{age},z,d{disease},j{job}\n")).collect();
        let share = format!("suppression = {}", may_be as f64 / people.len() as f64);
        let policy = policy(2, "sensitive").replace("suppression = 1", &share);
        match publish(&format!("age,zip,disease,job\n{rows}"), &policy, 7) {
            Ok(published) => prop_assert!(published.report.suppressed <= may_be as u64),
            Err(error) => prop_assert!(["needs-suppression", "promise-impossible"].contains(&error.code()), "{error}"),
        }
    }
}

#[test]
fn who_fits_nowhere_is_refused_with_the_share_that_would_do() {
    let csv = "age,zip,disease,job\n1,a,x,j\n2,a,x,k\n3,a,x,j\n4,b,y,j\n5,b,z,k\n6,c,z,j\n7,c,y,k\n8,d,x,j\n";
    let policy = policy(2, "sensitive").replace("suppression = 1", "");
    let error = publish(csv, &policy, 1).map(|_| ()).unwrap_err();
    assert!(error.message().contains("people"), "{error}");
}
