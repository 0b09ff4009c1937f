//! Intersection: a person who stands in several groups is one of those who stand in all of them.
//!
//! No model of groups looks at two groups at once. Where several rows may belong to one person, her groups together may tell what none of them does.

use super::finding::{Finding, Tested, VICTIMS, Victim};
use super::input::OriginalTable;
use super::{Attack, AuditInput};
use crate::check::{LEFT_OUT, group_of_cells};
use crate::error::Result;
use crate::policy::Danger;
use crate::progress::{CancelToken, Progress};
use crate::text::{counted, grouped};

pub(super) const ATTACK: Attack = Attack {
    name: "intersection",
    adversary: "knows a person's quasi-identifiers in several of her rows, and so in which groups these stand, and who else has rows in each group",
    run,
};

/// So many times somebody is looked up in a group, at most: some seconds' work. Those whose groups are smallest come first.
const MOST_LOOKUPS: u64 = 200_000_000;

fn run(scene: &AuditInput<'_>, progress: &Progress) -> Result<Tested> {
    let skipped = |why: &str| Ok(Tested::Skipped(why.to_owned()));
    let Some(original_table) = scene.original_table else {
        return skipped("whose each row is stands in the original only: add --original POLICY");
    };
    let original = original_table.original();
    let Some(persons) = original.persons else {
        return skipped("every row is a person: no attribute has the role person");
    };
    let Some(group_of_cell) = group_of_cells(&*scene.audited.release, &original, progress.token())? else {
        return skipped("the files do not tell which row stands in which group");
    };
    let stays = Stays::new(persons.of_cell, &group_of_cell, persons.len);
    let found = stays.smallest_sets(MOST_LOOKUPS, progress.token());
    progress.check()?;
    let smallest = found.sets.iter().map(|&(size, _)| size).min();
    let alone = found.sets.iter().filter(|&&(size, _)| size == 1).count() as u64;
    let words = |size: u64| match size {
        1 => "nobody else stands in all groups of this person".to_owned(),
        size => format!("{} stand in all groups of this person, herself included", counted(size, "person", "people")),
    };
    let mut worst: Vec<(u64, u32)> = found.sets.clone();
    worst.sort_unstable();
    worst.truncate(VICTIMS);
    let victims = worst
        .iter()
        .map(|&(size, person)| Victim { row: row_of(original_table, persons.of_cell, person), says: words(size) });
    let finding = Finding::new("people in all her groups", smallest.unwrap_or(0) as f64, found.sets.len() as u64)
        .hitting(alone, "nobody else fits all of the person's groups")
        .graded(Danger::ReIdentification, smallest.map_or(0.0, |size| 1.0 / size as f64), |line| {
            found.sets.iter().filter(|&&(size, _)| 1.0 / size as f64 >= line).count() as u64
        })
        .saying(match (smallest, alone) {
            (None, _) => "nobody stands in several groups".to_owned(),
            (Some(_), 1) => "1 person is the only one who stands in all of her groups, for somebody who knows which these are".to_owned(),
            (Some(1), _) => format!(
                "{} people are each the only one who stands in all of their groups, for somebody who knows which these are",
                grouped(alone)
            ),
            (Some(size), _) => format!("at least {size} people stand in all groups of everybody who stands in several"),
        })
        .worst(smallest.map(words))
        .detail("people_in_several_groups", stays.in_several())
        .detail("below_five", found.sets.iter().filter(|&&(size, _)| size < 5).count())
        .detail("not_looked_at", found.not_looked_at)
        .naming(victims.collect());
    Ok(Tested::Found(vec![finding]))
}

/// A row of a person, counted from 1: the first.
fn row_of(original_table: &OriginalTable, person_of_cell: &[u32], person: u32) -> u64 {
    let counted = &original_table.counted;
    let own = counted.cells.cell_of_row.iter().position(|&cell| person_of_cell[cell as usize] == person);
    own.map_or(0, |row| u64::from(counted.table.source_rows[row]) + 1)
}

