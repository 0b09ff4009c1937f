//! Least loss: of halves, a cover and cuts chosen by what they save, the plan that costs least, refined.

mod portfolio;

use std::fmt;

use super::mondrian::halves;
use super::recoding::limits::within_limits;
use super::recoding::redeal::redeal;
use super::recoding::search::SearchEffort;
use super::{Method, MethodEntry, Supports, Task, Transparency, Wish};
use crate::config::Section;
use crate::data::role::Role;
use crate::error::Result;
use crate::kind::generalized::Grouping;
use crate::kind::{KindId, Plan};
use crate::model::Scope;
use crate::model::SeveralRows;
use crate::progress::Progress;

pub(super) const ENTRY: MethodEntry = MethodEntry {
    name: "least-loss",
    summary: "generalization by local recoding: the cheapest of halves, a cover and cuts by loss, refined; groups may overlap",
    paper: "LeFevre, DeWitt, Ramakrishnan 2006; Sun, Sun, Wang 2010",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/methods/least-loss.md")),
    suppresses: true,
    supports: Supports::GroupsAndMembers,
    kinds: &[KindId::Generalized],
    transparency: Transparency::Open("cuts, loans and refinements depend on sensitive values"),
    several_rows: SeveralRows::Counted(
        "it is `mondrian` here: covers, cuts by loss and refining move rows, and would count a person twice",
    ),
    read,
};

/// The plan that loses least among those of several algorithms.
///
/// It starts from the halves of [`mondrian`](super::mondrian), so that it never loses more.
#[derive(Clone, Copy)]
struct LeastLoss {
    effort: SearchEffort,
}

impl fmt::Debug for LeastLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.effort.describe(f, "LeastLoss")
    }
}

fn read(section: &mut Section<'_>) -> Result<Box<dyn Method>> {
    Ok(Box::new(LeastLoss { effort: SearchEffort::read(section)? }))
}

impl Method for LeastLoss {
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
        within_limits(task, progress, &|task, progress| plan(task, self.effort, progress)).map(Into::into)
    }
}

fn plan(task: &Task<'_>, effort: SearchEffort, progress: &Progress) -> Result<Grouping> {
    let halved = halves(task, progress)?;
    // Covers and cuts by loss move people about by their values alone, not by who they are.
    if task.requirement.models().iter().any(|model| matches!(model.scope(), Scope::Members(_))) {
        return Ok(halved);
    }
    // They also lend people to other groups, where one who is there already would count twice.
    if task.persons.is_some() {
        let note = "least-loss is mondrian here: covers, cuts by loss and refining count rows, not the people whom rows belong to";
        return Ok(Grouping { notes: vec![note.to_owned()], ..halved });
    }
    redeal(task, portfolio::least_loss(task, halved, effort, progress)?)
}
