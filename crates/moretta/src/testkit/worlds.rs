//! Every original that fits the published files of a small release: written from the files alone, slow and plain.
//!
//! The people are rows `[age, zip, pay, visits]`; zips are `z0`, `z1`, … in the files, and numbers here.

use std::collections::BTreeMap;

use super::published::Published;

/// A person: age, zip, pay, visits.
pub(crate) type Person = [i64; 4];

/// A possible original, and its weight among all.
pub(crate) type World = Vec<Person>;

/// More worlds than this and a case is left out.
const MOST: usize = 4000;

/// The worlds that a release allows, as its kind says; nothing if there are too many of them.
pub(crate) fn worlds(published: &Published, kind: &str) -> Option<Vec<World>> {
    let per_part = match kind {
        "generalized" => generalized(published),
        "bucketized" => bucketized(published)?,
        "ambiguous" => ambiguous(published)?,
        "sliced" => sliced(published)?,
        "distribution" => distribution(published)?,
        _ => return None,
    };
    let mut all: Vec<World> = vec![Vec::new()];
    for part in per_part {
        if all.len() * part.len() > MOST {
            return None;
        }
        all = all.iter().flat_map(|known| part.iter().map(move |new| [known.as_slice(), new].concat())).collect();
    }
    Some(all)
}

/// How likely each of those worlds is beside the others, in their order.
pub(crate) fn weights(published: &Published, kind: &str, worlds: usize) -> Vec<f64> {
    if kind != "generalized" {
        return vec![1.0; worlds];
    }
    let (header, rows) = table(published, "data");
    let [age, zip] = ["age", "zip"].map(|name| index(&header, name));
    let mut all = vec![1.0];
    for row in &rows {
        let zips = shares_of_set(&row[zip], rows.iter().map(|row| row[zip].as_str()));
        let ages = meant(&row[age]).len();
        let options: Vec<f64> = (0..ages).flat_map(|_| zips.iter().map(|share| share / ages as f64)).collect();
        all = all.iter().flat_map(|known| options.iter().map(move |new| known * new)).collect();
    }
    all
}

/// How likely each value of a set is: by the square root of how often rows publish it alone, and one more for all values together.
fn shares_of_set<'l>(label: &str, column: impl Iterator<Item = &'l str>) -> Vec<f64> {
    let alone: Vec<i64> = column.map(meant).filter(|values| values.len() == 1).map(|values| values[0]).collect();
    let values = meant(label);
    let weight =
        |value: &i64| (alone.iter().filter(|other| *other == value).count() as f64).sqrt() + 1.0 / values.len() as f64;
    let total: f64 = values.iter().map(weight).sum();
    values.iter().map(|value| weight(value) / total).collect()
}

/// The header and the rows of a released table, quotes included.
fn table(published: &Published, name: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let split = |line: &str| {
        let (mut cells, mut quoted) = (vec![String::new()], false);
        for c in line.chars() {
            match c {
                '"' => quoted = !quoted,
                ',' if !quoted => cells.push(String::new()),
                c => cells.last_mut().unwrap().push(c),
            }
        }
        cells
    };
    let text = published.text(name);
    let mut lines = text.lines().map(split);
    let header: Vec<String> = lines.next().unwrap();
    let in_full = |row: Vec<String>| {
        header.iter().zip(row).map(|(column, label)| published.spelled_out(column, &label)).collect()
    };
    let rows = lines.map(in_full).collect();
    (header, rows)
}

fn index(header: &[String], name: &str) -> usize {
    header.iter().position(|own| own == name).unwrap()
}

fn number(text: &str) -> i64 {
    text.trim_start_matches('z').parse().unwrap()
}

/// What a label stands for.
fn meant(label: &str) -> Vec<i64> {
    if let Some(inner) = label.strip_prefix('[') {
        let (low, high) = inner.trim_end_matches(']').split_once(", ").unwrap();
        return (number(low)..=number(high)).collect();
    }
    let inner = label.trim_start_matches('{').trim_end_matches('}');
    inner.split(", ").map(number).collect()
}

