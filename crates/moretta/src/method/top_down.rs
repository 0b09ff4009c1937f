//! Top-down local recoding: specialize everybody step by step, push back what fails, pull back what the rest lacks.

use std::fmt;

use super::recoding::limits::within_limits;
use super::recoding::local::{Field, judge_released, settle};
use super::recoding::redeal::redeal;
use super::recoding::refine::{Effort, refine};
use super::recoding::search::{SearchEffort, search};
use super::recoding::specialize::{self, specialize};
use super::{Method, MethodEntry, Task, Transparency, Wish};
use crate::config::Section;
use crate::data::role::Role;
use crate::error::{Code, Error, Result};
use crate::kind::generalized::Grouping;
use crate::kind::{KindId, Plan};
use crate::method::Supports;
use crate::model::SeveralRows;
use crate::progress::Progress;

pub(super) const ENTRY: MethodEntry = MethodEntry {
    name: "top-down",
    summary: "generalization by local recoding: people of equal values may publish unequal ones, where it saves loss",
    paper: "Sun, Sun, Wang 2010",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/methods/top-down.md")),
    suppresses: true,
    supports: Supports::Groups,
    kinds: &[KindId::Generalized],
    transparency: Transparency::Open("specializations that were pushed back, and loans, depend on sensitive values"),
    several_rows: SeveralRows::Refused("it moves single rows between groups, and asks about sums"),
    read,
};

/// Top-down local recoding (Sun, Sun and Wang 2010, section 6, algorithm 1), for any group model and
/// any number of attributes.
#[derive(Clone, Copy)]
struct TopDown {
    /// Steps are chosen by the loss right after them, and nothing is refined: the algorithm as it is printed.
    plain: bool,
    effort: SearchEffort,
}

impl fmt::Debug for TopDown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.effort.describe(f, &format!("TopDown {{ plain: {} }}", self.plain))
    }
}

fn read(section: &mut Section<'_>) -> Result<Box<dyn Method>> {
    let plain = section.flag("plain")?.unwrap_or(false);
    let effort = SearchEffort::read(section)?;
    if plain && effort.steps > 0 {
        return Err(section
            .error_at("effort", "`plain` is the algorithm as it is printed, which does not search")
            .coded(Code::WrongParameter)
            .help("leave out one of the two"));
    }
    Ok(Box::new(TopDown { plain, effort }))
}

impl Method for TopDown {
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

impl TopDown {
    fn grouping(self, task: &Task<'_>, progress: &Progress) -> Result<Grouping> {
        if task.cells.is_empty() {
            return Err(Error::bug("a table without people reached the method"));
        }
        let field = Field::new(task);
        if task.may_suppress > 0 {
            let plan = self.plan_within(&field, task.may_suppress, progress)?;
            if plan.people() == task.cells.total() || judge_released(&field, &plan)? {
                return Ok(plan);
            }
            // Who is left out changes what groups are compared with. Nobody left out, nothing changes.
        }
        self.plan_within(&field, 0, progress)
    }

    fn plan_within(self, field: &Field<'_>, may_suppress: u64, progress: &Progress) -> Result<Grouping> {
        progress.start("specializing", field.task.cells.len() as u64);
        let sight = if self.plain { 0 } else { specialize::FAR_LOOKAHEAD_LIMIT };
        let mut groups = specialize(field, may_suppress, sight, progress);
        if !self.plain {
            progress.start("refining", 0);
            let effort = if field.is_wide() { Effort::WIDE } else { Effort::FULL };
            groups = refine(field, groups, &effort);
            if self.effort.steps > 0 {
                groups = search(&Field::with_runs(field.task), groups, self.effort.steps, progress);
            }
        }
        redeal(field.task, settle(field, groups)?)
    }
}
