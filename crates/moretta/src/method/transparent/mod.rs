//! Transparent: groups whose promise holds although the adversary knows the program and everybody's quasi-identifiers.
//!
//! The proof stands on the method's page; this is what it asks of the code. People are sorted into ranges by chance and by how often their values
//! occur ([`layout`], [`deal`]); from then on only quasi-identifiers are looked at, and who has the same colour, never which colour or value that is
//! ([`split`], [`join`]).

mod deal;
mod join;
mod layout;
#[cfg(test)]
mod properties;
mod split;

use rayon::prelude::*;

use super::mondrian::Recoding;
use super::recoding::local::{Field, FieldMember, draft};
use super::{Method, MethodEntry, Supports, Task, Transparency};
use crate::config::Section;
use crate::data::role::Role;
use crate::distance::Scratch;
use crate::error::{Code, Error, Result};
use crate::kind::bucketized::BucketizedPlan;
use crate::kind::{KindId, Plan};
use crate::model::{
    Group, ModelId, SeveralRows, alpha_k_anonymity, bucket_size, distinct_l_diversity, entropy_l_diversity,
    k_anonymity, p_sensitive, probabilistic_l_diversity,
};
use crate::progress::Progress;
use crate::release::plan::{Buckets, Piece};

pub(super) const ENTRY: MethodEntry = MethodEntry {
    name: "transparent",
    summary: "generalization or buckets whose promise holds although the adversary knows the program",
    paper: "after Xiao, Tao, Koudas 2010",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/methods/transparent.md")),
    suppresses: false,
    supports: Supports::Only(PROVED),
    kinds: &[KindId::Generalized, KindId::Bucketized],
    transparency: Transparency::Holds("groups are the same whoever of a group has which of its values"),
    several_rows: SeveralRows::Refused("it deals rows by value: two of one person may land in one group"),
    read,
};

/// The models for which the page has a proof.
const PROVED: &[ModelId] = &[
    k_anonymity::ENTRY.id(),
    bucket_size::ENTRY.id(),
    distinct_l_diversity::ENTRY.id(),
    probabilistic_l_diversity::ENTRY.id(),
    entropy_l_diversity::ENTRY.id(),
    alpha_k_anonymity::ENTRY.id(),
    p_sensitive::ENTRY.id(),
];

/// Groups whose sensitive values are equally likely for each of their people, by symmetry of colours.
#[derive(Clone, Copy, Debug)]
struct Transparent {
    recoding: Recoding,
}

fn read(section: &mut Section<'_>) -> Result<Box<dyn Method>> {
    Ok(Box::new(Transparent { recoding: Recoding::read(section)? }))
}

impl Method for Transparent {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn supports(&self) -> Supports {
        ENTRY.supports
    }

    fn kind(&self) -> KindId {
        self.recoding.kind()
    }

    fn supports_role(&self, role: Role) -> bool {
        !matches!(role, Role::Group | Role::Unclassified)
    }

    fn plan(&self, task: &Task<'_>, progress: &Progress) -> Result<Box<dyn Plan>> {
        if task.sensitive_sizes.len() != 1 {
            return Err(Error::input(format!(
                "transparent is proved for one sensitive attribute, and there are {}",
                task.sensitive_sizes.len()
            ))
            .coded(Code::RoleUnsupported)
            .help("give one attribute the role \"sensitive\", and others the role \"quasi\" or \"drop\""));
        }
        task.refuse_too_many(ENTRY.name)?;
        progress.start("dealing", task.cells.total());
        let values = different_values(task)?;
        let least = people_each(task, values);
        let ranges =
            layout::ranges(&task.whole.sensitive[0].people, values).ok_or_else(|| too_frequent(task, values))?;
        let dealt = deal::deal(task.cells, task.scales.len(), &ranges, &mut task.stream("ranges", 0));
        progress.start("splitting", task.cells.total());
        let field = Field::new(task);
        let split = |people: &deal::Coloured| split::split(task, &field.ranks, people, least as usize);
        let groups: Vec<Vec<Vec<u32>>> = dealt.par_iter().map(split).collect();
        progress.check()?;
        let groups: Vec<Vec<FieldMember>> = join::join(&field, groups, values * least);
        progress.check()?;
        Ok(match self.recoding {
            Recoding::Generalize => draft(&field, &groups).into(),
            Recoding::Bucketize => {
                let len = groups.len();
                let pieces = (0..).zip(groups).flat_map(|(group, members)| {
                    members.into_iter().map(move |FieldMember { cell, people }| Piece { group, cell, people })
                });
                Box::new(BucketizedPlan(Buckets { pieces: Piece::joined(pieces.collect()), len, ..Buckets::default() }))
            }
        })
    }
}

/// How many different values a group needs, all equally frequent, so that every promise about them holds.
fn different_values(task: &Task<'_>) -> Result<u64> {
    let most = task.sensitive_sizes[0];
    let holds = |values: &usize| even(task, *values, MANY);
    (1..=most).find(holds).map(|values| values as u64).ok_or_else(|| {
        Error::data(format!("a group of {most} different values does not keep the promise, and there are no more"))
            .coded(Code::PromiseImpossible)
            .help("ask for less")
    })
}

/// How many people of each of so many values a group needs, so that it is large enough.
fn people_each(task: &Task<'_>, values: u64) -> u64 {
    let (mut fails, mut holds) = (0, MANY);
    while holds - fails > 1 {
        let middle = fails + (holds - fails) / 2;
        if even(task, values as usize, middle) { holds = middle } else { fails = middle }
    }
    holds
}

/// More people of each value than any promise about sizes asks for.
const MANY: u64 = 1 << 40;

/// Whether a group with so many people of each of so many values keeps every promise, whichever values they are: a promise may be about some of them
/// only, so each stands once among those that are tried.
fn even(task: &Task<'_>, values: usize, people: u64) -> bool {
    let all = task.sensitive_sizes[0];
    let mut scratch = Scratch::default();
    let mut histograms = [vec![0; all]];
    (0..all).step_by(values.max(1)).all(|first| {
        histograms[0].fill(0);
        (first..first + values).for_each(|value| histograms[0][value % all] = people);
        let group = Group { people: values as u64 * people, sensitive: &histograms, parent: None };
        task.requirement.holds(&group, &mut scratch)
    })
}

fn too_frequent(task: &Task<'_>, values: u64) -> Error {
    let attribute = &task.whole.sensitive[0];
    let (code, people) = (0..)
        .zip(&attribute.people)
        .max_by_key(|&(code, &people)| (people, std::cmp::Reverse(code)))
        .unwrap_or((0, &0));
    let message = format!(
        "{people} of {} people have the same {}, {:?}, and groups of {values} equally likely values need that at most 1 of {values} has",
        task.whole.people,
        attribute.name,
        attribute.domain.value(code).to_string()
    );
    Error::data(message)
        .coded(Code::PromiseImpossible)
        .help("ask for less; to leave some of them out would tell what they have")
}
