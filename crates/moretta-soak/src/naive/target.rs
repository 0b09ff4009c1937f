//! P-private releases: for every group and value, the mean of P(x = t | x ∈ D) over its subdomains is P(t).

use std::collections::BTreeMap;

use super::files::{Release, kind_of};
use super::groups::Judged;
use crate::cell::Cell;

/// Judges the promise from the files.
pub fn judge(release: &Release) -> Option<Judged> {
    let (sensitive, targets) = (release.tables.get("sensitive")?, release.tables.get("targets")?);
    let column = *release.columns("sensitive").first()?;
    let kind = kind_of(column);
    let (group, value) = (targets.column("group")?, targets.column("value")?);
    let (num, den) = (targets.column("numerator")?, targets.column("denominator")?);
    let mut wanted: BTreeMap<&str, Vec<(&str, f64)>> = BTreeMap::new();
    for row in &targets.rows {
        let share = row[num].parse::<f64>().ok()? / row[den].parse::<f64>().ok()?;
        wanted.entry(&row[group]).or_default().push((&row[value], share));
    }
    let mut subdomains: BTreeMap<&str, Vec<(Vec<bool>, f64)>> = BTreeMap::new();
    let (group, count) = (sensitive.column("group")?, sensitive.column("count")?);
    for row in &sensitive.rows {
        let values = wanted.get(row[group].as_str())?;
        let inside: Vec<bool> = match (sensitive.column("low"), sensitive.column("high")) {
            (Some(low), Some(high)) => {
                let (low, high) = (kind.parse(&row[low])?, kind.parse(&row[high])?);
                let within = |value: &str| -> Option<bool> {
                    let value: Cell = kind.parse(value)?;
                    Some(low <= value && value <= high)
                };
                values.iter().map(|(value, _)| within(value)).collect::<Option<_>>()?
            }
            _ => {
                let label = &row[sensitive.column("value")?];
                let stands =
                    |value: &str| value == label || label == "*" || in_tree(column, label, value) || set(label, value);
                values.iter().map(|(value, _)| stands(value)).collect()
            }
        };
        subdomains.entry(&row[group]).or_default().push((inside, row[count].parse().ok()?));
    }
    let mut worst: f64 = 0.0;
    for (group, values) in &wanted {
        let found = subdomains.get(group)?;
        let n: f64 = found.iter().map(|(_, count)| count).sum();
        let mut belief = vec![0.0; values.len()];
        for (inside, count) in found {
            let mass: f64 = values.iter().zip(inside).filter(|(_, inside)| **inside).map(|((_, share), _)| share).sum();
            if mass == 0.0 {
                return Some(Judged { holds: Some(false), levels: Vec::new(), ratio: f64::INFINITY });
            }
            for (index, ((_, share), _)) in values.iter().zip(inside).enumerate().filter(|(_, (_, inside))| **inside) {
                belief[index] += count / n * share / mass;
            }
        }
        let off = belief.iter().zip(values).map(|(belief, (_, share))| (belief - share).abs());
        worst = off.fold(worst, f64::max);
    }
    // Equality of fractions: what is off by more than rounding is off.
    Some(Judged {
        holds: Some(worst < 1e-9),
        levels: Vec::new(),
        ratio: if worst < 1e-9 { 1.0 } else { f64::INFINITY },
    })
}

fn in_tree(column: &serde_json::Value, label: &str, value: &str) -> bool {
    let paths = column["hierarchy"].as_array().into_iter().flatten().filter_map(serde_json::Value::as_array);
    paths
        .into_iter()
        .any(|path| path.first().is_some_and(|leaf| leaf == value) && path.iter().any(|node| node == label))
}

fn set(label: &str, value: &str) -> bool {
    label
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'))
        .is_some_and(|inner| inner.split(", ").any(|one| one == value))
}
