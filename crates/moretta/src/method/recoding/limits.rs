//! Attributes that follow others, and levels above which nothing is generalized: what every method that generalizes keeps in the same way.

use rayon::prelude::*;

use crate::data::cells::{Cells, count_distinct};
use crate::data::lookup::HashMap;
use crate::error::{Code, Error, Result};
use crate::hierarchy::{GeneralizedValue, Scale};
use crate::kind::generalized::{Grouping, PlanDraft};
use crate::method::{Link, Task};
use crate::model::{Requirement, Scope};
use crate::progress::Progress;
use crate::release::TableSummary;
use crate::release::plan::Piece;
use crate::text::{counted, enough};

use super::local::released_whole;

/// A way to plan.
pub(in crate::method) type Planner<'p> = dyn Fn(&Task<'_>, &Progress) -> Result<Grouping> + Sync + 'p;

/// Plans with the attributes that follow others, and below the levels that a policy does not let values leave.
pub(in crate::method) fn within_limits(task: &Task<'_>, progress: &Progress, plan: &Planner<'_>) -> Result<Grouping> {
    with_followers(task, progress, &|task, progress| in_blocks(task, progress, plan))
}

/// Plans without attributes that follow others, and lets them follow.
///
/// A follower is a function of its leader in the table, so each group publishes for it what the values below the leader's label have become: the groups
/// are those of the other attributes, and the follower's label is a function of the leader's.
pub(in crate::method) fn with_followers(task: &Task<'_>, progress: &Progress, plan: &Planner<'_>) -> Result<Grouping> {
    if task.links.is_empty() {
        return plan(task, progress);
    }
    refuse_what_knows_attributes(task, "linked")?;
    let all = task.scales.len();
    let link_of = |attribute: usize| task.links.iter().find(|link| link.attribute == attribute);
    let kept: Vec<usize> = (0..all).filter(|&attribute| link_of(attribute).is_none()).collect();
    let scales: Vec<Scale> = kept.iter().map(|&attribute| task.scales[attribute].clone()).collect();
    let columns = kept.iter().copied().chain(all..task.cells.columns.len());
    let cells = Cells {
        columns: columns.map(|column| task.cells.columns[column].clone()).collect(),
        people: task.cells.people.clone(),
        cell_of_row: Vec::new(),
    };
    let inner = Task {
        quasi_names: kept.iter().map(|&attribute| task.quasi_names[attribute].clone()).collect(),
        scales: &scales,
        cells: &cells,
        sensitive_sizes: task.sensitive_sizes.clone(),
        links: &[],
        ..*task
    };
    let found = plan(&inner, progress)?;
    let place = |attribute: usize| kept.partition_point(|&other| other < attribute);
    let published = |attribute: usize| match link_of(attribute) {
        None => values_of(&found, place(attribute)),
        Some(link) => {
            let leader = place(link.leader);
            let followed = Followed::new(&scales[leader], &task.scales[attribute], link);
            let values: Vec<GeneralizedValue> =
                found.attributes[leader].values.iter().map(|value| followed.beside(value)).collect();
            found.groups[leader].iter().map(|&value| values[value as usize].clone()).collect()
        }
    };
    let draft = PlanDraft { published: (0..all).map(published).collect(), pieces: found.pieces.clone() };
    let (grouping, _) = Grouping::from_draft(&task.quasi_names, task.scales, draft);
    Ok(Grouping { notes: found.notes, ..grouping })
}

/// What an attribute of a plan becomes in each group.
fn values_of(plan: &Grouping, attribute: usize) -> Vec<GeneralizedValue> {
    plan.groups[attribute].iter().map(|&value| plan.attributes[attribute].values[value as usize].clone()).collect()
}

/// What goes with the values of a leader, by its ranks.
struct Followed<'a> {
    leader: &'a Scale,
    follower: &'a Scale,
    /// The follower's rank for each of the leader's codes.
    by_code: Vec<u32>,
    /// The leader's code at each of its ranks; nothing at a leaf that nobody has.
    code_at: Vec<Option<u32>>,
}

