//! The losses against slow, obvious code, on small tables.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::evaluator::{Belief, LossConfig, LossEvaluator};
use super::populations::LargePopulations;
use crate::chance::Seed;
use crate::condition::{QueryBox, ValueSet};
use crate::data::value::Value;
use crate::hierarchy::HierarchySpec;
use crate::prepare::Prepared;
use crate::progress::{CancelToken, Progress};
use crate::query::Workload;
use crate::release::Populations;
use crate::testkit::published::{Published, people, publish, rows_of};

const ATTRIBUTES: &str = r#"
    [attributes]
    age = { role = "quasi", type = "integer", hierarchy = { intervals = [2, 4] } }
    zip = { role = "quasi", type = "text" }
    disease = { role = "sensitive", type = "text" }
    job = { role = "drop" }
"#;

fn measuring(min_support: f64) -> LossConfig {
    let workload = Workload { dimension: 2, selectivity: 0.3, queries: 40, seed: Seed(5) };
    LossConfig {
        attribute: None,
        min_support,
        max_conditions: None,
        distance: "js".into(),
        bandwidth: 0.5,
        belief: Belief::Posterior,
        workload,
    }
}

fn evaluator(published: &Published, min_support: f64) -> LossEvaluator {
    let counted = Prepared::read(&published.policy, &Progress::default()).unwrap();
    LossEvaluator::new(&published.policy, counted, &measuring(min_support), &Progress::default()).unwrap()
}

/// A release under a model and a method, where they can be had of this table.
fn try_publish(csv: &str, require: &str, method: &str) -> Option<Published> {
    publish(csv, &format!("{ATTRIBUTES}\n[[require]]\n{require}\n[method]\n{method}\n"), 7).ok()
}

const WAYS: [(&str, &str); 7] = [
    ("model = \"k-anonymity\"\nk = 2", "name = \"least-loss\""),
    ("model = \"bucket-size\"\nk = 2", "name = \"mondrian\"\nrecoding = \"bucketize\""),
    ("model = \"distinct-l-diversity\"\nl = 2", "name = \"anatomy\""),
    ("model = \"alpha-beta-privacy\"\nalpha = 0.9\nbeta = 0.9", "name = \"ambiguity\""),
    ("model = \"l-diverse-slicing\"\nl = 1.2", "name = \"slicing\"\ncolumns = 2"),
    ("model = \"p-private\"\ntarget = \"table\"", "name = \"distribution\""),
    ("model = \"k-anonymity\"\nk = 2", "name = \"top-down\""),
];

/// Σ p ln(p / (p of the row · p of the column)).
fn slow_information(joint: &BTreeMap<(String, String), f64>) -> f64 {
    let total: f64 = joint.values().sum();
    let of_row = |row: &str| joint.iter().filter(|((a, _), _)| a == row).map(|(_, people)| people).sum::<f64>();
    let of_column =
        |column: &str| joint.iter().filter(|((_, b), _)| b == column).map(|(_, people)| people).sum::<f64>();
    let known = joint.iter().filter(|(_, people)| **people > 0.0);
    known.map(|((a, b), people)| people / total * (people * total / (of_row(a) * of_column(b))).ln()).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// What is left of associations, from single counts; whoever has a value that the original lacks is one of the others.
    #[test]
    fn associations_are_those_of_single_counts(csv in people(24), way in 0..WAYS.len()) {
        let Some(published) = try_publish(&csv, WAYS[way].0, WAYS[way].1) else { return Ok(()) };
        let utility = &published.report.utility;
        let askable = published.release.attributes();
        let index = |name: &str| askable.iter().position(|known| known.name == name).unwrap();
        let values = |at: usize| -> Vec<String> {
            let mut values: Vec<String> = rows_of(&csv).iter().map(|row| row[at].clone()).collect();
            values.sort_unstable();
            values.dedup();
            values
        };
        let set = |name: &str, text: &str| {
            let value = if name == "age" { Value::Integer(text.parse().unwrap()) } else { Value::Text(text.into()) };
            (index(name), ValueSet::one(value))
        };
        let count = |mut sides: Vec<(usize, ValueSet)>| {
            sides.sort_unstable_by_key(|(index, _)| *index);
            published.release.count(&[QueryBox { sides }]).unwrap().estimate.unwrap().max(0.0)
        };
        let mut kept = Vec::new();
        for (at, name) in ["age", "zip"].into_iter().enumerate() {
            prop_assume!(values(at).len() <= 16);
            let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
            for row in rows_of(&csv) {
                *before.entry((row[at].clone(), row[2].clone())).or_insert(0.0) += 1.0;
            }
            for disease in values(2) {
                let mut rest = count(vec![set("disease", &disease)]);
                for value in values(at) {
                    let people = count(vec![set(name, &value), set("disease", &disease)]);
                    rest -= people;
                    after.insert((value, disease.clone()), people);
                }
                after.insert(("others".to_owned(), disease), if rest > 1e-9 { rest } else { 0.0 });
            }
            let column = &utility.columns[at];
            prop_assert_eq!(column.name.as_str(), name);
            let found = &column.association[0];
            let (original, release) = (slow_information(&before), slow_information(&after));
            prop_assert!((found.original - original).abs() < 1e-9, "{:?} {}", found, original);
            prop_assert!((found.release - release).abs() < 1e-9, "{:?} {}", found, release);
            prop_assert_eq!(found.kept.is_some(), original > 1e-9, "{:?}", found);
            kept.extend(found.kept);
        }
        let mean = (!kept.is_empty()).then(|| kept.iter().sum::<f64>() / kept.len() as f64);
        prop_assert_eq!(utility.association, mean);
        prop_assert!(kept.iter().all(|share| (0.0..=1.0).contains(share)));
        prop_assert_eq!(utility.loss.is_some(), published.release.labels().is_ok());
        let error = utility.query_error.unwrap();
        prop_assert!(error.mean >= 0.0 && error.median >= 0.0 && error.queries <= 100);
    }
}

