//! The fast answers beside the slow definitions, on thousands of small tables.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::membership::{MeasuredColumns, Membership, MembershipEffort};
use super::oracle::{Fraction, Person, SlicedOracle};
use super::{Positions, Secret, SlicedIndex, SlicedPosterior};
use crate::numeric::Threshold;
use crate::progress::CancelToken;

/// Tables of 1 to 12 people in up to 4 buckets and up to 3 columns; the sensitive attribute stands in the last
/// one, alone or not.
fn tables() -> impl Strategy<Value = (Vec<Vec<u32>>, Vec<u32>, Vec<u32>, bool)> {
    (1_usize..13, 1_usize..4, 1_u32..5).prop_flat_map(|(people, columns, values)| {
        (
            proptest::collection::vec(proptest::collection::vec(0..values.min(3), people), columns),
            proptest::collection::vec(0..values, people),
            proptest::collection::vec(0_u32..4, people),
            any::<bool>(),
        )
    })
}

/// The table as the oracle takes it, without empty buckets.
fn slow(columns: &[Vec<u32>], secret: &[u32], bucket: &[u32], alone: bool) -> SlicedOracle {
    let mut buckets: BTreeMap<u32, Vec<Person>> = BTreeMap::new();
    for row in 0..secret.len() {
        let mut known: Vec<Option<u32>> = columns.iter().map(|column| Some(column[row])).collect();
        known.extend(alone.then_some(None));
        buckets.entry(bucket[row]).or_default().push(Person { known, secret: secret[row] });
    }
    let sensitive_column = if alone { columns.len() } else { columns.len() - 1 };
    SlicedOracle { buckets: buckets.into_values().collect(), sensitive_column }
}

fn fast(columns: &[Vec<u32>], secret: &[u32], bucket: &[u32], alone: bool) -> SlicedIndex {
    let mut kept: Vec<u32> = bucket.to_vec();
    kept.sort_unstable();
    kept.dedup();
    let bucket: Vec<u32> = bucket.iter().map(|b| kept.binary_search(b).unwrap() as u32).collect();
    let sized: Vec<(&[u32], usize)> = columns.iter().map(|column| (column.as_slice(), 4)).collect();
    let column = (!alone).then(|| columns.len() - 1);
    let positions = Positions { bucket: &bucket, buckets: kept.len(), people: None };
    SlicedIndex::new(positions, &sized, &[Secret { column, codes: (secret, 5) }])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn beliefs_are_those_of_the_definition_and_sum_to_one((columns, secret, bucket, alone) in tables(), l in 1_u64..40) {
        let slow = slow(&columns, &secret, &bucket, alone);
        let index = fast(&columns, &secret, &bucket, alone);
        let l = Threshold::fraction(l, 8).unwrap();
        let bound = Fraction::new(l.parts().1.into(), l.parts().0.into());
        let mut posterior = SlicedPosterior::default();
        // Everybody in the table, and people who are not.
        let known: BTreeSet<Vec<Option<u32>>> = slow
            .buckets.iter().flatten().map(|person| person.known.clone())
            .chain(columns[0].iter().map(|&v| {
                let mut all = vec![Some(v); columns.len()];
                all.extend(alone.then_some(None));
                all
            }))
            .collect();
        for known in known {
            let codes: Vec<u32> = known.iter().flatten().copied().collect();
            let person: Vec<&[u32]> = codes.iter().map(std::slice::from_ref).collect();
            index.posterior(&person, 0, &mut posterior);
            let expected = slow.posterior(&known);
            prop_assert_eq!(posterior.distribution(5).is_none(), expected.is_empty());
            let Some(found) = posterior.distribution(5) else { continue };
            prop_assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            for (value, share) in (0..).zip(&found) {
                let exact = expected.get(&value).map_or(0.0, |p| p.to_f64());
                prop_assert!((share - exact).abs() < 1e-12);
            }
            let sum = expected.values().fold(Fraction(0, 1), |a, &b| Fraction::new(a.0 * b.1 + b.0 * a.1, a.1 * b.1));
            prop_assert_eq!(sum, Fraction(1, 1));
            prop_assert_eq!(posterior.reaches(l), expected.values().all(|p| p.at_most(bound)));
            // Exactly at the bound of the likeliest value.
            let most = expected.values().copied().reduce(|a, b| if a.at_most(b) { b } else { a }).unwrap();
            let (Ok(num), Ok(den)) = (u64::try_from(most.1), u64::try_from(most.0)) else { continue };
            prop_assert!(posterior.reaches(Threshold::fraction(num, den).unwrap()));
            if let (Some(num), Some(den)) = (num.checked_mul(1 << 40), den.checked_mul(1 << 40)) {
                prop_assert!(!posterior.reaches(Threshold::fraction(num + 1, den).unwrap()));
            }
            let shares = posterior.bucket_shares();
            let degrees = (0..slow.buckets.len()).map(|b| slow.degree(b, &known).to_f64());
            let all: f64 = degrees.clone().sum();
            let matching: Vec<f64> = degrees.filter(|&f| f > 0.0).map(|f| f / all).collect();
            prop_assert_eq!(shares.len(), matching.len());
            prop_assert!(shares.iter().zip(&matching).all(|(a, b)| (a - b).abs() < 1e-12));
        }
    }

    #[test]
    fn fakes_are_the_combinations_that_match_and_that_nobody_has((columns, _, bucket, _) in tables()) {
        let rows = bucket.len();
        let mut values: BTreeMap<u32, Vec<BTreeSet<u32>>> = BTreeMap::new();
        for row in 0..rows {
            let sets = values.entry(bucket[row]).or_insert_with(|| vec![BTreeSet::new(); columns.len()]);
            sets.iter_mut().zip(&columns).for_each(|(set, column)| set.extend([column[row]]));
        }
        let mut buckets: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
        for sets in values.values() {
            let mut all: Vec<Vec<u32>> = vec![vec![]];
            for set in sets {
                all = all.iter().flat_map(|head| set.iter().map(move |&v| [head.clone(), vec![v]].concat())).collect();
            }
            for combination in all {
                *buckets.entry(combination).or_default() += 1;
            }
        }
        let theirs: Vec<Vec<u32>> = (0..rows).map(|row| columns.iter().map(|c| c[row]).collect()).collect();
        let fakes: Vec<u32> = buckets.iter().filter(|(c, _)| !theirs.contains(c)).map(|(_, &n)| n).collect();

        let sized: Vec<(&[u32], usize)> = columns.iter().map(|column| (column.as_slice(), 4)).collect();
        let positions = Positions { bucket: &bucket, buckets: 4, people: None };
        let table = MeasuredColumns { positions, columns: &sized };
        let found = Membership::measure(table, MembershipEffort::default(), &CancelToken::new());
        prop_assert!((found.fakes.value - fakes.len() as f64).abs() < 1e-9 && found.fakes.samples == 0);
        for &(number, people) in &found.people {
            prop_assert_eq!(theirs.iter().filter(|t| buckets[*t] == number).count() as u64, people);
        }
        for &(number, share) in &found.fake_shares {
            let exact = fakes.iter().filter(|&&n| n == number).count() as f64;
            prop_assert!((share * fakes.len() as f64 - exact).abs() < 1e-9);
        }
        // Drawn, not counted: five standard errors are a false alarm in a million.
        let drawn = Membership::measure(table, MembershipEffort { count: 0, samples: 4096, seed: 1 }, &CancelToken::new());
        prop_assert!(drawn.fakes.samples == 4096);
        let wide = (drawn.fakes.upper - drawn.fakes.lower) / 2.0 * 2.6 + 0.01;
        prop_assert!((drawn.fakes.value - found.fakes.value).abs() <= wide, "{drawn:?} {found:?}");
    }
}

