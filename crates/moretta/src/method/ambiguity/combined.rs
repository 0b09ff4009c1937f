//! Presence as all groups together tell it: larger groups until it is hidden.

use rand::seq::SliceRandom;

use super::build::{Built, build};
use super::group::{AmbiguousGroup, Tuples};
use super::placing::{assign_residue, merge_stuck};
use super::promise::Promise;
use crate::chance::Seed;
use crate::kind::ambiguous::{CombinedPresence, firsts};
use crate::method::Task;
use crate::numeric::Ratio;
use crate::progress::Progress;
use crate::release::Coverage;

/// So many combinations tell, before all are judged, whether groups are far too small.
const SAMPLE: usize = 1024;

/// So often the range of sizes is halved in search of the smallest that hides.
const BISECTIONS: usize = 3;

/// Builds groups of growing size until a sample of combinations is hidden from all of them together, then merges
/// groups until every combination is. Nothing if even a single group of everybody would not hide them.
///
/// Two groups of g people cover some combinations each; together they cover more than twice as many, for 2g people.
/// So the larger the groups, the less all of them tell together; one group of everybody tells |T| / ∏Dᵢ.
pub(super) fn build_hidden(
    task: &Task<'_>,
    tuples: Tuples<'_>,
    promise: &Promise,
    progress: &Progress,
) -> Option<Built> {
    let combinations = firsts(tuples.cells, tuples.quasi);
    let sample = sample(&combinations, task.seed);
    let attempt = |size: u64| {
        let mut built = build(task, tuples, promise, size, task.seed, progress);
        assign_residue(tuples, promise, &mut built, task.seed);
        let stuck: u64 = built.residue.iter().map(|(_, people)| people).sum();
        if stuck > task.may_suppress {
            merge_stuck(tuples, promise, &mut built);
        }
        let hidden = || judge(task, tuples, promise, &built.groups, &sample).beyond.is_empty();
        let hides = !built.groups.is_empty() && hidden();
        (built, hides)
    };
    let (mut too_small, mut size) = (0, promise.least_people());
    let (mut best, mut hides) = attempt(size);
    while !hides && size < tuples.cells.total() {
        (too_small, size) = (size, size * 2);
        (best, hides) = attempt(size);
    }
    // Between a size that shows and one, twice as large, that hides: the smaller the groups, the better for analysts.
    for _ in 0..BISECTIONS {
        let middle = u64::midpoint(too_small, size);
        if !hides || too_small == 0 || middle == too_small {
            break;
        }
        let (built, hides) = attempt(middle);
        if hides {
            (best, size) = (built, middle);
        } else {
            too_small = middle;
        }
    }
    if best.groups.is_empty() { None } else { merge_until_hidden(task, tuples, promise, best, &combinations) }
}

fn sample(combinations: &[u32], seed: Seed) -> Vec<u32> {
    let mut chosen = combinations.to_vec();
    let (chosen, _) = chosen.partial_shuffle(&mut seed.stream("sample of combinations", 0), SAMPLE);
    let mut chosen = chosen.to_vec();
    chosen.sort_unstable();
    chosen
}

/// Merges groups that cover a combination which shows, in pairs, until none shows.
fn merge_until_hidden(
    task: &Task<'_>,
    tuples: Tuples<'_>,
    promise: &Promise,
    mut built: Built,
    combinations: &[u32],
) -> Option<Built> {
    for round in 0.. {
        let judged = judge(task, tuples, promise, &built.groups, combinations);
        if judged.beyond.is_empty() {
            return Some(built);
        }
        if built.groups.len() <= 1 {
            return None;
        }
        let mut shows = showing(task, tuples, &built.groups, &judged.beyond);
        shows.shuffle(&mut task.seed.stream("merging", round));
        if shows.len() == 1 {
            // Its own presence is too large, or it has nobody to be merged with: any other will do.
            shows.push((0..built.groups.len()).find(|&group| group != shows[0])?);
        }
        let mut gone = vec![false; built.groups.len()];
        for pair in shows.chunks_exact(2) {
            let other = built.groups[pair[1]].clone();
            built.groups[pair[0]].absorb(&other);
            gone[pair[1]] = true;
        }
        let mut gone = gone.into_iter();
        built.groups.retain(|_| !gone.next().unwrap_or(false));
    }
    None
}

/// The groups that cover one of some combinations.
fn showing(task: &Task<'_>, tuples: Tuples<'_>, groups: &[AmbiguousGroup], beyond: &[u32]) -> Vec<usize> {
    /// Every combination that shows is covered by groups that show; a few thousand of them name those well enough,
    /// and the next round judges all again.
    const LOOKED_AT: usize = 4096;
    let coverage = coverage(task, tuples, groups);
    let mut shows = vec![false; groups.len()];
    let step = beyond.len().div_ceil(LOOKED_AT).max(1);
    for &cell in beyond.iter().step_by(step) {
        let person: Vec<u32> = (0..tuples.quasi).map(|attribute| tuples.value(attribute, cell)).collect();
        coverage.of_person(&person).into_iter().for_each(|group| shows[group] = true);
    }
    (0..groups.len()).filter(|&group| shows[group]).collect()
}

fn judge(
    task: &Task<'_>,
    tuples: Tuples<'_>,
    promise: &Promise,
    groups: &[AmbiguousGroup],
    combinations: &[u32],
) -> CombinedPresence {
    let presence: Vec<Ratio> = groups
        .iter()
        .map(|group| {
            let den = group.combinations().max(1);
            Ratio { num: u128::from(group.people).min(den), den }
        })
        .collect();
    let coverage = coverage(task, tuples, groups);
    CombinedPresence::of_some(&coverage, tuples.cells, tuples.quasi, &presence, promise.alpha, combinations)
}

fn coverage<'g>(task: &Task<'_>, tuples: Tuples<'_>, groups: &'g [AmbiguousGroup]) -> Coverage<'g> {
    let sizes: Vec<usize> = task.scales.iter().map(|scale| scale.domain().len()).collect();
    let mut of_value: Vec<Vec<Vec<u32>>> = sizes.iter().map(|&size| vec![Vec::new(); size]).collect();
    for (number, group) in (0..).zip(groups) {
        for (attribute, values) in group.listed.iter().enumerate().take(tuples.quasi) {
            values.iter().for_each(|&value| of_value[attribute][value as usize].push(number));
        }
    }
    Coverage::new(groups.len(), &sizes, move |attribute, code, visit| {
        of_value[attribute][code as usize].iter().for_each(|&group: &u32| visit(group as usize));
    })
}
