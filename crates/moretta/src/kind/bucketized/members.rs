//! Who stands in which group: a bucketized release shows the exact quasi-identifiers of each.

use super::Bucketized;
use crate::error::Result;
use crate::knowledge::Points;
use crate::release::{GroupMembers, Original, add_member, foreign_value, not_the_original};

/// Finds the points of the original that the rows of each group show.
pub(super) fn members(release: &Bucketized, original: &Original<'_>, points: &Points) -> Result<GroupMembers> {
    let columns = release.qit.quasi.iter().zip(&original.quasi).map(|(column, (name, domain))| {
        let code = |value| domain.code(value).ok_or_else(|| foreign_value(name, value));
        let codes = column.domain.values().iter().map(code).collect::<Result<Vec<u32>>>()?;
        Ok(column.codes.iter().map(|&code| codes[code as usize]).collect::<Vec<u32>>())
    });
    let columns = columns.collect::<Result<Vec<_>>>()?;
    let mut left = points.people.clone();
    let mut found: GroupMembers = vec![Vec::new(); release.groups.len()];
    let mut person = vec![0; columns.len()];
    for (row, &group) in release.group_of_row.iter().enumerate() {
        person.iter_mut().zip(&columns).for_each(|(code, column)| *code = column[row]);
        let people = release.qit.weights.as_ref().map_or(1, |weights| weights[row]);
        let point = points.find(&person).filter(|&point| left[point as usize] >= people);
        let point = point.ok_or_else(|| not_the_original("it has people who are not there"))?;
        left[point as usize] -= people;
        found[group as usize].push((point, people));
    }
    for members in &mut found {
        members.sort_unstable();
        let mut counted = Vec::new();
        members.iter().for_each(|&(point, people)| add_member(&mut counted, point, people));
        *members = counted;
    }
    Ok(found)
}
