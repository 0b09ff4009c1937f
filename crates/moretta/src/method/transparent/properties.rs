//! Transparent groups on random tables, recomputed from the released files.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use proptest::prelude::*;

use crate::progress::with_threads;
use crate::testkit::published::{people, publish, rows_of};

fn policy(l: u64, k: u64, recoding: &str) -> String {
    let size = if recoding == "generalize" { "k-anonymity" } else { "bucket-size" };
    format!(
        "[attributes]\nage = {{ role = \"quasi\" }}\nzip = {{ role = \"quasi\" }}\ndisease = {{ role = \"sensitive\" }}\n\
         job = {{ role = \"drop\" }}\n[[require]]\nmodel = \"probabilistic-l-diversity\"\nl = {l}\n\
         [[require]]\nmodel = {size:?}\nk = {k}\n[method]\nname = \"transparent\"\nrecoding = {recoding:?}\n"
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn groups_keep_the_promise_and_nobody_is_left_out(csv in people(40), l in 1..4_u64, k in 1..7_u64) {
        let original = rows_of(&csv);
        let mut frequent: BTreeMap<&str, u64> = BTreeMap::new();
        original.iter().for_each(|row| *frequent.entry(&row[2]).or_default() += 1);
        let everybody = original.len() as u64;
        let eligible = frequent.values().all(|most| most * l <= everybody) && everybody >= k;
        let published = publish(&csv, &policy(l, k, "generalize"), 7);
        prop_assert_eq!(published.is_ok(), eligible, "{:?}", published.err());
        let Ok(published) = published else { return Ok(()) };
        let mut groups: BTreeMap<Vec<String>, Vec<String>> = BTreeMap::new();
        for mut row in published.rows_unquoted("data") {
            let disease = row.pop().unwrap();
            groups.entry(row).or_default().push(disease);
        }
        prop_assert_eq!(groups.values().map(Vec::len).sum::<usize>(), original.len());
        for (labels, diseases) in groups {
            prop_assert!(diseases.len() as u64 >= k, "{labels:?}");
            for disease in &diseases {
                let same = diseases.iter().filter(|other| *other == disease).count() as u64;
                prop_assert!(same * l <= diseases.len() as u64, "{labels:?}: {diseases:?}");
            }
        }
    }

    #[test]
    fn buckets_keep_the_promise_for_every_number_of_threads(csv in people(60), l in 1..4_u64, k in 1..5_u64) {
        let in_threads = |threads: usize| {
            let texts = with_threads(NonZeroUsize::new(threads), || {
                let published = publish(&csv, &policy(l, k, "bucketize"), 7)?;
                Ok((published.text("qit"), published.text("st_disease"), published.rows("st_disease"), published.rows("qit")))
            });
            texts.ok()
        };
        let (one, three) = (in_threads(1), in_threads(3));
        prop_assert_eq!(&one, &three);
        let Some((_, _, values, rows)) = one else { return Ok(()) };
        prop_assert_eq!(rows.len(), rows_of(&csv).len());
        let mut sizes: BTreeMap<String, u64> = BTreeMap::new();
        rows.into_iter().for_each(|mut row| *sizes.entry(row.pop().unwrap()).or_default() += 1);
        for value in values {
            prop_assert!(value[2].parse::<u64>().unwrap() * l <= sizes[&value[0]] && sizes[&value[0]] >= k, "{value:?}");
        }
    }
}

#[test]
fn too_frequent_values_are_named() {
    let csv = "age,zip,disease,job\n1,a,x,j\n2,a,x,j\n3,a,x,j\n4,b,y,j\n";
    // Two different values are there, which is all that distinct diversity asks of the whole.
    let policy = policy(2, 1, "generalize").replace("probabilistic", "distinct");
    let error = publish(csv, &policy, 1).map(|_| ()).unwrap_err();
    assert!(error.message().contains("3 of 4 people have the same disease, \"x\""), "{error}");
}
