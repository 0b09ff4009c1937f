//! Searches against trying every node, on thousands of small random tables.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Map, Value as Json};

use super::*;
use crate::data::cells::count_distinct;
use crate::data::domain::Domain;
use crate::data::value::{Type, Value};
use crate::distance::{Distance, Ground as Metric, Prepared, Scratch, Threshold};
use crate::hierarchy::{HierarchySpec, Scale};
use crate::model::{Group, GroupCheck, Measure, PrivacyModel, Requirement, Safer, Safety, Sensitive, Whole};

/// Promises of every kind that a search treats differently.
#[derive(Clone, Copy, Debug)]
enum Promise {
    /// Grow-safe, by size alone.
    Size(u64),
    /// Grow-safe, by sensitive values.
    Distinct(u64),
    /// Merge-safe, against what is released.
    Close(f64),
    /// Neither: groups of an even number of people.
    Even,
}

#[derive(Debug)]
struct Check {
    promise: Promise,
    whole: Vec<u64>,
    distance: Prepared,
}

impl PrivacyModel for Promise {
    fn name(&self) -> &'static str {
        "test"
    }

    fn promised(&self) -> Map<String, Json> {
        Map::new()
    }

    fn prepare(&self, whole: &Whole) -> Result<Box<dyn GroupCheck>> {
        let whole = whole.sensitive.first().map_or_else(Vec::new, |sensitive| sensitive.people.clone());
        let distance = Prepared::new(Distance::Emd(Metric::Equal), whole.len())?;
        Ok(Box::new(Check { promise: *self, whole, distance }))
    }
}

impl GroupCheck for Check {
    fn safety(&self) -> Safety {
        match self.promise {
            Promise::Size(_) | Promise::Distinct(_) => Safety { merge: true, grow: true },
            Promise::Close(_) => Safety { merge: true, grow: false },
            Promise::Even => Safety { merge: false, grow: false },
        }
    }

    fn least_people(&self) -> u64 {
        match self.promise {
            Promise::Size(k) | Promise::Distinct(k) => k,
            Promise::Close(_) => 1,
            Promise::Even => 2,
        }
    }

    fn needs_histograms(&self) -> bool {
        matches!(self.promise, Promise::Distinct(_) | Promise::Close(_))
    }

