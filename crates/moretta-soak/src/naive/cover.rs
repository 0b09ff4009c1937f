//! Whether what is published of a person stands for what the person has, and whether everybody is published once.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value as Json;

use super::files::{RawTable, Release, kind_of};
use crate::case::{Case, Tree};
use crate::cell::{Cell, CellType};

/// Whether a published label stands for a value.
pub fn covers(column: &Json, tree: &Tree, label: &str, value: &Cell) -> bool {
    let meaning = column["values"]["meaning"].as_str().unwrap_or("");
    let kind = kind_of(column);
    let spelled = value.to_string();
    if label == spelled {
        return true;
    }
    match meaning {
        "interval" => {
            let (label, or_missing) = label.strip_suffix(" or missing").map_or((label, false), |rest| (rest, true));
            if value.is_missing() { or_missing } else { between(kind, label, value) || label == spelled }
        }
        // A label that the manifest lists stands for what it lists; only other sets say themselves what they are.
        "set" if !listed(column, label) => members(label).is_some_and(|members| members.contains(&spelled)),
        "set" | "hierarchy" => {
            let nodes = column["values"]["nodes"].as_array().into_iter().flatten();
            let mut leaves = nodes
                .filter(|node| node["label"] == label)
                .flat_map(|node| node["leaves"].as_array().into_iter().flatten());
            leaves.any(|leaf| *leaf == spelled.as_str())
        }
        "withheld" => label == "*",
        "intervals" => label == "*" || (!value.is_missing() && between(kind, closed(column, label), value)),
        "mask" => {
            let (length, wanted) = (label.chars().count(), spelled.chars().count());
            let kept =
                if *tree == Tree::Mask(false) { label.trim_start_matches('*') } else { label.trim_end_matches('*') };
            let fits = if *tree == Tree::Mask(false) { spelled.ends_with(kept) } else { spelled.starts_with(kept) };
            label == "*" || (!value.is_missing() && label.contains('*') && wanted <= length && fits)
        }
        "calendar" => match value {
            Cell::Day(year, month, _) => {
                let quarter = (month - 1) / 3 + 1;
                let names = [
                    "*".to_owned(),
                    format!("{year:04}-{month:02}"),
                    format!("{year:04}-Q{quarter}"),
                    format!("{year:04}"),
                    format!("{:04}s", year / 10 * 10),
                ];
                names.iter().any(|name| name == label)
            }
            _ => label == "*",
        },
        _ => false,
    }
}

/// Whether the manifest lists a label.
fn listed(column: &Json, label: &str) -> bool {
    column["values"]["nodes"].as_array().into_iter().flatten().any(|node| node["label"] == label)
}

/// A label with one end as the interval that the manifest lists for it.
fn closed<'l>(column: &'l Json, label: &'l str) -> &'l str {
    let mut open = column["values"]["open"].as_array().into_iter().flatten();
    open.find(|open| open["label"] == label).and_then(|open| open["interval"].as_str()).unwrap_or(label)
}

/// `[a, b]` or `[a, b)`.
fn between(kind: CellType, label: &str, value: &Cell) -> bool {
    let Some(inner) = label.strip_prefix('[') else { return false };
    let (inner, closed) = match (inner.strip_suffix(']'), inner.strip_suffix(')')) {
        (Some(inner), _) => (inner, true),
        (None, Some(inner)) => (inner, false),
        (None, None) => return false,
    };
    let ends = inner.split_once(", ").and_then(|(low, high)| Some((kind.parse(low)?, kind.parse(high)?)));
    ends.is_some_and(|(low, high)| low <= *value && if closed { *value <= high } else { *value < high })
}

/// `{a, b}`; what could be misread is quoted as in JSON, and nothing stands for no value.
fn members(label: &str) -> Option<Vec<String>> {
    let inner = label.strip_prefix('{')?.strip_suffix('}')?;
    let mut found = Vec::new();
    let mut rest = inner;
    loop {
        if rest.starts_with('"') {
            let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<String>();
            found.push(stream.next()?.ok()?);
            rest = &rest[stream.byte_offset()..];
            match rest.strip_prefix(", ") {
                Some(more) => rest = more,
                None => return Some(found),
            }
        } else {
            match rest.split_once(", ") {
                Some((one, more)) => {
                    found.push(one.to_owned());
                    rest = more;
                }
                None => {
                    found.push(rest.to_owned());
                    return Some(found);
                }
            }
        }
    }
}

