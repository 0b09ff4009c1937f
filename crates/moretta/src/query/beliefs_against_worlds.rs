//! What adversaries learn, against the enumeration of all originals that fit the published files, 250 cases a kind.

use super::against_worlds::{CASES, people, policy};
use crate::chance::Seed;
use crate::prepare::Prepared;
use crate::progress::Progress;
use crate::release::{Adversary, Original};
use crate::testkit::published::publish;
use crate::testkit::worlds::{Person, weights, worlds};

/// Somebody in a world, and how likely the world is beside others: together they come to 1.
type Alike<'w> = (&'w Person, f64);

/// Calls `visit` with an adversary, a person whom she asks about (as codes), everybody in any world who is like that person,
/// and the values of the sensitive attribute.
fn each_question(
    kind: &str,
    policies: &[String],
    most: usize,
    visit: impl Fn(&dyn Adversary, &[u32], &[Alike<'_>], &[String]),
) {
    let (mut cases, mut number) = (0, 0_u64);
    while cases < CASES {
        number += 1;
        let csv = people(&mut Seed(number.into()).stream("worlds", 1), most);
        let Ok(published) = publish(&csv, &policies[number as usize % policies.len()], number) else { continue };
        let Some(worlds) = worlds(&published, kind) else { continue };
        cases += 1;
        let weights = weights(&published, kind, worlds.len());
        let total: f64 = weights.iter().sum();
        let counted = Prepared::read(&published.policy, &Progress::default()).unwrap();
        let original: Original<'_> = counted.original();
        let answers = published.release;
        let adversary = answers.adversary(&original.quasi).unwrap();
        let index = answers.attributes().iter().position(|askable| askable.name == "pay").unwrap();
        let values: Vec<String> = answers.values_of(index).unwrap().iter().map(ToString::to_string).collect();
        for age in 0..original.quasi[0].1.len() as u32 {
            for zip in 0..original.quasi[1].1.len() as u32 {
                let text = |index: usize, code| original.quasi[index].1.value(code).to_string();
                let (a, z): (i64, i64) = (text(0, age).parse().unwrap(), text(1, zip)[1..].parse().unwrap());
                let of_world =
                    worlds.iter().zip(&weights).flat_map(|(w, weight)| w.iter().map(move |p| (p, weight / total)));
                let alike: Vec<Alike<'_>> = of_world.filter(|(p, _)| p[0] == a && p[1] == z).collect();
                visit(&*adversary, &[age, zip], &alike, &values);
            }
        }
    }
}

/// Exactly the values are possible that somebody like the person has in some world, and somebody fits if there is such a world.
fn possible(adversary: &dyn Adversary, person: &[u32], alike: &[Alike<'_>], values: &[String]) {
    assert_eq!(adversary.candidates(person).is_empty(), alike.is_empty());
    match adversary.posterior(person, 0) {
        None => assert!(alike.is_empty()),
        Some(belief) => {
            assert!((belief.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            for (value, belief) in values.iter().zip(belief) {
                let somebody = alike.iter().any(|(other, _)| other[2].to_string() == *value);
                assert_eq!(belief > 0.0, somebody, "{value}: {belief}");
            }
        }
    }
}

/// Beliefs and weights are shares of all pairs of a world and somebody in it who is like the person.
fn shares_of_worlds(adversary: &dyn Adversary, person: &[u32], alike: &[Alike<'_>], values: &[String]) {
    let all: f64 = alike.iter().map(|(_, weight)| weight).sum();
    for (value, belief) in values.iter().zip(adversary.posterior(person, 0).unwrap_or_default()) {
        let same: f64 =
            alike.iter().filter(|(other, _)| other[2].to_string() == *value).map(|(_, weight)| weight).sum();
        assert!((belief - same / all).abs() < 1e-9, "{belief} and {}", same / all);
    }
    let weight: f64 = adversary.candidates(person).iter().map(|(_, weight)| weight).sum();
    assert!((weight - all).abs() < 1e-9, "{weight} and {all}");
}

#[test]
fn beliefs_from_bucketized_releases_are_shares_of_all_originals() {
    let anatomy = policy("name = \"anatomy\"", "model = \"distinct-l-diversity\"\nl = 2", "insensitive");
    each_question("bucketized", &[anatomy], 6, |adversary, person, alike, values| {
        possible(adversary, person, alike, values);
        let presence = if alike.is_empty() { 0.0 } else { 1.0 };
        assert_eq!(adversary.presence(person), Some(presence));
        shares_of_worlds(adversary, person, alike, values);
    });
}

#[test]
fn beliefs_from_generalized_releases_are_shares_of_all_originals() {
    let least_loss = policy("name = \"least-loss\"", "model = \"k-anonymity\"\nk = 2", "insensitive");
    each_question("generalized", &[least_loss], 4, |adversary, person, alike, values| {
        possible(adversary, person, alike, values);
        assert_eq!(adversary.presence(person), alike.is_empty().then_some(0.0));
        shares_of_worlds(adversary, person, alike, values);
    });
}

#[test]
fn ambiguous_releases_leave_possible_what_some_original_has() {
    let promise = "model = \"alpha-beta-privacy\"\nalpha = 1.0\nbeta = 0.7";
    let ambiguity = policy("name = \"ambiguity\"", promise, "drop");
    each_question("ambiguous", &[ambiguity], 5, |adversary, person, alike, values| {
        possible(adversary, person, alike, values);
        assert!(adversary.presence(person).is_some_and(|presence| (presence > 0.0) != alike.is_empty()));
    });
}

#[test]
fn sliced_releases_leave_possible_what_some_original_has() {
    let l = "model = \"l-diverse-slicing\"\nl = 1.2";
    let policies = [
        policy("name = \"slicing\"\ncolumns = [[\"age\"], [\"zip\", \"pay\"]]", l, "insensitive"),
        policy("name = \"slicing\"\ncolumns = [[\"age\", \"zip\"], [\"pay\"]]", l, "insensitive"),
    ];
    each_question("sliced", &policies, 5, |adversary, person, alike, values| {
        possible(adversary, person, alike, values);
        assert!(adversary.presence(person).is_some_and(|presence| (presence > 0.0) != alike.is_empty()));
    });
}
