//! Distances between distributions, straight from their definitions.

use std::collections::BTreeMap;

use super::exact::Share;
use super::groups::{Counts, Described};
use crate::cell::{Cell, CellType};

/// How far a group is from a table: exactly, or as a float where logarithms are involved.
#[derive(Clone, Copy, Debug)]
pub enum Far {
    /// A fraction.
    Exact(Share),
    /// A number that was rounded.
    Rounded(f64),
}

impl Far {
    /// As a float.
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Exact(share) => share.to_f64(),
            Self::Rounded(number) => number,
        }
    }
}

/// What a distance is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// Its name.
    pub distance: &'a str,
    /// `rank` or `value`.
    pub order: &'a str,
    /// The bandwidth of a kernel.
    pub bandwidth: f64,
}

/// The distance of a group from a table; nothing where this harness has no definition of it.
pub fn distance(wanted: &Wanted<'_>, attribute: &Described, group: &Counts, whole: &Counts) -> Option<Far> {
    let (n, all) = (i128::from(total(group)), i128::from(total(whole)));
    // p − q in units of 1/(n · all).
    let differences: Vec<(&String, i128)> = whole
        .iter()
        .map(|(value, &people)| {
            let here = group.get(value).copied().unwrap_or(0);
            (value, i128::from(here) * all - i128::from(people) * n)
        })
        .collect();
    let unit = (n * all).unsigned_abs();
    match wanted.distance {
        "equal" | "variational" => {
            let sum: u128 = differences.iter().map(|(_, difference)| difference.unsigned_abs()).sum();
            Some(Far::Exact(Share::new(sum, 2 * unit)))
        }
        "ordered" => ordered(wanted.order, attribute, &differences, unit),
        "hierarchical" => hierarchical(attribute, &differences, unit),
        "js" => Some(Far::Rounded(js(&shares(group, whole), &shares(whole, whole)))),
        "kl" => {
            let (p, q) = (shares(group, whole), shares(whole, whole));
            Some(Far::Rounded(p.iter().zip(&q).map(|(p, q)| relative(*p, *q)).sum()))
        }
        "kernel-js" => kernel(wanted.bandwidth, attribute, group, whole).map(Far::Rounded),
        _ => None,
    }
}

fn total(counts: &Counts) -> u64 {
    counts.values().sum()
}

fn shares(counts: &Counts, values: &Counts) -> Vec<f64> {
    let people = total(counts) as f64;
    values.keys().map(|value| counts.get(value).copied().unwrap_or(0) as f64 / people).collect()
}

fn relative(p: f64, q: f64) -> f64 {
    if p == 0.0 { 0.0 } else { p * (p / q).ln() }
}

fn js(p: &[f64], q: &[f64]) -> f64 {
    p.iter()
        .zip(q)
        .map(|(&p, &q)| f64::midpoint(relative(p, f64::midpoint(p, q)), relative(q, f64::midpoint(p, q))))
        .sum()
}

/// The values in order, each with its difference; a missing value is the first.
fn in_order<'a>(kind: CellType, differences: &[(&'a String, i128)]) -> Option<Vec<(Cell, &'a String, i128)>> {
    let mut line = differences
        .iter()
        .map(|&(value, difference)| Some((kind.parse(value)?, value, difference)))
        .collect::<Option<Vec<_>>>()?;
    line.sort_by(|a, b| a.0.cmp(&b.0));
    Some(line)
}

fn ordered(order: &str, attribute: &Described, differences: &[(&String, i128)], unit: u128) -> Option<Far> {
    let line = in_order(attribute.kind, differences)?;
    if line.len() < 2 {
        return Some(Far::Exact(Share::new(0, 1)));
    }
    let gap = |index: usize| match order {
        "value" => Some((line[index + 1].0.in_hundredths()? - line[index].0.in_hundredths()?).unsigned_abs()),
        _ => Some(1),
    };
    let mut work = 0_u128;
    let mut range = 0_u128;
    let mut carried = 0_i128;
    for (index, point) in line.iter().enumerate().take(line.len() - 1) {
        carried += point.2;
        let gap = u128::from(gap(index)?);
        work += carried.unsigned_abs() * gap;
        range += gap;
    }
    Some(Far::Exact(Share::new(work, unit * range.max(1))))
}

