//! The papers' experiments, done again.
//!
//! A [`Figure`] is a file that pins what a figure's numbers depend on. Most are grids: policies and measures, stated in the file.
//! What takes a release apart is an [`Experiment`]: it takes the data that the papers used, publishes, measures, and gives plain
//! tables; adding one means one line in [`EXPERIMENTS`]. [`Runs`] runs figures, [`kept`] holds their numbers against those that
//! the project has, and [`page`] makes the pages of results from them.

mod ambiguity;
mod claim;
mod distribution;
mod figure;
mod grid;
mod injector;
pub mod kept;
pub mod page;
mod picture;
mod run;
mod seeds;
mod settings;
mod slicing;
mod table;
mod uncertain;

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use moretta::internals::chance::Seed;
use moretta::internals::planning::OpenRelease;
use moretta::internals::progress::Progress;
use moretta::internals::publish::Report;
use moretta::internals::steward::{Options, publish_and_read};
use moretta::{Error, Policy, Result};

use crate::adult::{self, Adult};

pub use claim::{Claim, Counted, Test, Verdict};
pub use figure::{Declared, Figure, Form, Paper, find};
pub use run::{Found, Runs};
pub use settings::Settings;
pub use table::ResultTable;

/// Every experiment that is more than a grid.
pub const EXPERIMENTS: &[Experiment] = &[
    ambiguity::PRIVACY,
    ambiguity::SAME_GROUPS,
    injector::RULES,
    injector::RULE_ATTACK,
    injector::PRIOR_ATTACK,
    injector::PARAMETERS,
    injector::CONTINUITY,
    injector::TWO_BANDWIDTHS,
    injector::OMEGA,
    distribution::FIGURES[0],
    distribution::FIGURES[1],
    distribution::FIGURES[2],
    distribution::FIGURES[3],
    distribution::FIGURES[4],
    distribution::FIGURES[5],
    distribution::FIGURES[6],
    distribution::FIGURES[7],
    distribution::FIGURES[8],
    uncertain::QUERIES_BY_SIZE,
    uncertain::QUERIES_BY_LEVEL,
    uncertain::LABELS,
    uncertain::LINKAGE,
    slicing::KEPT,
    slicing::MEMBERSHIP,
];

/// An experiment of a paper.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Its name, as files of figures say it.
    pub name: &'static str,
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
    /// What the figure's file states.
    pub settings: Settings,
    /// The figure's file.
    pub file: PathBuf,
    /// A folder for what it writes.
    pub scratch: PathBuf,
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

    /// A policy on the Adult table, with what is required and the method; where `sample` is set, on so many of its rows.
    pub fn adult(&self, table: &Adult, rest: &str) -> Result<Policy> {
        let file = self.file(adult::FILE)?;
        let Some(size) = self.settings.whole_if_stated("sample")? else { return self.policy(&table.text(rest)) };
        let sample = self.scratch.join("sample.csv");
        if !sample.is_file() {
            let text = fs::read_to_string(&file).map_err(|e| Error::machine("read the data", &file, e))?;
            let mut lines = text.lines();
            let header = lines.next().unwrap_or_default();
            let rows = grid::sampled(&lines.map(str::to_owned).collect::<Vec<_>>(), size, self.seed);
            self.write(&sample, &format!("{header}\n{}\n", rows.join("\n")))?;
        }
        self.policy(&table.clone().from_file(sample).text(rest))
    }

    /// A file of the experiment's own.
    pub fn scratch_file(&self, extension: &str, text: &str) -> Result<PathBuf> {
        static WRITTEN: AtomicUsize = AtomicUsize::new(0);
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let file = self.scratch.join(format!("{number}.{extension}"));
        self.write(&file, text).map(|()| file)
    }

    fn write(&self, file: &std::path::Path, text: &str) -> Result<()> {
        fs::create_dir_all(&self.scratch)
            .and_then(|()| fs::write(file, text))
            .map_err(|e| Error::machine("write the table of an experiment", file, e))
    }

    /// What a policy publishes, in memory.
    pub fn publish(&self, policy: &Policy, progress: &Progress) -> Result<(Report, Box<dyn OpenRelease>)> {
        publish_and_read(policy, &Options { seed: Some(self.seed.0), ..Options::default() }, progress)
    }
}
