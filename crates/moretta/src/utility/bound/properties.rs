//! The bound on small tables, beside the best of all ways to group their people.

use std::time::Duration;

use proptest::prelude::*;

use super::{BoundEffort, BoundQuestion, bound};
use crate::data::cells::{Cells, count_distinct};
use crate::data::role::Role;
use crate::data::table::{CodedTable, Column};
use crate::data::value::{Type, Value};
use crate::distance::Scratch;
use crate::hierarchy::Scale;
use crate::kind::generalized::Grouping;
use crate::method::Task;
use crate::model::{Group, Requirement};
use crate::policy::Policy;
use crate::progress::{CancelToken, Progress};
use crate::release::TableSummary;
use crate::testkit::concrete;
use crate::testkit::tables::{column, parse, sensitive, table, text};

/// An age, a zip code, a city, a disease, and the people that they stand for.
type Row = (i64, &'static str, &'static str, &'static str, u64);

/// Numbers without a hierarchy, an uneven hierarchy (codes differ in length), and sets.
const ATTRIBUTES: &str = r#"
    [data]
    source = "toy.csv"
    [attributes]
    age = { role = "quasi", type = "integer" }
    zip = { role = "quasi", type = "text", hierarchy = { mask = "right" } }
    city = { role = "quasi", type = "text" }
    disease = { role = "sensitive", type = "text" }
"#;

/// At most seven people: every subset of them is looked at as a group, in every subset that may be released.
fn rows() -> impl Strategy<Value = Vec<Row>> {
    (1_usize..7, 1_i64..14, 1_usize..4, 1_usize..4).prop_flat_map(|(zips, ages, cities, diseases)| {
        let zip = proptest::sample::select(["11", "12", "13", "2", "21", "3141", "3142"][..zips].to_vec());
        let city = proptest::sample::select(["a", "b", "c", "d"][..cities].to_vec());
        let disease = proptest::sample::select(["x", "y", "z", "v"][..diseases].to_vec());
        let weight = prop_oneof![5 => Just(1_u64), 1 => 2_u64..4];
        proptest::collection::vec((20..20 + ages, zip, city, disease, weight), 1..8)
            .prop_filter("few people", |rows| rows.iter().map(|row| row.4).sum::<u64>() <= 7)
    })
}

fn models() -> impl Strategy<Value = Vec<String>> {
    let size = (1_u64..5).prop_map(|k| format!("model = \"k-anonymity\", k = {k}"));
    let values = prop_oneof![
        (1_u64..4).prop_map(|l| Some(format!("model = \"distinct-l-diversity\", l = {l}"))),
        (1_u64..4, 1_u64..4).prop_map(|(p, k)| Some(format!("model = \"p-sensitive\", p = {p}, k = {k}"))),
        (10_u64..31).prop_map(|l| Some(format!("model = \"entropy-l-diversity\", l = {}.{}", l / 10, l % 10))),
        (10_u64..31).prop_map(|l| Some(format!("model = \"probabilistic-l-diversity\", l = {}.{}", l / 10, l % 10))),
        (1_u64..4, 1_u64..4).prop_map(|(c, l)| Some(format!("model = \"recursive-l-diversity\", c = {c}, l = {l}"))),
        (0_u64..8).prop_map(|t| Some(format!("model = \"t-closeness\", distance = \"equal\", t = 0.{t}"))),
        (0_u64..8).prop_map(|t| Some(format!("model = \"t-closeness\", distance = \"variational\", t = 0.{t}"))),
        Just(None),
    ];
    (size, values).prop_map(|(size, values)| std::iter::once(size).chain(values).collect())
}

/// A small table made ready.
struct Case {
    original: CodedTable,
    cells: Cells,
    scales: Vec<Scale>,
    whole: TableSummary,
    policy: Policy,
    may_suppress: u64,
}

/// Some people: how many have each value, and what they lose together in the smallest box around them.
struct Members {
    people: u64,
    values: Vec<u64>,
    loss: f64,
}

impl Case {
    /// `method` is its name, with its parameters in the lines below.
    fn new(rows: &[Row], models: &[String], method: &str, may_suppress: u64) -> Self {
        let policy = parse(&format!("{ATTRIBUTES}\n[method]\nname = {method}\n"), models).unwrap();
        let texts = |name, pick: fn(&Row) -> &'static str| {
            column(name, Type::Text, rows.iter().map(|r| text(pick(r))).collect())
        };
        let age = column("age", Type::Integer, rows.iter().map(|row| Value::Integer(row.0)).collect());
        let quasi = vec![age, texts("zip", |row| row.1), texts("city", |row| row.2)];
        let weights: Vec<u64> = rows.iter().map(|row| row.4).collect();
        let original = table(quasi, vec![texts("disease", |row| row.3)], weights.clone());
        let whole = TableSummary::of_table(&original, &sensitive(&policy)).unwrap();
        let quasi: Vec<_> = policy.with_role(Role::Quasi).collect();
        let scale = |(column, attribute): (&Column, &&crate::schema::Attribute)| {
            Scale::new(&attribute.hierarchy, column.domain.clone(), &column.name).unwrap()
        };
        let scales = original.quasi.iter().zip(&quasi).map(scale).collect();
        let columns: Vec<(&[u32], usize)> =
            original.quasi.iter().chain(&original.sensitive).map(Column::counted).collect();
        let cells = count_distinct(&columns, rows.len(), Some(&weights));
        Self { original, cells, scales, whole, policy, may_suppress }
    }

    fn bound(&self, rounds: usize) -> f64 {
        let requirement = Requirement::for_judging(&self.policy.models, &self.whole).unwrap();
        let question = BoundQuestion {
            scales: &self.scales,
            cells: &self.cells,
            sensitive_sizes: self.original.sensitive.iter().map(|column| column.domain.len()).collect(),
            requirement: &requirement,
            may_suppress: self.may_suppress,
            by_people: false,
        };
        bound(&question, BoundEffort { rounds, time: Duration::from_hours(1) }, &Progress::default()).unwrap()
    }

    /// The least that any release loses; nothing if there is none. Every set of people who are released is grouped in every way.
    fn optimum(&self) -> Option<f64> {
        let people: Vec<usize> = (0..self.cells.len())
            .flat_map(|cell| std::iter::repeat_n(cell, self.cells.people[cell] as usize))
            .collect();
        let sets: Vec<Members> = (0..1 << people.len()).map(|set| self.members(&people, set)).collect();
        let left_out = |set: usize| people.len() as u64 - u64::from(set.count_ones());
        let lost = |set: usize| Some(self.grouped(&sets, set)? + left_out(set) as f64 * self.scales.len() as f64);
        let least =
            (0..sets.len()).filter(|&set| left_out(set) <= self.may_suppress).filter_map(lost).reduce(f64::min)?;
        Some(least / (people.len() * self.scales.len()) as f64)
    }

    fn members(&self, people: &[usize], set: usize) -> Members {
        let cells: Vec<usize> =
            (0..people.len()).filter(|person| (set >> person) & 1 == 1).map(|p| people[p]).collect();
        let mut values = vec![0_u64; self.original.sensitive[0].domain.len()];
        cells.iter().for_each(|&cell| values[self.cells.columns[3][cell] as usize] += 1);
        let of_attribute = |(attribute, scale): (usize, &Scale)| {
            let rank_of = scale.rank_of_codes();
            let mut ranks: Vec<u32> =
                cells.iter().map(|&cell| rank_of[self.cells.columns[attribute][cell] as usize]).collect();
            ranks.sort_unstable();
            ranks.dedup();
            let (Some(&first), Some(&last)) = (ranks.first(), ranks.last()) else { return 0.0 };
            scale.loss(&scale.generalize(first, last, || ranks.as_slice().into()))
        };
        let loss = cells.len() as f64 * self.scales.iter().enumerate().map(of_attribute).sum::<f64>();
        Members { people: cells.len() as u64, values, loss }
    }

    /// What a set of people loses at least in groups that keep the promise, if there are such.
    fn grouped(&self, sets: &[Members], set: usize) -> Option<f64> {
        let mut whole = self.whole.clone();
        whole.people = sets[set].people;
        whole.sensitive[0].people.clone_from(&sets[set].values);
        let requirement = Requirement::for_judging(&self.policy.models, &whole).unwrap();
        let mut scratch = Scratch::default();
        let mut holds = |group: usize| {
            let Members { people, values, .. } = &sets[group];
            let sensitive = [values.clone()];
            requirement.holds(&Group { people: *people, sensitive: &sensitive, parent: None }, &mut scratch)
        };
        let keeps: Vec<bool> = (0..=set).map(|group| group & !set == 0 && holds(group)).collect();
        let mut least = vec![None; set + 1];
        least[0] = Some(0.0);
        for members in (1..=set).filter(|members| members & !set == 0) {
            // Whoever comes first stands in some group.
            let first = 1 << members.trailing_zeros();
            let mut group = members;
            while group > 0 {
                if group & first != 0
                    && keeps[group]
                    && let Some(others) = least[members & !group]
                {
                    let lost = others + sets[group].loss;
                    least[members] = Some(least[members].map_or(lost, |best: f64| best.min(lost)));
                }
                group = (group - 1) & members;
            }
        }
        least[set]
    }

    /// What a method's release loses; nothing if it finds none.
    fn loss(&self) -> Option<f64> {
        let requirement = Requirement::prepare(&self.policy.models, &self.whole).ok()?;
        let task = Task {
            quasi_names: self.original.quasi.iter().map(|column| column.name.clone()).collect(),
            scales: &self.scales,
            cells: &self.cells,
            sensitive_sizes: self.original.sensitive.iter().map(|column| column.domain.len()).collect(),
            requirement: &requirement,
            whole: &self.whole,
            may_suppress: self.may_suppress,
            seed: crate::chance::Seed(0),
            branches: None,
            persons: None,
            links: &[],
            group: None,
            token: &CancelToken::new(),
        };
        let method = self.policy.method.as_ref().unwrap();
        let plan = concrete::<Grouping>(method.plan(&task, &Progress::default()).ok()?);
        crate::utility::measure(&plan, &self.scales, None, &self.whole, None).loss
    }
}