/// Nodes by their way up to the root, each with the greatest distance to a leaf below it.
fn heights(paths: &[Vec<String>]) -> BTreeMap<&[String], u128> {
    let mut heights: BTreeMap<&[String], u128> = BTreeMap::new();
    for path in paths {
        for level in 0..path.len() {
            let height = heights.entry(&path[level..]).or_default();
            *height = (*height).max(level as u128);
        }
    }
    heights
}

/// A leaf's mass passes every edge above it; an edge is half as long as its parent is higher than its child.
fn hierarchical(attribute: &Described, differences: &[(&String, i128)], unit: u128) -> Option<Far> {
    let heights = heights(&attribute.paths);
    let mut below: BTreeMap<&[String], i128> = BTreeMap::new();
    for (value, difference) in differences {
        let path = attribute.paths.iter().find(|path| path.first() == Some(value))?;
        for level in 0..path.len() {
            *below.entry(&path[level..]).or_default() += difference;
        }
    }
    let height = heights.values().copied().max().unwrap_or(0).max(1);
    let mut work = 0_u128;
    for (node, difference) in &below {
        if node.len() > 1 {
            work += difference.unsigned_abs() * (heights[&node[1..]] - heights[*node]);
        }
    }
    Some(Far::Exact(Share::new(work, unit * 2 * height)))
}

/// JS of both distributions, smoothed by the Epanechnikov kernel over the ground distance and made to sum to 1.
fn kernel(bandwidth: f64, attribute: &Described, group: &Counts, whole: &Counts) -> Option<f64> {
    let values: Vec<&String> = whole.keys().collect();
    let ground = grounds(attribute, &values)?;
    let kernel = |i: usize, j: usize| {
        let x = ground[i][j] / bandwidth;
        if x < 1.0 { 1.0 - x * x } else { 0.0 }
    };
    let smooth = |p: &[f64]| {
        let mut smoothed: Vec<f64> = (0..p.len())
            .map(|i| {
                let norm: f64 = (0..p.len()).map(|j| kernel(i, j)).sum();
                (0..p.len()).map(|j| p[j] * kernel(i, j)).sum::<f64>() / norm
            })
            .collect();
        let sum: f64 = smoothed.iter().sum();
        smoothed.iter_mut().for_each(|share| *share /= sum);
        smoothed
    };
    Some(js(&smooth(&shares(group, whole)), &smooth(&shares(whole, whole))))
}

/// How far apart values are: in the hierarchy if there is one, else along the line, by rank where a value is missing, else all alike.
fn grounds(attribute: &Described, values: &[&String]) -> Option<Vec<Vec<f64>>> {
    if attribute.has_tree && attribute.paths.is_empty() {
        return None;
    }
    if !attribute.paths.is_empty() {
        let heights = heights(&attribute.paths);
        let most = heights.values().copied().max().unwrap_or(0).max(1) as f64;
        let path = |value: &String| attribute.paths.iter().find(|path| path.first() == Some(value));
        let paths = values.iter().map(|value| path(value)).collect::<Option<Vec<_>>>()?;
        let apart = |a: &[String], b: &[String]| {
            let common = (0..a.len()).find(|&level| (0..b.len()).any(|other| a[level..] == b[other..]));
            common.map_or(1.0, |level| heights[&a[level..]] as f64 / most)
        };
        return Some(paths.iter().map(|a| paths.iter().map(|b| apart(a, b)).collect()).collect());
    }
    let cells = values.iter().map(|value| attribute.kind.parse(value)).collect::<Option<Vec<_>>>()?;
    let on_line = attribute.kind.is_number() || attribute.kind == CellType::Day;
    if !on_line {
        let star = |i: usize, j: usize| if i == j { 0.0 } else { 1.0 };
        return Some((0..values.len()).map(|i| (0..values.len()).map(|j| star(i, j)).collect()).collect());
    }
    let mut sorted = cells.clone();
    sorted.sort();
    let by_rank = cells.iter().any(Cell::is_missing);
    let location = |cell: &Cell| {
        let rank = sorted.iter().position(|other| other == cell).unwrap_or(0) as f64;
        if by_rank { rank } else { cell.location().unwrap_or(rank) }
    };
    let (first, last) = (location(sorted.first()?), location(sorted.last()?));
    let range = if last > first { last - first } else { 1.0 };
    Some(cells.iter().map(|a| cells.iter().map(|b| (location(a) - location(b)).abs() / range).collect()).collect())
}
