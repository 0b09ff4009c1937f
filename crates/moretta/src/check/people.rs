//! The people of groups, recounted beside the original where several rows may belong to one.

use crate::error::Result;
use crate::kind::Release;
use crate::knowledge::Points;
use crate::progress::CancelToken;
use crate::release::{Groups, Original, foreign_value, not_the_original};

/// The cells of an original that stand in no group were left out.
pub const LEFT_OUT: u32 = u32::MAX;

/// The group of each cell of the original; nothing where the files and the publisher's placement do not tell, or where people with equal
/// quasi-identifiers stand in several groups, so that it is not known whose row stands where.
pub fn group_of_cells(release: &dyn Release, original: &Original<'_>, token: &CancelToken) -> Result<Option<Vec<u32>>> {
    let Some((scales, _)) = original.described else { return Ok(None) };
    let points = Points::of_cells(original.cells, scales);
    let Ok(Some(members)) = release.members(original, &points, token)? else { return Ok(None) };
    let mut group_of_point = vec![LEFT_OUT; points.len()];
    for (group, members) in (0..).zip(&members) {
        for &(point, rows) in members {
            if rows != points.people[point as usize] {
                return Ok(None);
            }
            group_of_point[point as usize] = group;
        }
    }
    Ok(Some(points.of_cell.iter().map(|&point| group_of_point[point as usize]).collect()))
}

/// The groups of a release with different people where rows were counted, each one's rows being those of the original that stand there.
///
/// It is compared with the files: every group must have exactly the sensitive values of the rows that are said to stand in it. Nothing is
/// returned where the original does not say whose rows are, or where rows can't be placed.
pub(super) fn by_people(release: &dyn Release, original: &Original<'_>, token: &CancelToken) -> Result<Option<Groups>> {
    let (Some(persons), Ok(groups)) = (original.persons, release.groups()) else { return Ok(None) };
    let Some(group_of_cell) = group_of_cells(release, original, token)? else { return Ok(None) };
    let placed = || (0..).zip(&group_of_cell).filter(|&(_, &group)| group != LEFT_OUT);
    let mut holders = Vec::with_capacity(original.sensitive.len());
    for (attribute, (name, domain)) in original.sensitive.iter().enumerate() {
        token.check()?;
        let codes = &original.cells.columns[original.quasi.len() + attribute];
        let released = &groups.whole.sensitive[attribute].domain;
        let mut rows: Vec<(u32, u32, u32, u64)> = Vec::with_capacity(codes.len());
        for (cell, &group) in placed() {
            let cell: usize = cell;
            let value = domain.value(codes[cell]);
            let code =
                released.code(value).ok_or_else(|| not_the_original("it lacks a value of those who are in it"))?;
            rows.push((group, code, persons.of_cell[cell], original.cells.people[cell]));
        }
        rows.sort_unstable();
        let mut counted = rows.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
        for group in 0..groups.len() {
            let (held, people) = groups.held(attribute, group);
            for (&code, &people) in held.iter().zip(people) {
                let same = counted.next().is_some_and(|run| {
                    (run[0].0 as usize, run[0].1) == (group, code) && run.iter().map(|row| row.3).sum::<u64>() == people
                });
                if !same {
                    return Err(match domain.code(released.value(code)) {
                        None => foreign_value(name, released.value(code)),
                        Some(_) => not_the_original("a group's sensitive values are not those of its people"),
                    });
                }
            }
        }
        if counted.next().is_some() {
            return Err(not_the_original("a group lacks a value of its people"));
        }
        rows.dedup_by_key(|row| (row.0, row.1, row.2));
        holders.push(rows.iter().map(|row| (row.0, row.1)).collect::<Vec<(u32, u32)>>());
    }
    let mut present: Vec<(u32, u32)> =
        placed().map(|(cell, &group): (usize, _)| (group, persons.of_cell[cell])).collect();
    present.sort_unstable();
    present.dedup();
    let mut people = vec![0; groups.len()];
    present.iter().for_each(|&(group, _)| people[group as usize] += 1);
    let everyone = persons.count(placed().map(|(cell, _)| cell as u32));
    Ok(Some(groups.clone().recounted(everyone, people, &holders)))
}
