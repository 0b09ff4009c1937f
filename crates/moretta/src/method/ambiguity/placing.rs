//! Who stands in no group joins one where the promise still holds; if there is none, groups are merged until one does.

use rand::Rng;

use super::build::Built;
use super::group::{AmbiguousGroup, Tuples};
use super::promise::AmbiguityPromise;
use crate::method::Task;
use crate::progress::CancelToken;

/// So many groups are tried at random for each person of the residue; then all of them, as long as the budget lasts.
const TRIES: usize = 256;

/// So many groups may be tried in full scans, over all people.
const SCANS: usize = 50_000_000;

/// Puts the residue into groups; what is left of it fits nowhere.
pub(super) fn assign_residue(tuples: Tuples<'_>, promise: &AmbiguityPromise, built: &mut Built, task: &Task<'_>) {
    let mut generator = task.seed.stream("residue", 0);
    let residue = std::mem::take(&mut built.residue);
    let groups = &mut built.groups;
    let mut budget = SCANS;
    for (cell, people) in residue {
        let mut stuck = 0;
        for _ in 0..people {
            if task.token.is_cancelled() {
                return;
            }
            let tries = TRIES.min(groups.len());
            let mut probes = (0..tries).map(|_| generator.random_range(0..groups.len()));
            let mut found = probes.find(|&group| groups[group].welcomes(tuples, cell, promise));
            if found.is_none() && budget >= groups.len() {
                budget -= groups.len();
                found = (0..groups.len()).find(|&group| groups[group].welcomes(tuples, cell, promise));
            }
            match found {
                Some(group) => groups[group].add(tuples, cell, 1),
                None => stuck += 1,
            }
        }
        if stuck > 0 {
            built.residue.push((cell, stuck));
        }
    }
}

/// Makes one group of those who are stuck, and merges others into it until it keeps the promise; says how many
/// were merged. Nothing if all groups together would not keep it: then groups and residue stay as they are.
///
/// The union of groups that hide values hides them too, so only those who are stuck are a burden. Groups that lack
/// their most frequent value lift it best.
pub(super) fn merge_stuck(
    tuples: Tuples<'_>,
    promise: &AmbiguityPromise,
    built: &mut Built,
    token: &CancelToken,
) -> Option<usize> {
    let mut union = AmbiguousGroup::new(tuples);
    built.residue.iter().for_each(|&(cell, people)| union.add(tuples, cell, people));
    let attribute = promise.protected.first().copied().unwrap_or(0);
    let burden = (0..tuples.cells.columns[tuples.quasi + attribute].iter().max().map_or(0, |&code| code + 1))
        .max_by_key(|&value| union.held(attribute, value))
        .unwrap_or(0);
    let mut order: Vec<usize> = (0..built.groups.len()).collect();
    let share = |group: &AmbiguousGroup| group.held(attribute, burden) as f64 / group.people as f64;
    order.sort_by(|&a, &b| share(&built.groups[a]).total_cmp(&share(&built.groups[b])).then(a.cmp(&b)));
    let mut merged = 0;
    while !union.keeps(promise) {
        let &next = order.get(merged).filter(|_| !token.is_cancelled())?;
        union.absorb(&built.groups[next]);
        merged += 1;
    }
    let mut taken = vec![false; built.groups.len()];
    order[..merged].iter().for_each(|&group| taken[group] = true);
    let mut taken = taken.into_iter();
    built.groups.retain(|_| !taken.next().unwrap_or(false));
    built.groups.push(union);
    built.residue.clear();
    Some(merged)
}
