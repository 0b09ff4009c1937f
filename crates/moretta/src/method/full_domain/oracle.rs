//! A small table whose every node is tried, row by row and straight from the definitions.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Map, Value as Json};

use crate::data::cells::count_distinct;
use crate::data::domain::Domain;
use crate::data::value::{Type, Value};
use crate::distance::{Ground as Metric, GroundedDistance, PreparedDistance, Scratch};
use crate::hierarchy::{HierarchySpec, Scale};
use crate::method::full_domain::*;
use crate::model::{
    Group, GroupCheck, GroupModel, Measure, PrivacyModel, Requirement, Safer, Safety, Scope, Wordings, k_anonymity,
};
use crate::numeric::Threshold;
use crate::progress::CancelToken;
use crate::release::{Sensitive, TableSummary};

/// Promises of every kind that a search treats differently.
#[derive(Clone, Copy, Debug)]
pub(super) enum TestPromise {
    /// Grow-safe, by size alone.
    Size(u64),
    /// Grow-safe, by sensitive values.
    Distinct(u64),
    /// Merge-safe, against what is released: half the sum of differences is at most so many twentieths.
    Close(u64),
    /// Neither: groups of an even number of people.
    Even,
}

#[derive(Debug)]
struct Check {
    promise: TestPromise,
    whole: Vec<u64>,
    distance: PreparedDistance,
}

impl PrivacyModel for TestPromise {
    fn name(&self) -> &'static str {
        "test"
    }

    fn wordings(&self) -> &'static Wordings {
        &k_anonymity::ENTRY.wordings
    }

    fn parameters(&self) -> Map<String, Json> {
        Map::new()
    }

    fn scope(&self) -> Scope<'_> {
        Scope::Groups(self)
    }
}

impl GroupModel for TestPromise {
    fn prepare(&self, whole: &TableSummary) -> Result<Box<dyn GroupCheck>> {
        let whole = whole.sensitive.first().map_or_else(Vec::new, |sensitive| sensitive.people.clone());
        let distance = PreparedDistance::new(GroundedDistance::Emd(Metric::Equal), whole.len())?;
        Ok(Box::new(Check { promise: *self, whole, distance }))
    }
}

impl GroupCheck for Check {
    fn safety(&self) -> Safety {
        match self.promise {
            TestPromise::Size(_) | TestPromise::Distinct(_) => Safety { merge: true, grow: true },
            TestPromise::Close(_) => Safety { merge: true, grow: false },
            TestPromise::Even => Safety { merge: false, grow: false },
        }
    }

    fn least_people(&self) -> u64 {
        match self.promise {
            TestPromise::Size(k) | TestPromise::Distinct(k) => k,
            TestPromise::Close(_) => 1,
            TestPromise::Even => 2,
        }
    }

    fn needs_histograms(&self) -> bool {
        matches!(self.promise, TestPromise::Distinct(_) | TestPromise::Close(_))
    }

    fn holds(&self, group: &Group<'_>, scratch: &mut Scratch) -> bool {
        match self.promise {
            TestPromise::Size(k) => group.people >= k,
            TestPromise::Distinct(l) => group.sensitive[0].iter().filter(|&&people| people > 0).count() as u64 >= l,
            TestPromise::Close(t) => {
                self.distance.within(&group.sensitive[0], &self.whole, Threshold::fraction(t, 20).unwrap(), scratch)
            }
            TestPromise::Even => group.people.is_multiple_of(2),
        }
    }

    fn measures(&self) -> &[Measure] {
        &[Measure { name: "x", safer: Safer::Higher }]
    }

    fn measure(&self, _: &Group<'_>, _: &mut Scratch, levels: &mut [f64]) {
        levels[0] = 0.0;
    }
}

/// A table with a hierarchy for each quasi-identifier, as lists of labels from leaf to root.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) hierarchies: Vec<Vec<Vec<String>>>,
    /// The leaf of each quasi-identifier, a sensitive value, and people.
    pub(super) rows: Vec<(Vec<usize>, u32, u64)>,
    pub(super) sensitive: usize,
    pub(super) promises: Vec<TestPromise>,
    pub(super) may_suppress: u64,
}

