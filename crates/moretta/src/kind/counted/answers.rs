//! What a counted release answers.

use super::Counted;
use crate::condition::QueryBox;
use crate::data::value::Value;
use crate::error::{Code, Error, Result};
use crate::release::tally::AggregateEvidence;
use crate::release::{Analyst, Askable, Estimate};

impl Analyst for Counted {
    /// It has no attributes: a question that names one is refused before it comes here.
    fn attributes(&self) -> Vec<Askable> {
        Vec::new()
    }

    fn values_of(&self, _: usize) -> Result<Vec<Value>> {
        Err(Error::input("a counted release has no attributes").coded(Code::QueryUnsupported))
    }

    fn count(&self, condition: &[QueryBox]) -> Result<Estimate> {
        let people = if condition.is_empty() { 0.0 } else { self.people as f64 };
        Ok(Estimate::within(people, people, people))
    }

    fn tally(&self, _: usize, _: &[QueryBox]) -> Result<AggregateEvidence> {
        Ok(AggregateEvidence::default())
    }
}
