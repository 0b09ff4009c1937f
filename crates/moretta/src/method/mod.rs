//! Publication methods: how a table becomes a release.
//!
//! A [`Method`] plans on counted cells and yields a [`Plan`], a plain value; applying it is the same
//! for all methods of a kind. Adding a method means one file or folder and one line in [`registry`].

mod ambiguity;
mod anatomy;
mod clustering;
pub(crate) mod condensation;
pub(crate) mod distribution;
pub mod full_domain;
mod injector;
mod least_loss;
mod link;
mod mondrian;
mod recoding;
pub mod registry;
pub(crate) mod slicing;
mod top_down;
mod transparency;
mod transparent;
mod uncertain;
mod wish;

use std::fmt::Debug;

pub use link::Link;
#[cfg(test)]
pub(crate) use recoding::redeal::AS_PLANNED;
pub use registry::{MethodEntry, Supports};
pub use transparency::Transparency;
pub use wish::Wish;

use crate::chance::{Branches, Seed, Stream};
use crate::data::cells::Cells;
use crate::data::domain::Domain;
use crate::data::role::Role;
use crate::error::{Code, Error, Result};
use crate::hierarchy::Scale;
use crate::kind::{KindId, Plan};
use crate::model::Requirement;
use crate::progress::{CancelToken, Progress};
use crate::release::{Persons, TableSummary};
use crate::text::grouped;

/// A way to make a release.
pub trait Method: Debug + Send + Sync {
    /// The name by which policies call it.
    fn name(&self) -> &'static str;

    /// The kind of release that it makes.
    fn kind(&self) -> KindId;

    /// Whether it can publish an attribute of a role.
    fn supports_role(&self, role: Role) -> bool;

    /// Which promises it can keep.
    fn supports(&self) -> Supports;

    /// Whether a policy must promise something; a method that hides by itself who is in the table needs no promise.
    fn needs_promise(&self) -> bool {
        true
    }

    /// Whether it can count different people where several rows may belong to one.
    fn counts_people(&self) -> bool {
        registry::find(self.name()).is_some_and(|entry| entry.several_rows.are_counted())
    }

    /// Whether every quasi-identifier needs a hierarchy: it then plans by those that others leave aside.
    fn needs_hierarchies(&self) -> bool {
        false
    }

    /// Whether it can do what a policy wishes for single attributes; a policy that wishes what it can't is refused.
    fn honours(&self, _: Wish) -> bool {
        false
    }

    /// What a steward should know about the method itself, whatever the table: said once in each run.
    fn notice(&self) -> Option<&'static str> {
        None
    }

    /// Decides what is published under a requirement.
    fn plan(&self, task: &Task<'_>, progress: &Progress) -> Result<Box<dyn Plan>>;
}

/// What a method plans from.
#[derive(Debug)]
pub struct Task<'a> {
    /// The names of the quasi-identifiers.
    pub quasi_names: Vec<String>,
    /// How they generalize.
    pub scales: &'a [Scale],
    /// The distinct rows: a column for each quasi-identifier, then one for each sensitive attribute.
    pub cells: &'a Cells,
    /// The size of each sensitive attribute's domain.
    pub sensitive_sizes: Vec<usize>,
    /// What every group must keep, prepared for the whole table.
    pub requirement: &'a Requirement<'a>,
    /// The whole table, as the requirement knows it.
    pub whole: &'a TableSummary,
    /// The people that may be left out. The reference of closeness is what is released, so a method that
    /// leaves anybody out judges its groups by the requirement [`Requirement::against`] what is left.
    pub may_suppress: u64,
    /// What chance starts from.
    pub seed: Seed,
    /// Where every way in which draws can turn out is followed: what [`Task::stream`] draws from instead of the seed.
    pub branches: Option<&'a Branches>,
    /// Whose each cell is, where several rows may belong to one person: groups then are judged by the different people in them.
    pub persons: Option<Persons<'a>>,
    /// The quasi-identifiers that are generalized as others are.
    pub links: &'a [Link],
    /// The values of the attribute that names groups, if there is one: its codes are the last column of the cells.
    pub group: Option<&'a Domain>,
    /// What stops the work. A step that can't fail may end early when it is cancelled: nobody looks at the plan then.
    pub token: &'a CancelToken,
}

/// The most people whose records can be drawn or shuffled one by one.
pub const MOST_DRAWN: u64 = 1 << 25;

impl Task<'_> {
    /// Draws of their own for each use and each part of the work.
    pub fn stream(&self, purpose: &str, number: u64) -> Stream<'_> {
        match self.branches {
            None => Stream::Keyed(Box::new(self.seed.stream(purpose, number))),
            Some(branches) => Stream::Branch(branches),
        }
    }

    /// Whether a group of all people of some cells would keep every promise that is about groups.
    pub fn holds(&self, cells: &[u32]) -> bool {
        let quasi = self.quasi_names.len();
        let mut sensitive: Vec<Vec<u64>> = self.sensitive_sizes.iter().map(|&size| vec![0; size]).collect();
        let mut people = 0;
        for &cell in cells {
            let count = self.cells.people[cell as usize];
            people += count;
            for (attribute, counts) in sensitive.iter_mut().enumerate() {
                counts[self.cells.columns[quasi + attribute][cell as usize] as usize] += count;
            }
        }
        let group = crate::model::Group { people, sensitive: &sensitive, parent: None };
        self.requirement.holds(&group, &mut crate::distance::Scratch::default())
    }

    /// Refuses a table that stands for more people than can be drawn one by one: a row of weight 10⁹ would be 10⁹ records.
    fn refuse_too_many(&self, method: &str) -> Result<()> {
        let people = self.whole.people;
        if people <= MOST_DRAWN {
            return Ok(());
        }
        let message = format!(
            "the method {method} draws people one by one, {} at most, and the table stands for {}",
            grouped(MOST_DRAWN),
            grouped(people)
        );
        Err(Error::data(message)
            .coded(Code::PromiseImpossible)
            .help("divide the weights, publish a sample, or use a method that counts people"))
    }
}
