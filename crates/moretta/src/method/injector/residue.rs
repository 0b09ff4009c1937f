//! Finding a group for those who are left.

use super::classes::Classes;
use super::form::BucketMembers;
use crate::error::{Code, Error, Result};
use crate::knowledge::{Matching, ValueSets};

/// Groups that hold everybody who could be placed.
#[derive(Debug)]
pub(super) struct PlacedResidue {
    pub(super) groups: Vec<BucketMembers>,
    /// People for whom no union of groups is enough.
    pub(super) left_out: u64,
}

/// Lines 18 to 23 of figure 3.2: whoever is left joins the group with the fewest people in conflict, which is then united with
/// others, the one with the most new values first, until the person has ℓ valid values. Those who are in it already keep
/// theirs.
pub(super) fn index(
    classes: &Classes,
    groups: Vec<BucketMembers>,
    residue: &[u32],
    l: u64,
    may_leave_out: u64,
) -> Result<PlacedResidue> {
    let mut room = Room { classes, matching: Matching::default() };
    let mut groups: Vec<Option<BucketMembers>> = groups.into_iter().map(Some).collect();
    let mut left_out = 0;
    for &class in residue {
        let conflicts = |group: &BucketMembers| {
            let with = classes.conflicts(class);
            group.iter().map(|&(other, people)| with[other as usize] * people).sum::<u64>()
        };
        let open = groups.iter().enumerate().filter_map(|(index, group)| Some((conflicts(group.as_ref()?), index)));
        let Some((_, home)) = open.min() else {
            left_out += 1;
            continue;
        };
        let Some(mut group) = groups[home].clone() else { continue };
        add(&mut group, class, 1);
        let mut taken = vec![home];
        while room.valid(&group, class) < l {
            let held = classes.values_of(&group);
            let fresh = |other: &BucketMembers| {
                let new = classes.values_of(other);
                new.row(0).iter().zip(held.row(0)).map(|(new, old)| (new & !old).count_ones()).sum::<u32>()
            };
            let others = groups.iter().enumerate().filter(|(index, _)| !taken.contains(index));
            let best =
                others.filter_map(|(index, other)| Some((fresh(other.as_ref()?), std::cmp::Reverse(index)))).max();
            let Some((_, std::cmp::Reverse(index))) = best else { break };
            groups[index].iter().flatten().for_each(|&(other, people)| add(&mut group, other, people));
            taken.push(index);
        }
        if room.valid(&group, class) < l {
            left_out += 1;
            continue;
        }
        for &index in &taken[1..] {
            groups[index] = None;
        }
        groups[home] = Some(group);
    }
    let groups: Vec<BucketMembers> = groups.into_iter().flatten().collect();
    if left_out > may_leave_out || groups.is_empty() {
        return Err(Error::data(format!(
            "{left_out} people find no group in which they have l = {l} values that they can have"
        ))
        .coded(Code::NeedsSuppression)
        .help("lower `l`, raise `min_expectation`, or allow more `suppression`"));
    }
    Ok(PlacedResidue { groups, left_out })
}

fn add(group: &mut BucketMembers, class: u32, people: u64) {
    match group.iter_mut().find(|(known, _)| *known == class) {
        Some((_, count)) => *count += people,
        None => group.push((class, people)),
    }
}

struct Room<'a> {
    classes: &'a Classes,
    matching: Matching,
}

impl Room<'_> {
    /// How many values somebody of a class in the group can have.
    fn valid(&mut self, group: &BucketMembers, class: u32) -> u64 {
        let people: Vec<u64> = group.iter().map(|&(_, people)| people).collect();
        let mut barred = ValueSets::empty(0, self.classes.barred.values());
        let mut values = vec![0; self.classes.barred.values()];
        for &(other, people) in group {
            barred.push(self.classes.barred.row(other as usize));
            values[self.classes.value[other as usize] as usize] += people;
        }
        let index = group.iter().position(|&(other, _)| other == class);
        let found = self.matching.find(&people, &barred, &values, None);
        index.filter(|_| found).map_or(0, |index| self.matching.valid_count(index))
    }
}

impl Classes {
    /// The values of a group.
    fn values_of(&self, group: &BucketMembers) -> ValueSets {
        let mut values = ValueSets::empty(1, self.barred.values());
        group.iter().for_each(|&(class, _)| values.insert(0, self.value[class as usize]));
        values
    }
}