/// Uneven trees: leaves in groups of one to three, some of which are grouped again, and lines of different lengths.
fn hierarchy() -> impl Strategy<Value = Vec<Vec<String>>> {
    (1_usize..6, 1_usize..4, 0_usize..4, any::<bool>()).prop_map(|(leaves, fan, ragged, deep)| {
        (0..leaves)
            .map(|leaf| {
                let mut labels = vec![format!("v{leaf}")];
                if leaf != ragged {
                    labels.push(format!("g{}", leaf / fan));
                    if deep {
                        labels.push(format!("h{}", leaf / fan / 2));
                    }
                }
                labels.push("*".to_owned());
                labels
            })
            .collect()
    })
}

fn promises() -> impl Strategy<Value = Vec<TestPromise>> {
    let close = proptest::sample::select(vec![0, 2, 5, 10]);
    prop_oneof![
        (1_u64..6).prop_map(|k| vec![TestPromise::Size(k)]),
        (1_u64..4, 1_u64..4).prop_map(|(k, l)| vec![TestPromise::Size(k), TestPromise::Distinct(l)]),
        (1_u64..4, close).prop_map(|(k, t)| vec![TestPromise::Size(k), TestPromise::Close(t)]),
        (1_u64..5).prop_map(|k| vec![TestPromise::Size(k), TestPromise::Even]),
    ]
}

pub(super) fn cases() -> impl Strategy<Value = Case> {
    (proptest::collection::vec(hierarchy(), 1..4), 1_usize..4, promises(), 0_u64..10).prop_flat_map(
        |(hierarchies, sensitive, promises, may_suppress)| {
            let leaves: Vec<_> = hierarchies.iter().map(|paths| 0..paths.len()).collect();
            let row = (leaves, 0..sensitive as u32, prop_oneof![3 => Just(1_u64), 1 => 1_u64..5]);
            (proptest::collection::vec(row, 1..25), Just((hierarchies, sensitive, promises, may_suppress))).prop_map(
                |(rows, (hierarchies, sensitive, promises, may_suppress))| Case {
                    hierarchies,
                    rows,
                    sensitive,
                    promises,
                    may_suppress,
                },
            )
        },
    )
}

/// So many attributes that a group's values do not fit side by side into one key.
pub(super) fn wide_cases() -> impl Strategy<Value = (Case, NodeLevels)> {
    (proptest::collection::vec(hierarchy(), 40), 0_u64..30).prop_flat_map(|(hierarchies, may_suppress)| {
        let row = (hierarchies.iter().map(|paths| 0..paths.len().min(2)).collect::<Vec<_>>(), 0_u32..2, 1_u64..3);
        let tops = hierarchies.iter().map(|paths| paths.iter().map(Vec::len).max().unwrap_or(1) as u16 - 1);
        let levels: Vec<_> = tops.map(|top| prop_oneof![1 => 0..=top, 6 => Just(top)]).collect();
        (proptest::collection::vec(row, 1..30), levels).prop_map(move |(rows, levels)| {
            let promises = vec![TestPromise::Size(2), TestPromise::Distinct(2)];
            (Case { hierarchies: hierarchies.clone(), rows, sensitive: 2, promises, may_suppress }, levels)
        })
    })
}

impl Case {
    /// What the levels make of each row.
    fn publish(&self, levels: &[u16]) -> Vec<Vec<&str>> {
        let label = |attribute: usize, leaf: usize| {
            let path = &self.hierarchies[attribute][leaf];
            path.get(levels[attribute] as usize).map_or("*", String::as_str)
        };
        self.rows
            .iter()
            .map(|(leaves, ..)| leaves.iter().enumerate().map(|(a, &leaf)| label(a, leaf)).collect())
            .collect()
    }

    fn height(&self, attribute: usize) -> usize {
        self.hierarchies[attribute].iter().map(Vec::len).max().unwrap() - 1
    }

    fn all_nodes(&self) -> Vec<NodeLevels> {
        (0..self.hierarchies.len()).fold(vec![vec![]], |nodes, attribute| {
            let raise = |node: NodeLevels| {
                (0..=self.height(attribute) as u16).map(move |level| node.iter().copied().chain([level]).collect())
            };
            nodes.into_iter().flat_map(raise).collect()
        })
    }