impl<'a> Followed<'a> {
    fn new(leader: &'a Scale, follower: &'a Scale, link: &Link) -> Self {
        let ranks = follower.rank_of_codes();
        let by_code = link.code_of.iter().map(|&code| ranks[code as usize]).collect();
        let mut code_at = vec![None; leader.ranks() as usize];
        (0..).zip(leader.rank_of_codes()).for_each(|(code, rank)| code_at[rank as usize] = Some(code));
        Self { leader, follower, by_code, code_at }
    }

    /// The smallest value of the follower over all that goes with a value of the leader in the table.
    fn beside(&self, value: &GeneralizedValue) -> GeneralizedValue {
        let codes: Vec<u32> = match (value, self.leader.tree()) {
            (GeneralizedValue::Node(node), Some(tree)) => {
                tree.ranks(*node).filter_map(|rank| self.code_at[rank as usize]).collect()
            }
            (GeneralizedValue::Interval(first, last), _) => (*first..=*last).collect(),
            (GeneralizedValue::Set(codes), _) => codes.to_vec(),
            (GeneralizedValue::Node(_), None) => Vec::new(),
        };
        let mut ranks: Vec<u32> = codes.iter().map(|&code| self.by_code[code as usize]).collect();
        ranks.sort_unstable();
        ranks.dedup();
        let (first, last) = (ranks.first().copied().unwrap_or(0), ranks.last().copied().unwrap_or(0));
        self.follower.generalize(first, last, || ranks.into())
    }
}

/// Plans each block by itself, where values may not rise above some level: people with different values at that level can't publish the same.
///
/// A block that does not keep the promise by itself can't be helped by others. Its people are left out, as far as the policy allows.
fn in_blocks(task: &Task<'_>, progress: &Progress, plan: &Planner<'_>) -> Result<Grouping> {
    let limited: Vec<usize> = (0..task.scales.len()).filter(|&a| task.scales[a].max_level().is_some()).collect();
    if limited.is_empty() {
        return plan(task, progress);
    }
    refuse_what_knows_attributes(task, "max_level")?;
    if task.persons.is_some() {
        return Err(Error::input("`max_level` parts the table, and several rows may belong to one person: her rows would be counted in each part")
            .coded(Code::WrongParameter)
            .help("use the method full-domain, or leave `max_level` out"));
    }
    let blocks = blocks(task, &limited);
    let (kept, left) = promising(task, &limited, &blocks)?;
    let requirement = left.as_ref().map_or(task.requirement, |left| &left.requirement);
    let whole = left.as_ref().map_or(task.whole, |left| &left.whole);
    let out: u64 = task.cells.total() - kept.iter().map(|block| people_of(task, block)).sum::<u64>();
    // What a closeness compares with is settled: whoever else was left out would change it.
    let spare = if requirement.compares_with_whole() { 0 } else { task.may_suppress - out };
    let total = task.cells.total();
    progress.start("generalizing below a level", kept.len() as u64);
    let of_block = |(number, block): (usize, &Vec<u32>)| -> Result<Grouping> {
        let pick = |column: &Vec<u32>| block.iter().map(|&cell| column[cell as usize]).collect();
        let cells = Cells {
            columns: task.cells.columns.iter().map(pick).collect(),
            people: block.iter().map(|&cell| task.cells.people[cell as usize]).collect(),
            cell_of_row: Vec::new(),
        };
        let share = u128::from(spare) * u128::from(cells.total()) / u128::from(total.max(1));
        let mut key = [0; 32];
        key[..8].copy_from_slice(&(number as u64).to_le_bytes());
        let inner = Task {
            quasi_names: task.quasi_names.clone(),
            sensitive_sizes: task.sensitive_sizes.clone(),
            cells: &cells,
            requirement,
            whole,
            may_suppress: share as u64,
            seed: task.seed.for_table(&key),
            ..*task
        };
        let found = plan(&inner, &Progress::default());
        progress.advance(1);
        found
    };
    let plans: Vec<Grouping> = kept.par_iter().enumerate().map(of_block).collect::<Result<_>>()?;
    progress.check()?;
    let (mut pieces, mut notes): (Vec<Piece>, Vec<String>) = (Vec::new(), Vec::new());
    let mut published: Vec<Vec<GeneralizedValue>> = vec![Vec::new(); task.scales.len()];
    for (plan, block) in plans.iter().zip(&kept) {
        let before = published.first().map_or(0, Vec::len) as u32;
        let own = plan.pieces.iter().map(|piece| Piece {
            group: before + piece.group,
            cell: block[piece.cell as usize],
            people: piece.people,
        });
        pieces.extend(own);
        published.iter_mut().enumerate().for_each(|(attribute, all)| all.extend(values_of(plan, attribute)));
        notes.extend(plan.notes.iter().filter(|note| !notes.contains(note)).cloned().collect::<Vec<_>>());
    }
    if out > 0 {
        notes.push(format!(
            "{} left out because too few people share what {} may become at most",
            were(out),
            names(task, &limited)
        ));
    }
    let (grouping, _) = Grouping::from_draft(&task.quasi_names, task.scales, PlanDraft { published, pieces });
    Ok(Grouping { notes, ..grouping })
}

