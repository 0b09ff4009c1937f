//! The original as something that answers exactly: what estimates are compared with.

use std::sync::Arc;

use crate::condition::QueryBox;
use crate::data::domain::Domain;
use crate::data::value::Value;
use crate::error::Result;
use crate::release::histograms::{Parts, Profiles, in_set};
use crate::release::tally::{AggregateEvidence, Member, ValueDistribution};
use crate::release::{Analyst, Askable, Estimate, Original, Populations};

/// The original, asked as a release is asked.
#[derive(Debug)]
pub struct Truth<'a>(pub &'a Original<'a>);

impl Truth<'_> {
    fn attribute(&self, index: usize) -> &(String, Arc<Domain>) {
        match index.checked_sub(self.0.quasi.len()) {
            None => &self.0.quasi[index],
            Some(sensitive) => &self.0.sensitive[sensitive],
        }
    }

    /// Calls `visit` with every cell in one of the boxes. They are disjoint: no cell comes twice.
    fn for_each_cell(&self, condition: &[QueryBox], mut visit: impl FnMut(usize)) {
        for one in condition {
            let truths: Vec<(&[u32], Vec<bool>)> = one
                .sides
                .iter()
                .map(|(attribute, set)| {
                    let values = self.attribute(*attribute).1.values().iter();
                    let truth = values.map(|value| set.contains(value)).collect();
                    (self.0.cells.columns[*attribute].as_slice(), truth)
                })
                .collect();
            let inside = |cell: &usize| truths.iter().all(|(codes, truth)| truth[codes[*cell] as usize]);
            (0..self.0.cells.len()).filter(inside).for_each(&mut visit);
        }
    }
}

impl Analyst for Truth<'_> {
    fn attributes(&self) -> Vec<Askable> {
        let all = self.0.quasi.iter().chain(&self.0.sensitive);
        all.map(|(name, domain)| Askable { name: name.clone(), kind: domain.kind() }).collect()
    }

    fn values_of(&self, attribute: usize) -> Result<Vec<Value>> {
        Ok(self.attribute(attribute).1.values().to_vec())
    }

    fn histograms(&self, populations: &Populations, attribute: usize) -> Result<Vec<Vec<f64>>> {
        let values = self.attribute(attribute).1.len();
        let parts = Parts {
            columns: self.0.cells.columns[..self.0.quasi.len()].to_vec(),
            people: self.0.cells.people.iter().map(|&people| people as f64).collect(),
            profile: self.0.cells.columns[attribute].clone(),
            profiles: Profiles::of_values(values),
        };
        parts.histograms(populations, values, |index, set| in_set(self.attribute(index).1.values(), set))
    }

    fn count(&self, condition: &[QueryBox]) -> Result<Estimate> {
        let mut people = 0;
        self.for_each_cell(condition, |cell| people += self.0.cells.people[cell]);
        Ok(exactly(people as f64))
    }

    fn tally(&self, attribute: usize, condition: &[QueryBox]) -> Result<AggregateEvidence> {
        let mut tally = AggregateEvidence::default();
        let numbers: Vec<Option<f64>> = self.attribute(attribute).1.values().iter().map(Value::as_number).collect();
        let mut people = vec![0; numbers.len()];
        self.for_each_cell(condition, |cell| {
            people[self.0.cells.columns[attribute][cell] as usize] += self.0.cells.people[cell];
        });
        for (x, people) in numbers.into_iter().zip(people) {
            let Some(x) = x else { continue };
            tally.crowd.add(Member { low: x, high: x, people, sure: true });
            let law = tally.expected.law(Some(ValueDistribution::point(x)));
            tally.expected.expect(people as f64, 1.0, law);
        }
        tally.crowd.close_independent();
        Ok(tally)
    }
}

fn exactly(x: f64) -> Estimate {
    Estimate::within(x, x, x)
}