#[test]
fn one_group_keeps_nothing_and_exact_rows_keep_all() {
    let csv = "age,zip,disease,job\n1,a,flu,x\n1,a,flu,x\n2,b,gout,x\n2,b,gout,x\n";
    let exact = try_publish(csv, "model = \"k-anonymity\"\nk = 2", "name = \"least-loss\"").unwrap();
    assert_eq!(exact.report.utility.association, Some(1.0));
    assert!(exact.report.utility.query_error.unwrap().mean.abs() < 1e-12);
    let one =
        try_publish(csv, "model = \"distinct-l-diversity\"\nl = 2", "name = \"mondrian\"\nrecoding = \"bucketize\"");
    let one = one.unwrap();
    assert!(one.report.utility.association.unwrap() < 1e-12, "{:?}", one.report.utility);
    assert_eq!(one.report.utility.loss, None);
    let same = "age,zip,disease,job\n1,a,flu,x\n2,a,flu,x\n3,b,flu,x\n4,b,flu,x\n";
    let nothing = try_publish(same, "model = \"k-anonymity\"\nk = 2", "name = \"least-loss\"").unwrap();
    assert_eq!(nothing.report.utility.association, None, "where nothing goes together there is nothing to keep");
}

/// ½ KL(P‖M) + ½ KL(Q‖M), as it is written.
fn slow_js(p: &BTreeMap<String, f64>, q: &BTreeMap<String, f64>) -> f64 {
    let kl = |a: &BTreeMap<String, f64>, b: &BTreeMap<String, f64>| -> f64 {
        let at = |map: &BTreeMap<String, f64>, key: &str| map.get(key).copied().unwrap_or(0.0);
        let term = |(key, &x): (&String, &f64)| if x > 0.0 { x * (x / f64::midpoint(x, at(b, key))).ln() } else { 0.0 };
        a.iter().map(term).sum()
    };
    f64::midpoint(kl(p, q), kl(q, p))
}

fn shares(values: impl Iterator<Item = (String, f64)>) -> BTreeMap<String, f64> {
    let mut shares = BTreeMap::new();
    values.for_each(|(value, people)| *shares.entry(value).or_insert(0.0) += people);
    let all: f64 = shares.values().sum();
    shares.values_mut().for_each(|share| *share /= all);
    shares
}

/// What a published value of age covers.
fn covers(label: &str, value: &str) -> bool {
    let inner = label.trim_matches(['[', ']', '{', '}']);
    if label.starts_with('[') {
        let (low, high) = inner.split_once(", ").unwrap();
        let [low, high, value] = [low, high, value].map(|x| x.parse::<i64>().unwrap());
        return low <= value && value <= high;
    }
    label == "*" || inner.split(", ").any(|one| one == value)
}

