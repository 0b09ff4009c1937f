//! Matching ℓ-diversity: what everybody can still have once the rules of the table have struck values from the groups.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value as Json};

use super::files::Release;
use super::groups::Judged;
use crate::case::{Case, Column, Tree};
use crate::cell::Cell;

/// A larger group takes the slow search too long.
const LARGEST: usize = 24;

/// Judges a bucketized release beside its original; nothing where the conditions of rules are not plain, or a group is too large.
pub fn judge(release: &Release, case: &Case, promised: &Map<String, Json>) -> Option<Judged> {
    if release.kind() != "bucketized"
        || promised.get("fuzzy").is_some_and(|fuzzy| *fuzzy == true)
        || promised.get("max_items").is_some_and(|most| *most != 1)
    {
        return None;
    }
    let (l, least) = (promised.get("l")?.as_u64()?, promised.get("min_expectation")?.as_f64()?);
    let sensitive = case.with_role("sensitive");
    let [secret] = sensitive.as_slice() else { return None };
    let quasi = case.with_role("quasi");
    let barred = Barred::mine(case, &quasi, *secret, least)?;
    let qit = release.tables.get("qit")?;
    let st = release.tables.get(&format!("st_{}", case.columns[*secret].name))?;
    let columns = quasi.iter().map(|&column| qit.column(&case.columns[column].name)).collect::<Option<Vec<_>>>()?;
    let group_column = qit.column("group")?;
    let weight = case.with_role("weight").first().and_then(|&column| qit.column(&case.columns[column].name));
    let mut people: BTreeMap<&str, Vec<BTreeSet<String>>> = BTreeMap::new();
    for row in &qit.rows {
        let struck = barred.of(columns.iter().map(|&column| row[column].as_str()));
        let count: usize = weight.map_or(Some(1), |column| row[column].parse().ok())?;
        people.entry(&row[group_column]).or_default().extend(std::iter::repeat_n(struck, count));
    }
    let mut fewest = usize::MAX;
    for (group, members) in &people {
        let mut values = Vec::new();
        for row in st.rows.iter().filter(|row| row[0] == *group) {
            values.extend(std::iter::repeat_n(row[1].clone(), row[2].parse().ok()?));
        }
        if members.len() != values.len() {
            return Some(Judged { holds: Some(false), levels: Vec::new(), ratio: f64::INFINITY });
        }
        if members.len() > LARGEST {
            return None;
        }
        fewest = (0..members.len()).map(|person| valid(members, &values, person)).fold(fewest, usize::min);
    }
    Some(Judged {
        holds: Some(fewest as u64 >= l),
        levels: vec![("l", fewest as f64)],
        ratio: l as f64 / fewest as f64,
    })
}

/// How many values a person has in some way of giving everybody one.
fn valid(members: &[BTreeSet<String>], values: &[String], person: usize) -> usize {
    let mut seen = BTreeSet::new();
    for (slot, value) in values.iter().enumerate() {
        if !seen.contains(value) && !members[person].contains(value) && completes(members, values, person, slot) {
            seen.insert(value);
        }
    }
    seen.len()
}

/// Whether the others can have the other values.
fn completes(members: &[BTreeSet<String>], values: &[String], person: usize, slot: usize) -> bool {
    let mut owner: Vec<Option<usize>> = vec![None; values.len()];
    let others = (0..members.len()).filter(|&other| other != person);
    others.into_iter().all(|other| {
        let mut tried = vec![false; values.len()];
        tried[slot] = true;
        finds(members, values, other, &mut tried, &mut owner)
    })
}

fn finds(
    members: &[BTreeSet<String>],
    values: &[String],
    person: usize,
    tried: &mut [bool],
    owner: &mut [Option<usize>],
) -> bool {
    for slot in 0..values.len() {
        if tried[slot] || members[person].contains(&values[slot]) {
            continue;
        }
        tried[slot] = true;
        if owner[slot].is_none_or(|other| finds(members, values, other, tried, owner)) {
            owner[slot] = Some(person);
            return true;
        }
    }
    false
}