/// More than floats lose in adding up what seven people lose.
const ROUNDING: f64 = 1e-12;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn no_release_loses_less(rows in rows(), models in models(), left_out in 0_u64..4, number in 0_usize..4) {
        let method = ["least-loss", "top-down", "clustering", "mondrian"][number];
        let case = Case::new(&rows, &models, &format!("{method:?}"), left_out);
        let bound = case.bound(4);
        prop_assert!(case.bound(0) <= bound);
        let optimum = case.optimum();
        if let Some(optimum) = optimum {
            prop_assert!(bound <= optimum + ROUNDING, "{bound}, but {optimum} can be reached");
        }
        if let Some(loss) = case.loss() {
            let optimum = optimum.unwrap();
            prop_assert!(optimum <= loss + ROUNDING, "{method} loses {loss}, and {optimum} is said to be the least");
        }
    }

    /// The bound, the best there is, what a search finds, and what it starts from: in this order.
    #[test]
    fn a_search_loses_no_more_and_no_less_than_there_is(
        rows in rows(),
        models in models(),
        left_out in 0_u64..4,
        number in 0_usize..3,
        steps in 1_u64..60,
    ) {
        let name = ["least-loss", "top-down", "clustering"][number];
        let quick = Case::new(&rows, &models, &format!("{name:?}"), left_out);
        let searched = Case::new(&rows, &models, &format!("{name:?}\neffort = {steps}"), left_out);
        if let Some(loss) = searched.loss() {
            let optimum = searched.optimum().unwrap();
            prop_assert!(searched.bound(1) <= loss + ROUNDING);
            prop_assert!(optimum <= loss + ROUNDING, "{name} loses {loss}, and {optimum} is said to be the least");
            if name == "least-loss" {
                prop_assert!(loss <= quick.loss().unwrap() + ROUNDING);
            }
        }
    }
}

