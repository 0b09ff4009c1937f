//! Distribution-based anonymization: any groups, any target, hard bounds.

mod annotated;
mod derive;
mod fakes;
mod generalize;
mod keys;
#[cfg(test)]
mod oracle;
mod target;

use std::sync::Arc;

use rayon::prelude::*;

pub use self::annotated::Annotated;
pub use self::fakes::generalize_with_fakes;
pub use self::generalize::generalize;
pub(crate) use crate::kind::distribution::{DistributionPlan, PlannedGroup, Shape};

use self::keys::{Formed, Grouped};
use self::target::{EffectiveTarget, TargetResolver};
use super::{Method, MethodEntry, Task, Transparency};
use crate::config::Section;
use crate::data::role::Role;
use crate::error::{Code, Error, Result};
use crate::kind::distribution::ladder::Ladder;
use crate::kind::distribution::share::Share;
use crate::kind::{KindId, Plan};
use crate::method::Supports;
use crate::model::SeveralRows;
use crate::model::p_private::{self, TargetPrivacy, TargetSpec};
use crate::model::{bucket_size, find_model};
use crate::numeric::{Ratio, Threshold};
use crate::progress::{CancelToken, Progress};
use crate::release::plan::{Buckets, Piece};

pub(super) const ENTRY: MethodEntry = MethodEntry {
    name: "distribution",
    summary: "exact quasi-identifiers; each group's sensitive values generalized to follow a target exactly",
    paper: "Koudas, Srivastava, Yu, Zhang 2009",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/methods/distribution.md")),
    suppresses: false,
    supports: Supports::Only(&[p_private::ENTRY.id(), bucket_size::ENTRY.id()]),
    kinds: &[KindId::Distribution],
    transparency: Transparency::Open("how far values are generalized depends on the values of a group"),
    several_rows: SeveralRows::Refused("it has targets for shares of rows"),
    read,
};

/// Publishes each group's sensitive values as subdomains that follow a target. Koudas et al. (2009).
#[derive(Debug)]
struct Distribution {
    groups: Grouped,
    by_quasi: bool,
    arity: Option<u32>,
    fakes: Threshold,
}

fn read(section: &mut Section<'_>) -> Result<Box<dyn Method>> {
    let groups = Grouped::read(section)?;
    let by_quasi = section.choice("grouping", &[("sa-only", false), ("qi-sa", true)])?.unwrap_or(false);
    let arity = section.whole("arity", 2)?.map(|arity| u32::try_from(arity).unwrap_or(u32::MAX));
    let share =
        section.number("fakes", "from 0 to 1: a share of the people of each group", |x| (0.0..=1.0).contains(&x))?;
    let fakes = Threshold::new(share.unwrap_or(0.0))
        .map_err(|_| section.error_at("fakes", "the share of fakes has more than 19 decimals").help("round it"))?;
    Ok(Box::new(Distribution { groups, by_quasi, arity, fakes }))
}

impl Method for Distribution {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn supports(&self) -> Supports {
        ENTRY.supports
    }

    fn kind(&self) -> KindId {
        KindId::Distribution
    }

    fn supports_role(&self, role: Role) -> bool {
        role != Role::Unclassified
    }

    fn notice(&self) -> Option<&'static str> {
        match &self.groups {
            Grouped::By(_) => None,
            Grouped::Method(method, _) => method.notice(),
        }
    }

    fn plan(&self, task: &Task<'_>, progress: &Progress) -> Result<Box<dyn Plan>> {
        let promise: &TargetPrivacy = find_model(task.requirement.models()).ok_or_else(|| {
            Error::input("the method distribution needs a target").help("require p-private, which states one")
        })?;
        let [sensitive] = task.whole.sensitive.as_slice() else {
            return Err(Error::input(format!(
                "the method distribution publishes one sensitive attribute, and there are {}",
                task.whole.sensitive.len()
            ))
            .help("give the others another role"));
        };
        let named: Vec<&str> = match &promise.wish {
            TargetSpec::Listed(listed) => listed.rows.iter().map(|(_, value, _)| value.as_str()).collect(),
            _ => Vec::new(),
        };
        let ladder = Ladder::new(sensitive, self.arity, &named)?;
        let archer = TargetResolver { ladder: &ladder, promise, table: ladder.by_rank(&sensitive.people) };
        let Formed { mut pieces, labels, mut notes } = self.groups.form(task, self.by_quasi, progress)?;
        pieces.par_sort_unstable_by_key(|piece| (piece.group, piece.cell));
        refuse_small(&pieces, &labels, task.requirement.least_people())?;
        progress.start("generalizing", labels.len() as u64);
        let shared = if archer.is_shared() { Some(archer.aim(&archer.table, "")?) } else { None };
        let values = &task.cells.columns[task.scales.len()];
        let runs: Vec<&[Piece]> = pieces.chunk_by(|a, b| a.group == b.group).collect();
        let found = runs
            .par_iter()
            .map(|run| {
                progress.check()?;
                let mut people = vec![0; ladder.values.len()];
                for piece in *run {
                    people[ladder.rank(values[piece.cell as usize]) as usize] += piece.people;
                }
                let own = match &shared {
                    Some(_) => None,
                    None => Some(archer.aim(&people, &labels[run[0].group as usize])?),
                };
                let aim = shared.as_ref().or(own.as_ref()).ok_or_else(|| Error::bug("a group without a target"))?;
                let follower = self.follow(aim, &people, &ladder, task.token)?;
                progress.advance(1);
                Ok((follower, aim.distance, unlikely(&people, aim)?, people.iter().sum::<u64>() == 1))
            })
            .collect::<Result<Vec<_>>>()?;
        let distance = found.iter().map(|(_, distance, _, _)| *distance).fold(0.0, f64::max);
        note(&mut notes, &found.iter().map(|found| (found.2, found.3)).collect::<Vec<_>>());
        let groups = found.into_iter().map(|(follower, ..)| follower).collect();
        let buckets = Buckets { pieces, len: labels.len(), tree: None, notes };
        Ok(Box::new(DistributionPlan {
            buckets,
            ladder: Arc::new(ladder),
            groups,
            distance,
            most_fakes: self.fakes.to_f64(),
        }))
    }
}

