//! The greedy construction (Wang, Algorithm 2, as corrected): groups of people with different sensitive values who
//! cover as many combinations as possible.

use super::group::{AmbiguousGroup, Tuples};
use super::promise::AmbiguityPromise;
use crate::chance::{Seed, Stream};
use crate::method::Task;
use crate::method::recoding::crowd::Crowd;
use crate::progress::Progress;

/// After so many groups in a row that could not hide presence, those who are left are taken for residue.
const MAX_FAILED_GROUPS: usize = 64;

/// Groups, and people who stand in none.
#[derive(Clone, Debug)]
pub(super) struct Built {
    pub(super) groups: Vec<AmbiguousGroup>,
    /// Cells, and how many of their people are left.
    pub(super) residue: Vec<(u32, u64)>,
}

/// Which values the current group lists already: a stamp for each, so that a new group starts at no cost.
struct Seen {
    stamps: Vec<Vec<u32>>,
    stamp: u32,
    /// For each attribute, how many values are listed, and what a new one is worth: the logarithm of how much the
    /// number of covered combinations grows.
    listed: Vec<usize>,
    gains: Vec<f64>,
}

impl Seen {
    fn new(sizes: &[u64]) -> Self {
        let stamps = sizes.iter().map(|&size| vec![0; size as usize]).collect();
        Self { stamps, stamp: 0, listed: vec![0; sizes.len()], gains: vec![0.0; sizes.len()] }
    }

    fn clear(&mut self) {
        self.stamp += 1;
        self.listed.fill(0);
        // The first value of an attribute covers nothing more than any other would.
        self.gains.fill(0.0);
    }

    /// What the values of a tuple are worth.
    fn gain(&self, values: &[u32]) -> f64 {
        let pairs = values.iter().zip(&self.stamps).zip(&self.gains);
        pairs.map(|((&value, stamps), gain)| if stamps[value as usize] == self.stamp { 0.0 } else { *gain }).sum()
    }

    fn add(&mut self, tuples: Tuples<'_>, cell: u32) {
        for (attribute, stamps) in self.stamps.iter_mut().enumerate() {
            let stamp = &mut stamps[tuples.value(attribute, cell) as usize];
            if *stamp != self.stamp {
                *stamp = self.stamp;
                self.listed[attribute] += 1;
                self.gains[attribute] = (1.0 / self.listed[attribute] as f64).ln_1p();
            }
        }
    }
}

/// Builds groups of about `size` people.
pub(super) fn build(
    task: &Task<'_>,
    tuples: Tuples<'_>,
    promise: &AmbiguityPromise,
    size: u64,
    seed: Seed,
    progress: &Progress,
) -> Built {
    let first = first(promise);
    let all: Vec<usize> = (0..tuples.cells.columns.len()).collect();
    let stream = |value| Stream::Keyed(Box::new(seed.stream("crowd", value)));
    let mut crowd = Crowd::new(tuples.cells, tuples.quasi + first, task.sensitive_sizes[first], &all, false, stream);
    let mut seen = Seen::new(&super::promise::distinct_values(task));
    let (mut groups, mut residue) = (Vec::new(), Vec::new());
    let mut failures = 0;
    while failures < MAX_FAILED_GROUPS && !progress.is_cancelled() {
        let Some((group, holds)) = grow(tuples, promise, size, &mut crowd, &mut seen) else { break };
        progress.advance(group.people);
        if holds {
            groups.push(group);
            failures = 0;
        } else {
            residue.extend(group.members);
            failures += 1;
        }
    }
    residue.extend(crowd.rest());
    Built { groups, residue }
}

/// The sensitive attribute by whose values people are picked; the others are only watched.
fn first(promise: &AmbiguityPromise) -> usize {
    promise.protected.first().copied().unwrap_or(0)
}

/// Grows one group; says whether it keeps the promise. Nothing if nobody is left.
fn grow(
    tuples: Tuples<'_>,
    promise: &AmbiguityPromise,
    size: u64,
    crowd: &mut Crowd,
    seen: &mut Seen,
) -> Option<(AmbiguousGroup, bool)> {
    seen.clear();
    let mut group = AmbiguousGroup::new(tuples);
    // The fullest value first, until it is as frequent here as it may be.
    let mut spent: Vec<u32> = Vec::new();
    let limit = promise.most_alike(size).max(1);
    while group.people < size {
        let Some(value) = crowd.fullest() else { break };
        let joined = join_best(tuples, promise, value, limit, &mut group, crowd, seen);
        if joined && group.held(first(promise), value) < limit {
            crowd.put_back(value);
        } else {
            spent.push(value);
        }
    }
    // More people while presence shows, as long as each lowers it: new sensitive values before repeated ones.
    for repeated in [false, true] {
        if repeated {
            spent.drain(..).for_each(|value| crowd.put_back(value));
        }
        while !group.hides_presence(promise) {
            let Some(value) = crowd.fullest() else { break };
            let before = group.people as f64 / group.combinations() as f64;
            let limit = promise.most_alike(group.people + 1);
            if !join_best(tuples, promise, value, limit, &mut group, crowd, seen) {
                spent.push(value);
                continue;
            }
            if repeated {
                crowd.put_back(value);
            } else {
                spent.push(value);
            }
            if group.people as f64 / group.combinations() as f64 >= before {
                break;
            }
        }
    }
    spent.into_iter().for_each(|value| crowd.put_back(value));
    let holds = group.keeps(promise);
    (group.people > 0).then_some((group, holds))
}

/// The person of a value who covers most joins, unless a value would be too frequent with that person.
fn join_best(
    tuples: Tuples<'_>,
    promise: &AmbiguityPromise,
    value: u32,
    limit: u64,
    group: &mut AmbiguousGroup,
    crowd: &mut Crowd,
    seen: &mut Seen,
) -> bool {
    let is_allowed = |values: &[u32]| {
        let held = |&attribute: &usize| group.held(attribute, values[tuples.quasi + attribute]);
        promise.protected.iter().all(|attribute| held(attribute) < limit)
    };
    let score = |values: &[u32]| is_allowed(values).then(|| seen.gain(&values[..tuples.quasi]));
    let Some(cell) = crowd.take(value, score) else { return false };
    seen.add(tuples, cell);
    group.add(tuples, cell, 1);
    true
}