/// A search that never found anything would be true too.
#[test]
fn a_search_often_finds_the_optimum() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let models = vec!["model = \"k-anonymity\", k = 2".to_owned()];
    let (mut cases, mut missed, mut reached) = (0, 0, 0);
    while cases < 600 {
        let rows = proptest::strategy::ValueTree::current(&rows().new_tree(&mut runner).unwrap());
        let case = |method: &str| Case::new(&rows, &models, method, 0);
        let Some(optimum) = case("\"clustering\"").optimum() else { continue };
        cases += 1;
        if case("\"clustering\"").loss().unwrap() > optimum + ROUNDING {
            missed += 1;
            reached += u32::from(case("\"clustering\"\neffort = 100").loss().unwrap() <= optimum + ROUNDING);
        }
    }
    assert!(missed > 20 && 2 * reached > missed, "{reached} of {missed} that clustering missed, of {cases}");
}

/// A bound of nothing would be true too.
#[test]
fn the_bound_is_often_the_optimum() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut reached, mut cases, mut better) = (0, 0, 0);
    let models = vec!["model = \"k-anonymity\", k = 2".to_owned()];
    while cases < 300 {
        let rows = proptest::strategy::ValueTree::current(&rows().new_tree(&mut runner).unwrap());
        let case = Case::new(&rows, &models, "\"mondrian\"", 0);
        let Some(optimum) = case.optimum().filter(|&optimum| optimum > 0.0) else { continue };
        let bound = case.bound(20);
        cases += 1;
        reached += u32::from(bound > 0.99 * optimum);
        better += u32::from(bound > 1.01 * case.bound(0));
    }
    assert!(reached > 100 && better > 30, "{reached} reached, {better} better than simple, of {cases}");
}