/// What is wrong with who stands where; nothing where all is well or the harness can't tell.
pub fn everybody(case: &Case, release: &Release, private: &Path) -> Result<(), String> {
    let people = case.people();
    let all: u64 = people.iter().map(|(_, weight)| weight).sum();
    let (out, left) = (release.stated("people"), release.stated("suppressed"));
    if out.saturating_add(left) != all {
        return Err(format!("{all} people, of whom the manifest publishes {out} and suppresses {left}"));
    }
    let map = RawTable::find(private, "map")?;
    let row_column = map.column("row").ok_or("the map lacks rows")?;
    let mut places: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for entry in &map.rows {
        let row: usize = entry[row_column].parse().map_err(|_| "the map's row is no number")?;
        let place: usize = entry[row_column + 1].parse().map_err(|_| "the map's group is no number")?;
        places.entry(row).or_default().push(place);
    }
    let weighted = !case.with_role("weight").is_empty();
    let mut unplaced = 0;
    for (index, weight) in &people {
        match places.get(&(index + 1)) {
            None => unplaced += weight,
            Some(found) if !weighted && found.len() != 1 => {
                return Err(format!("row {} stands in {found:?}", index + 1));
            }
            Some(_) => {}
        }
    }
    let partly = weighted && unplaced <= left;
    if unplaced != left && !partly {
        return Err(format!("{unplaced} people are not on the map, {left} are stated as suppressed"));
    }
    if let Some(row) = places.keys().find(|row| !people.iter().any(|(index, _)| index + 1 == **row)) {
        return Err(format!("row {row} is on the map and should not be published"));
    }
    if release.kind() == "generalized" { labels_cover(case, release, &places, weighted) } else { Ok(()) }
}

/// Every person's group publishes labels that stand for what the person has; and, without weights, just its people's values.
fn labels_cover<'r>(
    case: &Case,
    release: &'r Release,
    places: &BTreeMap<usize, Vec<usize>>,
    weighted: bool,
) -> Result<(), String> {
    let table = release.tables.get("data").ok_or("no data")?;
    let find = |columns: Vec<&'r Json>| {
        let one = |column: &'r Json| {
            let name = column["name"].as_str()?;
            Some((column, table.column(name)?, case.columns.iter().position(|own| own.name == name)?))
        };
        columns
            .into_iter()
            .map(one)
            .collect::<Option<Vec<(&Json, usize, usize)>>>()
            .ok_or("an attribute is not in the table")
    };
    let quasi = find(["quasi", "unclassified"].map(|role| release.columns(role)).concat())?;
    let open = find(["sensitive", "insensitive"].map(|role| release.columns(role)).concat())?;
    let mut order: Vec<Vec<&str>> = Vec::new();
    let mut published: BTreeMap<usize, Vec<Vec<String>>> = BTreeMap::new();
    let mut known: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
    for row in &table.rows {
        let key: Vec<&str> = quasi.iter().map(|(_, at, _)| row[*at].as_str()).collect();
        let group = *known.entry(key.clone()).or_insert_with(|| {
            order.push(key);
            order.len()
        });
        published.entry(group).or_default().push(open.iter().map(|(_, at, _)| row[*at].clone()).collect());
    }
    let mut expected: BTreeMap<usize, Vec<Vec<String>>> = BTreeMap::new();
    for (row, groups) in places {
        let source = &case.rows[row - 1];
        for &group in groups {
            let labels = order.get(group.wrapping_sub(1)).ok_or_else(|| format!("there is no group {group}"))?;
            for ((column, _, own), label) in quasi.iter().zip(labels) {
                if !covers(column, &case.columns[*own].tree, label, &source[*own]) {
                    return Err(format!(
                        "row {row} has {:?} = {}, published as {label:?}",
                        case.columns[*own].name, source[*own]
                    ));
                }
            }
            expected.entry(group).or_default().push(open.iter().map(|(_, _, own)| source[*own].to_string()).collect());
        }
    }
    if !weighted {
        published.values_mut().chain(expected.values_mut()).for_each(|rows| rows.sort());
        if published != expected {
            return Err("the values of a group are not those of its people".to_owned());
        }
    }
    Ok(())
}