/// Who stands in which groups, both ways; lists are sorted.
struct Stays {
    groups_of: Vec<Vec<u32>>,
    people_of: Vec<Vec<u32>>,
}

/// For people who stand in several groups: how many stand in all of them.
struct Sets {
    sets: Vec<(u64, u32)>,
    not_looked_at: u64,
}

impl Stays {
    fn new(person_of_cell: &[u32], group_of_cell: &[u32], people: usize) -> Self {
        let cells = person_of_cell.iter().copied().zip(group_of_cell.iter().copied());
        let mut pairs: Vec<(u32, u32)> = cells.filter(|&(_, group)| group != LEFT_OUT).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let groups = pairs.iter().map(|&(_, group)| group as usize + 1).max().unwrap_or(0);
        let mut stays = Self { groups_of: vec![Vec::new(); people], people_of: vec![Vec::new(); groups] };
        for (person, group) in pairs {
            stays.groups_of[person as usize].push(group);
            stays.people_of[group as usize].push(person);
        }
        stays
    }

    fn in_several(&self) -> u64 {
        self.groups_of.iter().filter(|groups| groups.len() > 1).count() as u64
    }

    /// The people of the smallest group are looked up in the others. Whoever has the same groups gets the same answer.
    fn smallest_sets(&self, mut lookups: u64, token: &CancelToken) -> Sets {
        let size = |group: &u32| self.people_of[*group as usize].len();
        let smallest = |person: &u32| self.groups_of[*person as usize].iter().map(size).min().unwrap_or(0);
        let mut people: Vec<u32> =
            (0..self.groups_of.len() as u32).filter(|&person| self.groups_of[person as usize].len() > 1).collect();
        people.sort_by_cached_key(|person| (smallest(person), self.groups_of[*person as usize].clone()));
        let mut found = Sets { sets: Vec::with_capacity(people.len()), not_looked_at: 0 };
        for same in people.chunk_by(|&a, &b| self.groups_of[a as usize] == self.groups_of[b as usize]) {
            let groups = &self.groups_of[same[0] as usize];
            let Some(least) = groups.iter().min_by_key(|group| size(group)) else { continue };
            let cost = (size(least) * groups.len()) as u64;
            if cost > lookups || token.is_cancelled() {
                found.not_looked_at += same.len() as u64;
                continue;
            }
            lookups -= cost;
            let fits = |person: &&u32| {
                let own = &self.groups_of[**person as usize];
                groups.iter().all(|group| own.binary_search(group).is_ok())
            };
            let fitting = self.people_of[*least as usize].iter().filter(fits).count() as u64;
            found.sets.extend(same.iter().map(|&person| (fitting, person)));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_sets_are_what_intersecting_gives(cells in proptest::collection::vec((0_u32..8, 0_u32..6), 0..40)) {
            // A group of 5 stands for cells that were left out.
            let group_of_cell: Vec<u32> = cells.iter().map(|&(_, group)| if group == 5 { LEFT_OUT } else { group }).collect();
            let person_of_cell: Vec<u32> = cells.iter().map(|&(person, _)| person).collect();
            let stays = Stays::new(&person_of_cell, &group_of_cell, 8);
            let stands = |person: u32, group: u32| cells.contains(&(person, group));
            let mut slow = Vec::new();
            for person in 0..8 {
                let groups: Vec<u32> = (0..5).filter(|&group| stands(person, group)).collect();
                if groups.len() > 1 {
                    let fit = (0..8).filter(|&other| groups.iter().all(|&group| stands(other, group))).count();
                    slow.push((fit as u64, person));
                }
            }
            let mut fast = stays.smallest_sets(MOST_LOOKUPS, &CancelToken::new());
            fast.sets.sort_unstable_by_key(|set| set.1);
            prop_assert_eq!(fast.sets, slow);
            prop_assert_eq!(fast.not_looked_at, 0);
        }
    }
}
