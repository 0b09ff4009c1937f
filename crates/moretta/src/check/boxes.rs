//! The larger parts of a plain table around its groups: boxes of more general values.
//!
//! (n, t)-closeness compares a group with some natural superset of it. A release of ours lists the parts
//! that it was cut from; of a table made elsewhere we only know what its labels mean. So we look at every
//! box that the hierarchies allow around a group: for each attribute its label, or any label above it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::data::table::{CodedTable, Column};
use crate::data::value::{Decimal, Type, Value};
use crate::error::Result;
use crate::hierarchy::{HierarchySpec, Scale, Side};
use crate::numeric::decimal::DecimalSpan;
use crate::progress::CancelToken;
use crate::release::{Ancestor, Groups};
use crate::schema::Attribute;

/// Above this many pairs of a group and a kind of box only the whole table is looked at.
const MOST_PAIRS: usize = 1 << 21;

/// For each group, the boxes around it that hold at least `least` people, the whole table among them.
pub(super) fn around(
    table: &CodedTable,
    attributes: &[&Attribute],
    groups: &Groups,
    least: u64,
    token: &CancelToken,
) -> Result<Vec<Arc<Ancestor>>> {
    let whole = Arc::new(Ancestor::new(
        groups.whole.people,
        groups.whole.sensitive.iter().map(|attribute| attribute.people.clone()).collect(),
        None,
    ));
    let mut around = vec![whole; groups.len()];
    if table.group.is_some() {
        return Ok(around); // groups by name lie in no box
    }
    let chains = table.quasi.iter().zip(attributes).map(|(column, attribute)| chains(column, attribute));
    let chains = chains.collect::<Result<Vec<_>>>()?;
    let depths: Vec<usize> = chains.iter().map(|chains| chains.iter().map(Vec::len).max().unwrap_or(1)).collect();
    let kinds = depths.iter().try_fold(1_usize, |product, &depth| product.checked_mul(depth));
    if kinds.and_then(|kinds| kinds.checked_mul(groups.len())).is_none_or(|pairs| pairs > MOST_PAIRS) {
        return Ok(around);
    }
    let mut kind = vec![0; depths.len()];
    loop {
        token.check()?;
        add_boxes(&kind, &chains, table, groups, least, &mut around);
        // Count on: the last attribute runs fastest.
        let Some(index) = (0..kind.len()).rev().find(|&index| kind[index] + 1 < depths[index]) else {
            return Ok(around);
        };
        kind[index] += 1;
        kind[index + 1..].fill(0);
    }
}

/// The boxes whose labels stand at the given depths below the root; broader groups lie in none of them.
fn add_boxes(
    kind: &[usize],
    chains: &[Vec<Vec<String>>],
    table: &CodedTable,
    groups: &Groups,
    least: u64,
    around: &mut [Arc<Ancestor>],
) {
    let mut boxes: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
    for group in 0..groups.len() {
        let row = groups.first_row(group);
        let labels: Option<Vec<&str>> = chains
            .iter()
            .zip(&table.quasi)
            .zip(kind)
            .map(|((chains, column), &depth)| {
                chains[column.codes[row] as usize].iter().rev().nth(depth).map(String::as_str)
            })
            .collect();
        if let Some(labels) = labels {
            boxes.entry(labels).or_default().push(group);
        }
    }
    for members in boxes.values() {
        let people: u64 = members.iter().map(|&group| groups.people[group]).sum();
        if people < least {
            continue;
        }
        let mut histograms = groups.scratch();
        members.iter().for_each(|&group| groups.add(group, &mut histograms));
        for &group in members {
            around[group] = Arc::new(Ancestor::new(people, histograms.clone(), Some(around[group].clone())));
        }
    }
}

/// For each label of a column, itself and the labels above it, up to the root.
fn chains(column: &Column, attribute: &Attribute) -> Result<Vec<Vec<String>>> {
    let labels: Vec<String> = column.domain.values().iter().map(ToString::to_string).collect();
    let tree = match &attribute.hierarchy {
        HierarchySpec::File(_) | HierarchySpec::Listed(_) => {
            let no_values = Arc::new(crate::data::Domain::from_sorted(Type::Text, Vec::new()));
            Scale::new(&attribute.hierarchy, no_values, &attribute.name)?.shared_tree()
        }
        _ => None,
    };
    let chain = |label: &String| match (&tree, &attribute.hierarchy) {
        (Some(tree), _) => match tree.find(label) {
            Some(node) => std::iter::successors(Some(node), |&node| (node != 0).then(|| tree.parent(node)))
                .map(|node| tree.label(node).to_owned())
                .collect(),
            None => unknown(label),
        },
        (None, HierarchySpec::Mask(side)) => masks(label, *side),
        (None, HierarchySpec::Intervals(widths)) => intervals(label, widths),
        _ => unknown(label),
    };
    Ok(labels.iter().map(chain).collect())
}

/// A label of which nothing is known: above it is only the root.
fn unknown(label: &str) -> Vec<String> {
    if label == "*" { vec!["*".to_owned()] } else { vec![label.to_owned(), "*".to_owned()] }
}

fn masks(label: &str, side: Side) -> Vec<String> {
    let length = label.chars().count();
    let known = match side {
        Side::Right => label.trim_end_matches('*').chars().count(),
        Side::Left => label.trim_start_matches('*').chars().count(),
    };
    let masked = |kept: usize| {
        let stars = "*".repeat(length - kept);
        match side {
            Side::Right => label.chars().take(kept).collect::<String>() + &stars,
            Side::Left => stars + &label.chars().skip(length - kept).collect::<String>(),
        }
    };
    (1..=known).rev().map(masked).chain(["*".to_owned()]).collect()
}

/// `[20, 24]` lies in the wider intervals around its lower end.
fn intervals(label: &str, widths: &[f64]) -> Vec<String> {
    let inner = label.trim_start_matches('[').split([',', ']']).next().unwrap_or(label);
    let Some(low) = Value::parse(inner, Type::Number, Decimal::Point).and_then(|value| value.as_number()) else {
        return unknown(label);
    };
    let whole = !label.ends_with(')');
    let interval = |&width: &f64| DecimalSpan::around(low, width)?.label(whole);
    let mut above: Vec<String> = widths.iter().filter_map(interval).collect();
    if let Some(own) = above.iter().position(|interval| interval == label) {
        above.drain(..=own);
    }
    std::iter::once(label.to_owned()).chain(above).chain(["*".to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_climb_to_the_root() {
        assert_eq!(masks("476**", Side::Right), ["476**", "47***", "4****", "*"]);
        assert_eq!(masks("**12", Side::Left), ["**12", "***2", "*"]);
        assert_eq!(masks("*", Side::Right), ["*"]);
        assert_eq!(intervals("[20, 24]", &[5.0, 10.0]), ["[20, 24]", "[20, 29]", "*"]);
        assert_eq!(intervals("37", &[5.0, 10.0]), ["37", "[35, 39]", "[30, 39]", "*"]);
        assert_eq!(intervals("[0.6, 0.7)", &[0.1, 0.2]), ["[0.6, 0.7)", "[0.6, 0.8)", "*"]);
        assert_eq!(unknown("x"), ["x", "*"]);
    }
}
