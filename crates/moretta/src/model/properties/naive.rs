//! What the definitions say of a table, counted row by row.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::distance::divergence;
use crate::model::{Groups, Requirement, Verdict};
use crate::policy::Policy;
use crate::progress::CancelToken;
use crate::testkit::oracle::{self, Counts};
use crate::testkit::tables::{Row, sensitive};
use crate::testkit::transport;

/// The diseases and the salaries of each group, and of all.
pub(super) struct Slow {
    pub(super) groups: Vec<[Counts; 2]>,
    pub(super) whole: [Counts; 2],
    pub(super) categories: [Vec<Vec<String>>; 2],
}

pub(super) fn slow(rows: &[Row], policy: &Policy) -> Slow {
    let counts = |rows: &[&Row]| {
        [
            oracle::count(rows.iter().map(|row| (row.1, row.3))),
            oracle::count(
                rows.iter()
                    .map(|row| (row.2.to_string(), row.3))
                    .collect::<Vec<_>>()
                    .iter()
                    .map(|(v, n)| (v.as_str(), *n)),
            ),
        ]
    };
    let mut by_group: BTreeMap<i64, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        by_group.entry(row.0).or_default().push(row);
    }
    let categories = |place: usize| sensitive(policy)[place].categories.clone().unwrap();
    Slow {
        groups: by_group.values().map(|rows| counts(rows)).collect(),
        whole: counts(&rows.iter().collect::<Vec<_>>()),
        categories: [categories(0), categories(1)],
    }
}

impl Slow {
    /// Whether a promise holds for both attributes of all groups.
    pub(super) fn all(&self, holds: impl Fn(&Counts, usize) -> bool) -> bool {
        self.groups.iter().all(|group| (0..2).all(|place| holds(&group[place], place)))
    }

    pub(super) fn levels(&self, level: impl Fn(&Counts, usize) -> f64) -> Vec<f64> {
        let level = &level;
        self.groups.iter().flat_map(|group| (0..2).map(move |place| level(&group[place], place))).collect()
    }

    pub(super) fn least(&self, level: impl Fn(&Counts, usize) -> f64) -> f64 {
        self.levels(level).into_iter().fold(f64::INFINITY, f64::min)
    }

    pub(super) fn most(&self, level: impl Fn(&Counts, usize) -> f64) -> f64 {
        self.levels(level).into_iter().fold(0.0, f64::max)
    }
}

pub(super) fn close(fast: &Json, slow: f64) -> bool {
    match fast.as_f64() {
        Some(fast) => (fast - slow).abs() <= 1e-9 * slow.abs().max(1.0),
        None => slow.is_infinite(),
    }
}

pub(super) fn judged(policy: &Policy, groups: &Groups) -> Vec<Verdict> {
    Requirement::for_judging(&policy.models, &groups.whole).unwrap().judge(groups, &CancelToken::new()).unwrap()
}

/// The distance of two histograms over all codes, from its definition.
pub(super) fn slow_distance(which: usize, groups: &Groups, p: &[u64], q: &[u64]) -> f64 {
    let sensitive = &groups.whole.sensitive[usize::from(which < 2)];
    let codes = sensitive.domain.len();
    let place = |code: usize| sensitive.domain.value(code as u32).as_number().unwrap();
    let (tree, ranks) = groups.whole.sensitive[0].hierarchy.as_ref().unwrap();
    let in_tree = |i: usize, j: usize| {
        let (a, b) = (ranks[i].min(ranks[j]), ranks[i].max(ranks[j]));
        if i == j {
            0.0
        } else {
            f64::from(tree.height(tree.common_ancestor(a, b))) / f64::from(tree.height(0)).max(1.0)
        }
    };
    match which {
        0 => transport::emd(p, q, |i, j| i.abs_diff(j) as f64 / (codes.max(2) - 1) as f64).unwrap(),
        1 => {
            let range = place(codes - 1) - place(0);
            transport::emd(p, q, |i, j| if i == j { 0.0 } else { (place(i) - place(j)).abs() / range }).unwrap()
        }
        2 | 6 => transport::emd(p, q, |i, j| f64::from(u8::from(i != j))).unwrap(),
        3 => transport::emd(p, q, in_tree).unwrap(),
        4 => divergence::js(p, q),
        5 => divergence::kl(p, q),
        _ => {
            let kernel = |i, j| f64::max(0.0, 1.0 - (in_tree(i, j) / 0.7_f64).powi(2));
            let smooth = |counts: &[u64]| {
                let norm = |i| (0..codes).map(|j| kernel(i, j)).sum::<f64>();
                let sums =
                    (0..codes).map(|i| (0..codes).map(|j| counts[j] as f64 * kernel(i, j)).sum::<f64>() / norm(i));
                let sums: Vec<f64> = sums.collect();
                let total: f64 = sums.iter().sum();
                sums.iter().map(|sum| sum / total).collect::<Vec<f64>>()
            };
            divergence::js_of_shares(&smooth(p), &smooth(q))
        }
    }
}

pub(super) fn histogram(groups: &Groups, attribute: usize, group: usize) -> Vec<u64> {
    let mut all = groups.scratch();
    groups.fill(group, &mut all);
    all.swap_remove(attribute)
}