fn were(people: u64) -> String {
    format!("{} {}", counted(people, "person", "people"), if people == 1 { "was" } else { "were" })
}

fn names(task: &Task<'_>, attributes: &[usize]) -> String {
    attributes.iter().map(|&a| format!("{:?}", task.quasi_names[a])).collect::<Vec<_>>().join(", ")
}

fn people_of(task: &Task<'_>, block: &[u32]) -> u64 {
    block.iter().map(|&cell| task.cells.people[cell as usize]).sum()
}

/// The cells of each block, in the order of their values.
fn blocks(task: &Task<'_>, limited: &[usize]) -> Vec<Vec<u32>> {
    let nodes = |&attribute: &usize| {
        let nodes = task.scales[attribute].nodes_of_codes_at_most().unwrap_or_default();
        let column: Vec<u32> = task.cells.columns[attribute].iter().map(|&code| nodes[code as usize]).collect();
        (column, task.scales[attribute].tree().map_or(1, |tree| tree.len() as usize))
    };
    let columns: Vec<(Vec<u32>, usize)> = limited.iter().map(nodes).collect();
    let sized: Vec<(&[u32], usize)> = columns.iter().map(|(column, size)| (column.as_slice(), *size)).collect();
    let distinct = count_distinct(&sized, task.cells.len(), None);
    let mut blocks = vec![Vec::new(); distinct.len()];
    (0..).zip(&distinct.cell_of_row).for_each(|(cell, &block)| blocks[block as usize].push(cell));
    blocks
}

/// What is left when the people of some blocks are left out.
struct Left<'m> {
    requirement: Requirement<'m>,
    whole: TableSummary,
}

/// The blocks that keep the promise by themselves, and what promises then compare with, where that is not the whole table any more.
fn promising<'m>(task: &Task<'m>, limited: &[usize], blocks: &[Vec<u32>]) -> Result<(Vec<Vec<u32>>, Option<Left<'m>>)> {
    let (kept, left) = standing(task, blocks)?;
    let out = task.cells.total() - kept.iter().map(|block| people_of(task, block)).sum::<u64>();
    if out <= task.may_suppress && !kept.is_empty() {
        return Ok((kept, left));
    }
    let share = enough(out as f64 / task.cells.total().max(1) as f64);
    let message = format!(
        "{} can't stay at or below {}: {} share what it becomes there with too few others for the promises",
        names(task, limited),
        if limited.len() == 1 { "its `max_level`" } else { "their `max_level`" },
        counted(out, "person", "people"),
    );
    Err(Error::data(message).coded(Code::NeedsSuppression).help(format!(
        "{}raise `max_level`, add suppress_cells = true, which lets such values become *, {}or use coarser hierarchies",
        culprit(task, limited)?,
        if kept.is_empty() { String::new() } else { format!("set suppression = {share} or more under [method], ") },
    )))
}

