//! (α, β)-privacy: presence in a group, association, and presence over all groups that cover a person.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value as Json};

use super::exact::Share;
use super::files::Release;
use super::groups::{Judged, share};
use crate::case::Case;

/// Judges the promise from the files, and from the original's combinations where presence is combined.
pub fn judge(release: &Release, case: &Case, promised: &Map<String, Json>) -> Option<Judged> {
    let (alpha, beta) = (share(promised, "alpha")?, share(promised, "beta")?);
    let quasi = ["quasi", "unclassified"].map(|role| release.columns(role)).concat();
    let names: Vec<&str> = quasi.iter().filter_map(|column| column["name"].as_str()).collect();
    let mut lists: BTreeMap<&str, Vec<BTreeSet<&str>>> = BTreeMap::new();
    for (index, name) in names.iter().enumerate() {
        let table = release.tables.get(&format!("at_{name}"))?;
        let (value, group) = (table.column("value")?, table.column("group")?);
        for row in &table.rows {
            let sets = lists.entry(&row[group]).or_insert_with(|| vec![BTreeSet::new(); names.len()]);
            sets[index].insert(&row[value]);
        }
    }
    let mut people: BTreeMap<&str, u64> = BTreeMap::new();
    let (mut worst_alpha, mut worst_beta) = (Share::new(0, 1), Share::new(0, 1));
    for attribute in release.columns("sensitive") {
        let table = release.tables.get(&format!("st_{}", attribute["name"].as_str()?))?;
        let (group, count) = (table.column("group")?, table.column("count")?);
        people.clear();
        for row in &table.rows {
            *people.entry(&row[group]).or_default() += row[count].parse::<u64>().ok()?;
        }
        let value = table.column("value")?;
        let mut with_value: BTreeMap<(&str, &str), u128> = BTreeMap::new();
        for row in &table.rows {
            *with_value.entry((&row[group], &row[value])).or_default() += row[count].parse::<u128>().ok()?;
        }
        for ((group, _), count) in with_value {
            worst_beta = worst_beta.max(Share::new(count, people[group].into()));
        }
    }
    let mut presence: BTreeMap<&str, Share> = BTreeMap::new();
    for (group, sets) in &lists {
        let combinations: u128 = sets.iter().map(|set| set.len() as u128).product();
        let found = Share::new(u128::from(*people.get(group)?).min(combinations), combinations);
        worst_alpha = worst_alpha.max(found);
        presence.insert(group, found);
    }
    let mut ratio = (worst_alpha.to_f64() / alpha.to_f64()).max(worst_beta.to_f64() / beta.to_f64());
    let mut holds = Some(worst_alpha <= alpha && worst_beta <= beta);
    if promised.get("presence").and_then(Json::as_str) == Some("combined") {
        let worst = combined(case, &names, &lists, &presence)?;
        ratio = ratio.max(worst / alpha.to_f64());
        let near = (worst - alpha.to_f64()).abs() < 1e-7;
        holds = match holds {
            Some(true) if near => None,
            Some(true) => Some(worst < alpha.to_f64()),
            other => other,
        };
    }
    Some(Judged { holds, levels: Vec::new(), ratio })
}

/// The largest 1 − ∏(1 − p) over the combinations of the original.
fn combined(
    case: &Case,
    names: &[&str],
    lists: &BTreeMap<&str, Vec<BTreeSet<&str>>>,
    presence: &BTreeMap<&str, Share>,
) -> Option<f64> {
    let columns = names
        .iter()
        .map(|name| case.columns.iter().position(|column| column.name == *name))
        .collect::<Option<Vec<_>>>()?;
    let mut worst: f64 = 0.0;
    for (row, _) in case.people() {
        let values: Vec<String> = columns.iter().map(|&column| case.rows[row][column].to_string()).collect();
        let covering =
            lists.iter().filter(|(_, sets)| sets.iter().zip(&values).all(|(set, value)| set.contains(value.as_str())));
        let absent: f64 = covering.map(|(group, _)| 1.0 - presence[group].to_f64()).product();
        worst = worst.max(1.0 - absent);
    }
    Some(worst)
}