#[test]
fn a_person_known_by_many_columns_has_a_belief_too() {
    // 200 columns: the product of shares, 20^-200 or less, is below any float.
    let rows = 40;
    let bucket: Vec<u32> = (0..rows).map(|row| row / 20).collect();
    let column: Vec<u32> = (0..rows).map(|row| row % 20).collect();
    let columns: Vec<(&[u32], usize)> = vec![(&column, 20); 200];
    let secret: Vec<u32> = (0..rows).map(|row| row % 3).collect();
    let positions = Positions { bucket: &bucket, buckets: 2, people: None };
    let index = SlicedIndex::new(positions, &columns, &[Secret { column: None, codes: (&secret, 3) }]);
    let person: Vec<&[u32]> = vec![&[7]; 200];
    let mut posterior = SlicedPosterior::default();
    index.posterior(&person, 0, &mut posterior);
    let shares = posterior.distribution(3).unwrap();
    // 7, 7, 6 of 20 in the first bucket, 7, 6, 7 in the second; both match alike.
    assert!(shares.iter().zip([14.0, 13.0, 13.0]).all(|(p, n)| (p - n / 40.0).abs() < 1e-12));
    assert!(posterior.reaches(Threshold::fraction(40, 14).unwrap()));
    assert!(!posterior.reaches(Threshold::fraction(40_000_000_001, 14_000_000_000).unwrap()));
}

#[test]
fn the_worked_example_is_2_diverse_with_its_two_columns_and_two_buckets() {
    // (age, sex), zip code, disease of eight people; dyspepsia is 0, flu 1, bronchitis 2, gastritis 3.
    let people = [(0, 0, 0), (1, 0, 1), (2, 1, 1), (3, 1, 2), (4, 2, 1), (5, 2, 0), (5, 3, 0), (6, 3, 3)];
    let bucket: Vec<u32> = (0..8).map(|row| row / 4).collect();
    let first: Vec<u32> = people.iter().map(|person| person.0).collect();
    let zip: Vec<u32> = people.iter().map(|person| person.1).collect();
    let disease: Vec<u32> = people.iter().map(|person| person.2).collect();
    let positions = Positions { bucket: &bucket, buckets: 2, people: None };
    let secret = Secret { column: Some(1), codes: (&disease, 4) };
    let index = SlicedIndex::new(positions, &[(&first, 7), (&zip, 4)], &[secret]);
    let mut posterior = SlicedPosterior::default();
    for &(first, zip, _) in &people {
        index.posterior(&[&[first], &[zip]], 0, &mut posterior);
        assert!(posterior.reaches(Threshold::new(2.0).unwrap()));
        assert!(!posterior.reaches(Threshold::new(2.001).unwrap()));
    }
    index.posterior(&[&[0], &[0]], 0, &mut posterior);
    assert_eq!(posterior.buckets(), 1);
    let belief = posterior.distribution(4).unwrap();
    assert!(belief.iter().zip([0.5, 0.5, 0.0, 0.0]).all(|(p, half)| (p - half).abs() < 1e-15));
    assert_eq!(index.worst_bucket(0).2 * 2, index.worst_bucket(0).1);
}
