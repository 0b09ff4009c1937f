//! Ranges that are too small for a group of their own join a group of another range.

use crate::method::recoding::local::{Field, FieldMember};

/// The groups of all ranges. What joins what is decided by sizes and quasi-identifiers alone.
///
/// Every range has the groups that it was split into; one that holds fewer than `least` people is one group, and joins the group of others that
/// it widens least. Where all are too small, everybody is in one.
pub(super) fn join(field: &Field<'_>, ranges: Vec<Vec<Vec<u32>>>, least: u64) -> Vec<Vec<FieldMember>> {
    let all = ranges.into_iter().flatten().map(|cells| members(&cells));
    let (mut groups, small): (Vec<_>, Vec<_>) = all.partition(|members| size(members) >= least);
    for lonely in small {
        let growth = |members: &Vec<FieldMember>| {
            let joined: Vec<FieldMember> = members.iter().chain(&lonely).copied().collect();
            field.total_loss(&joined) - field.total_loss(members)
        };
        let growths = groups.iter().map(growth).enumerate();
        match growths.reduce(|best, other| if other.1 < best.1 { other } else { best }) {
            Some((nearest, _)) => groups[nearest].extend(lonely),
            None => groups.push(lonely),
        }
    }
    groups
}

fn size(members: &[FieldMember]) -> u64 {
    members.iter().map(|member| member.people).sum()
}

/// The cells of a group's people, each with how many of them are in it.
fn members(cells: &[u32]) -> Vec<FieldMember> {
    let mut cells = cells.to_vec();
    cells.sort_unstable();
    cells.chunk_by(|a, b| a == b).map(|run| FieldMember { cell: run[0], people: run.len() as u64 }).collect()
}
