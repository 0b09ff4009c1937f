//! Belief is what the release's own answers say: COUNT(person AND value) / COUNT(person), for labels of every sort.

use std::sync::Arc;

use proptest::prelude::*;

use super::Generalized;
use crate::condition::{QueryBox, ValueSet};
use crate::data::domain::Domain;
use crate::data::role::Role;
use crate::data::table::{CodedTable, Column, ReadCounts};
use crate::data::value::{Type, Value};
use crate::kind::OpenRelease;
use crate::release::{Analyst, ColumnMeaning, NodeMeaning, ValueMeaning, auxiliary_attribute};

/// Numbers on a line: intervals that overlap, exact values, missing ones, and anything.
const LINE: [&str; 5] = ["[0, 10]", "[4, 20] or missing", "5", "", "*"];
const WHOLE: [&str; 4] = ["[0, 9]", "[5, 9] or missing", "7", "*"];
const SETS: [&str; 5] = ["{a, b}", "a", "{a, b, c, }", "c", ""];
const NODES: [&str; 4] = ["top", "pq", "p", "r"];
const MASKS: [&str; 5] = ["12*", "1**", "123", "129", "*"];

/// Who is asked about. On the line nobody stands where an interval ends.
fn people() -> [(Type, Vec<Value>); 5] {
    let texts = |texts: &[&str]| texts.iter().map(|text| Value::Text((*text).into())).collect::<Vec<_>>();
    let with_missing = |mut values: Vec<Value>| {
        values.push(Value::Missing);
        values
    };
    [
        (Type::Number, with_missing([3.5, 5.0, 7.25, 13.0].map(Value::Number).to_vec())),
        (Type::Integer, with_missing([3, 5, 7, 100].map(Value::Integer).to_vec())),
        (Type::Text, with_missing(texts(&["a", "b", "c"]))),
        (Type::Text, texts(&["p", "q", "r"])),
        (Type::Text, texts(&["123", "129", "145"])),
    ]
}

fn meanings() -> Vec<ColumnMeaning> {
    let node = |label: &str, leaves: &[&str]| NodeMeaning {
        label: label.to_owned(),
        leaves: leaves.iter().map(|&leaf| leaf.to_owned()).collect(),
    };
    let nodes = vec![node("top", &["p", "q", "r"]), node("pq", &["p", "q"])];
    let meanings = [
        ("line", ValueMeaning::Interval),
        ("whole", ValueMeaning::Interval),
        ("set", ValueMeaning::Set { nodes: Vec::new() }),
        ("node", ValueMeaning::Hierarchy { nodes }),
        ("mask", ValueMeaning::Mask),
    ];
    let of = |((name, values), (kind, _)): ((&str, ValueMeaning), (Type, Vec<Value>))| ColumnMeaning {
        values,
        ..ColumnMeaning::exact(name, Role::Quasi, kind)
    };
    meanings.into_iter().zip(people()).map(of).collect()
}

fn column(name: &str, labels: &[Value]) -> Column {
    let mut values = labels.to_vec();
    values.sort_unstable();
    values.dedup();
    let codes = labels.iter().map(|label| values.binary_search(label).unwrap() as u32).collect();
    Column { name: name.to_owned(), domain: Arc::new(Domain::from_sorted(Type::Text, values)), codes }
}

/// A row: a label of each quasi-identifier, a sensitive value, and the people it stands for.
type Row = ([usize; 5], usize, u64);

fn release(rows: &[Row]) -> Generalized {
    let labels: [&[&str]; 5] = [&LINE, &WHOLE, &SETS, &NODES, &MASKS];
    let label = |text: &str| if text.is_empty() { Value::Missing } else { Value::Text(text.into()) };
    let quasi = |(attribute, meaning): (usize, &ColumnMeaning)| {
        column(&meaning.name, &rows.iter().map(|row| label(labels[attribute][row.0[attribute]])).collect::<Vec<_>>())
    };
    let meanings = meanings();
    let table = CodedTable {
        quasi: meanings.iter().enumerate().map(quasi).collect(),
        sensitive: vec![column("s", &rows.iter().map(|row| label(["u", "v", "w"][row.1])).collect::<Vec<_>>())],
        group: None,
        person: None,
        weights: Some(rows.iter().map(|row| row.2).collect()),
        source_rows: (0..rows.len() as u32).collect(),
        tally: ReadCounts::default(),
    };
    let sensitive = auxiliary_attribute("s", Role::Sensitive, Type::Text);
    Generalized::of_labels(table, Vec::new(), meanings, &[&sensitive], 3).unwrap()
}

