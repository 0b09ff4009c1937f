//! (n, t)-closeness by its definition: the parts of the table around a group are those that the manifest's tree names.

use std::collections::BTreeMap;

use crate::claims::{Histogram, ROUNDING, total, variation, whole};
use crate::files::Released;

/// Every group has at least n people, or lies in a part of at least n people that it was cut from, the whole table at last, in which values are
/// distributed as in the group up to t. A part holds the groups that stand at its node of the tree, and at those below.
pub(crate) fn close_to_a_part(released: &Released, groups: &[Histogram]) -> bool {
    let (n, t) = (released.number("n"), released.number("t"));
    let (parents, node_of_group) = tree(released, groups.len());
    let ancestors = |node: usize| {
        let above = |&node: &usize| (node != 0).then(|| parents[node]);
        std::iter::successors(Some(node), above).collect::<Vec<usize>>()
    };
    let part = |node: usize| {
        let inside = groups.iter().zip(&node_of_group).filter(|(_, own)| ancestors(**own).contains(&node));
        whole(&inside.map(|(group, _)| group.clone()).collect::<Vec<_>>())
    };
    groups.iter().zip(&node_of_group).all(|(group, &own)| {
        let close = |node: &usize| {
            let part = part(*node);
            total(&part) >= n && variation(group, &part) <= t + ROUNDING
        };
        total(group) >= n || ancestors(own).iter().any(close)
    })
}

/// The parent of each node and the node of each group; without a tree all groups lie in the whole table alone.
fn tree(released: &Released, groups: usize) -> (Vec<usize>, Vec<usize>) {
    let numbers = |key: &str| -> Option<Vec<usize>> {
        let list = released.manifest["partition"][key].as_array()?;
        Some(list.iter().map(|number| number.as_u64().unwrap() as usize).collect())
    };
    let (parents, node_of_group) = (numbers("parents"), numbers("node_of_group"));
    let found = parents.zip(node_of_group).unwrap_or_else(|| (vec![0], vec![0; groups]));
    assert_eq!(found.1.len(), groups, "a node for each group");
    assert!((1..found.0.len()).all(|node| found.0[node] < node) && found.1.iter().all(|&node| node < found.0.len()));
    found
}

/// The sensitive values of rows that publish the same quasi-identifiers, in the order in which groups first occur: so the manifest counts them.
pub(crate) fn groups_by_occurrence(released: &Released) -> Vec<Histogram> {
    let data = released.table("data");
    let (quasi, disease) = (released.quasi.iter().map(|name| data.at(name)).collect::<Vec<_>>(), data.at("disease"));
    let mut index: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
    let mut groups: Vec<Histogram> = Vec::new();
    for row in &data.rows {
        let next = index.len();
        let group = *index.entry(quasi.iter().map(|&at| row[at].as_str()).collect()).or_insert(next);
        groups.resize(index.len(), Histogram::new());
        *groups[group].entry(row[disease].clone()).or_default() += data.people(row) as f64;
    }
    groups
}

/// The sensitive values of buckets, in the order of their numbers.
pub(crate) fn buckets_by_number(released: &Released) -> Vec<Histogram> {
    let table = released.table("st_disease");
    let (group, value, count) = (table.at("group"), table.at("value"), table.at("count"));
    let mut buckets: BTreeMap<u64, Histogram> = BTreeMap::new();
    for row in &table.rows {
        let bucket = buckets.entry(row[group].parse().unwrap()).or_default();
        *bucket.entry(row[value].clone()).or_default() += row[count].parse::<f64>().unwrap();
    }
    buckets.into_values().collect()
}