/// One of the ages that an interval holds. Any age weighs as the square root of how often rows publish it alone, and one more is spread over all
/// that other labels stand for; where none stands for it, only labels that stand for any age can hold it.
fn weight_of_age(label: &str, age: &str, released: &[Vec<String>]) -> f64 {
    let of_interval = |label: &str| match label.trim_matches(['[', ']']).split_once(", ") {
        Some((low, high)) => 1.0 / (high.parse::<f64>().unwrap() - low.parse::<f64>().unwrap() + 1.0),
        None => 1.0,
    };
    if label != "*" {
        return of_interval(label);
    }
    let others: std::collections::BTreeSet<&str> =
        released.iter().map(|row| row[0].as_str()).filter(|label| *label != "*").collect();
    let alone = |age: &str| (released.iter().filter(|row| row[0] == age).count() as f64).sqrt();
    let exact: f64 = others.iter().filter(|label| !label.starts_with('[')).map(|label| alone(label)).sum();
    let even: f64 = others.iter().filter(|label| covers(label, age)).map(|label| of_interval(label)).sum();
    let weight = (alone(age) + even / others.len().max(1) as f64) / (exact + 1.0);
    if weight > 0.0 { weight } else { 1.0 }
}

/// By the square root of how often rows publish the zip alone, and one more for all that the label stands for.
fn weight_of_zip(label: &str, zip: &str, released: &[Vec<String>]) -> f64 {
    let items: Vec<&str> = label.trim_matches(['{', '}']).split(", ").collect();
    let alone =
        |item: &str| (released.iter().filter(|row| row[1] == item).count() as f64).sqrt() + 1.0 / items.len() as f64;
    alone(zip) / items.iter().map(|item| alone(item)).sum::<f64>()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn large_populations_are_those_of_an_exhaustive_search(csv in people(24), percent in 1_u32..60, most in 1..=3_usize) {
        let Some(published) = try_publish(&csv, WAYS[1].0, WAYS[1].1).or_else(|| try_publish(&csv, "model = \"bucket-size\"\nk = 1", WAYS[1].1)) else { return Ok(()) };
        let counted = Prepared::read(&published.policy, &Progress::default()).unwrap();
        let specs = [HierarchySpec::Intervals(vec![2.0, 4.0]), HierarchySpec::Default];
        let attributes: Vec<_> = ["age", "zip"].iter().zip(&specs).zip(&counted.scales).map(|((n, s), scale)| (*n, s, scale)).collect();
        let share = f64::from(percent) / 100.0;
        let limit = (most < 3).then_some(most);
        let found = LargePopulations::find(&attributes, &counted.cells, share, limit, &CancelToken::new()).unwrap();
        let rows = rows_of(&csv);
        let age = |row: &Vec<String>| row[0].parse::<i64>().unwrap();
        // Every node of age that has fewer leaves than the next above it, or none; every zip, or none.
        let ages: Vec<i64> = { let mut ages: Vec<i64> = rows.iter().map(age).collect(); ages.sort_unstable(); ages.dedup(); ages };
        let mut nodes: Vec<(Vec<i64>, String)> = Vec::new();
        for width in [4, 2, 1] {
            for &a in &ages {
                let leaves: Vec<i64> = ages.iter().copied().filter(|b| b.div_euclid(width) == a.div_euclid(width)).collect();
                let wider = if width == 4 { ages.clone() } else { ages.iter().copied().filter(|b| b.div_euclid(width * 2) == a.div_euclid(width * 2)).collect() };
                let low = a.div_euclid(width) * width;
                let label = if width == 1 { format!("age = {a}") } else { format!("age = [{low}, {}]", low + width - 1) };
                if leaves.len() < wider.len() && !nodes.iter().any(|(_, known)| *known == label) { nodes.push((leaves, label)) }
            }
        }
        let mut zips: Vec<String> = rows.iter().map(|row| row[1].clone()).collect();
        zips.sort(); zips.dedup();
        let mut wanted: Vec<(Vec<String>, u64)> = Vec::new();
        for node in std::iter::once(None).chain(nodes.iter().map(Some)) {
            for zip in std::iter::once(None).chain(zips.iter().map(Some)) {
                let inside = |row: &&Vec<String>| node.is_none_or(|(leaves, _)| leaves.contains(&age(row))) && zip.is_none_or(|zip| row[1] == *zip);
                let support = rows.iter().filter(inside).count();
                let labels: Vec<String> = node.iter().map(|(_, label)| label.clone()).chain(zip.iter().map(|zip| format!("zip = {zip}"))).collect();
                if (1..=most).contains(&labels.len()) && support >= 1 && support as f64 >= share * rows.len() as f64 - 1e-9 { wanted.push((labels, support as u64)) }
            }
        }
        let mut fast: Vec<(Vec<String>, u64)> = found.populations.members.iter().zip(&found.support)
            .map(|(members, &support)| (members.iter().map(|&m| found.labels[m as usize].clone()).collect(), support)).collect();
        fast.iter_mut().for_each(|(labels, _)| labels.sort());
        wanted.sort(); fast.sort();
        prop_assert_eq!(fast, wanted);
    }

    #[test]
    fn what_is_asked_together_is_what_is_asked_alone(csv in people(30), way in 0_usize..WAYS.len()) {
        let Some(published) = try_publish(&csv, WAYS[way].0, WAYS[way].1) else { return Ok(()) };
        let evaluator = evaluator(&published, 0.05);
        let release = published.release;
        let names: Vec<String> = release.attributes().into_iter().map(|askable| askable.name).collect();
        let index = |name: &str| names.iter().position(|known| known == name).unwrap();
        let populations = evaluator.large.populations.moved(&[index("age"), index("zip")]);
        let disease = index("disease");
        let together = release.histograms(&populations, disease).unwrap();
        let values = release.values_of(disease).unwrap();
        let alone = populations.one_by_one(disease, &values, |condition| release.count(condition)).unwrap();
        prop_assert_eq!(together.len(), alone.len());
        for (together, alone) in together.iter().flatten().zip(alone.iter().flatten()) {
            prop_assert!((together - alone).abs() < 1e-9, "{} {}", together, alone);
        }
        // Nobody is asked about: everybody.
        let everybody = release.histograms(&Populations { members: vec![Vec::new()], ..Populations::default() }, disease).unwrap();
        prop_assert!((everybody[0].iter().sum::<f64>() - published.report.rows_out as f64).abs() < 1e-6);
    }

    #[test]
    fn losses_of_a_generalized_table_are_those_of_its_rows(csv in people(30)) {
        let Some(published) = try_publish(&csv, WAYS[0].0, WAYS[0].1) else { return Ok(()) };
        let evaluator = evaluator(&published, 0.1);
        let losses = evaluator.measure(&*published.release, &Progress::default()).unwrap();
        let (rows, mut released) = (rows_of(&csv), published.rows_unquoted("data"));
        released.iter_mut().for_each(|row| row[1] = published.spelled_out("zip", &row[1]));
        let overall = shares(rows.iter().map(|row| (row[2].clone(), 1.0)));
        let each: Vec<f64> = rows.iter().map(|row| {
            let like = released.iter().filter(|r| covers(&r[0], &row[0]) && covers(&r[1], &row[1]));
            let weight = |r: &Vec<String>| weight_of_age(&r[0], &row[0], &released) * weight_of_zip(&r[1], &row[1], &released);
            slow_js(&shares(like.map(|r| (r[2].clone(), weight(r)))), &overall)
        }).collect();
        let worst = each.iter().copied().fold(0.0, f64::max);
        prop_assert!((losses.privacy.worst - worst).abs() < 1e-9, "{} {}", losses.privacy.worst, worst);
        prop_assert!((losses.privacy.mean - each.iter().sum::<f64>() / each.len() as f64).abs() < 1e-9);
        prop_assert!(losses.privacy.median <= losses.privacy.p95 && losses.privacy.p95 <= losses.privacy.worst);
        // Somebody who knows the group believes what the rows with equal labels show.
        let of_group: Vec<f64> = released.iter().map(|own| {
            let same = released.iter().filter(|r| r[..2] == own[..2]);
            slow_js(&shares(same.map(|r| (r[2].clone(), 1.0))), &overall)
        }).collect();
        let known = losses.known_group.unwrap();
        prop_assert!((known.worst - of_group.iter().copied().fold(0.0, f64::max)).abs() < 1e-9);
        prop_assert!((known.mean - of_group.iter().sum::<f64>() / of_group.len() as f64).abs() < 1e-9);
    }

    #[test]
    fn the_two_ends_lose_nothing_on_their_own_axis(csv in people(30)) {
        let Some(published) = try_publish(&csv, "model = \"bucket-size\"\nk = 1", WAYS[1].1) else { return Ok(()) };
        let evaluator = evaluator(&published, 0.1);
        let (removed, original) = (evaluator.removed().unwrap(), evaluator.published(&Progress::default()).unwrap());
        prop_assert!(removed.privacy.worst <= 0.0);
        prop_assert!(original.utility.mean <= 0.0 && original.query_error < 1e-12);
        // One group of all is the first end; exact quasi-identifiers in groups of equals are the second.
        let everybody = rows_of(&csv).len();
        let one = try_publish(&csv, &format!("model = \"bucket-size\"\nk = {everybody}"), WAYS[1].1).unwrap();
        let measured = evaluator.measure(&*one.release, &Progress::default()).unwrap();
        prop_assert!(measured.privacy.worst < 1e-12);
        prop_assert!((measured.utility.mean - removed.utility.mean).abs() < 1e-9);
    }
}

