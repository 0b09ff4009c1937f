//! Estimates and bounds against the enumeration of all originals that fit the published files, 250 cases a kind.

use rand::Rng;
use rand_chacha::ChaCha12Rng;

use super::{Labels, Query, answer};
use crate::chance::Seed;
use crate::release::Estimate;
use crate::testkit::published::{Published, publish};
use crate::testkit::worlds::{Person, World, weights, worlds};

pub(super) const CASES: usize = 250;

/// A comparison of an attribute, by its place in a person, with a number.
#[derive(Clone, Copy, Debug)]
struct Atom(usize, &'static str, i64);

impl Atom {
    fn holds(self, person: &Person) -> bool {
        match self.1 {
            "=" => person[self.0] == self.2,
            "<>" => person[self.0] != self.2,
            ">=" => person[self.0] >= self.2,
            _ => person[self.0] < self.2,
        }
    }

    fn sql(self) -> String {
        let name = ["age", "zip", "pay", "visits"][self.0];
        if self.0 == 1 { format!("zip {} 'z{}'", self.1, self.2) } else { format!("{name} {} {}", self.1, self.2) }
    }
}

/// Alternatives, each of which is a conjunction.
type Condition = Vec<Vec<Atom>>;

fn condition(chance: &mut ChaCha12Rng, attributes: &[usize]) -> Condition {
    let alternatives = if chance.random_range(0..3) == 0 { 2 } else { 1 };
    let mut atom = || {
        let index = attributes[chance.random_range(0..attributes.len())];
        let comparisons: &[&str] = if index == 1 { &["=", "<>"] } else { &["=", "<>", ">=", "<"] };
        Atom(index, comparisons[chance.random_range(0..comparisons.len())], chance.random_range(0..3))
    };
    let lengths: Vec<usize> = (0..alternatives).map(|at| 1 + (at + atom().2.unsigned_abs() as usize) % 3).collect();
    lengths.into_iter().map(|length| (0..length).map(|_| atom()).collect()).collect()
}

fn sql_of(condition: &Condition) -> String {
    let all = |atoms: &Vec<Atom>| format!("({})", atoms.iter().map(|a| a.sql()).collect::<Vec<_>>().join(" AND "));
    condition.iter().map(all).collect::<Vec<_>>().join(" OR ")
}

fn selected(world: &World, condition: &Condition, attribute: usize) -> Vec<f64> {
    let inside = |person: &&Person| condition.iter().any(|atoms| atoms.iter().all(|atom| atom.holds(person)));
    world.iter().filter(inside).map(|person| person[attribute] as f64).collect()
}

const AGGREGATES: [&str; 5] = ["COUNT", "SUM", "AVG", "MIN", "MAX"];

/// An aggregate of some numbers; nothing where there is none to speak of.
fn aggregate(name: &str, numbers: &[f64]) -> Option<f64> {
    let sum = numbers.iter().sum::<f64>();
    match name {
        "COUNT" => Some(numbers.len() as f64),
        "SUM" => Some(sum),
        _ if numbers.is_empty() => None,
        "AVG" => Some(sum / numbers.len() as f64),
        "MIN" => numbers.iter().copied().reduce(f64::min),
        _ => numbers.iter().copied().reduce(f64::max),
    }
}

pub(super) fn people(chance: &mut ChaCha12Rng, most: usize) -> String {
    let mut csv = String::from("age,zip,pay,visits\n");
    let (ages, zips, pays) = (chance.random_range(1..4), chance.random_range(1..3), chance.random_range(1..4));
    for _ in 0..chance.random_range(2..=most) {
        let [age, zip, pay, visits] = [ages, zips, pays, 3].map(|size| chance.random_range(0..size));
        csv.extend([format!("{age},z{zip},{pay},{visits}\n")]);
    }
    csv
}

pub(super) fn policy(method: &str, model: &str, visits: &str) -> String {
    format!(
        "[attributes]\nage = {{ role = \"quasi\", type = \"integer\" }}\nzip = {{ role = \"quasi\", type = \"text\" }}\n\
         pay = {{ role = \"sensitive\", type = \"integer\" }}\nvisits = {{ role = \"{visits}\", type = \"integer\" }}\n\
         [[require]]\n{model}\n[method]\n{method}\n"
    )
}

/// What the kind promises of its estimates and bounds.
struct Promise {
    kind: &'static str,
    policies: Vec<String>,
    people: usize,
    /// The indices of attributes to ask about.
    attributes: &'static [usize],
    /// Whether estimates of COUNT and SUM are means over all worlds, as likely as they are.
    is_mean: bool,
    /// Whether bounds are attained for any condition, not for conjunctions alone.
    always_tight: bool,
}

fn check(promise: &Promise) {
    let (mut cases, mut number) = (0, 0);
    while cases < CASES {
        number += 1;
        assert!(number < 40 * CASES, "only {cases} of {number} cases could be enumerated");
        let mut chance = Seed(number as u128).stream("worlds", 0);
        let csv = people(&mut chance, promise.people);
        let policy = &promise.policies[number % promise.policies.len()];
        let Ok(published) = publish(&csv, policy, number as u64) else { continue };
        let Some(worlds) = worlds(&published, promise.kind) else { continue };
        assert!(!worlds.is_empty(), "no world fits: {csv}");
        cases += 1;
        for _ in 0..4 {
            compare(promise, &published, &worlds, &mut chance, &csv);
        }
    }
}

fn compare(promise: &Promise, published: &Published, worlds: &[World], chance: &mut ChaCha12Rng, csv: &str) {
    let release = published.for_questions();
    let condition = condition(chance, promise.attributes);
    let numeric: Vec<usize> = promise.attributes.iter().copied().filter(|&index| index != 1).collect();
    let of = numeric[chance.random_range(0..numeric.len())];
    let name = ["age", "zip", "pay", "visits"][of];
    for what in AGGREGATES {
        let selects = if what == "COUNT" { "COUNT(*)".to_owned() } else { format!("{what}({name})") };
        let sql = format!("SELECT {selects} WHERE {}", sql_of(&condition));
        let query = Labels::default().resolve(&Query::parse(&sql).unwrap(), &*release).unwrap();
        let found = answer(&*release, &query).unwrap().rows[0].estimates[0];
        let all: Vec<Option<f64>> = worlds.iter().map(|w| aggregate(what, &selected(w, &condition, of))).collect();
        let known: Vec<f64> = all.iter().copied().flatten().collect();
        let context = format!("{}: {sql}\n{csv}{found:?}", promise.kind);
        let nobody = worlds.iter().all(|world| selected(world, &condition, of).is_empty());
        if nobody && what != "COUNT" {
            // Bounds that are not tight may not know; what they say of nobody is not wrong.
            assert!(condition.len() > 1 && !promise.always_tight || found == Estimate::default(), "{context}");
            continue;
        }
        let low = known.iter().copied().fold(f64::INFINITY, f64::min);
        let high = known.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (lower, upper) = (found.lower.unwrap(), found.upper.unwrap());
        assert!(lower <= low + 1e-9 && high <= upper + 1e-9, "worlds from {low} to {high}\n{context}");
        if promise.always_tight || condition.len() == 1 {
            assert!(
                (lower - low).abs() < 1e-9 && (upper - high).abs() < 1e-9,
                "worlds from {low} to {high}\n{context}"
            );
        }
        let estimate = found.estimate;
        assert!(estimate.is_none_or(|x| lower - 1e-9 <= x && x <= upper + 1e-9), "{context}");
        let weights = weights(published, promise.kind, worlds.len());
        if promise.is_mean && matches!(what, "COUNT" | "SUM") {
            let sum: f64 = known.iter().zip(&weights).map(|(x, weight)| x * weight).sum();
            let mean = sum / weights.iter().sum::<f64>();
            assert!((estimate.unwrap() - mean).abs() < 1e-9, "the mean is {mean}\n{context}");
        }
        if what == "AVG" && promise.is_mean {
            let of_world = |sum: fn(&[f64]) -> f64| {
                let weighed = worlds.iter().zip(&weights).map(|(w, weight)| weight * sum(&selected(w, &condition, of)));
                weighed.sum::<f64>()
            };
            let mean = of_world(|numbers| numbers.iter().sum()) / of_world(|numbers| numbers.len() as f64);
            assert!((estimate.unwrap() - mean).abs() < 1e-9, "the mean is {mean}\n{context}");
        }
    }
}

#[test]
fn generalized_releases_answer_as_all_originals_do() {
    let k = "model = \"k-anonymity\"\nk = 2";
    check(&Promise {
        kind: "generalized",
        policies: vec![policy("name = \"least-loss\"", k, "insensitive")],
        people: 4,
        attributes: &[0, 1, 2, 3],
        is_mean: true,
        always_tight: true,
    });
}

#[test]
fn bucketized_releases_answer_as_all_originals_do() {
    check(&Promise {
        kind: "bucketized",
        policies: vec![
            policy("name = \"anatomy\"", "model = \"distinct-l-diversity\"\nl = 2", "insensitive"),
            policy("name = \"mondrian\"\nrecoding = \"bucketize\"", "model = \"bucket-size\"\nk = 3", "insensitive"),
        ],
        people: 6,
        attributes: &[0, 1, 2, 3],
        is_mean: true,
        always_tight: false,
    });
}

#[test]
fn ambiguous_releases_answer_as_all_originals_do() {
    check(&Promise {
        kind: "ambiguous",
        policies: vec![policy(
            "name = \"ambiguity\"",
            "model = \"alpha-beta-privacy\"\nalpha = 1.0\nbeta = 0.7",
            "drop",
        )],
        people: 5,
        attributes: &[0, 1, 2],
        is_mean: false,
        always_tight: false,
    });
}

#[test]
fn sliced_releases_answer_as_all_originals_do() {
    let l = "model = \"l-diverse-slicing\"\nl = 1.2";
    check(&Promise {
        kind: "sliced",
        policies: vec![
            policy("name = \"slicing\"\ncolumns = [[\"age\"], [\"zip\", \"pay\"]]", l, "insensitive"),
            policy("name = \"slicing\"\ncolumns = [[\"age\", \"zip\"], [\"pay\"]]", l, "insensitive"),
        ],
        people: 5,
        attributes: &[0, 1, 2, 3],
        is_mean: true,
        always_tight: false,
    });
}

#[test]
fn releases_that_follow_targets_answer_as_all_originals_do() {
    let uniform = "model = \"p-private\"\ntarget = \"uniform\"";
    check(&Promise {
        kind: "distribution",
        policies: vec![
            policy("name = \"distribution\"", uniform, "insensitive"),
            policy("name = \"distribution\"\ngroups = [\"zip\"]", uniform, "insensitive"),
            policy("name = \"distribution\"\nfakes = 0.5", uniform, "insensitive"),
        ],
        people: 5,
        attributes: &[0, 1, 2, 3],
        is_mean: false,
        always_tight: false,
    });
}
