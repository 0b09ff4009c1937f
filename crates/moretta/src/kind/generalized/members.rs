//! Who stands in which group of a generalized release.
//!
//! Whoever fits a single group stands there; where people fit several, the publisher's own placement decides, after it was
//! compared with the files. Without it the files do not tell.

use std::sync::Arc;

use rayon::prelude::*;

use super::Generalized;
use crate::data::domain::Domain;
use crate::data::lookup::HashMap;
use crate::error::Result;
use crate::kind::OpenRelease;
use crate::knowledge::Points;
use crate::progress::CancelToken;
use crate::release::{Claim, GroupMembers, Original, Placement, Region, add_member, not_the_original};

/// Places everybody; nothing where the files and the original do not tell.
pub(super) fn members(
    release: &Generalized,
    original: &Original<'_>,
    points: &Points,
    token: &CancelToken,
) -> Result<Option<GroupMembers>> {
    match &original.claim {
        Some(Claim::Placement(placement)) => {
            let fits = Fits::new(release, original);
            let number = by_labels(release, placement, &fits)?;
            as_placed(release, original, points, (&number, &placement.pieces), &fits).map(Some)
        }
        Some(Claim::InGroups(pieces)) => {
            let mut number: Vec<usize> = (0..release.groups.len()).collect();
            number.sort_unstable_by_key(|&group| release.groups.first_row(group));
            as_placed(release, original, points, (&number, pieces), &Fits::new(release, original)).map(Some)
        }
        _ => by_fit(release, original, points, token),
    }
}

/// Which values of the original each published label stands for.
struct Fits {
    /// `labels[a][code][label]`.
    labels: Vec<Vec<Vec<bool>>>,
    /// The label of each group, by attribute.
    of_group: Vec<Vec<u32>>,
}

impl Fits {
    fn new(release: &Generalized, original: &Original<'_>) -> Self {
        let of_attribute = |(regions, (_, domain)): (&Vec<Region>, &(String, Arc<Domain>))| {
            let of_value = |value| regions.iter().map(|region| region.contains(value)).collect();
            domain.values().iter().map(of_value).collect()
        };
        let labels = release.regions().iter().zip(&original.quasi).map(of_attribute).collect();
        let rows: Vec<usize> = (0..release.groups.len()).map(|group| release.groups.first_row(group)).collect();
        let of_group = release.table.quasi.iter().map(|column| rows.iter().map(|&row| column.codes[row]).collect());
        Self { labels, of_group: of_group.collect() }
    }

    fn fits(&self, points: &Points, point: usize, group: usize) -> bool {
        (0..self.labels.len())
            .all(|a| self.labels[a][points.columns[a][point] as usize][self.of_group[a][group] as usize])
    }
}

/// Everybody in the one group that fits; nothing where several do. Who fits none was left out. Where the groups then have
/// exactly the people that they publish, nobody can stand elsewhere.
fn by_fit(
    release: &Generalized,
    original: &Original<'_>,
    points: &Points,
    token: &CancelToken,
) -> Result<Option<GroupMembers>> {
    let adversary = release.adversary(&original.quasi)?;
    let only: Option<Vec<Option<u64>>> = (0..points.len())
        .into_par_iter()
        .map(|point| match adversary.candidates(&points.codes(point)).as_slice() {
            _ if token.is_cancelled() => None,
            [] => Some(None),
            [(group, _)] => Some(Some(*group)),
            _ => None,
        })
        .collect();
    token.check()?;
    let Some(only) = only else { return Ok(None) };
    let mut found = vec![Vec::new(); release.groups.len()];
    for (point, group) in only.into_iter().enumerate() {
        if let Some(group) = group {
            found[group as usize].push((point as u32, points.people[point]));
        }
    }
    let sizes = found.iter().map(|members: &Vec<(u32, u64)>| members.iter().map(|&(_, people)| people).sum::<u64>());
    Ok(sizes.eq(release.groups.people.iter().copied()).then_some(found))
}

/// The number of each group of a placement, by what it publishes.
fn by_labels(release: &Generalized, placement: &Placement, fits: &Fits) -> Result<Vec<usize>> {
    let labels = |group: usize| -> Vec<String> {
        let columns = release.table.quasi.iter().zip(&fits.of_group);
        columns.map(|(column, labels)| column.domain.value(labels[group]).to_string()).collect()
    };
    let group_of: HashMap<Vec<String>, usize> = (0..release.groups.len()).map(|group| (labels(group), group)).collect();
    let known = |labels: &Vec<String>| group_of.get(labels).copied();
    let number: Option<Vec<usize>> = placement.labels.iter().map(known).collect();
    number.ok_or_else(|| not_the_original("its groups are not those of the plan"))
}

/// Everybody where the publisher says, if the files agree: the groups publish those labels, the labels stand for those people, and
/// the sensitive values are those.
fn as_placed(
    release: &Generalized,
    original: &Original<'_>,
    points: &Points,
    (number, pieces): (&[usize], &[(u32, u32, u64)]),
    fits: &Fits,
) -> Result<GroupMembers> {
    let groups = release.groups.len();
    let mut found = vec![Vec::new(); groups];
    let mut values: Vec<Vec<HashMap<u32, u64>>> = vec![vec![HashMap::new(); original.sensitive.len()]; groups];
    let mut pieces = pieces.to_vec();
    pieces.sort_unstable_by_key(|&(_, cell, _)| cell);
    let mut left = original.cells.people.clone();
    for (group, cell, people) in pieces {
        let group = number.get(group as usize).copied();
        let group = group.ok_or_else(|| not_the_original("somebody is placed in a group that it lacks"))?;
        let point = points.of_cell[cell as usize];
        let enough = left[cell as usize].checked_sub(people);
        left[cell as usize] = enough.ok_or_else(|| not_the_original("more people are placed than there are"))?;
        if !fits.fits(points, point as usize, group) {
            return Err(not_the_original("somebody is placed where she does not fit"));
        }
        add_member(&mut found[group], point, people);
        for (attribute, counts) in values[group].iter_mut().enumerate() {
            *counts.entry(original.cells.columns[original.quasi.len() + attribute][cell as usize]).or_default() +=
                people;
        }
    }
    for (group, attributes) in values.iter().enumerate() {
        for (attribute, counts) in attributes.iter().enumerate() {
            let (held, people) = release.groups.held(attribute, group);
            let released = &release.groups.whole.sensitive[attribute].domain;
            let same = held.len() == counts.len()
                && held.iter().zip(people).all(|(&code, people)| {
                    let code = original.sensitive[attribute].1.code(released.value(code));
                    code.and_then(|code| counts.get(&code)) == Some(people)
                });
            if !same {
                return Err(not_the_original("a group's sensitive values are not those of its people"));
            }
        }
    }
    Ok(found)
}
