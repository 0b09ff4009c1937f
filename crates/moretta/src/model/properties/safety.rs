//! What models declare of merged and of grown groups.

use proptest::prelude::*;

use super::prepare;
use super::wishes::{T_CLOSENESS, Wish, closeness_models, diversity_models, wishes};
use crate::distance::Scratch;
use crate::model::{Group, GroupCheck};
use crate::testkit::oracle::Hundredths;
use crate::testkit::tables::{DISEASES, Row, groups, policy, rows, table_of};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn declared_properties_survive_merging_and_growing(
        rows in rows(),
        wish in wishes(),
        picked in proptest::collection::vec((0_u64..6, 0_u64..6, 0_u64..4), DISEASES.len()),
        easy in 0_u64..3,
    ) {
        // Modest wishes, so that many groups keep them.
        let wish = Wish { l: wish.l.min(1 + easy), fraction: Hundredths(100 + wish.fraction.0 / 4), ..wish };
        let mut models = diversity_models(&wish);
        models.extend(closeness_models(T_CLOSENESS, &wish));
        let policy = policy(&models);
        let groups = groups(&table_of(&rows), &policy);
        let domains = groups.scratch();
        // Any histograms over the domains: a group need not be part of the table.
        let draw = |pick: fn(&(u64, u64, u64)) -> u64| -> Vec<Vec<u64>> {
            let draw = |domain: &Vec<u64>| {
                let mut counts: Vec<u64> = picked.iter().map(pick).cycle().take(domain.len()).collect();
                counts[0] = counts[0].max(1);
                counts
            };
            let mut all: Vec<Vec<u64>> = domains.iter().map(draw).collect();
            // Both attributes count the same people.
            let (a, b) = (all[0].iter().sum::<u64>(), all[1].iter().sum::<u64>());
            let poorer = usize::from(a > b);
            all[poorer][0] += a.abs_diff(b);
            all
        };
        let parts = [draw(|pick| pick.0), draw(|pick| pick.1), draw(|pick| pick.2)];
        let union = |a: &[Vec<u64>], b: &[Vec<u64>]| -> Vec<Vec<u64>> {
            a.iter().zip(b).map(|(a, b)| a.iter().zip(b).map(|(a, b)| a + b).collect()).collect()
        };
        let mut scratch = Scratch::default();
        for model in &*policy.models {
            let check = prepare(&**model, &groups.whole);
            let mut holds = |sensitive: &[Vec<u64>]| {
                check.holds(&Group { people: sensitive[0].iter().sum(), sensitive, parent: None }, &mut scratch)
            };
            let both = union(&parts[0], &parts[1]);
            if check.safety().merge && holds(&parts[0]) && holds(&parts[1]) {
                prop_assert!(holds(&both), "{} is not merge-safe", model.name());
            }
            if check.safety().grow && holds(&parts[0]) {
                prop_assert!(holds(&union(&parts[0], &parts[2])), "{} is not grow-safe", model.name());
            }
            if holds(&both) {
                prop_assert!(both[0].iter().sum::<u64>() >= check.least_people());
            }
        }
    }
}

/// A check of diseases in a table that has each of aa, ab, ba, bb equally often.
fn check(model: &str) -> Box<dyn GroupCheck> {
    let rows: Vec<Row> = ["aa", "ab", "ba", "bb"].map(|disease| (0, disease, 1, 10)).to_vec();
    let policy = policy(&[format!("{model}, attribute = \"disease\"")]);
    prepare(&*policy.models[0], &groups(&table_of(&rows), &policy).whole)
}

#[test]
fn models_that_are_not_grow_safe_fail_when_rows_join() {
    for model in [
        "model = \"probabilistic-l-diversity\", l = 2",
        "model = \"entropy-l-diversity\", l = 2",
        "model = \"recursive-l-diversity\", c = 2, l = 2",
        "model = \"alpha-k-anonymity\", alpha = 0.5, k = 1",
        "model = \"t-closeness\", t = 0.2, distance = \"equal\"",
        "model = \"t-closeness\", t = 0.2, distance = \"kernel-js\", bandwidth = 0.1",
        "model = \"delta-disclosure\", delta = 0.5",
    ] {
        let check = check(model);
        assert!(!check.safety().grow, "{model}");
        let holds = |counts: [u64; 4]| {
            let sensitive = [counts.to_vec(), vec![counts.iter().sum()]];
            let people = counts.iter().sum();
            check.holds(&Group { people, sensitive: &sensitive, parent: None }, &mut Scratch::default())
        };
        assert!(holds([2, 2, 2, 2]) && !holds([40, 2, 2, 2]), "{model}");
    }
}