    fn holds(&self, group: &Group<'_>, scratch: &mut Scratch) -> bool {
        match self.promise {
            Promise::Size(k) => group.people >= k,
            Promise::Distinct(l) => group.sensitive[0].iter().filter(|&&people| people > 0).count() as u64 >= l,
            Promise::Close(t) => {
                self.distance.within(&group.sensitive[0], &self.whole, Threshold::new(t).unwrap(), scratch)
            }
            Promise::Even => group.people.is_multiple_of(2),
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
struct Case {
    hierarchies: Vec<Vec<Vec<String>>>,
    /// The leaf of each quasi-identifier, a sensitive value, and people.
    rows: Vec<(Vec<usize>, u32, u64)>,
    sensitive: usize,
    promises: Vec<Promise>,
    may_suppress: u64,
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

fn promise() -> impl Strategy<Value = Vec<Promise>> {
    let close = proptest::sample::select(vec![0.0, 0.1, 0.25, 0.5]);
    prop_oneof![
        (1_u64..6).prop_map(|k| vec![Promise::Size(k)]),
        (1_u64..4, 1_u64..4).prop_map(|(k, l)| vec![Promise::Size(k), Promise::Distinct(l)]),
        (1_u64..4, close).prop_map(|(k, t)| vec![Promise::Size(k), Promise::Close(t)]),
        (1_u64..5).prop_map(|k| vec![Promise::Size(k), Promise::Even]),
    ]
}

fn cases() -> impl Strategy<Value = Case> {
    (proptest::collection::vec(hierarchy(), 1..4), 1_usize..4, promise(), 0_u64..10).prop_flat_map(
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

    fn all_nodes(&self) -> Vec<Levels> {
        (0..self.hierarchies.len()).fold(vec![vec![]], |nodes, attribute| {
            let raise = |node: Levels| {
                (0..=self.height(attribute) as u16).map(move |level| node.iter().copied().chain([level]).collect())
            };
            nodes.into_iter().flat_map(raise).collect()
        })
    }

    fn people(&self) -> u64 {
        self.rows.iter().map(|row| row.2).sum()
    }

    /// The rows that a node leaves out, by the definition; nothing if they are too many or all.
    fn leave_out(&self, levels: &[u16]) -> Option<Vec<bool>> {
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
                    Promise::Size(k) => *size >= k,
                    Promise::Distinct(l) => values.iter().filter(|&&people| people > 0).count() as u64 >= l,
                    Promise::Close(t) => {
                        let all: u64 = whole.iter().sum();
                        let apart = values.iter().zip(&whole).map(|(&p, &q)| (p * all).abs_diff(q * size)).sum::<u64>();
                        // |P − Q|/2 ≤ t in whole numbers; every t of these tests is a number of twentieths.
                        apart * 20 <= 2 * (t * 20.0).round() as u64 * size * all
                    }
                    Promise::Even => size.is_multiple_of(2),
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
        let gone: u64 = self.rows.iter().zip(&out).filter(|(_, out)| **out).map(|(row, _)| row.2).sum();
        (gone <= self.may_suppress && gone < self.people()).then_some(out)
    }

    /// The cost of a node, person by person, by the definition.
    fn cost(&self, objective: Objective, levels: &[u16], out: &[bool]) -> f64 {
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
                sum += people
                    * match objective {
                        Objective::Loss if out[row] => share,
                        Objective::Loss if domain > 1.0 => (leaves - 1.0) / (domain - 1.0) * share,
                        Objective::Gcp if out[row] => share,
                        Objective::Gcp if leaves > 1.0 => leaves / domain * share,
                        Objective::Height if heights == 0 => {
                            if out[row] {
                                share
                            } else {
                                0.0
                            }
                        }
                        Objective::Height if out[row] => self.height(attribute) as f64 / heights as f64,
                        Objective::Height => f64::from(levels[attribute]) / heights as f64,
                        Objective::Entropy if out[row] => (everyone / n_leaf).ln(),
                        Objective::Entropy => (people_with(attribute, label, &published) / n_leaf).ln(),
                        _ => 0.0,
                    };
            }
        }
        match objective {
            Objective::Dm => sum,
            Objective::Entropy if information > 0.0 => sum / information,
            Objective::Entropy => {
                let gone: f64 = self.rows.iter().zip(out).filter(|(_, out)| **out).map(|(row, _)| row.2 as f64).sum();
                gone / everyone
            }
            _ => sum / everyone,
        }
    }

    /// All nodes that keep the promises, with those left out.
    fn satisfying(&self) -> Vec<(Levels, Vec<bool>)> {
        let nodes = self.all_nodes().into_iter();
        nodes.filter_map(|levels| self.leave_out(&levels).map(|out| (levels, out))).collect()
    }

    /// Runs something on the case as a task; nothing if the whole table can't keep the promises.
    fn with_task<T>(&self, run: impl FnOnce(&Task<'_>) -> T) -> Option<T> {
        let models: Vec<Box<dyn PrivacyModel>> =
            self.promises.iter().map(|&promise| Box::new(promise) as Box<dyn PrivacyModel>).collect();
        let values: Vec<String> = (0..self.sensitive).map(|value| format!("s{value}")).collect();
        let mut people = vec![0; self.sensitive];
        self.rows.iter().for_each(|row| people[row.1 as usize] += row.2);
        let domain = Arc::new(Domain::labels(values.iter().map(String::as_str)));
        let sensitive = Sensitive { name: "s".to_owned(), domain, people, hierarchy: None, categories: None };
        let whole = Whole { people: self.people(), sensitive: vec![sensitive] };
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
        }))
    }

    /// Checks a plan against the node it is made from: who is released, and as what.
    fn check_plan(&self, task: &Task<'_>, plan: &Plan, levels: &[u16], out: &[bool]) {
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

fn is_finer(a: &[u16], b: &[u16]) -> bool {
    a != b && a.iter().zip(b).all(|(x, y)| x <= y)
}

const OBJECTIVES: [Objective; 5] =
    [Objective::Loss, Objective::Gcp, Objective::Dm, Objective::Height, Objective::Entropy];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn the_optimum_is_that_of_trying_every_node(case in cases(), pick in 0_usize..5) {
        let objective = OBJECTIVES[pick];
        let satisfying = case.satisfying();
        let costs: Vec<f64> = satisfying.iter().map(|(levels, out)| case.cost(objective, levels, out)).collect();
        let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
        case.with_task(|task| {
            let found = optimal_node(task, objective, &Progress::default());
            let Ok(node) = found else {
                assert!(satisfying.is_empty(), "{found:?}");
                return;
            };
            assert!((node.cost - least).abs() <= 1e-9 * least.max(1.0), "{node:?} is not {least}");
            let (_, out) = satisfying.iter().find(|(levels, _)| *levels == node.levels).unwrap();
            assert!((node.cost - case.cost(objective, &node.levels, out)).abs() <= 1e-9 * least.max(1.0));
            let gone: u64 = case.rows.iter().zip(out).filter(|(_, out)| **out).map(|(row, _)| row.2).sum();
            assert_eq!(node.suppressed, gone);
            case.check_plan(task, &plan_at(task, &node.levels).unwrap(), &node.levels, out);
        });
    }

    #[test]
    fn the_minimal_nodes_are_those_of_trying_every_node(case in cases()) {
        let satisfying = case.satisfying();
        let is_minimal = |levels: &Levels| !satisfying.iter().any(|(other, _)| is_finer(other, levels));
        let mut minimal: Vec<Levels> = satisfying.iter().map(|(levels, _)| levels.clone()).filter(is_minimal).collect();
        minimal.sort();
        case.with_task(|task| {
            let found = minimal_nodes(task, Objective::Loss, &Progress::default());
            let mut found: Vec<Levels> = found.unwrap_or_default().into_iter().map(|node| node.levels).collect();
            found.sort();
            assert_eq!(found, minimal);
        });
    }

    #[test]
    fn a_heuristic_search_says_how_far_it_may_be_from_the_optimum(case in cases(), pick in 0_usize..5, nodes in 1_u64..60) {
        let objective = OBJECTIVES[pick];
        let satisfying = case.satisfying();
        let least = satisfying.iter().map(|(levels, out)| case.cost(objective, levels, out)).fold(f64::INFINITY, f64::min);
        case.with_task(|task| {
            let found = Ground::new(task).unwrap().heuristic(objective, nodes, &Progress::default());
            let Ok((node, at_least)) = found else { return };
            let slack = 1e-9 * least.max(1.0);
            assert!(at_least <= least + slack && least <= node.cost + slack, "{at_least} {least} {node:?}");
            let (_, out) = satisfying.iter().find(|(levels, _)| *levels == node.levels).unwrap();
            assert!((node.cost - case.cost(objective, &node.levels, out)).abs() <= slack);
        });
    }

    #[test]
    fn the_share_that_would_do_is_the_least(case in cases()) {
        let unlimited = Case { may_suppress: u64::MAX, ..case.clone() };
        let gone = |out: &Vec<bool>| case.rows.iter().zip(out).filter(|(_, out)| **out).map(|(row, _)| row.2).sum::<u64>();
        let least = unlimited.satisfying().iter().map(|(_, out)| gone(out)).min();
        case.with_task(|task| {
            let Err(error) = optimal_node(task, Objective::Loss, &Progress::default()) else { return };
            let said = match least {
                Some(least) => format!("the fewest are {least} people"),
                None => "nor with any number left out".to_owned(),
            };
            assert!(error.message().contains(&said), "{error}");
        });
    }
}