/// The people of a release who are like a person, or so near on the line, by sensitive value.
fn counted(release: &Generalized, person: &[Value], near: f64) -> Vec<f64> {
    let side = |value: &Value| match value {
        Value::Number(x) if near > 0.0 => {
            ValueSet::above(Value::Number(x - near), true).intersect(&ValueSet::below(Value::Number(x + near), true))
        }
        _ => ValueSet::one(value.clone()),
    };
    let like = QueryBox { sides: person.iter().map(side).enumerate().collect() };
    let values = release.values_of(5).unwrap();
    let count = |value: &Value| {
        let asked = like.restrict(5, &ValueSet::one(value.clone())).unwrap();
        release.count(&[asked]).unwrap().estimate.unwrap()
    };
    values.iter().map(count).collect()
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let labels = (0..LINE.len(), 0..WHOLE.len(), 0..SETS.len(), 0..NODES.len(), 0..MASKS.len());
    let row = (labels, 0..3_usize, 1..5_u64).prop_map(|((a, b, c, d, e), s, people)| ([a, b, c, d, e], s, people));
    proptest::collection::vec(row, 1..9)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn belief_is_the_ratio_of_the_releases_own_counts(rows in rows(), chosen in [0..5_usize, 0..5, 0..4, 0..3, 0..3]) {
        let release = release(&rows);
        let domains: Vec<(String, Arc<Domain>)> = meanings().iter().zip(people()).map(|(meaning, (kind, values))| {
            (meaning.name.clone(), Arc::new(Domain::from_unsorted(kind, values).0))
        }).collect();
        let person: Vec<Value> = people().iter().zip(chosen).map(|((_, values), at)| values[at].clone()).collect();
        let codes: Vec<u32> = domains.iter().zip(&person).map(|((_, domain), value)| domain.code(value).unwrap()).collect();
        let adversary = release.adversary(&domains).unwrap();
        let belief = adversary.posterior(&codes, 0);
        prop_assert_eq!(belief.is_none(), adversary.candidates(&codes).is_empty());
        if let Some(belief) = &belief {
            prop_assert!((belief.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
        // Exactly such people; where only stretches of the line can hold them, people nearer and nearer to them.
        for (near, precision) in [(0.0, 1e-12), (1e-7, 1e-5)] {
            let counts = counted(&release, &person, near);
            let all: f64 = counts.iter().sum();
            if all > 0.0 {
                let belief = belief.unwrap();
                for (share, count) in belief.iter().zip(counts) {
                    prop_assert!((share - count / all).abs() < precision, "{} and {}", share, count / all);
                }
                if near <= 0.0 {
                    let weight: f64 = adversary.candidates(&codes).iter().map(|(_, weight)| weight).sum();
                    prop_assert!(weight >= all - 1e-9, "{} and {}", weight, all);
                }
                break;
            }
        }
    }
}

/// Somebody of whom nothing was published exactly is as likely in an interval as the interval is short.
#[test]
fn a_box_counts_as_its_people_by_its_volume() {
    let only = |labels: [usize; 5], s: usize, people: u64| (labels, s, people);
    // Lengths 10 and 16, of which one in 16.5 is known to be missing; everything else is alike.
    let release = release(&[only([0, 2, 1, 2, 2], 0, 6), only([1, 2, 1, 2, 2], 1, 6), only([2, 2, 1, 2, 2], 2, 1)]);
    let believed = |x: f64| {
        let person = [Value::Number(x), Value::Integer(7), Value::Text("a".into()), Value::Text("p".into())];
        let domains: Vec<(String, Arc<Domain>)> = person
            .into_iter()
            .chain([Value::Text("123".into())])
            .zip(meanings())
            .map(|(value, meaning)| (meaning.name, Arc::new(Domain::from_sorted(meaning.kind, vec![value]))))
            .collect();
        release.adversary(&domains).unwrap().posterior(&[0; 5], 0).unwrap()
    };
    // One person shows 5: of the second label, missing is weighed as half a person against one and a half.
    let (first, second) = (6.0 / 10.0, 6.0 * 0.75 / 16.0);
    assert!((believed(7.0)[0] - first / (first + second)).abs() < 1e-12, "{:?}", believed(7.0));
    assert_eq!(believed(5.0), [0.0, 0.0, 1.0], "an exact value outweighs the stretches around it");
    assert_eq!(believed(15.0), [0.0, 1.0, 0.0]);
}