#[test]
fn revealing_an_occupation_of_adult_costs_what_the_dissertation_prints() {
    let overall = [
        0.0314, 0.1331, 0.1063, 0.1196, 0.1323, 0.1329, 0.0452, 0.0657, 0.1225, 0.0327, 0.0512, 0.0052, 0.0216, 0.0003,
    ];
    let revealed = |index: usize| {
        let mut belief = [0.0; 14];
        belief[index] = 1.0;
        crate::distance::divergence::js_of_shares(&belief, &overall)
    };
    // Armed-Forces, and Craft-repair.
    assert_eq!(format!("{:.3} {:.3}", revealed(13), revealed(1)), "0.692 0.488");
}

#[test]
fn a_toy_table_by_hand() {
    // Two groups of two at k = 2: ages 1 and 2 with flu and flu, ages 5 and 6 with flu and angina.
    let csv = "age,zip,disease,job\n1,z,flu,j\n2,z,flu,j\n5,z,flu,j\n6,z,angina,j\n";
    let published = try_publish(csv, WAYS[0].0, WAYS[0].1).unwrap();
    let evaluator = evaluator(&published, 0.25);
    let losses = evaluator.measure(&*published.release, &Progress::default()).unwrap();
    // Q = (1/4, 3/4). The first group believes (0, 1): M = (1/8, 7/8), JS = ½ ln(8/7) + ½ (¼ ln 2 + ¾ ln(6/7)).
    let first = 0.5 * (8.0_f64 / 7.0).ln() + 0.5 * (0.25 * 2.0_f64.ln() + 0.75 * (6.0_f64 / 7.0).ln());
    // The second believes (1/2, 1/2): M = (3/8, 5/8).
    let second = 0.5 * (0.5 * (4.0_f64 / 3.0).ln() + 0.5 * (4.0_f64 / 5.0).ln())
        + 0.5 * (0.25 * (2.0_f64 / 3.0).ln() + 0.75 * (6.0_f64 / 5.0).ln());
    assert!((losses.privacy.worst - first.max(second)).abs() < 1e-12);
    assert!((losses.privacy.mean - f64::midpoint(first, second)).abs() < 1e-12);
    // Large with a quarter of four: [0, 3], its 1 and 2; [4, 7], its parts 5 and 6 below [4, 5] and [6, 7]; z with each
    // and z alone. Wrong are only 5, thought to be half angina (truth: flu), and 6, half flu (truth: angina).
    let wrong = 0.5 * (0.5 * 2.0_f64.ln() + 0.5 * (2.0_f64 / 3.0).ln()) + 0.5 * (4.0_f64 / 3.0).ln();
    let labels = &evaluator.large.labels;
    let wrongly = |members: &Vec<u32>| {
        members
            .iter()
            .any(|&m| ["age = 5", "age = [4, 5]", "age = 6", "age = [6, 7]"].contains(&labels[m as usize].as_str()))
    };
    let members = &evaluator.large.populations.members;
    let count = members.iter().filter(|members| wrongly(members)).count();
    assert!(
        (losses.utility.mean - wrong * count as f64 / members.len() as f64).abs() < 1e-12,
        "{members:?} {labels:?}"
    );
    assert!((losses.utility.worst - wrong).abs() < 1e-12);
}

