//! Anatomy: exact quasi-identifiers, cut off from the sensitive values of small groups.

mod residue;
#[cfg(test)]
mod tests;

use self::residue::Residue;
use super::recoding::crowd::Crowd;
use super::{Method, MethodEntry, Task, Transparency};
use crate::config::Section;
use crate::data::role::Role;
use crate::distance::Scratch;
use crate::error::{Code, Error, Result};
use crate::kind::bucketized::BucketizedPlan;
use crate::kind::{KindId, Plan};
use crate::method::Supports;
use crate::model::SeveralRows;
use crate::model::{
    Group, ModelId, bucket_size, distinct_l_diversity, entropy_l_diversity, probabilistic_l_diversity,
    recursive_l_diversity,
};
use crate::progress::Progress;
use crate::release::plan::{Buckets, Piece};
use crate::text::enough;

pub(super) const ENTRY: MethodEntry = MethodEntry {
    name: "anatomy",
    summary: "exact quasi-identifiers, apart from the sensitive values of groups of l different ones",
    paper: "Xiao, Tao 2006",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/methods/anatomy.md")),
    suppresses: true,
    supports: Supports::Only(OF_COUNTS),
    kinds: &[KindId::Bucketized],
    transparency: Transparency::Holds(
        "groups are formed by sensitive values and chance alone, so that the people of a group are interchangeable",
    ),
    several_rows: SeveralRows::Refused("it deals rows by value: two of one person may land in one group"),
    read,
};

/// Anatomizing (Xiao and Tao, VLDB 2006, Figure 4): while ℓ sensitive values have people left, one person of each of
/// the ℓ fullest makes a group; whoever remains joins a group that lacks the value.
///
/// With several sensitive attributes a group's people differ in each of them.
#[derive(Clone, Copy, Debug)]
struct Anatomy;

/// Models that look only at how many people share values: they hold for any group of enough different ones.
const OF_COUNTS: &[ModelId] = &[
    bucket_size::ENTRY.id(),
    distinct_l_diversity::ENTRY.id(),
    probabilistic_l_diversity::ENTRY.id(),
    entropy_l_diversity::ENTRY.id(),
    recursive_l_diversity::ENTRY.id(),
];

/// After so many groups in a row that could not be filled, those who are left are taken for residue.
const MAX_FAILED_GROUPS: usize = 64;

#[expect(clippy::unnecessary_wraps, reason = "other methods have parameters that may be wrong")]
fn read(_: &mut Section<'_>) -> Result<Box<dyn Method>> {
    Ok(Box::new(Anatomy))
}

impl Method for Anatomy {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn supports(&self) -> Supports {
        ENTRY.supports
    }

    fn kind(&self) -> KindId {
        KindId::Bucketized
    }

    fn supports_role(&self, role: Role) -> bool {
        !matches!(role, Role::Group | Role::Unclassified)
    }

    fn plan(&self, task: &Task<'_>, progress: &Progress) -> Result<Box<dyn Plan>> {
        task.refuse_too_many(ENTRY.name)?;
        let size = group_size(task)?;
        progress.start("grouping", task.cells.total());
        let (members, rest) = anatomize(task, size, progress);
        progress.check()?;
        let groups = members.len() / size;
        if groups == 0 {
            return Err(Error::data(format!("no {size} people of this table differ in every sensitive attribute"))
                .coded(Code::PromiseImpossible));
        }
        let mut pieces: Vec<Piece> = members
            .iter()
            .enumerate()
            .map(|(index, &cell)| Piece { group: (index / size) as u32, cell, people: 1 })
            .collect();
        let mut residue = Residue::new(task, &members, size);
        let stuck = residue.index(rest, &mut pieces);
        if stuck > task.may_suppress {
            return Err(stuck_people(task, size, stuck));
        }
        Ok(Box::new(BucketizedPlan(Buckets { pieces: Piece::joined(pieces), len: groups, ..Buckets::default() })))
    }
}

