//! The questions of analysts and adversaries.

use super::aggregate::Aggregate;
use super::tally::{AggregateEvidence, check_type, with_known};
use crate::condition::QueryBox;
use crate::data::value::Value;
use crate::error::Result;
use crate::release::histograms::Populations;

/// How analysts ask: a release, or the original itself.
pub trait Analyst: std::fmt::Debug + Send + Sync {
    /// The attributes that an analyst can ask about, with the type of their original values.
    fn attributes(&self) -> Vec<Askable>;

    /// The values by which an attribute can be grouped: those that the release shows.
    fn values_of(&self, attribute: usize) -> Result<Vec<Value>>;

    /// How many people satisfy a condition, given as disjoint boxes over [`Analyst::attributes`].
    fn count(&self, condition: &[QueryBox]) -> Result<Estimate>;

    /// How many people of each population are expected to have each of [`Analyst::values_of`] a sensitive attribute, which
    /// is given by its index among [`Analyst::attributes`].
    ///
    /// Kinds of release that can share work between populations do; the answers are the estimates of [`Analyst::count`].
    fn histograms(&self, populations: &Populations, attribute: usize) -> Result<Vec<Vec<f64>>> {
        populations.one_by_one(attribute, &self.values_of(attribute)?, |condition| self.count(condition))
    }

    /// Who may satisfy a condition, and who is expected to, with their values of a numeric attribute. Nobody in the
    /// condition lacks a value of it.
    fn tally(&self, attribute: usize, condition: &[QueryBox]) -> Result<AggregateEvidence>;

    /// An aggregate of a numeric attribute over those who satisfy a condition.
    fn aggregate(&self, aggregate: Aggregate, attribute: usize, condition: &[QueryBox]) -> Result<Estimate> {
        if let Some(Askable { name, kind }) = self.attributes().get(attribute) {
            check_type(aggregate, name, *kind)?;
        }
        Ok(self.tally(attribute, &with_known(condition, attribute))?.answer(aggregate))
    }

    /// Makes what questions need and reading alone does not: afterwards each question costs a pass over distinct records.
    fn prepare(&self) {}
}

/// An attribute that an analyst can ask about.
#[derive(Clone, Debug)]
pub struct Askable {
    /// Its name.
    pub name: String,
    /// The type of its original values.
    pub kind: crate::data::Type,
}

/// What an adversary learns about a person whose quasi-identifiers are known.
pub trait Adversary: Send + Sync {
    /// Which released records, or groups of them, could be the person's, and with what weight.
    fn candidates(&self, person: &[u32]) -> Vec<(u64, f64)>;

    /// The probability that the person is in the data at all; nothing where the release does not tell.
    fn presence(&self, person: &[u32]) -> Option<f64>;

    /// What can be believed about a sensitive attribute of the person, over its released values; nothing where
    /// the release says nothing about such a person.
    fn posterior(&self, person: &[u32], attribute: usize) -> Option<Vec<f64>>;
}

/// An answer to an analyst: what is expected, and what no original that fits the release can leave.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// What the method's own reasoning expects; nothing where there is nobody to speak of.
    pub estimate: Option<f64>,
    /// The least that is possible; may be minus infinity.
    pub lower: Option<f64>,
    /// The most that is possible; may be infinity.
    pub upper: Option<f64>,
    /// Whether the bounds say no more than could be said without the release.
    pub trivial: bool,
    /// Whether an original that fits may have nobody to aggregate over; the bounds of a mean, a minimum or a maximum then hold
    /// for those that have somebody.
    pub may_be_empty: bool,
}

impl Estimate {
    /// An estimate between two bounds.
    pub fn within(estimate: f64, lower: f64, upper: f64) -> Self {
        Self { estimate: Some(estimate), lower: Some(lower), upper: Some(upper), ..Self::default() }
    }
}