/// The limit without which nobody, or the fewest, would have to be left out.
fn culprit(task: &Task<'_>, limited: &[usize]) -> Result<String> {
    if limited.len() < 2 {
        return Ok(String::new());
    }
    let mut least: Option<(u64, usize)> = None;
    for &attribute in limited {
        let others: Vec<usize> = limited.iter().copied().filter(|&other| other != attribute).collect();
        let (kept, _) = standing(task, &self::blocks(task, &others))?;
        let out = task.cells.total() - kept.iter().map(|block| people_of(task, block)).sum::<u64>();
        if least.is_none_or(|(fewest, _)| out < fewest) {
            least = Some((out, attribute));
        }
    }
    Ok(least.map_or_else(String::new, |(out, attribute)| {
        format!("without the limit of {:?} it were {}; ", task.quasi_names[attribute], counted(out, "person", "people"))
    }))
}

/// Leaves out blocks that fail until those that stand hold beside what is left.
fn standing<'m>(task: &Task<'m>, blocks: &[Vec<u32>]) -> Result<(Vec<Vec<u32>>, Option<Left<'m>>)> {
    let mut kept = blocks.to_vec();
    let mut left: Option<Left<'m>> = None;
    loop {
        task.token.check()?;
        let requirement = left.as_ref().map_or(task.requirement, |left| &left.requirement);
        let judged = Task {
            quasi_names: task.quasi_names.clone(),
            sensitive_sizes: task.sensitive_sizes.clone(),
            requirement,
            ..*task
        };
        let holds: Vec<bool> = kept.par_iter().map(|block| judged.holds(block)).collect();
        if !holds.contains(&false) {
            return Ok((kept, left));
        }
        let mut holding = holds.into_iter();
        kept.retain(|_| holding.next() == Some(true));
        if kept.is_empty() {
            return Ok((kept, None));
        }
        let mut people = vec![0; task.cells.len()];
        kept.iter().flatten().for_each(|&cell| people[cell as usize] = task.cells.people[cell as usize]);
        let whole = released_whole(task, &people);
        match task.requirement.against(&whole) {
            Ok(requirement) => left = Some(Left { requirement, whole }),
            // What is left can't keep the promise, whoever stands together.
            Err(_) => return Ok((Vec::new(), None)),
        }
    }
}

/// Promises about who the members of a group are, or about parts around it, know every attribute by itself.
fn refuse_what_knows_attributes(task: &Task<'_>, key: &str) -> Result<()> {
    let mut models = task.requirement.models().iter();
    let about_members = models.find(|model| matches!(model.scope(), Scope::Members(_))).map(|model| model.name());
    let about_parts = task.requirement.needs_ancestors().map(|_| "n-t-closeness");
    match about_members.or(about_parts) {
        None => Ok(()),
        Some(model) => Err(Error::input(format!("{model} can't be promised where attributes have `{key}`: it asks about parts of the table that cut across it"))
            .coded(Code::ModelUnsupported)
            .help(format!("leave `{key}` out, or require another model"))),
    }
}

/// Which code of a follower goes with each code of its leader, and for how many people something else does.
pub(in crate::method) fn follows(cells: &Cells, leader: usize, follower: usize, codes: usize) -> (Vec<u32>, u64) {
    let mut people: HashMap<(u32, u32), u64> = HashMap::new();
    for ((&own, &other), count) in cells.columns[leader].iter().zip(&cells.columns[follower]).zip(&cells.people) {
        *people.entry((own, other)).or_insert(0) += count;
    }
    let mut best: Vec<Option<(u64, u32)>> = vec![None; codes];
    let mut against = 0;
    for ((own, other), count) in people.into_sorted() {
        let best = &mut best[own as usize];
        match *best {
            Some((most, _)) if most >= count => against += count,
            Some((most, _)) => {
                against += most;
                *best = Some((count, other));
            }
            None => *best = Some((count, other)),
        }
    }
    (best.into_iter().map(|best| best.map_or(0, |(_, other)| other)).collect(), against)
}