    fn people(&self) -> u64 {
        self.rows.iter().map(|row| row.2).sum()
    }

    /// The rows that a node leaves out, by the definition; nothing if they are too many or all.
    pub(super) fn leave_out(&self, levels: &[u16]) -> Option<Vec<bool>> {
        let published = self.publish(levels);
        let mut out = vec![false; self.rows.len()];
        let mut first = true;
        loop {
            let mut whole = vec![0; self.sensitive];
            let mut groups: BTreeMap<&[&str], (u64, Vec<u64>)> = BTreeMap::new();
            for (row, (_, value, people)) in self.rows.iter().enumerate() {
                if !out[row] {
                    let group = groups.entry(&published[row]).or_insert((0, vec![0; self.sensitive]));
                    group.0 += people;
                    group.1[*value as usize] += people;
                    whole[*value as usize] += people;
                }
            }
            let holds = |(size, values): &(u64, Vec<u64>)| {
                self.promises.iter().all(|promise| match *promise {
                    TestPromise::Size(k) => *size >= k,
                    TestPromise::Distinct(l) => values.iter().filter(|&&people| people > 0).count() as u64 >= l,
                    TestPromise::Close(t) => {
                        let all: u64 = whole.iter().sum();
                        let apart = values.iter().zip(&whole).map(|(&p, &q)| (p * all).abs_diff(q * size)).sum::<u64>();
                        apart * 20 <= 2 * t * size * all
                    }
                    TestPromise::Even => size.is_multiple_of(2),
                })
            };
            let failing: Vec<&[&str]> = groups.iter().filter(|(_, group)| !holds(group)).map(|(key, _)| *key).collect();
            let before = out.clone();
            for row in 0..self.rows.len() {
                out[row] |= failing.contains(&published[row].as_slice());
            }
            if out == before && !first {
                break;
            }
            first = false;
        }
        let gone = self.people_out(&out);
        (gone <= self.may_suppress && gone < self.people()).then_some(out)
    }

    pub(super) fn people_out(&self, out: &[bool]) -> u64 {
        self.rows.iter().zip(out).filter(|(_, out)| **out).map(|(row, _)| row.2).sum()
    }

    /// The cost of a node, person by person, by the definition.
    pub(super) fn cost(&self, objective: Objective, levels: &[u16], out: &[bool]) -> f64 {
        let published = self.publish(levels);
        let everyone = self.people() as f64;
        let attributes = self.hierarchies.len();
        let heights: usize = (0..attributes).map(|attribute| self.height(attribute)).sum();
        let people_with = |attribute: usize, label: &str, by: &[Vec<&str>]| -> f64 {
            let rows = self.rows.iter().zip(by).filter(|(_, labels)| labels[attribute] == label);
            rows.map(|(row, _)| row.2 as f64).sum()
        };
        let bottom = self.publish(&vec![0; attributes]);
        let (mut sum, mut information) = (0.0, 0.0);
        for (row, (_, _, people)) in self.rows.iter().enumerate() {
            let people = *people as f64;
            if objective == Objective::Dm {
                let same = (0..self.rows.len()).filter(|&other| published[other] == published[row]);
                let size: f64 = same.map(|other| self.rows[other].2 as f64).sum();
                sum += people * if out[row] { everyone } else { size };
                continue;
            }
            for (attribute, paths) in self.hierarchies.iter().enumerate() {
                let label = published[row][attribute];
                let domain = paths.len() as f64;
                let leaves = paths.iter().filter(|path| path.iter().any(|other| other == label)).count() as f64;
                let n_leaf = people_with(attribute, bottom[row][attribute], &bottom);
                let share = 1.0 / attributes as f64;
                information += people * (everyone / n_leaf).ln();
                let gone = out[row];
                sum += people
                    * match objective {
                        Objective::Loss | Objective::Gcp if gone => share,
                        Objective::Loss if domain > 1.0 => (leaves - 1.0) / (domain - 1.0) * share,
                        Objective::Gcp if leaves > 1.0 => leaves / domain * share,
                        Objective::Height if gone => self.height(attribute) as f64 / heights as f64,
                        Objective::Height => f64::from(levels[attribute]) / heights as f64,
                        Objective::Entropy if gone => (everyone / n_leaf).ln(),
                        Objective::Entropy => (people_with(attribute, label, &published) / n_leaf).ln(),
                        _ => 0.0,
                    };
            }
        }
        match objective {
            Objective::Dm => sum,
            Objective::Entropy if information > 0.0 => sum / information,
            Objective::Entropy => self.people_out(out) as f64 / everyone,
            _ => sum / everyone,
        }
    }

