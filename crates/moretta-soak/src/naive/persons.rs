//! Where several rows belong to one person: groups of people, counted from the original and the map of who stands where.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::files::{RawTable, Release};
use super::groups::{Counts, Group, Grouping};
use crate::case::Case;

/// The groups, each with its different people; a person with two values counts for both.
pub fn grouping(release: &Release, case: &Case, private: &Path) -> Option<Grouping> {
    let person = *case.with_role("person").first()?;
    let sensitive = case.with_role("sensitive");
    let map = RawTable::read(&private.join("map.csv")).ok()?;
    let at = map.column("row")?;
    let mut people: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    let mut having: BTreeMap<usize, Vec<BTreeSet<(String, String)>>> = BTreeMap::new();
    for entry in &map.rows {
        let row = case.rows.get(entry[at].parse::<usize>().ok()?.checked_sub(1)?)?;
        let group: usize = entry[at + 1].parse().ok()?;
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
    Some(Grouping { attributes: release.sensitive(), groups: people.iter().map(group).collect(), parts: None })
}

fn counted(pairs: &BTreeSet<(String, String)>) -> Counts {
    let mut counts = Counts::new();
    pairs.iter().for_each(|(value, _)| *counts.entry(value.clone()).or_default() += 1);
    counts
}
