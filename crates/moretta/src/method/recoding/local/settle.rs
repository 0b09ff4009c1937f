//! From groups of people to a plan that keeps the promise.

use rayon::prelude::*;

use super::{Field, FieldMember, Judge, Tally};
use crate::error::{Code, Error, Result};
use crate::kind::generalized::{Grouping, PlanDraft};
use crate::method::Task;
use crate::model::Requirement;
use crate::release::plan::Piece;
use crate::release::{Ancestor, TableSummary};

/// Makes groups that publish equal values one, judges them again, and joins those that fail with others.
///
/// Merge-safe models lose nothing when equal groups become one; others might. Groups that then fail are
/// joined with the group that it costs least to join, until all hold: fewer groups each time, so it ends.
pub(in crate::method) fn settle(field: &Field<'_>, mut groups: Vec<Vec<FieldMember>>) -> Result<Grouping> {
    loop {
        field.task.token.check()?;
        let plan = draft(field, &groups);
        groups = groups_of_plan(&plan);
        let fails = |members: &Vec<FieldMember>| {
            !field.task.token.is_cancelled() && !Judge::new(field).holds(&Tally::of(field, members))
        };
        let failing: Vec<bool> = groups.par_iter().with_min_len(256).map(fails).collect();
        field.task.token.check()?;
        if !failing.contains(&true) {
            return Ok(plan);
        }
        if groups.len() == 1 {
            return Err(Error::data("no grouping was found that keeps every promise, not even everybody in one group")
                .coded(Code::PromiseImpossible)
                .help("ask for less, or leave some people out with `suppression`"));
        }
        for lonely in (0..groups.len()).rev().filter(|&group| failing[group]) {
            field.task.token.check()?;
            let members = std::mem::take(&mut groups[lonely]);
            match nearest(field, &groups, &members) {
                Some(nearest) => groups[nearest].extend(members),
                None => groups[lonely] = members,
            }
        }
        groups.retain(|members| !members.is_empty());
    }
}

/// The group that it costs least to join; empty ones are none.
fn nearest(field: &Field<'_>, groups: &[Vec<FieldMember>], lonely: &[FieldMember]) -> Option<usize> {
    let growth = |members: &Vec<FieldMember>| {
        let joined: Vec<FieldMember> = members.iter().chain(lonely).copied().collect();
        if members.is_empty() { f64::INFINITY } else { field.total_loss(&joined) - field.total_loss(members) }
    };
    let growths: Vec<f64> = groups.par_iter().map(growth).collect();
    let finite = growths.iter().enumerate().filter(|(_, growth)| growth.is_finite());
    finite.min_by(|a, b| a.1.total_cmp(b.1)).map(|(group, _)| group)
}

/// What groups publish, with those that publish the same as one.
pub(in crate::method) fn draft(field: &Field<'_>, groups: &[Vec<FieldMember>]) -> Grouping {
    let publish = |attribute| groups.par_iter().map(|members| field.generalize(attribute, members)).collect();
    let published = (0..field.ranks.len()).map(publish).collect();
    let pieces = (0..).zip(groups).flat_map(|(group, members)| {
        members.iter().map(move |&FieldMember { cell, people }| Piece { group, cell, people })
    });
    Grouping::from_draft(&field.task.quasi_names, field.task.scales, PlanDraft { published, pieces: pieces.collect() })
        .0
}

/// The people of each group of a plan.
pub(in crate::method) fn groups_of_plan(plan: &Grouping) -> Vec<Vec<FieldMember>> {
    let member = |piece: &Piece| FieldMember { cell: piece.cell, people: piece.people };
    plan.pieces.chunk_by(|a, b| a.group == b.group).map(|run| run.iter().map(member).collect()).collect()
}

/// Whether a plan that leaves people out keeps the promise: models that compare compare with the released.
pub(in crate::method) fn judge_released(field: &Field<'_>, plan: &Grouping) -> Result<bool> {
    let mut people = vec![0; field.task.cells.len()];
    plan.pieces.iter().for_each(|piece| people[piece.cell as usize] += piece.people);
    let whole = released_whole(field.task, &people);
    let released: Requirement<'_> = field.task.requirement.against(&whole)?;
    let groups = groups_of_plan(plan);
    let everybody = Tally::of(field, &groups.concat());
    let everybody = Ancestor::new(everybody.people, everybody.sensitive, None);
    let holds = |members: &Vec<FieldMember>| Judge::by(field, &released, &everybody).holds(&Tally::of(field, members));
    Ok(groups.par_iter().with_min_len(256).all(holds))
}

/// The table as those see it who get only some people of each cell.
pub(in crate::method) fn released_whole(task: &Task<'_>, people: &[u64]) -> TableSummary {
    let mut whole = task.whole.clone();
    whole.people = people.iter().sum();
    for (attribute, codes) in whole.sensitive.iter_mut().zip(&task.cells.columns[task.scales.len()..]) {
        attribute.people.fill(0);
        codes.iter().zip(people).for_each(|(&code, people)| attribute.people[code as usize] += people);
    }
    whole
}