    /// All nodes that keep the promises, with those left out.
    pub(super) fn satisfying(&self) -> Vec<(NodeLevels, Vec<bool>)> {
        let nodes = self.all_nodes().into_iter();
        nodes.filter_map(|levels| self.leave_out(&levels).map(|out| (levels, out))).collect()
    }

    /// Runs something on the case as a task; nothing if the whole table can't keep the promises.
    pub(super) fn with_task<T>(&self, run: impl FnOnce(&Task<'_>) -> T) -> Option<T> {
        let models: Vec<Box<dyn PrivacyModel>> =
            self.promises.iter().map(|&promise| Box::new(promise) as Box<dyn PrivacyModel>).collect();
        let values: Vec<String> = (0..self.sensitive).map(|value| format!("s{value}")).collect();
        let mut people = vec![0; self.sensitive];
        self.rows.iter().for_each(|row| people[row.1 as usize] += row.2);
        let domain = Arc::new(Domain::labels(values.iter().map(String::as_str)));
        let sensitive = Sensitive { name: "s".to_owned(), domain, people, hierarchy: None, categories: None };
        let whole = TableSummary { people: self.people(), sensitive: vec![sensitive] };
        let requirement = Requirement::prepare(&models, &whole).ok()?;

        let (mut scales, mut columns) = (Vec::new(), Vec::new());
        for (attribute, paths) in self.hierarchies.iter().enumerate() {
            let text = |row: &(Vec<usize>, u32, u64)| Value::Text(paths[row.0[attribute]][0].as_str().into());
            let (domain, codes) = Domain::from_unsorted(Type::Text, self.rows.iter().map(text).collect());
            let spec = HierarchySpec::Listed(paths.clone());
            scales.push(Scale::new(&spec, Arc::new(domain), "q").unwrap());
            columns.push(codes);
        }
        columns.push(self.rows.iter().map(|row| row.1).collect());
        let sizes = scales.iter().map(|scale| scale.domain().len()).chain([self.sensitive]);
        let sized: Vec<(&[u32], usize)> = columns.iter().map(Vec::as_slice).zip(sizes).collect();
        let weights: Vec<u64> = self.rows.iter().map(|row| row.2).collect();
        let cells = count_distinct(&sized, self.rows.len(), Some(&weights));
        Some(run(&Task {
            quasi_names: (0..scales.len()).map(|number| format!("q{number}")).collect(),
            scales: &scales,
            cells: &cells,
            sensitive_sizes: vec![self.sensitive],
            requirement: &requirement,
            whole: &whole,
            may_suppress: self.may_suppress,
            seed: crate::chance::Seed(0),
            branches: None,
            persons: None,
            links: &[],
            group: None,
            token: &CancelToken::new(),
        }))
    }

    /// Checks a plan against the node it is made from: who is released, and as what.
    pub(super) fn check_plan(&self, task: &Task<'_>, plan: &Grouping, levels: &[u16], out: &[bool]) {
        let published = self.publish(levels);
        let mut wanted: BTreeMap<(Vec<&str>, u32), u64> = BTreeMap::new();
        for (row, (_, value, people)) in self.rows.iter().enumerate().filter(|(row, _)| !out[*row]) {
            *wanted.entry((published[row].clone(), *value)).or_default() += people;
        }
        let mut found: BTreeMap<(Vec<&str>, u32), u64> = BTreeMap::new();
        for piece in &plan.pieces {
            let labels = plan.attributes.iter().zip(&plan.groups);
            let labels = labels.map(|(a, column)| a.labels[column[piece.group as usize] as usize].as_str()).collect();
            let value = task.cells.columns[levels.len()][piece.cell as usize];
            *found.entry((labels, value)).or_default() += piece.people;
        }
        assert_eq!(found, wanted);
    }
}
