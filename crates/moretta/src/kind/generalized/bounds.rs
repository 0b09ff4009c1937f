//! The bounds of counts in generalized releases beside a slow oracle, for conditions that differ from what is published
//! by one value or by one float: everything that a row stands for is tried wherever the truth of the condition can change.

use std::sync::Arc;

use proptest::prelude::*;

use super::Generalized;
use crate::condition::{Comparator, Literal, Predicate, boxes};
use crate::data::domain::Domain;
use crate::data::role::Role;
use crate::data::table::{CodedTable, Column, ReadCounts};
use crate::data::value::{Type, Value};
use crate::release::{Analyst, ColumnMeaning, ValueMeaning};

const NUMBERS: [&str; 4] = ["[0.5, 1.25)", "[1.25, 2)", "[1.25, 1.5)", "[1.5, 2000000000)"];
const WHOLE: [&str; 4] = ["[0, 4000000000]", "[5, 9]", "[10, 10]", "[-9223372036854775808, 9223372036854775807]"];
const TEXTS: [&str; 3] = ["{a, b}", "c", "{a, b, c}"];

/// A published label: the least and the most that it stands for, or its texts.
fn number_ends(label: &str) -> (f64, f64) {
    let (low, high) = label.trim_matches(['[', ')']).split_once(", ").unwrap();
    (low.parse().unwrap(), high.parse::<f64>().unwrap().next_down())
}

fn whole_ends(label: &str) -> (i64, i64) {
    let (low, high) = label.trim_matches(['[', ']']).split_once(", ").unwrap();
    (low.parse().unwrap(), high.parse().unwrap())
}

/// What a condition compares `x`, `n` and `t` with.
fn numbers() -> Vec<f64> {
    let near = |x: f64| [x.next_down(), x, x.next_up()];
    [0.5, 1.25, 1.3, 1.5, 2.0, 2_000_000_000.0].into_iter().flat_map(near).collect()
}

const WHOLES: [i64; 9] = [i64::MIN, 0, 5, 7, 9, 10, 3_999_999_999, 4_000_000_000, i64::MAX];

fn conditions() -> impl Strategy<Value = Predicate> {
    use Comparator::{AtLeast, AtMost, Equal, Greater, Less, NotEqual};
    let comparison = || prop::sample::select(vec![Equal, NotEqual, Less, AtMost, Greater, AtLeast]);
    let number = |name: &'static str, literals: Vec<String>| {
        (comparison(), prop::sample::select(literals)).prop_map(move |(comparison, literal)| {
            Predicate::Compare(name.to_owned(), comparison, Literal::Number(literal))
        })
    };
    let text = (prop::sample::select(vec![Equal, NotEqual]), prop::sample::select(vec!["a", "b", "c"]))
        .prop_map(|(comparison, text)| Predicate::Compare("t".to_owned(), comparison, Literal::Text(text.to_owned())));
    let leaf = prop_oneof![
        number("x", numbers().iter().map(ToString::to_string).collect()),
        number("n", WHOLES.iter().map(ToString::to_string).collect()),
        text,
    ];
    leaf.prop_recursive(4, 10, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 1..4).prop_map(Predicate::And),
            proptest::collection::vec(inner.clone(), 1..4).prop_map(Predicate::Or),
            inner.prop_map(|part| Predicate::Not(Box::new(part))),
        ]
    })
}

/// Whether a condition is true of somebody, from its words alone.
fn is_true(condition: &Predicate, person: &(f64, i64, &str)) -> bool {
    match condition {
        Predicate::Compare(name, comparison, literal) => {
            let order = match (name.as_str(), literal) {
                ("x", Literal::Number(text)) => person.0.total_cmp(&text.parse().unwrap()),
                ("n", Literal::Number(text)) => person.1.cmp(&text.parse().unwrap()),
                (_, Literal::Text(text)) => person.2.cmp(text),
                other => panic!("{other:?}"),
            };
            match comparison {
                Comparator::Equal => order.is_eq(),
                Comparator::NotEqual => order.is_ne(),
                Comparator::Less => order.is_lt(),
                Comparator::AtMost => order.is_le(),
                Comparator::Greater => order.is_gt(),
                Comparator::AtLeast => order.is_ge(),
            }
        }
        Predicate::And(parts) => parts.iter().all(|part| is_true(part, person)),
        Predicate::Or(parts) => parts.iter().any(|part| is_true(part, person)),
        Predicate::Not(part) => !is_true(part, person),
        other => panic!("{other:?}"),
    }
}

