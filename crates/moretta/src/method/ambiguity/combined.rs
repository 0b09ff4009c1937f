//! Presence as all groups together tell it: larger groups until it is hidden.

use rand::seq::SliceRandom;

use super::build::{Built, build};
use super::group::{AmbiguousGroup, Tuples};
use super::placing::{assign_residue, merge_stuck};
use super::promise::AmbiguityPromise;
use crate::chance::Seed;
use crate::kind::ambiguous::{CombinedPresence, firsts};
use crate::method::Task;
use crate::numeric::Ratio;
use crate::progress::Progress;
use crate::release::Coverage;

/// So many combinations tell, before all are judged, whether groups are far too small.
const SAMPLE: usize = 1024;

/// So often the range of sizes is halved in search of the smallest that hides.
const BISECTIONS: usize = 4;

/// Smaller groups than those that hide by themselves, some of which are then merged, may be smaller in the end: the shares of
/// that size which are tried.
const SMALLER: [(u64, u64); 2] = [(3, 4), (1, 2)];

/// Builds groups of growing size until a sample of combinations is hidden from all of them together, then merges
/// groups until every combination is. Nothing if even a single group of everybody would not hide them.
///
/// Two groups of g people cover some combinations each; together they cover more than twice as many, for 2g people.
/// So the larger the groups, the less all of them tell together; one group of everybody tells |T| / ∏Dᵢ.
pub(super) fn build_hidden(
    task: &Task<'_>,
    tuples: Tuples<'_>,
    promise: &AmbiguityPromise,
    progress: &Progress,
) -> Option<Built> {
    let combinations = firsts(tuples.cells, tuples.quasi);
    let sample = sample(&combinations, task.seed);
    let attempt = |size: u64| {
        let mut built = build(task, tuples, promise, size, task.seed, progress);
        assign_residue(tuples, promise, &mut built, task);
        let stuck: u64 = built.residue.iter().map(|(_, people)| people).sum();
        if stuck > task.may_suppress {
            merge_stuck(tuples, promise, &mut built, task.token);
        }
        let hidden = || judge(task, tuples, promise, &built.groups, &sample).beyond.is_empty();
        let hides = !built.groups.is_empty() && hidden();
        (built, hides)
    };
    let (mut too_small, mut size) = (0, promise.least_people());
    let (mut best, mut hides) = attempt(size);
    while !hides && size < tuples.cells.total() && !progress.is_cancelled() {
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
    if best.groups.is_empty() {
        return None;
    }
    let smaller = SMALLER.iter().map(|(num, den)| size * num / den).filter(|&size| size >= promise.least_people());
    let others: Vec<Built> = smaller.map(|size| attempt(size).0).filter(|built| !built.groups.is_empty()).collect();
    // The more groups, the smaller: of equals the first.
    let mut found: Option<Built> = None;
    for built in [best].into_iter().chain(others) {
        let hidden = merge_until_hidden(task, tuples, promise, built, &combinations);
        let keeps = |built: &Built| built.residue.iter().map(|(_, people)| people).sum::<u64>() <= task.may_suppress;
        let better = |built: &Built| found.as_ref().is_none_or(|found| built.groups.len() > found.groups.len());
        if let Some(hidden) = hidden.filter(|built| better(built) && (found.is_none() || keeps(built))) {
            found = Some(hidden);
        }
    }
    found
}

/// Whether no combination of the table shows from all groups together.
pub(super) fn is_hidden(
    task: &Task<'_>,
    tuples: Tuples<'_>,
    promise: &AmbiguityPromise,
    groups: &[AmbiguousGroup],
) -> bool {
    judge(task, tuples, promise, groups, &firsts(tuples.cells, tuples.quasi)).beyond.is_empty()
}

fn sample(combinations: &[u32], seed: Seed) -> Vec<u32> {
    let mut chosen = combinations.to_vec();
    let (chosen, _) = chosen.partial_shuffle(&mut seed.stream("sample of combinations", 0), SAMPLE);
    let mut chosen = chosen.to_vec();
    chosen.sort_unstable();
    chosen
}

/// Merges groups that cover a combination which shows until none shows: each time the two that tell most about it, and no group
/// twice before all combinations are judged again, so that no more are merged than must be.
fn merge_until_hidden(
    task: &Task<'_>,
    tuples: Tuples<'_>,
    promise: &AmbiguityPromise,
    mut built: Built,
    combinations: &[u32],
) -> Option<Built> {
    loop {
        let judged = judge(task, tuples, promise, &built.groups, combinations);
        if judged.beyond.is_empty() && !task.token.is_cancelled() {
            return Some(built);
        }
        if built.groups.len() <= 1 || task.token.is_cancelled() {
            return None;
        }
        let coverage = coverage(task, tuples, &built.groups);
        let mut merged = vec![false; built.groups.len()];
        let mut gone = vec![false; built.groups.len()];
        for &cell in &judged.beyond {
            if task.token.is_cancelled() {
                return None;
            }
            let person: Vec<u32> = (0..tuples.quasi).map(|attribute| tuples.value(attribute, cell)).collect();
            let covering = coverage.of_person(&person);
            if covering.iter().any(|&group| merged[group]) {
                continue;
            }
            let Some((first, second)) = telling_most(&built.groups, &covering, &merged) else { continue };
            let other = std::mem::replace(&mut built.groups[second], AmbiguousGroup::new(tuples));
            built.groups[first].absorb(&other);
            (merged[first], merged[second], gone[second]) = (true, true, true);
        }
        drop(coverage);
        let mut gone = gone.into_iter();
        built.groups.retain(|_| !gone.next().unwrap_or(false));
    }
}

/// The two groups that tell most of those that cover a combination; where only one does, any other that is not merged yet.
fn telling_most(groups: &[AmbiguousGroup], covering: &[usize], merged: &[bool]) -> Option<(usize, usize)> {
    let mut order = covering.to_vec();
    let presence: Vec<f64> = covering.iter().map(|&group| presence(&groups[group]).to_f64()).collect();
    let told = |group: usize| covering.binary_search(&group).map_or(0.0, |index| presence[index]);
    order.sort_by(|&a, &b| told(b).total_cmp(&told(a)).then(a.cmp(&b)));
    let first = *order.first()?;
    let second = order.get(1).copied();
    let second = second.or_else(|| (0..groups.len()).find(|&group| group != first && !merged[group]))?;
    Some((first, second))
}

/// What a group tells of each combination that it covers.
fn presence(group: &AmbiguousGroup) -> Ratio {
    let den = group.combinations().max(1);
    Ratio { num: u128::from(group.people).min(den), den }
}

fn judge(
    task: &Task<'_>,
    tuples: Tuples<'_>,
    promise: &AmbiguityPromise,
    groups: &[AmbiguousGroup],
    combinations: &[u32],
) -> CombinedPresence {
    let presence: Vec<Ratio> = groups.iter().map(presence).collect();
    let coverage = coverage(task, tuples, groups);
    CombinedPresence::of_some(&coverage, tuples.cells, tuples.quasi, &presence, promise.alpha, combinations, task.token)
}

fn coverage(task: &Task<'_>, tuples: Tuples<'_>, groups: &[AmbiguousGroup]) -> Coverage<'static> {
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
