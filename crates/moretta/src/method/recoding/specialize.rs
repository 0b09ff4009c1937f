//! Specializing people one level at a time, pushing back what fails, pulling back what the rest lacks.

use rayon::prelude::*;

use crate::data::merge_counts;
use crate::method::recoding::local::{Field, FieldMember, Judge, Loan, Offer, Tally, top_up, trim};
use crate::progress::Progress;

/// People under way from the root to single values.
struct Part {
    members: Vec<FieldMember>,
    /// The people of this part that may be left out.
    may_suppress: u64,
}

/// A part after one of its attributes has been specialized.
struct Split {
    parts: Vec<Part>,
    /// The loss of everybody after this step, and how much of it is due to those left out.
    loss: f64,
    lost: f64,
}

/// Far sight: in parts of up to so many members a step is chosen by what comes of it in the end.
pub(in crate::method) const FAR_LOOKAHEAD_LIMIT: usize = 1000;

/// Among more attributes than this sight is shorter.
const MANY: usize = 10;

/// So many valid children are given up, the smallest first, to complete a rest that nobody can complete.
const MAX_SACRIFICES: usize = 4;

/// Specializes everybody until nothing can be specialized any more; yields the groups.
///
/// In parts of up to `sight` members a step is chosen by what comes of it in the end, which takes longer.
/// Parts of one level do not depend on each other: they are worked on in parallel and collected in order.
pub(in crate::method) fn specialize(
    field: &Field<'_>,
    may_suppress: u64,
    sight: usize,
    progress: &Progress,
) -> Vec<Vec<FieldMember>> {
    let sight = if field.is_wide() { shortened(sight, field.ranks.len()) } else { sight };
    let mut groups = Vec::new();
    let mut level = vec![Part { members: field.everybody(), may_suppress }];
    while !level.is_empty() && !progress.is_cancelled() {
        let split =
            |part: Part| best_split(field, &part, sight).map_or_else(|| Err(part.members), |split| Ok(split.parts));
        let outcomes: Vec<Result<Vec<Part>, Vec<FieldMember>>> = level.into_par_iter().map(split).collect();
        level = Vec::new();
        for outcome in outcomes {
            match outcome {
                Ok(parts) => level.extend(parts),
                Err(group) => {
                    progress.advance(group.len() as u64);
                    groups.push(group);
                }
            }
        }
    }
    groups
}

/// How far to see among many attributes: looking ahead tries each of them for every step of every step, on a way
/// that has more steps the more there are.
fn shortened(sight: usize, attributes: usize) -> usize {
    sight.saturating_mul(MANY.pow(3)) / attributes.pow(3)
}

/// The specialization of one attribute that leaves the least loss; nothing if none is possible.
///
/// In large parts the loss is that after this one step. In small ones, where a choice decides who ends up
/// with whom, it is that after all further steps, each taken by the loss after one.
fn best_split(field: &Field<'_>, part: &Part, sight: usize) -> Option<Split> {
    let attributes = 0..field.ranks.len();
    if part.members.len() > sight {
        let splits: Vec<Option<Split>> = attributes.into_par_iter().map(|a| split(field, part, a)).collect();
        return splits.into_iter().flatten().min_by(|a, b| a.loss.total_cmp(&b.loss));
    }
    let splits = splits(field, part)
        .map(|split| (split.lost + split.parts.iter().map(|p| outlook(field, p)).sum::<f64>(), split));
    splits.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, split)| split)
}

/// The loss of a part when every further step is the one that leaves the least loss after it.
fn outlook(field: &Field<'_>, part: &Part) -> f64 {
    match splits(field, part).min_by(|a, b| a.loss.total_cmp(&b.loss)) {
        None => field.total_loss(&part.members),
        Some(split) => split.lost + split.parts.iter().map(|part| outlook(field, part)).sum::<f64>(),
    }
}

fn splits(field: &Field<'_>, part: &Part) -> impl Iterator<Item = Split> {
    (0..field.ranks.len()).filter_map(|attribute| split(field, part, attribute))
}

/// Specializes one attribute of a part (Sun et al. 2010, algorithm 1, steps 7 to 10).
fn split(field: &Field<'_>, part: &Part, attribute: usize) -> Option<Split> {
    let (first, last) = field.span(attribute, &part.members);
    let people: u64 = part.members.iter().map(|member| member.people).sum();
    let mut judge = Judge::new(field);
    // A child that holds and whatever is not in it need so many, unless the latter may be left out.
    if field.task.token.is_cancelled() {
        return None;
    }
    if first == last || people <= judge.least() || (people < 2 * judge.least() && part.may_suppress == 0) {
        return None;
    }
    let mut children = children_of(field, &part.members, attribute, (first, last));
    let mut tallies: Vec<Tally> = children.iter().map(|members| Tally::of(field, members)).collect();

    // Push back the children that fail, or as many of their people as it takes.
    let comparing = !field.task.requirement.safety().grow;
    let mut rest: Vec<FieldMember> = Vec::new();
    let mut rest_tally = Tally::new(field);
    for child in (0..children.len()).rev() {
        if judge.holds(&tallies[child]) {
            continue;
        }
        let trimmed = comparing.then(|| trim(field, &mut judge, &mut tallies[child], &mut children[child])).flatten();
        match trimmed {
            Some(gone) => {
                rest_tally.join(&Tally::of(field, &gone));
                rest.extend(gone);
            }
            None => {
                rest.extend(children.remove(child));
                rest_tally.join(&tallies.remove(child));
            }
        }
    }
    if children.is_empty() {
        return None;
    }

    let mut suppressed = 0;
    if !rest.is_empty() && !judge.holds(&rest_tally) {
        let completed = complete(field, &mut judge, &mut rest, &mut rest_tally, &mut children, &mut tallies);
        if !completed {
            if rest_tally.people > part.may_suppress || children.is_empty() {
                return None;
            }
            suppressed = rest_tally.people;
            rest.clear();
        }
    }
    unite(&mut rest);
    let groups = children.into_iter().chain((!rest.is_empty()).then_some(rest));
    let lost = suppressed as f64 * field.ranks.len() as f64;
    let mut loss = lost;
    let parts = groups.map(|members| {
        loss += field.total_loss(&members);
        // Each part may leave out its share, whatever the others do: the outcome can't depend on who comes first.
        let inside: u64 = members.iter().map(|member| member.people).sum();
        let share = u128::from(part.may_suppress - suppressed) * u128::from(inside) / u128::from(people - suppressed);
        Part { members, may_suppress: share as u64 }
    });
    let parts = parts.collect();
    Some(Split { parts, loss, lost })
}

