//! Where several rows belong to one person: groups of people, counted from the original and the map of who stands where.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::files::{RawTable, Release};
use super::groups::{Counts, Described, Group, Grouping};
use crate::case::Case;

/// Everybody in one group.
pub fn united(case: &Case, attributes: Vec<Described>) -> Option<Grouping> {
    let rows = case.people().into_iter().map(|(row, _)| (row, 0));
    of_rows(case, attributes, rows)
}

/// The groups, each with its different people; a person with two values counts for both.
pub fn grouping(release: &Release, case: &Case, private: &Path) -> Option<Grouping> {
    let map = RawTable::find(private, "map").ok()?;
    let at = map.column("row")?;
    let placed =
        |entry: &Vec<String>| Some((entry[at].parse::<usize>().ok()?.checked_sub(1)?, entry[at + 1].parse().ok()?));
    of_rows(case, release.sensitive(), map.rows.iter().map(placed).collect::<Option<Vec<_>>>()?.into_iter())
}

fn of_rows(case: &Case, attributes: Vec<Described>, rows: impl Iterator<Item = (usize, usize)>) -> Option<Grouping> {
    let person = *case.with_role("person").first()?;
    let sensitive = case.with_role("sensitive");
    let mut people: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    let mut having: BTreeMap<usize, Vec<BTreeSet<(String, String)>>> = BTreeMap::new();
    for (row, group) in rows {
        let row = case.rows.get(row)?;
        people.entry(group).or_default().insert(row[person].to_string());
        let values = having.entry(group).or_insert_with(|| vec![BTreeSet::new(); sensitive.len()]);
        for (pairs, &column) in values.iter_mut().zip(&sensitive) {
            pairs.insert((row[column].to_string(), row[person].to_string()));
        }
    }
    let group = |(number, people): (&usize, &BTreeSet<String>)| Group {
        people: people.len() as u64,
        counts: having[number].iter().map(counted).collect(),
    };
    Some(Grouping { attributes, groups: people.iter().map(group).collect(), parts: None })
}

fn counted(pairs: &BTreeSet<(String, String)>) -> Counts {
    let mut counts = Counts::new();
    pairs.iter().for_each(|(value, _)| *counts.entry(value.clone()).or_default() += 1);
    counts
}