/// For each quasi-identifier and value, the sensitive values that the rules strike.
struct Barred(Vec<BTreeMap<String, BTreeSet<String>>>);

impl Barred {
    fn of<'v>(&self, person: impl Iterator<Item = &'v str>) -> BTreeSet<String> {
        person.zip(&self.0).filter_map(|(value, struck)| struck.get(value)).flatten().cloned().collect()
    }

    /// X ⇒ ¬s for every generalized value X of one attribute of whose people none has s, although it would be expected.
    fn mine(case: &Case, quasi: &[usize], secret: usize, least: f64) -> Option<Self> {
        let people = case.people();
        let all: u64 = people.iter().map(|(_, weight)| weight).sum();
        let mut shares: BTreeMap<String, u64> = BTreeMap::new();
        for &(row, weight) in &people {
            *shares.entry(case.rows[row][secret].to_string()).or_default() += weight;
        }
        let mut found = Vec::new();
        for &column in quasi {
            let mut items: BTreeMap<String, (u64, BTreeSet<String>)> = BTreeMap::new();
            let mut above: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for &(row, weight) in &people {
                let cell = &case.rows[row][column];
                let labels = conditions(&case.columns[column], cell)?;
                for label in &labels {
                    let item = items.entry(label.clone()).or_default();
                    item.0 += weight;
                    item.1.insert(case.rows[row][secret].to_string());
                }
                above.insert(cell.to_string(), labels);
            }
            if above.len() > 2
                && case.columns[column].tree == Tree::None
                && case.columns[column].kind != crate::cell::CellType::Day
            {
                return None;
            }
            let lengths: BTreeSet<usize> = above.keys().map(String::len).collect();
            if matches!(case.columns[column].tree, Tree::Mask(_)) && lengths.len() > 1 {
                return None;
            }
            let mut struck: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
            for (value, labels) in above {
                for label in labels {
                    let (support, held) = &items[&label];
                    for (secret, count) in shares.iter().filter(|(secret, _)| !held.contains(*secret)) {
                        let expectation = 1.0 - (1.0 - *count as f64 / all as f64).powf(*support as f64);
                        if (expectation - least).abs() < 1e-9 {
                            return None;
                        }
                        if expectation > least {
                            struck.entry(value.clone()).or_default().insert(secret.clone());
                        }
                    }
                }
            }
            found.push(struck);
        }
        Some(Self(found))
    }
}

/// The generalized values of a cell, itself included and without the root; nothing where the harness does not know them.
fn conditions(column: &Column, cell: &Cell) -> Option<Vec<String>> {
    let spelled = cell.to_string();
    if cell.is_missing() {
        return None;
    }
    let mut found = vec![spelled.clone()];
    match (&column.tree, cell) {
        (Tree::File(paths), _) => {
            let path = paths.iter().find(|path| path.first() == Some(&spelled))?;
            found.extend((1..path.len() - 1).map(|level| path[level..].join("/")));
        }
        (Tree::Intervals(widths), Cell::Whole(number)) => {
            for width in widths.trim_matches(['[', ']']).split(", ") {
                let width: i64 = width.parse().ok()?;
                found.push(format!("{width}: {}", number.div_euclid(width)));
            }
        }
        (Tree::Mask(right), _) => {
            let signs: Vec<char> = spelled.chars().collect();
            for kept in 1..signs.len() {
                let part: String =
                    if *right { signs[..kept].iter().collect() } else { signs[signs.len() - kept..].iter().collect() };
                found.push(format!("{} {part}", signs.len()));
            }
        }
        (Tree::None, Cell::Text(_) | Cell::Flag(_) | Cell::Whole(_) | Cell::Hundredths(_)) => {}
        _ => return None,
    }
    Some(found)
}
