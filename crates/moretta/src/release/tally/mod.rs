//! Aggregates of a numeric attribute: what every kind of release has to say about the people whom a condition may select.
//!
//! A kind says who may be in, with which values ([`PossibleMembers`], for bounds), and how likely each is ([`Expectation`], for the
//! estimate). SUM, AVG, MIN and MAX follow from these two, once for all kinds.

mod crowd;
mod expectation;
mod law;

pub use crowd::{Member, PossibleMembers};
pub use expectation::Expectation;
pub use law::ValueDistribution;

use super::aggregate::Aggregate;
use super::answers::Estimate;
use crate::condition::{QueryBox, ValueSet};
use crate::data::Type;
use crate::error::{Code, Error, Result};

/// What a release says about the people whom a condition may select, and their values of one attribute.
#[derive(Clone, Debug, Default)]
pub struct AggregateEvidence {
    /// Who may be in.
    pub crowd: PossibleMembers,
    /// Who is expected.
    pub expected: Expectation,
}

impl AggregateEvidence {
    /// People who were left out of the release: anybody among them may satisfy the condition, with any value that it allows.
    pub fn add_suppressed(&mut self, people: u64, attribute: usize, condition: &[QueryBox]) {
        for one in condition {
            let (low, high) = reach(one, attribute);
            self.crowd.add(Member { low, high, people, sure: false });
        }
        self.crowd.close_at_most(people);
    }

    /// The answer: an estimate, and bounds that are sound for every original that fits.
    pub fn answer(&mut self, aggregate: Aggregate) -> Estimate {
        if self.crowd.is_empty() {
            return Estimate::default();
        }
        let (lower, upper) = match aggregate {
            Aggregate::Sum => self.crowd.sum(),
            Aggregate::Avg => self.crowd.mean(),
            Aggregate::Min => self.crowd.smallest(),
            Aggregate::Max => self.crowd.largest(),
        };
        // The same numbers, added in another order, may differ in their last digit.
        let (lower, upper) = (lower.min(upper), lower.max(upper));
        let estimate = match aggregate {
            Aggregate::Sum => self.expected.sum(),
            Aggregate::Avg => self.expected.mean(),
            Aggregate::Min => self.expected.smallest(),
            Aggregate::Max => self.expected.largest(),
        };
        Estimate {
            estimate: estimate.map(|x| x.clamp(lower, upper)),
            lower: Some(lower),
            upper: Some(upper),
            trivial: lower == f64::NEG_INFINITY && upper == f64::INFINITY,
            may_be_empty: self.crowd.may_be_nobody(),
        }
    }
}

/// The smallest and the largest number that a box allows an attribute to be.
pub fn reach(one: &QueryBox, attribute: usize) -> (f64, f64) {
    let open = (f64::NEG_INFINITY, f64::INFINITY);
    one.side(attribute).and_then(|set| set.ends(open.0, open.1, false)).unwrap_or(open)
}

/// A condition without those who lack a value of an attribute: aggregates are over known values.
pub fn with_known(condition: &[QueryBox], attribute: usize) -> Vec<QueryBox> {
    let known = ValueSet::missing().complement();
    condition.iter().filter_map(|one| one.restrict(attribute, &known)).collect()
}

/// Refuses an aggregate of values that have none.
pub fn check_type(aggregate: Aggregate, name: &str, kind: Type) -> Result<()> {
    let adds_up = matches!(kind, Type::Integer | Type::Number);
    if adds_up || (kind.is_time() && matches!(aggregate, Aggregate::Min | Aggregate::Max)) {
        return Ok(());
    }
    let message = format!("{}({name}) needs numbers, and its values are of the type {}", aggregate.name(), kind.name());
    Err(Error::input(message).coded(Code::QueryUnsupported).help("ask for COUNT(*)"))
}