/// Each row on its own: any of the values that its labels stand for.
fn generalized(published: &Published) -> Vec<Vec<World>> {
    let (header, rows) = table(published, "data");
    let [age, zip, pay, visits] = ["age", "zip", "pay", "visits"].map(|name| index(&header, name));
    let options = |row: &Vec<String>| -> Vec<World> {
        let zips = meant(&row[zip]);
        let pairs = meant(&row[age]).into_iter().flat_map(|age| zips.iter().map(move |&zip| (age, zip)));
        pairs.map(|(age, zip)| vec![[age, zip, number(&row[pay]), number(&row[visits])]]).collect()
    };
    rows.iter().map(options).collect()
}

/// The rows of the table of quasi-identifiers by group, with pay still open.
fn rows_of_groups(published: &Published) -> BTreeMap<i64, World> {
    let (header, rows) = table(published, "qit");
    let [age, zip, visits, group] = ["age", "zip", "visits", "group"].map(|name| index(&header, name));
    let mut groups: BTreeMap<i64, World> = BTreeMap::new();
    for row in &rows {
        let person = [number(&row[age]), number(&row[zip]), 0, number(&row[visits])];
        groups.entry(number(&row[group])).or_default().push(person);
    }
    groups
}

/// The pays of each group, as often as they occur.
fn pays_of_groups(published: &Published) -> BTreeMap<i64, Vec<i64>> {
    let (header, rows) = table(published, "st_pay");
    let [group, value, count] = ["group", "value", "count"].map(|name| index(&header, name));
    let mut groups: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for row in &rows {
        let pays = std::iter::repeat_n(number(&row[value]), number(&row[count]).try_into().unwrap());
        groups.entry(number(&row[group])).or_default().extend(pays);
    }
    groups
}

/// Every order of some items, equal ones told apart.
pub(crate) fn orders<T: Clone>(items: &[T]) -> Vec<Vec<T>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for at in 0..items.len() {
        let mut rest = items.to_vec();
        let first = rest.remove(at);
        all.extend(orders(&rest).into_iter().map(|order| [vec![first.clone()], order].concat()));
    }
    all
}

/// Any order of a group's pays.
fn bucketized(published: &Published) -> Option<Vec<Vec<World>>> {
    let pays = pays_of_groups(published);
    let part = |(group, people): (i64, World)| -> Option<Vec<World>> {
        if people.len() > 6 {
            return None;
        }
        let with = |order: Vec<i64>| people.iter().zip(order).map(|(p, pay)| [p[0], p[1], pay, p[3]]).collect();
        Some(orders(&pays[&group]).into_iter().map(with).collect())
    };
    rows_of_groups(published).into_iter().map(part).collect()
}

/// Every person of a group has any of the group's ages and zips, and each of those is somebody's.
fn ambiguous(published: &Published) -> Option<Vec<Vec<World>>> {
    let listed = |name: &str, wanted: i64| -> Vec<i64> {
        let (header, rows) = table(published, name);
        let [value, group] = ["value", "group"].map(|name| index(&header, name));
        rows.iter().filter(|row| number(&row[group]) == wanted).map(|row| number(&row[value])).collect()
    };
    let part = |(group, pays): (i64, Vec<i64>)| -> Option<Vec<World>> {
        let (ages, zips) = (listed("at_age", group), listed("at_zip", group));
        let options: Vec<(i64, i64)> = ages.iter().flat_map(|&age| zips.iter().map(move |&zip| (age, zip))).collect();
        if options.len().checked_pow(pays.len() as u32)? > 20 * MOST {
            return None;
        }
        let mut all: Vec<World> = vec![Vec::new()];
        for pay in pays {
            let longer = |known: &World| -> Vec<World> {
                options.iter().map(|&(age, zip)| [known.as_slice(), &[[age, zip, pay, 0]]].concat()).collect()
            };
            all = all.iter().flat_map(longer).collect();
        }
        let covers =
            |world: &World, listed: &[i64], at: usize| listed.iter().all(|v| world.iter().any(|p| p[at] == *v));
        all.retain(|world| covers(world, &ages, 0) && covers(world, &zips, 1));
        Some(all)
    };
    pays_of_groups(published).into_iter().map(part).collect()
}