/// Makes one member of all people of a cell: some may have been pushed back, others pulled.
fn unite(members: &mut Vec<FieldMember>) {
    members.sort_by_key(|member| member.cell);
    merge_counts(members, |a, b| a.cell == b.cell, |member| &mut member.people);
}

/// The members by the child that they lie in, in the order of ranks; no child is empty.
fn children_of(
    field: &Field<'_>,
    members: &[FieldMember],
    attribute: usize,
    (first, last): (u32, u32),
) -> Vec<Vec<FieldMember>> {
    let taxonomy = &field.taxonomies[attribute];
    let ranks = &field.ranks[attribute];
    let node = taxonomy.common(first, last);
    let child = field.by_rank(attribute, members.len(), |rank| taxonomy.child(node, rank));
    let mut by_child: Vec<(u32, FieldMember)> =
        members.iter().map(|&member| (child(ranks[member.cell as usize]), member)).collect();
    by_child.sort_by_key(|&(child, _)| child);
    let runs = by_child.chunk_by(|a, b| a.0 == b.0);
    runs.map(|run| run.iter().map(|&(_, member)| member).collect()).collect()
}

/// Pulls people back from children that stay valid without them, until the rest holds.
///
/// Where no choice of theirs does it, the smallest child is given up: all its people come back.
fn complete(
    field: &Field<'_>,
    judge: &mut Judge<'_>,
    rest: &mut Vec<FieldMember>,
    rest_tally: &mut Tally,
    children: &mut Vec<Vec<FieldMember>>,
    tallies: &mut Vec<Tally>,
) -> bool {
    for _ in 0..=MAX_SACRIFICES {
        let offers = offers(field, rest, children, tallies, judge.least());
        if let Some(loans) = top_up(field, judge, rest_tally, tallies, offers) {
            move_loans(&loans, rest, children);
            return true;
        }
        let smallest = (0..children.len()).min_by_key(|&child| tallies[child].people);
        let Some(smallest) = smallest.filter(|_| children.len() > 1) else { return false };
        rest.extend(children.remove(smallest));
        rest_tally.join(&tallies.remove(smallest));
        if judge.holds(rest_tally) {
            return true;
        }
    }
    false
}

/// Who could be pulled back, at what cost: by how much they widen what the rest publishes.
fn offers(
    field: &Field<'_>,
    rest: &[FieldMember],
    children: &[Vec<FieldMember>],
    tallies: &[Tally],
    least: u64,
) -> Vec<Offer> {
    let able = (0..).zip(children).zip(tallies).filter(|(_, tally)| tally.people > least);
    let asked = able.clone().map(|((_, members), _)| members.len()).sum();
    let widened: Vec<_> = (0..field.ranks.len())
        .map(|attribute| {
            let (taxonomy, (first, last)) = (&field.taxonomies[attribute], field.span(attribute, rest));
            let widened = move |rank: u32| taxonomy.loss(taxonomy.common(first.min(rank), last.max(rank)));
            field.by_rank(attribute, asked, widened)
        })
        .collect();
    let cost = |cell: u32| -> f64 {
        widened.iter().zip(&field.ranks).map(|(widened, ranks)| widened(ranks[cell as usize])).sum()
    };
    able.flat_map(|((donor, members), _)| {
        members.iter().map(move |&FieldMember { cell, people }| Offer { donor, cell, people, cost: cost(cell) })
    })
    .collect()
}

fn move_loans(loans: &[Loan], rest: &mut Vec<FieldMember>, children: &mut [Vec<FieldMember>]) {
    let mut sorted = loans.to_vec();
    sorted.sort_by_key(|loan| (loan.donor, loan.cell));
    for lent in sorted.chunk_by(|a, b| a.donor == b.donor) {
        let child = &mut children[lent[0].donor as usize];
        for member in child.iter_mut() {
            let from = lent.partition_point(|loan| loan.cell < member.cell);
            let same = lent[from..].iter().take_while(|loan| loan.cell == member.cell);
            let people: u64 = same.map(|loan| loan.people).sum();
            member.people -= people;
            if people > 0 {
                rest.push(FieldMember { cell: member.cell, people });
            }
        }
        child.retain(|member| member.people > 0);
    }
}