/// Whoever a row can stand for, as far as any condition can tell them apart.
fn people(row: (usize, usize, usize)) -> Vec<(f64, i64, &'static str)> {
    let (low, high) = number_ends(NUMBERS[row.0]);
    let mut xs: Vec<f64> = numbers().into_iter().flat_map(|x| [x.next_down(), x, x.next_up()]).collect();
    xs.extend([low, high]);
    xs.retain(|x| low <= *x && *x <= high);
    let (low, high) = whole_ends(WHOLE[row.1]);
    let mut ns: Vec<i64> = WHOLES.iter().flat_map(|n| [n.saturating_sub(1), *n, n.saturating_add(1)]).collect();
    ns.extend([low, high]);
    ns.retain(|n| low <= *n && *n <= high);
    let texts = ["a", "b", "c"].into_iter().filter(|text| TEXTS[row.2].contains(text));
    let mut people = Vec::new();
    for t in texts {
        people.extend(xs.iter().flat_map(|&x| ns.iter().map(move |&n| (x, n, t))));
    }
    people
}

/// A column of labels: a domain in order, and the index of each label in it.
fn column(name: &str, labels: &[&str], rows: impl Iterator<Item = usize>) -> Column {
    let mut values: Vec<Value> = labels.iter().map(|label| Value::Text((*label).into())).collect();
    values.sort_unstable();
    let code = |label: usize| values.binary_search(&Value::Text(labels[label].into())).unwrap() as u32;
    let codes = rows.map(code).collect();
    Column { name: name.to_owned(), domain: Arc::new(Domain::from_sorted(Type::Text, values)), codes }
}

fn release(rows: &[(usize, usize, usize)]) -> Generalized {
    let meaning = |name: &str, kind, values| ColumnMeaning { values, ..ColumnMeaning::exact(name, Role::Quasi, kind) };
    let meanings = vec![
        meaning("x", Type::Number, ValueMeaning::Intervals { open: Vec::new() }),
        meaning("n", Type::Integer, ValueMeaning::Interval),
        meaning("t", Type::Text, ValueMeaning::Set { nodes: Vec::new() }),
    ];
    let table = CodedTable {
        quasi: vec![
            column("x", &NUMBERS, rows.iter().map(|row| row.0)),
            column("n", &WHOLE, rows.iter().map(|row| row.1)),
            column("t", &TEXTS, rows.iter().map(|row| row.2)),
        ],
        sensitive: Vec::new(),
        group: None,
        person: None,
        weights: None,
        source_rows: (0..rows.len() as u32).collect(),
        tally: ReadCounts::default(),
    };
    Generalized::of_labels(table, Vec::new(), meanings, &[], 0).unwrap()
}

fn bounds(rows: &[(usize, usize, usize)], condition: &Predicate) -> (f64, f64) {
    let index = |name: &str| match name {
        "x" => Ok((0, Type::Number)),
        "n" => Ok((1, Type::Integer)),
        _ => Ok((2, Type::Text)),
    };
    let found = release(rows).count(&boxes(Some(condition), &index).unwrap()).unwrap();
    (found.lower.unwrap(), found.upper.unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn bounds_are_right_to_the_last_value(
        rows in proptest::collection::vec((0..NUMBERS.len(), 0..WHOLE.len(), 0..TEXTS.len()), 1..4),
        condition in conditions(),
    ) {
        let (mut lower, mut upper) = (0.0, 0.0);
        for &row in &rows {
            let people = people(row);
            lower += f64::from(u8::from(people.iter().all(|person| is_true(&condition, person))));
            upper += f64::from(u8::from(people.iter().any(|person| is_true(&condition, person))));
        }
        prop_assert_eq!(bounds(&rows, &condition), (lower, upper), "{:?}", condition);
    }
}

#[test]
fn one_value_in_thousands_of_millions_is_not_nothing() {
    let not = |name: &str, literal: &str| {
        Predicate::Compare(name.to_owned(), Comparator::NotEqual, Literal::Number(literal.to_owned()))
    };
    // Of 4,000,000,001 whole numbers all but one; of a line of numbers all but a point.
    assert_eq!(bounds(&[(0, 0, 0)], &not("n", "7")), (0.0, 1.0));
    assert_eq!(bounds(&[(3, 0, 0)], &not("x", "1.75")), (0.0, 1.0));
    assert_eq!(bounds(&[(3, 0, 0)], &not("x", "1.25")), (1.0, 1.0));
    // Together with the one value it is all of them, though no box is.
    let c = Predicate::Compare("t".to_owned(), Comparator::NotEqual, Literal::Text("c".to_owned()));
    let all = Predicate::Or(vec![not("n", "7"), c.clone()]);
    assert_eq!(bounds(&[(0, 0, 0), (0, 0, 2)], &all), (1.0, 2.0));
}