/// How many different values a group needs so that every promise holds.
fn group_size(task: &Task<'_>) -> Result<usize> {
    let most = task.sensitive_sizes.iter().copied().min().unwrap_or(0);
    if most == 0 {
        return Err(Error::input("anatomy needs a sensitive attribute")
            .help("give role = \"sensitive\" to the attribute that must not be learned about a person"));
    }
    let mut scratch = Scratch::default();
    let mut histograms: Vec<Vec<u64>> = task.sensitive_sizes.iter().map(|&size| vec![0; size]).collect();
    for size in 1..=most {
        histograms.iter_mut().for_each(|histogram| histogram[size - 1] = 1);
        let group = Group { people: size as u64, sensitive: &histograms, parent: None };
        if task.requirement.holds(&group, &mut scratch) {
            return Ok(size);
        }
    }
    Err(Error::data(format!("a group of {most} different values does not keep the promise, and there are no more"))
        .coded(Code::PromiseImpossible)
        .help("ask for less, or use mondrian with recoding = \"bucketize\", which forms larger groups"))
}

/// The members of groups, group after group, and whoever is left.
fn anatomize(task: &Task<'_>, size: usize, progress: &Progress) -> (Vec<u32>, Vec<(u32, u64)>) {
    let sensitive = &task.cells.columns[task.scales.len()..];
    let first = fullest_attribute(task);
    // Values of the first attribute differ by themselves; only those of others are looked at.
    let quasi = task.scales.len();
    let kept: Vec<usize> = if sensitive.len() == 1 { vec![] } else { (quasi..quasi + sensitive.len()).collect() };
    let stream = |value| task.stream("crowd", value);
    let mut crowd = Crowd::new(task.cells, quasi + first, task.sensitive_sizes[first], &kept, true, stream);
    let mut members: Vec<u32> = Vec::with_capacity(task.cells.total() as usize);
    let mut dissolved: Vec<(u32, u64)> = Vec::new();
    let mut tried: Vec<u32> = Vec::with_capacity(size);
    let mut failures = 0;
    while failures < MAX_FAILED_GROUPS && !progress.is_cancelled() {
        let start = members.len();
        while members.len() < start + size {
            let Some(value) = crowd.fullest() else { break };
            tried.push(value);
            let group = &members[start..];
            let differs = |values: &[u32]| {
                let mut columns = sensitive.iter().zip(values);
                columns.all(|(column, value)| group.iter().all(|&member| column[member as usize] != *value))
            };
            // Any who differ will do.
            let taken = crowd.take(value, |values| differs(values).then_some(f64::INFINITY));
            members.extend(taken);
        }
        let filled = members.len() == start + size;
        if filled {
            failures = 0;
            progress.advance(size as u64);
        } else {
            failures = if members.len() == start { MAX_FAILED_GROUPS } else { failures + 1 };
            dissolved.extend(members.drain(start..).map(|cell| (cell, 1)));
        }
        tried.drain(..).for_each(|value| crowd.put_back(value));
        if !filled && sensitive.len() == 1 {
            break;
        }
    }
    dissolved.extend(crowd.rest());
    (members, dissolved)
}

/// The attribute with the most frequent value: the hardest to spread.
fn fullest_attribute(task: &Task<'_>) -> usize {
    let most = |index: &usize| task.whole.sensitive[*index].people.iter().copied().max();
    (0..task.sensitive_sizes.len()).max_by_key(most).unwrap_or(0)
}

fn stuck_people(task: &Task<'_>, size: usize, stuck: u64) -> Error {
    let everyone = task.whole.people;
    let share = stuck as f64 / everyone as f64;
    let enough = enough(share);
    let percent = 100.0 * share;
    Error::data(format!("{stuck} of {everyone} people ({percent:.2} %) fit into no group of {size} different values"))
        .coded(Code::NeedsSuppression)
        .help(format!("allow them to be left out with `suppression = {enough}` under [method], or ask for less"))
}
