//! What no generalized release of a table can lose less than.
//!
//! Give every person a *price*. If in no box any group that keeps the promises pays more, all its people together, than the box loses for each of them,
//! then the prices of all people add up to at most what any release loses: its groups share out the people, each group pays at most
//! what it loses, and whoever is left out pays at most everything. So any prices that pass this test are a proof, wherever they
//! come from. To find good ones is to solve the dual of the linear relaxation of grouping; how well that is done decides how high the bound is, never whether
//! it is one.
//!
//! - `axis`: every value that a release may publish of an attribute lies in one of its parts, and loses no less. Exact for hierarchies.
//! - `rule`: every group that keeps the promises keeps the rules, which say how many people it needs and how its values are spread.
//! - `walk`: all boxes in which some group would be too dear, in whole numbers.
//! - `repair`: lowers prices until the test is passed.
//! - `rise`: raises them, in floats, by what repairing has taught.

mod axis;
#[cfg(test)]
mod properties;
mod repair;
mod rise;
mod rule;
mod table;
mod walk;

use std::time::{Duration, Instant};

use self::repair::repair;
use self::rise::PriceRise;
use self::rule::GroupRule;
use self::table::BoundTable;
use crate::data::cells::Cells;
use crate::hierarchy::Scale;
use crate::model::Requirement;
use crate::progress::Progress;

/// What is to be bounded: the table, how it may be generalized, and what is promised.
#[derive(Debug)]
pub struct BoundQuestion<'a> {
    /// How the quasi-identifiers generalize.
    pub scales: &'a [Scale],
    /// The distinct rows: a column for each quasi-identifier, then one for each sensitive attribute.
    pub cells: &'a Cells,
    /// The size of each sensitive attribute's domain.
    pub sensitive_sizes: Vec<usize>,
    /// What every group must keep.
    pub requirement: &'a Requirement<'a>,
    /// The people that may be left out.
    pub may_suppress: u64,
    /// Whether several rows may belong to one person.
    pub by_people: bool,
}

/// How long a bound is improved.
#[derive(Clone, Copy, Debug)]
pub struct BoundEffort {
    /// At most so many times prices are raised and repaired.
    pub rounds: usize,
    /// And no longer than this. Without a round, everybody is priced by the cheapest box around them that holds a group.
    pub time: Duration,
}

impl Default for BoundEffort {
    fn default() -> Self {
        Self { rounds: 200, time: Duration::from_secs(45) }
    }
}

/// Steps between two repairs.
const STEPS: usize = 300;

/// Where so many rounds have raised the bound by no more than a ten-thousandth, it is left alone.
const PATIENCE: usize = 20;

/// The best bound that is found, as a share of what can be lost; nothing where even the first needs too much work.
pub fn bound(question: &BoundQuestion<'_>, effort: BoundEffort, progress: &Progress) -> Option<f64> {
    let clock = Instant::now();
    let rules = GroupRule::of(question.requirement, question.may_suppress, question.by_people);
    let table = BoundTable::new(question.scales, question.cells, &question.sensitive_sizes, rules);
    progress.start("bounding", effort.rounds as u64);
    let token = progress.token();
    let everything = table.everything();
    // Whoever pays everything is lowered to what the cheapest box loses that holds a group and them.
    let first = repair(&table, &vec![everything; table.people.len()], false, token)?;
    let mut best = table.worth(&first.prices);
    let people = table.people.iter().map(|&people| people as f64).collect();
    let prices = first.prices.iter().map(|&price| price as f64).collect();
    let mut rise = PriceRise::new(people, prices, everything as f64);
    // What is worth twice as much teaches where it is too much.
    let mut trial: Vec<u64> = first.prices.iter().map(|&price| (2 * price).min(everything)).collect();
    let (mut rounds, mut raised) = (0, 0);
    while rounds < effort.rounds && rounds - raised < PATIENCE && clock.elapsed() < effort.time && best > 0 {
        let Some(repaired) = repair(&table, &trial, true, token) else { break };
        rounds += 1;
        progress.advance(1);
        let worth = table.worth(&repaired.prices);
        if worth > best + best / 10_000 {
            raised = rounds;
        }
        best = best.max(worth);
        rise.learn(repaired.limits);
        trial = rise.steps(STEPS);
        trial.iter_mut().zip(&first.prices).filter(|(_, simple)| **simple == 0).for_each(|(price, _)| *price = 0);
    }
    Some(table.share(best))
}
