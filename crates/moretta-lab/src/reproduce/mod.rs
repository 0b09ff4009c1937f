//! The papers' experiments, done again.
//!
//! An [`Experiment`] is one file: it takes the data that the papers used, publishes, measures, and gives plain
//! tables. Adding one means one line in [`EXPERIMENTS`].

mod ambiguity;
mod distribution;
mod injector;
mod slicing;
mod table;
mod uncertain;

use std::path::PathBuf;

use moretta::internals::chance::Seed;
use moretta::internals::planning::OpenRelease;
use moretta::internals::progress::Progress;
use moretta::internals::publish::Report;
use moretta::internals::steward::{Options, publish_and_read};
use moretta::{Error, Policy, Result};

use crate::adult::{self, Adult};

pub use table::ResultTable;

/// Every experiment.
pub const EXPERIMENTS: &[Experiment] = &[
    ambiguity::ERRORS,
    ambiguity::PRIVACY,
    injector::EXPERIMENT,
    distribution::FIGURES[0],
    distribution::FIGURES[1],
    distribution::FIGURES[2],
    distribution::FIGURES[3],
    distribution::FIGURES[4],
    distribution::FIGURES[5],
    distribution::FIGURES[6],
    distribution::FIGURES[7],
    uncertain::QUERIES,
    uncertain::LABELS,
    uncertain::LINKAGE,
    slicing::EXPERIMENT,
];

/// An experiment of a paper.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// The paper, by a short name.
    pub paper: &'static str,
    /// The figure or the question, by a short name.
    pub name: &'static str,
    /// What it shows, in one line.
    pub summary: &'static str,
    /// Runs it.
    pub run: fn(&ExperimentContext, &Progress) -> Result<Vec<ResultTable>>,
}

/// What an experiment works with.
#[derive(Clone, Debug)]
pub struct ExperimentContext {
    /// The folder of the papers' data.
    pub data: PathBuf,
    /// What chance starts from.
    pub seed: Seed,
}

impl ExperimentContext {
    /// A file of the papers' data.
    pub fn file(&self, name: &str) -> Result<PathBuf> {
        let path = self.data.join(name);
        if path.is_file() {
            return Ok(path);
        }
        Err(Error::input("the papers' data are not there").at_file(&path).help(format!(
            "name their folder with --data, or in the variable MORETTA_DATA. It holds {}",
            adult::NEEDED
        )))
    }

    /// A policy whose paths are relative to the folder of the data.
    pub fn policy(&self, text: &str) -> Result<Policy> {
        Policy::in_file(text.to_owned(), &self.data.join("experiment.toml"), &[])
    }

    /// A policy on the Adult table, with what is required and the method.
    pub fn adult(&self, table: &Adult, rest: &str) -> Result<Policy> {
        self.file(adult::FILE)?;
        self.policy(&table.text(rest))
    }

    /// What a policy publishes, in memory.
    pub fn publish(&self, policy: &Policy, progress: &Progress) -> Result<(Report, Box<dyn OpenRelease>)> {
        publish_and_read(policy, &Options { seed: Some(self.seed.0), ..Options::default() }, progress)
    }
}
