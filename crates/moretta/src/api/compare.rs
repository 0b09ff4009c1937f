//! Many releases of one table on one plane.

use std::path::Path;
use std::sync::Arc;

use super::build::{MethodSpec, Promise};
use super::run::Run;
use super::table::Table;
use crate::compare::{self, Candidate, Comparison, ComparisonPlan, Learner, Store};
use crate::error::Result;
use crate::prepare::Prepared;

/// What is compared: methods, each with the promises that it is to keep.
///
/// ```
/// use moretta::{Grid, methods::{Anatomy, LeastLoss}, models::{BucketSize, KAnonymity}};
///
/// let mut grid = Grid::new();
/// for k in [5, 10, 20] {
///     grid = grid.candidate(LeastLoss::new(), [KAnonymity::new(k)?]);
///     grid = grid.candidate(Anatomy::new(), [BucketSize::new(k)?]);
/// }
/// # let _ = grid;
/// # Ok::<(), moretta::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Grid {
    candidates: Vec<Candidate>,
    known_program: bool,
}

impl Grid {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with a method and the promises that it is to keep together.
    #[must_use]
    pub fn candidate(
        mut self,
        method: impl Into<MethodSpec>,
        promises: impl IntoIterator<Item: Into<Promise>>,
    ) -> Self {
        let promises = promises.into_iter().map(|promise| promise.into().node()).collect();
        self.candidates.push(Candidate::new(method.into().node(), promises));
        self
    }

    /// The same, where it is also measured what somebody gains who knows the program and everybody's quasi-identifiers. It runs each method again and
    /// again, unless a proof says that nothing is gained.
    #[must_use]
    pub fn against_known_program(mut self) -> Self {
        self.known_program = true;
        self
    }
}

/// Publishes a table in every way of a grid, in memory, and measures what each tells about people and costs analysts: the privacy–utility frontier.
///
/// ```
/// use moretta::{Grid, Policy, Run, compare, files, methods::LeastLoss, models::KAnonymity};
///
/// let policy = Policy::builder().quasi("age").sensitive("disease").build()?;
/// let table = files::parse_csv("age,disease\n21,flu\n22,gout\n25,flu\n34,gout\n36,flu\n38,gout\n51,flu\n57,gout\n", policy.schema())?;
/// let grid = Grid::new().candidate(LeastLoss::new(), [KAnonymity::new(2)?]).candidate(LeastLoss::new(), [KAnonymity::new(4)?]);
/// let compared = compare(&table, &grid, &Run::new())?;
/// assert_eq!(compared.to_json(None)["points"][1]["parameters"]["k"], 4);
/// assert_eq!(compared.to_csv().lines().count(), 3);
/// # Ok::<(), moretta::Error>(())
/// ```
pub fn compare(table: &Table, grid: &Grid, run: &Run) -> Result<Comparison> {
    let mut plan = ComparisonPlan::of_candidates(table.policy(), grid.candidates.clone(), run.fixed_seed())?;
    plan.known_program = grid.known_program;
    run.carry_out(|progress| compare::run(&plan, table.prepared(), None, None, progress))
}

impl ComparisonPlan {
    /// Publishes and measures every candidate of the plan, on the table that its policy names. Finished points are kept in a folder, if one is
    /// stated, and not made again. A plan that asks what can be learned from releases needs a learner.
    pub fn run(&self, kept_in: Option<&Path>, learner: Option<&dyn Learner>, run: &Run) -> Result<Comparison> {
        let policy = self.table_policy()?;
        run.carry_out(|progress| {
            let mut store = kept_in.map(|folder| Store::open(folder, self, &policy, progress)).transpose()?;
            let prepared = Arc::new(Prepared::read(&policy, progress)?);
            let compared = compare::run(self, &prepared, store.as_ref(), learner, progress)?;
            store.iter_mut().for_each(Store::stay);
            Ok(compared)
        })
    }
}
