//! Parting from people until a group keeps the promise.

use super::{Field, FieldMember, Judge, Tally};
use crate::data::merge_counts;

/// Parts from people of whom there are too many, until the group keeps the promise; yields those who leave.
///
/// Each step takes somebody of the kind that is there most in excess of its share of the whole table, or several where
/// the group is large. It helps with promises that compare (closeness, bounded shares), which those who join can
/// break; others gain nothing by it. Nothing, and nothing changed, if the group becomes too small first.
pub(in crate::method) fn trim(
    field: &Field<'_>,
    judge: &mut Judge<'_>,
    tally: &mut Tally,
    members: &mut Vec<FieldMember>,
) -> Option<Vec<FieldMember>> {
    let before = tally.clone();
    let mut kinds: Vec<FieldMember> = members.clone();
    kinds.sort_by_key(|member| field.kind_of_cell[member.cell as usize]);
    // One member for each kind, with the people of all.
    let kind = |member: &FieldMember| field.kind_of_cell[member.cell as usize];
    merge_counts(&mut kinds, |a, b| kind(a) == kind(b), |member| &mut member.people);
    let mut leaving: Vec<u64> = vec![0; kinds.len()];
    while !judge.holds(tally) {
        let need = |&kind: &usize| field.need(tally, kinds[kind].cell);
        let present = (0..kinds.len()).filter(|&kind| leaving[kind] < kinds[kind].people);
        let excess = present.min_by(|a, b| need(a).total_cmp(&need(b)));
        let Some(excess) = excess.filter(|_| tally.people > judge.least()) else {
            *tally = before;
            return None;
        };
        let people = (tally.people / 64).clamp(1, kinds[excess].people - leaving[excess]);
        tally.remove(field, kinds[excess].cell, people);
        leaving[excess] += people;
    }
    let of_kind = |cell: u32| {
        kinds.binary_search_by_key(&field.kind_of_cell[cell as usize], |kind| field.kind_of_cell[kind.cell as usize])
    };
    let mut gone = Vec::new();
    for member in members.iter_mut() {
        let Ok(kind) = of_kind(member.cell) else { continue };
        let people = leaving[kind].min(member.people);
        if people > 0 {
            leaving[kind] -= people;
            member.people -= people;
            gone.push(FieldMember { cell: member.cell, people });
        }
    }
    members.retain(|member| member.people > 0);
    Some(gone)
}