/// People whose disease hangs on their age and their zip code.
fn correlated(seed: u64) -> String {
    use rand::Rng;
    let mut generator = Seed(seed.into()).stream("people", 0);
    let mut row = || {
        let (age, zip) = (generator.random_range(0..40), generator.random_range(0..6));
        let likely = (age / 10 + zip) % 5;
        let disease = if generator.random_range(0..3) == 0 { generator.random_range(0..5) } else { likely };
        format!("{age},z{zip},d{disease},j\n")
    };
    "age,zip,disease,job\n".to_owned() + &(0..300).map(|_| row()).collect::<String>()
}

#[test]
fn drawn_numbers_are_asked_as_what_they_are_rounded_to() {
    // In groups of people of one age, drawn ages are those ages.
    let row = |n: usize| format!("{},1,d{},j\n", n / 10 * 10, n / 10 % 3);
    let csv = "age,zip,disease,job\n".to_owned() + &(0..60).map(row).collect::<String>();
    let numbers = ATTRIBUTES.replace("zip = { role = \"quasi\", type = \"text\" }", "zip = { role = \"drop\" }");
    let policy =
        format!("{numbers}\n[[require]]\nmodel = \"condensed-k\"\nk = 10\n[method]\nname = \"condensation\"\n");
    let published = publish(&csv, &policy, 7).unwrap();
    let counted = Prepared::read(&published.policy, &Progress::default()).unwrap();
    let one = LossConfig { workload: Workload { dimension: 2, ..measuring(0.1).workload }, ..measuring(0.1) };
    let evaluator = LossEvaluator::new(&published.policy, counted, &one, &Progress::default()).unwrap();
    let losses = evaluator.measure(&*published.release, &Progress::default()).unwrap();
    assert!(losses.utility.mean < 1e-9 && losses.query_error < 1e-9, "{losses:?}");
}

