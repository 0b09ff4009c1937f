//! Greedy clustering: clusters grow from far seeds by the person whose joining costs least.

mod grow;
mod nearest;

use std::fmt;

use self::grow::GrowingCrowd;
use super::recoding::limits::within_limits;
use super::recoding::local::{Field, FieldMember, Judge, Tally, groups_of_plan, judge_released, settle};
use super::recoding::redeal::redeal;
use super::recoding::refine::{Effort, refine};
use super::recoding::search::{SearchEffort, search};
use super::{Method, MethodEntry, Task, Transparency, Wish};
use crate::config::Section;
use crate::data::role::Role;
use crate::error::{Error, Result};
use crate::kind::generalized::Grouping;
use crate::kind::{KindId, Plan};
use crate::method::Supports;
use crate::model::SeveralRows;
use crate::progress::Progress;

pub(super) const ENTRY: MethodEntry = MethodEntry {
    name: "clustering",
    summary: "generalization by greedy clustering: clusters grow from far seeds by the least loss until they hold",
    paper: "Truta, Campan, Meyer 2007",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/methods/clustering.md")),
    suppresses: true,
    supports: Supports::Groups,
    kinds: &[KindId::Generalized],
    transparency: Transparency::Open("who joins a cluster depends on sensitive values"),
    several_rows: SeveralRows::Refused("it grows groups row by row, and asks about sums"),
    read,
};

/// Greedy p-sensitive k-anonymous clustering (Truta, Campan and Meyer, SDM 2007), for any group model.
///
/// It differs where that saves quadratic time: a seed is the farthest of a sample, and the next person is found by
/// widening the cluster's box step by step instead of looking at everybody.
#[derive(Clone, Copy)]
struct Clustering {
    effort: SearchEffort,
}

impl fmt::Debug for Clustering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.effort.describe(f, "Clustering")
    }
}

fn read(section: &mut Section<'_>) -> Result<Box<dyn Method>> {
    Ok(Box::new(Clustering { effort: SearchEffort::read(section)? }))
}

impl Method for Clustering {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn supports(&self) -> Supports {
        ENTRY.supports
    }

    fn kind(&self) -> KindId {
        KindId::Generalized
    }

    fn supports_role(&self, role: Role) -> bool {
        !matches!(role, Role::Group | Role::Unclassified)
    }

    fn honours(&self, _: Wish) -> bool {
        true
    }

    fn plan(&self, task: &Task<'_>, progress: &Progress) -> Result<Box<dyn Plan>> {
        within_limits(task, progress, &|task, progress| self.grouping(task, progress)).map(Into::into)
    }
}

impl Clustering {
    fn grouping(self, task: &Task<'_>, progress: &Progress) -> Result<Grouping> {
        if task.cells.is_empty() {
            return Err(Error::bug("a table without people reached the method"));
        }
        progress.start("clustering", task.cells.total());
        let field = Field::new(task);
        let mut crowd = GrowingCrowd::new(&field);
        let mut clusters = Vec::new();
        let mut leftovers = Vec::new();
        while let Some(seed) = crowd.next_seed() {
            progress.check()?;
            let (members, holds) = crowd.grow(seed);
            progress.advance(members.iter().map(|member| member.people).sum());
            if holds { clusters.push(members) } else { leftovers.extend(members) }
        }
        let nowhere = dispense(&field, &mut clusters, leftovers);
        progress.check()?;
        let people: u64 = nowhere.iter().map(|member| member.people).sum();
        if people > 0 && people <= task.may_suppress && !clusters.is_empty() {
            let plan = self.settle(&field, clusters.clone(), progress)?;
            if judge_released(&field, &plan)? {
                return redeal(task, plan);
            }
        }
        clusters.extend((!nowhere.is_empty()).then_some(nowhere));
        redeal(task, self.settle(&field, clusters, progress)?)
    }

    /// The plan of some clusters, improved as far as the policy asks for it: the paper's own clusters stay as they are.
    fn settle(self, field: &Field<'_>, mut clusters: Vec<Vec<FieldMember>>, progress: &Progress) -> Result<Grouping> {
        if self.effort.steps > 0 {
            clusters = groups_of_plan(&settle(field, clusters)?);
            clusters = refine(field, clusters, &Effort::FULL);
            clusters = search(&Field::with_runs(field.task), clusters, self.effort.steps, progress);
        }
        settle(field, clusters)
    }
}

/// Puts leftovers into the clusters whose loss grows least and that still hold; gives back whom none takes.
fn dispense(field: &Field<'_>, clusters: &mut [Vec<FieldMember>], leftovers: Vec<FieldMember>) -> Vec<FieldMember> {
    let mut judge = Judge::new(field);
    let mut tallies: Vec<Tally> = clusters.iter().map(|members| Tally::of(field, members)).collect();
    let mut boxes: Vec<Vec<u32>> = clusters.iter().map(|members| field.nodes(members)).collect();
    let mut nowhere = Vec::new();
    for member in leftovers {
        if field.task.token.is_cancelled() {
            break;
        }
        let growth = |cluster: usize| {
            let (now, then) = boxes[cluster].iter().zip(&field.taxonomies).zip(&field.ranks).fold(
                (0.0, 0.0),
                |(now, then), ((&node, taxonomy), ranks)| {
                    let wider = taxonomy.widen(node, ranks[member.cell as usize]);
                    (now + taxonomy.loss(node), then + taxonomy.loss(wider))
                },
            );
            let people = tallies[cluster].people as f64;
            then * (people + member.people as f64) - now * people
        };
        let mut order: Vec<(f64, usize)> = (0..clusters.len()).map(|cluster| (growth(cluster), cluster)).collect();
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let taker = order
            .iter()
            .map(|&(_, cluster)| cluster)
            .take(MAX_TRIES)
            .find(|&cluster| judge.holds_with(&mut tallies[cluster], member.cell, member.people));
        let Some(taker) = taker else {
            nowhere.push(member);
            continue;
        };
        tallies[taker].add(field, member.cell, member.people);
        for ((node, taxonomy), ranks) in boxes[taker].iter_mut().zip(&field.taxonomies).zip(&field.ranks) {
            *node = taxonomy.widen(*node, ranks[member.cell as usize]);
        }
        clusters[taker].push(member);
    }
    nowhere
}

/// So many clusters, those whose loss grows least, are asked to take a leftover.
const MAX_TRIES: usize = 64;