/// Groups are the steward's: one that is smaller than promised can only be refused.
fn refuse_small(pieces: &[Piece], labels: &[String], least: u64) -> Result<()> {
    for run in pieces.chunk_by(|a, b| a.group == b.group) {
        let people: u64 = run.iter().map(|piece| piece.people).sum();
        if people < least {
            let label = &labels[run[0].group as usize];
            return Err(Error::data(format!(
                "the group {label} holds {people} people, and at least {least} are promised"
            ))
            .coded(Code::PromiseImpossible)
            .help("state larger `groups`, or promise a smaller bucket-size"));
        }
    }
    Ok(())
}

impl Distribution {
    fn follow(
        &self,
        aim: &EffectiveTarget,
        people: &[u64],
        ladder: &Ladder,
        token: &CancelToken,
    ) -> Result<PlannedGroup> {
        let target: Arc<[Share]> = aim.tree.leaf_shares()?.into();
        if self.fakes.to_f64() <= 0.0 {
            return Ok(PlannedGroup {
                subdomains: kept(&aim.tree, &generalize(&aim.tree, people)),
                target,
                fakes: Vec::new(),
            });
        }
        let tree = aim.tree.binary(&ladder.indices);
        let found = generalize_with_fakes(&tree, people, self.budget(people.iter().sum()), token)?;
        let fakes = (0..).zip(found.fakes).filter(|(_, count)| *count > 0).collect();
        Ok(PlannedGroup { subdomains: kept(&tree, &found.kept), target, fakes })
    }

    /// The most fakes that are no more than the policy's share of a group's people.
    #[expect(clippy::cast_sign_loss, reason = "a share is not negative")]
    fn budget(&self, people: u64) -> u64 {
        let near = (self.fakes.to_f64() * people as f64).round() as u64;
        let within = |fakes: &u64| Ratio { num: (*fakes).into(), den: people.max(1).into() }.at_most(self.fakes);
        (near.saturating_sub(1)..=near + 1).rev().find(within).unwrap_or(0)
    }
}

fn kept(tree: &Annotated, counts: &[u64]) -> Vec<(std::ops::Range<u32>, u64)> {
    let nodes = (0..).zip(counts).filter(|(_, count)| **count > 0);
    nodes.map(|(node, &count)| (tree.shape.ranks(node), count)).collect()
}

/// The people whose value has no probability in the effective target: they can only be hidden in larger subdomains.
fn unlikely(people: &[u64], aim: &EffectiveTarget) -> Result<u64> {
    let shares = aim.tree.leaf_shares()?;
    Ok(people.iter().zip(shares).filter(|(_, share)| share.num == 0).map(|(people, _)| people).sum())
}

/// Tells the steward what groups cost that say little.
fn note(notes: &mut Vec<String>, groups: &[(u64, bool)]) {
    let alone = groups.iter().filter(|(_, alone)| *alone).count();
    if alone > 0 {
        notes.push(format!(
            "{alone} groups have one person: unless the target is certain of one value, such a group publishes the \
             whole domain and tells an analyst nothing but its size; larger groups would tell more"
        ));
    }
    let unlikely: u64 = groups.iter().map(|(unlikely, _)| unlikely).sum();
    if unlikely > 0 {
        notes.push(format!(
            "{unlikely} people have a value to which the effective target gives no probability: they are hidden in \
             subdomains that also hold likelier values; a larger `max_denominator` may give their values some"
        ));
    }
}
