//! Every kind of release, asked at random: the truth lies within the bounds, and so does the estimate.

use proptest::prelude::*;

use super::{Query, Truth, answer};
use crate::prepare::Prepared;
use crate::progress::Progress;
use crate::testkit::published::{people, publish};

const METHODS: [(&str, &str); 7] = [
    ("name = \"least-loss\"", "model = \"k-anonymity\"\nk = 3"),
    ("name = \"top-down\"\nsuppression = 0.4", "model = \"k-anonymity\"\nk = 2"),
    ("name = \"anatomy\"\nsuppression = 0.5", "model = \"distinct-l-diversity\"\nl = 2"),
    ("name = \"mondrian\"\nrecoding = \"bucketize\"", "model = \"bucket-size\"\nk = 3"),
    ("name = \"ambiguity\"\nsuppression = 0.5", "model = \"alpha-beta-privacy\"\nalpha = 0.9\nbeta = 0.6"),
    (
        "name = \"slicing\"\ncolumns = [[\"age\"], [\"zip\", \"disease\"], [\"job\"]]",
        "model = \"l-diverse-slicing\"\nl = 1.5\nattribute = \"disease\"",
    ),
    ("name = \"slicing\"\ncolumns = 3\ncolumn_k = 4", "model = \"l-diverse-slicing\"\nl = 1.2"),
];

fn policy(method: usize, zip: &str) -> String {
    let (method, model) = METHODS[method];
    format!(
        "[attributes]\nage = {{ role = \"quasi\", type = \"integer\" }}\nzip = {{ role = \"quasi\"{zip} }}\n\
         disease = {{ role = \"sensitive\" }}\njob = {{ role = \"sensitive\" }}\n[[require]]\n{model}\n\
         {}[method]\n{method}\n",
        if model.contains("-l-") { "attribute = \"disease\"\n" } else { "" }
    )
}

fn conditions() -> impl Strategy<Value = String> {
    let atom = (0..5_u8, 0..8_u32).prop_map(|(shape, number)| match shape {
        0 => format!("age >= {number}"),
        1 => format!("age BETWEEN {} AND {number}", number / 2),
        2 => format!("zip = 'z{number}'"),
        3 => format!("disease IN ('d{number}', 'd{}')", number + 2),
        _ => format!("job <> 'j{number}'"),
    });
    proptest::collection::vec((atom, 0..3_u8), 1..5).prop_map(|atoms| {
        atoms.into_iter().fold(String::new(), |text, (atom, join)| match (text.is_empty(), join) {
            (true, _) => atom,
            (_, 0) => format!("({text}) OR {atom}"),
            (_, 1) => format!("({text}) AND {atom}"),
            _ => format!("NOT ({text}) AND {atom}"),
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_truth_lies_within_the_bounds(
        csv in people(30), method in 0..METHODS.len(), masked in any::<bool>(),
        conditions in proptest::collection::vec(conditions(), 8)
    ) {
        let zip = if masked { ", hierarchy = { mask = \"right\" }" } else { "" };
        let Ok(published) = publish(&csv, &policy(method, zip), 5) else { return Ok(()) };
        let counted = Prepared::read(&published.policy, &Progress::default()).unwrap();
        let original = counted.original();
        for condition in conditions {
            let query = Query::parse(&format!("SELECT COUNT(*) WHERE {condition}")).unwrap();
            let found = answer(&*published.release, &query).unwrap().rows[0].estimates[0];
            let exact = answer(&Truth(&original), &query).unwrap().rows[0].estimates[0].estimate.unwrap();
            let (lower, upper) = (found.lower.unwrap(), found.upper.unwrap());
            prop_assert!(lower <= exact && exact <= upper, "{condition}: {exact} not in [{lower}, {upper}]");
            let estimate = found.estimate.unwrap();
            prop_assert!(lower - 1e-9 <= estimate && estimate <= upper + 1e-9, "{condition}: {estimate}");

            let sql = format!("SELECT SUM(age), AVG(age), MIN(age), MAX(age) WHERE {condition}");
            let query = Query::parse(&sql).unwrap();
            let found = answer(&*published.release, &query).unwrap().rows.swap_remove(0).estimates;
            let truth = answer(&Truth(&original), &query).unwrap().rows.swap_remove(0).estimates;
            for (found, exact) in found.iter().zip(truth).filter_map(|(found, exact)| Some((found, exact.estimate?))) {
                let (lower, upper) = (found.lower.unwrap(), found.upper.unwrap());
                prop_assert!(lower <= exact + 1e-9 && exact <= upper + 1e-9, "{sql}: {exact} not in [{lower}, {upper}]");
                prop_assert!(found.estimate.is_none_or(|x| lower <= x && x <= upper), "{sql}: {found:?}");
            }

            let grouped = Query::parse(&format!("SELECT disease, COUNT(*) WHERE {condition} GROUP BY disease")).unwrap();
            let rows = answer(&*published.release, &grouped).unwrap().rows;
            let sum: f64 = rows.iter().map(|row| row.estimates[0].estimate.unwrap()).sum();
            prop_assert!((sum - estimate).abs() < 1e-9, "{condition}: {sum} by disease, {estimate} in all");
        }
    }
}
