//! Every model on Adult: the promise holds, and a naive computation from the released file agrees.

mod support;

use std::collections::BTreeMap;

use serde_json::Value as Json;
use support::{Desk, adult_policy, data_folder, rows};

/// The sensitive values of each group, counted.
type Counts = BTreeMap<String, f64>;

/// A model as a policy states it, the name of its level, and the level of one group by its definition.
struct Case {
    require: &'static str,
    level: &'static str,
    of_group: fn(&Counts, &Counts) -> f64,
    /// Whether the worst group has the largest level.
    worst_is_largest: bool,
}

fn total(counts: &Counts) -> f64 {
    counts.values().sum()
}

fn largest(counts: &Counts) -> f64 {
    counts.values().copied().fold(0.0, f64::max)
}

fn entropy_l(group: &Counts) -> f64 {
    let size = total(group);
    group.values().map(|c| -c / size * (c / size).ln()).sum::<f64>().exp()
}

fn variational(group: &Counts, whole: &Counts) -> f64 {
    let (size, all) = (total(group), total(whole));
    whole.iter().map(|(value, w)| (group.get(value).unwrap_or(&0.0) / size - w / all).abs()).sum::<f64>() / 2.0
}

/// The c that must be exceeded for l = 3: r1 / (r3 + r4 + …) with counts in descending order.
fn recursive_3(group: &Counts) -> f64 {
    let mut counts: Vec<f64> = group.values().copied().collect();
    counts.sort_by(|a, b| b.total_cmp(a));
    counts[0] / counts.iter().skip(2).sum::<f64>()
}

const CASES: &[Case] = &[
    Case {
        require: "model = \"distinct-l-diversity\"\nl = 5",
        level: "l",
        of_group: |g, _| g.len() as f64,
        worst_is_largest: false,
    },
    Case {
        require: "model = \"probabilistic-l-diversity\"\nl = 3.5",
        level: "l",
        of_group: |g, _| total(g) / largest(g),
        worst_is_largest: false,
    },
    Case {
        require: "model = \"entropy-l-diversity\"\nl = 4.5",
        level: "l",
        of_group: |g, _| entropy_l(g),
        worst_is_largest: false,
    },
    Case {
        require: "model = \"recursive-l-diversity\"\nc = 2\nl = 3",
        level: "c",
        of_group: |g, _| recursive_3(g),
        worst_is_largest: true,
    },
    Case {
        require: "model = \"alpha-k-anonymity\"\nalpha = 0.4\nk = 5",
        level: "alpha",
        of_group: |g, _| largest(g) / total(g),
        worst_is_largest: true,
    },
    Case {
        require: "model = \"p-sensitive\"\np = 3\nk = 5",
        level: "p",
        of_group: |g, _| g.len() as f64,
        worst_is_largest: false,
    },
    Case {
        require: "model = \"t-closeness\"\ndistance = \"equal\"\nt = 0.2",
        level: "t",
        of_group: variational,
        worst_is_largest: true,
    },
    Case {
        require: "model = \"t-closeness\"\ndistance = \"variational\"\nt = 0.3",
        level: "t",
        of_group: variational,
        worst_is_largest: true,
    },
];

fn counts<'r>(rows: impl IntoIterator<Item = &'r Vec<String>>) -> Counts {
    let mut counts = Counts::new();
    rows.into_iter().for_each(|row| *counts.entry(row[6].clone()).or_default() += 1.0);
    counts
}

#[test]
fn every_model_holds_on_adult_as_recomputed_from_the_released_file() {
    let Some(data) = data_folder("every_model_holds_on_adult_as_recomputed_from_the_released_file") else { return };
    for (number, case) in CASES.iter().enumerate() {
        let desk = Desk::new();
        let require = format!("[[require]]\nmodel = \"k-anonymity\"\nk = 5\n\n[[require]]\n{}\n", case.require);
        desk.write("adult.toml", adult_policy(&data, &require));
        let split = ["loss", "median"][number % 2];
        let report = desk.json(&["publish", "adult.toml", "--out", "out", "--set", &format!("method.split={split}")]);
        let verdicts: Vec<&Json> = report["guarantees"].as_array().expect("verdicts").iter().collect();
        assert!(verdicts.iter().all(|verdict| verdict["holds"] == true), "{}: {verdicts:?}", case.require);

        let released = rows(&desk.path("out/release/data.csv"));
        assert_eq!(released.len(), 30162, "{}", case.require);
        let whole = counts(&released);
        let mut groups: BTreeMap<&[String], Vec<&Vec<String>>> = BTreeMap::new();
        released.iter().for_each(|row| groups.entry(&row[..6]).or_default().push(row));
        let levels = groups.values().map(|rows| (case.of_group)(&counts(rows.iter().copied()), &whole));
        let worst = levels.reduce(|a, b| if case.worst_is_largest { a.max(b) } else { a.min(b) }).expect("groups");
        let reported = verdicts[1]["achieved"][case.level].as_f64().expect(case.level);
        assert!((worst - reported).abs() < 1e-9, "{}: {worst} against {reported}", case.require);
        assert_eq!(report["groups"], groups.len(), "{}", case.require);
        assert!(groups.values().all(|rows| rows.len() >= 5), "{}", case.require);
    }
}

#[test]
fn closeness_to_trees_and_large_parts_holds_on_adult() {
    let Some(data) = data_folder("closeness_to_trees_and_large_parts_holds_on_adult") else { return };
    for require in [
        "model = \"t-closeness\"\ndistance = \"hierarchical\"\nt = 0.2",
        "model = \"t-closeness\"\ndistance = \"kernel-js\"\nbandwidth = 0.5\nt = 0.05",
        "model = \"n-t-closeness\"\ndistance = \"equal\"\nn = 1000\nt = 0.15",
        "model = \"delta-disclosure\"\ndelta = 2.5",
    ] {
        let desk = Desk::new();
        desk.write("adult.toml", adult_policy(&data, &format!("[[require]]\n{require}\n")));
        let report = desk.json(&["publish", "adult.toml", "--out", "out"]);
        assert_eq!(report["guarantees"][0]["holds"], true, "{require}");
        assert_eq!(desk.json(&["check", "out"])["guarantees"], report["guarantees"], "{require}");
    }
}