#[test]
fn stricter_parameters_do_not_tell_more() {
    let bucketize = "name = \"mondrian\"\nrecoding = \"bucketize\"";
    let ladders: [(&str, &str, &[&str]); 7] = [
        ("name = \"least-loss\"", "model = \"k-anonymity\"\nk = ", &["2", "5", "20", "80"]),
        (bucketize, "model = \"bucket-size\"\nk = ", &["2", "5", "20", "80"]),
        ("name = \"least-loss\"", "model = \"t-closeness\"\ndistance = \"js\"\nt = ", &["0.4", "0.2", "0.1", "0.05"]),
        (bucketize, "model = \"t-closeness\"\ndistance = \"js\"\nt = ", &["0.4", "0.2", "0.1", "0.05"]),
        ("name = \"least-loss\"", "model = \"probabilistic-l-diversity\"\nl = ", &["1.5", "2", "3"]),
        ("name = \"anatomy\"", "model = \"distinct-l-diversity\"\nl = ", &["2", "3", "4"]),
        (
            "name = \"slicing\"\ncolumns = 2\nsensitive_column = 1",
            "model = \"l-diverse-slicing\"\nl = ",
            &["1.5", "2", "3"],
        ),
    ];
    for (method, model, levels) in ladders {
        let mut before: Option<(f64, f64)> = None;
        for level in levels {
            let losses: Vec<f64> = (0..20)
                .filter_map(|seed| try_publish(&correlated(seed), &format!("{model}{level}"), method))
                .map(|published| {
                    evaluator(&published, 0.2).measure(&*published.release, &Progress::default()).unwrap().privacy.worst
                })
                .collect();
            assert!(losses.len() >= 10, "{method} {model}{level}: only {} tables can keep it", losses.len());
            let n = losses.len() as f64;
            let mean = losses.iter().sum::<f64>() / n;
            let variance = losses.iter().map(|loss| (loss - mean).powi(2)).sum::<f64>() / (n - 1.0);
            let error = (variance / n).sqrt();
            if let Some((looser, looser_error)) = before {
                assert!(
                    mean <= looser + 2.0 * error.hypot(looser_error) + 1e-9,
                    "{method} {model}{level}: {mean} after {looser}"
                );
            }
            before = Some((mean, error));
        }
    }
}
