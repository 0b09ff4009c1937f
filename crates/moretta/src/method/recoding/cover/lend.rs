//! Dense points lend people to boxes that lack a few.

use std::cmp::Reverse;

use rayon::prelude::*;

use super::levels::{BoxLevels, LevelVector};
use super::points::{CoverPoints, Taken};
use crate::data::lookup::HashMap;

/// A box borrows at most so many times the people that a group needs: a bound on fruitless tries.
const MAX_BORROWED_FACTOR: u64 = 4;

/// So many of the largest points are asked where sensitive values matter.
const LENDERS: usize = 16;

/// Completes boxes with people of dense points inside them, as far as those points keep the promise without them.
///
/// Returns whether any box could be completed; such boxes become groups.
pub(super) fn borrow(
    points: &mut CoverPoints<'_>,
    levels: &BoxLevels,
    vector: &LevelVector,
    wanting: Vec<(u64, Vec<u32>)>,
    groups: &mut Vec<Taken>,
) -> bool {
    let mut lenders: HashMap<u64, Vec<u32>> = wanting.iter().map(|&(key, _)| (key, Vec::new())).collect();
    let keyed = |&point: &u32| (levels.key(vector, &points.ranks, point), point);
    let wanted: Vec<(u64, u32)> = points
        .home
        .par_iter()
        .with_min_len(super::ONE_THREAD)
        .map(keyed)
        .filter(|(key, _)| lenders.contains_key(key))
        .collect();
    for (key, point) in wanted {
        if let Some(inside) = lenders.get_mut(&key) {
            inside.push(point);
        }
    }
    let mut completed = false;
    for (key, members) in wanting {
        let Some(inside) = lenders.get(&key) else { continue };
        if let Some(borrowed) = choose(points, &members, inside) {
            groups.push(points.take(&members, borrowed));
            completed = true;
        }
    }
    completed
}

/// The people that a box borrows so that it keeps the promise; nothing if it can't.
fn choose(points: &mut CoverPoints<'_>, members: &[u32], lenders: &[u32]) -> Option<Vec<(u32, u64)>> {
    let mut lenders: Vec<(u64, u32)> = lenders.iter().map(|&point| (points.people_at(point), point)).collect();
    lenders.sort_unstable_by_key(|&(people, point)| (Reverse(people), point));
    if points.only_size_matters() {
        return choose_by_size(points, members, &lenders);
    }
    lenders.truncate(LENDERS);
    choose_by_need(points, members, &lenders)
}

/// Where only sizes matter, the largest points give what they can spare.
fn choose_by_size(points: &CoverPoints<'_>, members: &[u32], lenders: &[(u64, u32)]) -> Option<Vec<(u32, u64)>> {
    let least = points.least_people();
    let mut lacking = least.saturating_sub(members.iter().map(|&point| points.people_at(point)).sum());
    let mut borrowed = Vec::new();
    for &(people, lender) in lenders {
        let mut spare = people.saturating_sub(least).min(lacking);
        lacking -= spare;
        for cell in points.cells(lender) {
            let given = points.remaining(cell).min(spare);
            if given > 0 {
                borrowed.push((cell, given));
                spare -= given;
            }
        }
        if lacking == 0 {
            return Some(borrowed);
        }
    }
    None
}

/// Where sensitive values matter, one person at a time joins whose value is most under-represented.
fn choose_by_need(points: &mut CoverPoints<'_>, members: &[u32], lenders: &[(u64, u32)]) -> Option<Vec<(u32, u64)>> {
    let mut together: Vec<(u32, u64)> =
        members.iter().flat_map(|&point| points.cells(point)).map(|cell| (cell, points.remaining(cell))).collect();
    let own = together.len();
    let people: u64 = together.iter().map(|&(_, people)| people).sum();
    let mut offers: Vec<u32> = lenders.iter().flat_map(|&(_, point)| points.cells(point)).collect();
    for _ in people..MAX_BORROWED_FACTOR * points.least_people().max(people) {
        if points.holds(&together) {
            return Some(together.split_off(own));
        }
        let mut wanted: Vec<(f64, u32)> = offers.iter().map(|&cell| (points.need(&together, cell), cell)).collect();
        wanted.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let lent = |cell: u32| together[own..].iter().find(|piece| piece.0 == cell).map_or(0, |piece| piece.1);
        let chosen = wanted.iter().map(|&(_, cell)| cell).find(|&cell| {
            let point = points.of_cell[cell as usize];
            let stays = |c: u32| points.remaining(c) - lent(c) - u64::from(c == cell);
            points.remaining(cell) > lent(cell) && {
                let home: Vec<(u32, u64)> = points.cells(point).map(|c| (c, stays(c))).collect();
                points.holds(&home)
            }
        })?;
        match together[own..].iter_mut().find(|piece| piece.0 == chosen) {
            Some(piece) => piece.1 += 1,
            None => together.push((chosen, 1)),
        }
        offers.retain(|&cell| points.remaining(cell) > 0);
    }
    None
}
