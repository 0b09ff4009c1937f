//! Forming groups of ℓ people each of whom can have every value of the group.

use super::classes::Classes;
use crate::progress::CancelToken;

/// A group: classes, and how many people of each.
pub(super) type BucketMembers = Vec<(u32, u64)>;

/// Whom a group takes next, among those who conflict with nobody in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Somebody who adds the fewest people in conflict: line 13 of figure 3.2.
    FewestConflicts,
    /// Somebody who conflicts with the most people left, and would be hardest to place later.
    Hardest,
}

/// Lines 2 to 17 of figure 3.2: groups, and the people who found none, by class.
///
/// Line 13 as printed spends rare values on the first groups and leaves frequent ones over at the end: on Adult with ℓ = 6, 7,482 of
/// 30,162 people. Taking the hardest to place, as anatomizing does, leaves none. Either may be better on other tables,
/// so both are tried, and what leaves fewer people over is kept.
pub(super) fn form(classes: &mut Classes, l: u64, token: &CancelToken) -> (Vec<BucketMembers>, Vec<u32>) {
    let everybody = classes.left.clone();
    let printed = form_by(classes, l, Next::FewestConflicts, token);
    if printed.1.is_empty() {
        return printed;
    }
    classes.left = everybody;
    let hardest = form_by(classes, l, Next::Hardest, token);
    if hardest.1.len() < printed.1.len() { hardest } else { printed }
}

/// A group starts with a person who conflicts with the most others who are left. How many people in conflict a class would add is
/// kept up to date: each class that comes into conflict with a group is struck off once, O(classes).
fn form_by(classes: &mut Classes, l: u64, choice: Next, token: &CancelToken) -> (Vec<BucketMembers>, Vec<u32>) {
    let all = classes.len();
    // With how many people who are left each class conflicts.
    let mut conflicts = vec![0; all];
    for class in 0..all as u32 {
        let with = classes.conflicts(class).iter().zip(&classes.left);
        conflicts[class as usize] = with.map(|(conflict, left)| conflict * left).sum::<u64>();
    }
    let (mut groups, mut residue) = (Vec::new(), Vec::new());
    let mut people: u64 = classes.left.iter().sum();
    let mut group: Vec<u32> = Vec::new();
    let mut struck = vec![false; all];
    let mut added: Vec<u64> = Vec::new();
    while people >= l && !token.is_cancelled() {
        let first = (0..all).filter(|&class| classes.left[class] > 0);
        let Some(first) = first.max_by_key(|&class| (conflicts[class], std::cmp::Reverse(class))) else { break };
        group.clear();
        struck.fill(false);
        added.clone_from(&conflicts);
        let mut next = Some(first);
        while let Some(class) = next {
            take(classes, class, &mut conflicts, &mut added);
            group.push(class as u32);
            strike(classes, class, &mut struck, &mut added);
            if group.len() as u64 == l {
                break;
            }
            let free = (0..all).filter(|&class| classes.left[class] > 0 && !struck[class]);
            next = match choice {
                Next::FewestConflicts => free.min_by_key(|&class| (added[class], class)),
                Next::Hardest => free.max_by_key(|&class| (conflicts[class], std::cmp::Reverse(class))),
            };
        }
        if group.len() as u64 == l {
            groups.push(group.iter().map(|&class| (class, 1)).collect());
            people -= l;
        } else {
            residue.push(first as u32);
            people -= 1;
            for &class in &group[1..] {
                give_back(classes, class as usize, &mut conflicts);
            }
        }
    }
    for class in 0..all {
        residue.extend(std::iter::repeat_n(class as u32, std::mem::take(&mut classes.left[class]) as usize));
    }
    (groups, residue)
}

fn take(classes: &mut Classes, class: usize, conflicts: &mut [u64], added: &mut [u64]) {
    classes.left[class] -= 1;
    let with = classes.conflicts(class as u32);
    conflicts.iter_mut().zip(with).for_each(|(people, conflict)| *people -= conflict);
    added.iter_mut().zip(with).for_each(|(people, conflict)| *people -= conflict);
}

fn give_back(classes: &mut Classes, class: usize, conflicts: &mut [u64]) {
    classes.left[class] += 1;
    let with = classes.conflicts(class as u32);
    conflicts.iter_mut().zip(with).for_each(|(people, conflict)| *people += conflict);
}

/// Strikes off the classes that conflict with a class of the group: they are lost to it already, and add nothing more.
fn strike(classes: &Classes, class: usize, struck: &mut [bool], added: &mut [u64]) {
    for (other, &conflict) in classes.conflicts(class as u32).iter().enumerate() {
        if conflict == 1 && !std::mem::replace(&mut struck[other], true) {
            let lost = classes.left[other];
            added
                .iter_mut()
                .zip(classes.conflicts(other as u32))
                .for_each(|(people, conflict)| *people -= conflict * lost);
        }
    }
}
