//! Finding a group for those who are left.

use super::classes::Classes;
use super::form::BucketMembers;
use crate::error::{Code, Error, Result};
use crate::knowledge::{Matching, ValueSets};
use crate::progress::CancelToken;

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
    token: &CancelToken,
) -> Result<PlacedResidue> {
    let mut room = Room { classes, matching: Matching::default() };
    let mut groups: Vec<Option<BucketMembers>> = groups.into_iter().map(Some).collect();
    let mut unplaced: BucketMembers = Vec::new();
    for &class in residue {
        token.check()?;
        let conflicts = |group: &BucketMembers| {
            let with = classes.conflicts(class);
            group.iter().map(|&(other, people)| with[other as usize] * people).sum::<u64>()
        };
        let open = groups.iter().enumerate().filter_map(|(index, group)| Some((conflicts(group.as_ref()?), index)));
        let Some((_, home)) = open.min() else {
            add(&mut unplaced, class, 1);
            continue;
        };
        let Some(mut group) = groups[home].clone() else { continue };
        add(&mut group, class, 1);
        let mut taken = vec![home];
        while room.valid(&group, class) < l {
            let held = classes.values_of(&group);
            let others = groups.iter().enumerate().filter(|(index, _)| !taken.contains(index));
            let best = others
                .filter_map(|(index, other)| Some((classes.fresh(other.as_ref()?, &held), std::cmp::Reverse(index))))
                .max();
            let Some((_, std::cmp::Reverse(index))) = best else { break };
            groups[index].iter().flatten().for_each(|&(other, people)| add(&mut group, other, people));
            taken.push(index);
        }
        if room.valid(&group, class) < l {
            add(&mut unplaced, class, 1);
            continue;
        }
        for &index in &taken[1..] {
            groups[index] = None;
        }
        groups[home] = Some(group);
    }
    let mut groups: Vec<BucketMembers> = groups.into_iter().flatten().collect();
    let mut left_out = unplaced.iter().map(|&(_, people)| people).sum::<u64>();
    if left_out > may_leave_out || groups.is_empty() {
        (groups, left_out) = room.unite(groups, unplaced, l, token);
    }
    token.check()?;
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
    /// Places people together who found no group one by one: they give each other values. Groups are united with them until everybody has ℓ valid
    /// values. Who is in a group keeps her values when others join, so where everybody together does not suffice, nothing does for those
    /// who are still short: they are left out. Gives the groups, and how many that is.
    fn unite(
        &mut self,
        mut groups: Vec<BucketMembers>,
        mut unplaced: BucketMembers,
        l: u64,
        token: &CancelToken,
    ) -> (Vec<BucketMembers>, u64) {
        let mut together = unplaced.clone();
        let mut left_out = 0;
        while !unplaced.is_empty() && !token.is_cancelled() {
            let short: Vec<(u32, u64)> =
                unplaced.iter().copied().filter(|&(class, _)| self.valid(&together, class) < l).collect();
            if short.is_empty() {
                break;
            }
            let held = self.classes.values_of(&together);
            let fresh = groups.iter().map(|group| self.classes.fresh(group, &held)).zip((0..).map(std::cmp::Reverse));
            if let Some((_, std::cmp::Reverse(index))) = fresh.max() {
                groups.remove(index).into_iter().for_each(|(class, people)| add(&mut together, class, people));
                continue;
            }
            for (class, people) in short {
                left_out += people;
                unplaced.retain(|&(other, _)| other != class);
                together.iter_mut().filter(|(other, _)| *other == class).for_each(|(_, count)| *count -= people);
                together.retain(|&(_, count)| count > 0);
            }
        }
        groups.extend(Some(together).filter(|together| !together.is_empty()));
        (groups, left_out)
    }

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
    /// How many values a group has that are not among those `held`.
    fn fresh(&self, group: &BucketMembers, held: &ValueSets) -> u32 {
        let new = self.values_of(group);
        new.row(0).iter().zip(held.row(0)).map(|(new, old)| (new & !old).count_ones()).sum()
    }

    /// The values of a group.
    fn values_of(&self, group: &BucketMembers) -> ValueSets {
        let mut values = ValueSets::empty(1, self.barred.values());
        group.iter().for_each(|&(class, _)| values.insert(0, self.value[class as usize]));
        values
    }
}