/// Any order of each column inside a bucket; the first may as well stay.
fn sliced(published: &Published) -> Option<Vec<Vec<World>>> {
    let (header, rows) = table(published, "sliced");
    let manifest: serde_json::Value = serde_json::from_str(&published.manifest()).unwrap();
    let names = ["age", "zip", "pay", "visits"];
    let slice = |name: &str| {
        let columns = manifest["columns"].as_array().unwrap();
        columns.iter().find(|column| column["name"] == *name).unwrap()["slice"].as_u64().unwrap()
    };
    let slices = names.map(slice);
    let bucket = index(&header, "bucket");
    let mut buckets: BTreeMap<i64, World> = BTreeMap::new();
    for row in &rows {
        let person = names.map(|name| number(&row[index(&header, name)]));
        buckets.entry(number(&row[bucket])).or_default().push(person);
    }
    let part = |people: World| -> Option<Vec<World>> {
        if people.len() > 4 {
            return None;
        }
        let mut all = vec![people];
        for moved in (1..=8).filter(|slice| slices.contains(slice)).skip(1) {
            let with = |world: &World| -> Vec<World> {
                let relink = |order: Vec<Person>| -> World {
                    let pick =
                        |at: usize, own: &Person, other: &Person| if slices[at] == moved { other[at] } else { own[at] };
                    let person = |(own, other): (&Person, &Person)| [0, 1, 2, 3].map(|at| pick(at, own, other));
                    world.iter().zip(&order).map(person).collect()
                };
                orders(world).into_iter().map(relink).collect()
            };
            all = all.iter().flat_map(with).collect();
        }
        (all.len() <= MOST).then_some(all)
    };
    buckets.into_values().map(part).collect()
}

/// Any of a group's subdomains for each person, none for two, and any value in it.
fn distribution(published: &Published) -> Option<Vec<Vec<World>>> {
    let (header, rows) = table(published, "sensitive");
    let [group, low, high, count] = ["group", "low", "high", "count"].map(|name| index(&header, name));
    let (targets, listed) = table(published, "targets");
    let mut values: Vec<i64> = listed.iter().map(|row| number(&row[index(&targets, "value")])).collect();
    values.sort_unstable();
    values.dedup();
    let mut subdomains: BTreeMap<i64, Vec<(i64, i64)>> = BTreeMap::new();
    for row in &rows {
        let same =
            std::iter::repeat_n((number(&row[low]), number(&row[high])), number(&row[count]).try_into().unwrap());
        subdomains.entry(number(&row[group])).or_default().extend(same);
    }
    let part = |(group, people): (i64, World)| -> Option<Vec<World>> {
        let own = &subdomains[&group];
        if own.len() > 5 {
            return None;
        }
        let mut found: Vec<World> = Vec::new();
        for order in orders(own) {
            let mut all: Vec<World> = vec![Vec::new()];
            for (person, &(low, high)) in people.iter().zip(&order) {
                let inside: Vec<i64> = values.iter().copied().filter(|v| (low..=high).contains(v)).collect();
                let longer = |known: &World| -> Vec<World> {
                    let with = |&pay: &i64| [known.as_slice(), &[[person[0], person[1], pay, person[3]]]].concat();
                    inside.iter().map(with).collect()
                };
                all = all.iter().flat_map(longer).collect();
            }
            found.append(&mut all);
            found.sort_unstable();
            found.dedup();
            if found.len() > MOST {
                return None;
            }
        }
        Some(found)
    };
    rows_of_groups(published).into_iter().map(part).collect()
}
