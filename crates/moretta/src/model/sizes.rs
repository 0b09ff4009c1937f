//! Promises about nothing but how many people stand together.

use serde_json::Map;

use super::worst::Worst;
use super::{PrivacyModel, ProvedFrom, Safer, Verdict};

/// Judges the sizes of buckets, of which each must hold at least `least` people.
pub(crate) fn judge(model: &dyn PrivacyModel, least: u64, sizes: &[u64]) -> Verdict {
    let mut smallest = Worst::new(Safer::Higher);
    sizes.iter().enumerate().for_each(|(bucket, &people)| smallest.offer(people as f64, bucket));
    let level = sizes.iter().min().map(|&people| ("k".to_owned(), people.into()));
    Verdict {
        model: model.name(),
        promised: model.parameters(),
        achieved: Map::from_iter(level),
        holds: sizes.iter().all(|&people| people >= least),
        proved_from: ProvedFrom::Files,
        witnesses: smallest.groups(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::distance::Scratch;
    use crate::model::{Group, Requirement};
    use crate::release::TableSummary;
    use crate::testkit::tables::parse;

    fn promised(model: &str, k: u64) -> Arc<[Box<dyn PrivacyModel>]> {
        let attributes = "[data]\nsource = \"t.csv\"\n[attributes]\nq = { role = \"quasi\" }\n";
        parse(attributes, &[format!("model = \"{model}\", k = {k}")]).unwrap().models
    }

    proptest! {
        #[test]
        fn the_smallest_bucket_decides(sizes in proptest::collection::vec(1_u64..9, 0..12), k in 1_u64..9, drawn in any::<bool>()) {
            let models = promised(if drawn { "condensed-k" } else { "bucket-size" }, k);
            let verdict = judge(&*models[0], k, &sizes);
            let smallest = sizes.iter().copied().min();
            prop_assert_eq!(verdict.holds, !sizes.iter().any(|&size| size < k));
            let level = smallest.map(|k| json!(k));
            prop_assert_eq!(verdict.achieved.get("k"), level.as_ref());
            prop_assert_eq!(verdict.witnesses.first().map(|&bucket| sizes[bucket]), smallest);
        }

        #[test]
        fn a_search_is_told_the_same(people in 1_u64..9, more in 0_u64..9, k in 1_u64..9) {
            let models = promised("bucket-size", k);
            let whole = TableSummary { people: 100, sensitive: Vec::new() };
            let requirement = Requirement::prepare(&models, &whole).unwrap();
            let holds = |people| requirement.holds(&Group { people, sensitive: &[], parent: None }, &mut Scratch::default());
            prop_assert_eq!(holds(people), people >= k);
            // Merge-safe and grow-safe.
            prop_assert!(requirement.safety().merge && requirement.safety().grow);
            prop_assert!(!holds(people) || holds(people + more));
            prop_assert_eq!(requirement.least_people(), k);
            prop_assert!(!requirement.judges_groups() && !requirement.needs_histograms());
        }
    }

    #[test]
    fn a_table_of_too_few_is_refused() {
        let models = promised("bucket-size", 5);
        let whole = TableSummary { people: 4, sensitive: Vec::new() };
        let error = Requirement::prepare(&models, &whole).unwrap_err();
        assert!(error.message().contains("bucket-size with k = 5: it has only 4 people"), "{error}");
    }
}
