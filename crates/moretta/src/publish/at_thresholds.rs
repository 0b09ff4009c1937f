//! Thresholds that are met exactly: every model keeps its promise at equality and breaks it one step beyond, as a plan, as files, and as a claim about files.

use std::fmt::Write as _;

use crate::check;
use crate::model::registry::MODELS;
use crate::policy::Policy;
use crate::prepare::Prepared;
use crate::progress::Progress;
use crate::testkit::published::{Published, publish};

/// A table whose finest release just keeps a promise.
struct Edge {
    model: &'static str,
    method: &'static str,
    /// The sensitive values of those who live in `a` and in `b`.
    people: [&'static str; 2],
    /// What the policy says of the sensitive attribute beside its role.
    sensitive: &'static str,
    /// The parameters at which it holds.
    at: &'static [(&'static str, &'static str)],
    /// Those of them that are one step beyond.
    beyond: &'static [(&'static str, &'static str)],
    /// The groups that there are at equality.
    groups: u64,
}

const EQUAL: (&str, &str) = ("distance", "\"equal\"");
const CATEGORIES: &str = ", categories = [[\"x\"], [\"y\"], [\"z\"]]";

const fn edge(
    model: &'static str,
    people: [&'static str; 2],
    at: &'static [(&'static str, &'static str)],
    beyond: &'static [(&'static str, &'static str)],
) -> Edge {
    Edge { model, method: "name = \"full-domain\"", people, sensitive: "", at, beyond, groups: 2 }
}

const BUCKETS: &str = "name = \"mondrian\"\nrecoding = \"bucketize\"";

const EDGES: &[Edge] = &[
    edge("k-anonymity", ["x y z", "x y z"], &[("k", "3")], &[("k", "4")]),
    edge("distinct-l-diversity", ["x y", "x y"], &[("l", "2")], &[("l", "3")]),
    edge("probabilistic-l-diversity", ["x x y y z", "x x y y z"], &[("l", "2.5")], &[("l", "2.5000001")]),
    edge("probabilistic-l-diversity", ["x y z", "x y z"], &[("l", "3")], &[("l", "3.0000001")]),
    edge("entropy-l-diversity", ["x y z", "x y z"], &[("l", "3")], &[("l", "3.00001")]),
    // The largest count must be below c times the others: equality is not enough.
    edge("recursive-l-diversity", ["x x y z", "x x y z"], &[("c", "1.0000001"), ("l", "2")], &[("c", "1")]),
    edge("recursive-l-diversity", ["x x y z", "x x y z"], &[("c", "2.5"), ("l", "3")], &[("l", "4")]),
    edge("alpha-k-anonymity", ["x x y y z", "x x y y z"], &[("alpha", "0.4"), ("k", "5")], &[("alpha", "0.3999999")]),
    edge("alpha-k-anonymity", ["x x y y z", "x x y y z"], &[("alpha", "0.4"), ("k", "5")], &[("k", "6")]),
    edge("p-sensitive", ["x y y", "x y x"], &[("p", "2"), ("k", "3")], &[("p", "3")]),
    edge("p-sensitive", ["x y y", "x y x"], &[("p", "2"), ("k", "3")], &[("k", "4")]),
    Edge {
        sensitive: CATEGORIES,
        ..edge("p-plus-sensitive", ["x y", "y z"], &[("p", "2"), ("k", "2")], &[("p", "3")])
    },
    // A value of the middle category weighs 1/2, of the last 1.
    Edge {
        sensitive: CATEGORIES,
        ..edge(
            "p-alpha-sensitive",
            ["x y z", "x y z"],
            &[("p", "3"), ("alpha", "1.5"), ("k", "3")],
            &[("alpha", "1.5000001")],
        )
    },
    edge("t-closeness", ["x x x y", "x y y y"], &[("t", "0.25"), EQUAL], &[("t", "0.2499999")]),
    edge("t-closeness", ["x y", "x x y y"], &[("t", "0"), EQUAL], &[]),
    edge(
        "t-closeness",
        ["x x x y", "x y y y"],
        &[("t", "0.25"), ("distance", "\"variational\"")],
        &[("t", "0.2499999")],
    ),
    edge("t-closeness", ["1 1 2 3", "2 3 3 3"], &[("t", "0.25"), ("distance", "\"ordered\"")], &[("t", "0.2499999")]),
    edge(
        "t-closeness",
        ["0 0 10 40", "10 40 40 40"],
        &[("t", "0.25"), ("distance", "\"ordered\""), ("order", "\"value\"")],
        &[("t", "0.2499999")],
    ),
    // Tenths that no float has.
    edge(
        "t-closeness",
        ["0.1 0.1 0.2 0.3", "0.2 0.3 0.3 0.3"],
        &[("t", "0.25"), ("distance", "\"ordered\""), ("order", "\"value\"")],
        &[("t", "0.2499999")],
    ),
    Edge {
        sensitive: ", hierarchy = { mask = \"right\" }",
        ..edge(
            "t-closeness",
            ["p1 p1 p1 p2", "p1 p2 p2 p2"],
            &[("t", "0.125"), ("distance", "\"hierarchical\"")],
            &[("t", "0.1249999")],
        )
    },
    edge("t-closeness", ["x y", "x x y y"], &[("t", "0"), ("distance", "\"js\"")], &[]),
    edge("t-closeness", ["x y", "x x y y"], &[("t", "0"), ("distance", "\"kl\"")], &[]),
    edge("n-t-closeness", ["x x x y", "x y y y"], &[("n", "8"), ("t", "0.25"), EQUAL], &[("t", "0.2499999")]),
    edge("n-t-closeness", ["x x x y", "x y y y"], &[("n", "4"), ("t", "0.1"), EQUAL], &[("n", "5")]),
    // ln 2 lies between.
    edge("delta-disclosure", ["x x x y", "x y y y"], &[("delta", "0.69314719")], &[("delta", "0.69314717")]),
    Edge { method: BUCKETS, ..edge("bucket-size", ["x y z", "x y z"], &[("k", "3")], &[("k", "4")]) },
    Edge {
        method: BUCKETS,
        ..edge("matching-l-diversity", ["x y", "x y"], &[("l", "2"), ("min_expectation", "0.99")], &[("l", "3")])
    },
    Edge {
        method: BUCKETS,
        ..edge(
            "b-t-privacy",
            ["x x x y", "x y y y"],
            &[("bandwidth", "\"inf\""), ("t", "0.25"), ("distance", "\"variational\"")],
            &[("t", "0.2499")],
        )
    },
    // Two people among the two places, and half of them with each value.
    Edge {
        method: "name = \"ambiguity\"",
        groups: 1,
        ..edge("alpha-beta-privacy", ["x", "y"], &[("alpha", "1"), ("beta", "0.5")], &[("beta", "0.4999999")])
    },
    Edge {
        method: "name = \"slicing\"\ncolumns = 2\nsensitive_column = 1",
        groups: 1,
        ..edge("l-diverse-slicing", ["x x", "y y"], &[("l", "2")], &[("l", "2.0000001")])
    },
    Edge {
        method: "name = \"condensation\"",
        groups: 1,
        ..edge("condensed-k", ["x y z", "x y z"], &[("k", "6")], &[("k", "7")])
    },
];

impl Edge {
    fn csv(&self) -> String {
        let mut csv = "place,value\n".to_owned();
        let numbers = self.is_numeric();
        for (place, people) in self.people.iter().enumerate() {
            let place = if numbers { (20 + place).to_string() } else { ["a", "b"][place].to_owned() };
            people.split_whitespace().for_each(|value| writeln!(csv, "{place},{value}").unwrap());
        }
        csv
    }

    /// Whether the method speaks of numbers.
    fn is_numeric(&self) -> bool {
        self.method.contains("condensation")
    }

    fn policy(&self, beyond: &[(&str, &str)]) -> String {
        let tree = if self.is_numeric() { "" } else { ", hierarchy = { rows = [[\"a\", \"*\"], [\"b\", \"*\"]] }" };
        let mut text = format!(
            "[attributes]\nplace = {{ role = \"quasi\"{tree} }}\nvalue = {{ role = \"sensitive\"{} }}\n[[require]]\nmodel = {:?}\n",
            self.sensitive, self.model
        );
        for (key, value) in self.at {
            let value = beyond.iter().find(|(other, _)| other == key).map_or(*value, |(_, value)| *value);
            let _ = writeln!(text, "{key} = {value}");
        }
        text + "[method]\n" + self.method + "\n"
    }

    fn name(&self) -> String {
        format!("{} {:?}", self.model, self.at)
    }
}

/// What the files and the original say of the promises in the manifest.
fn judged(published: &Published) -> Vec<bool> {
    let policy = Policy::in_file(published.policy.text.clone(), &published.policy.file, &[]).unwrap();
    let prepared = Prepared::read(&policy, &Progress::default()).unwrap();
    let verified = check::release(&published.storage(), Some(&prepared.original()), &Progress::default()).unwrap();
    assert!(verified.unproved.is_empty() && verified.unprovable.is_empty());
    verified.verdicts.iter().map(|verdict| verdict.holds).collect()
}

/// Claims more in the manifest than was promised.
fn claim(published: &Published, beyond: &[(&str, &str)]) {
    let mut manifest: serde_json::Value = serde_json::from_str(&published.manifest()).unwrap();
    for (key, value) in beyond {
        manifest["guarantees"][0]["parameters"][*key] = serde_json::from_str(value).unwrap();
    }
    std::fs::write(published.folder().join("release/manifest.json"), manifest.to_string()).unwrap();
}

/// Tries something with every edge, and tells of all that fail.
fn for_each_edge(attempt: impl Fn(&Edge) -> Result<(), String>) {
    let failed: Vec<String> =
        EDGES.iter().filter_map(|edge| attempt(edge).err().map(|why| format!("{}: {why}", edge.name()))).collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn a_promise_that_is_met_exactly_is_kept() {
    for_each_edge(|edge| {
        let published = publish(&edge.csv(), &edge.policy(&[]), 1).map_err(|e| e.to_string())?;
        let found = (published.report.groups, published.report.suppressed, judged(&published));
        if found == (edge.groups, 0, vec![true]) { Ok(()) } else { Err(format!("{found:?}")) }
    });
}

#[test]
fn one_step_beyond_it_is_refused_or_made_coarser() {
    for_each_edge(|edge| match publish(&edge.csv(), &edge.policy(edge.beyond), 1) {
        _ if edge.beyond.is_empty() => Ok(()),
        Ok(published) if published.report.groups < edge.groups => Ok(()),
        Ok(_) => Err(format!("published with {:?}", edge.beyond)),
        Err(error) if error.code() == "promise-impossible" => Ok(()),
        Err(error) => Err(error.to_string()),
    });
}

#[test]
fn files_that_claim_one_step_more_do_not_keep_it() {
    for_each_edge(|edge| {
        let published = publish(&edge.csv(), &edge.policy(&[]), 1).map_err(|e| e.to_string())?;
        claim(&published, edge.beyond);
        if edge.beyond.is_empty() || judged(&published) == [false] { Ok(()) } else { Err("kept".to_owned()) }
    });
}

#[test]
fn no_model_is_left_out() {
    // A target is followed exactly or not at all, and expected anonymity is a real number of drawn scales: they meet no threshold exactly.
    let without = ["p-private", "uncertain-k-anonymity"];
    let lacking = MODELS.iter().map(|model| model.name).filter(|name| !without.contains(name));
    let lacking: Vec<&str> = lacking.filter(|name| EDGES.iter().all(|edge| edge.model != *name)).collect();
    assert!(lacking.is_empty(), "{lacking:?}");
}
