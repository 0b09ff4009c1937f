//! Condensed releases: records drawn from the moments of groups.

use super::Condensed;
use super::read::Drawn;
use crate::condition::{QueryBox, ValueSet};
use crate::data::Type;
use crate::data::value::Value;
use crate::error::{Code, Error, Result};
use crate::release::grouped_rows::numbers_of;
use crate::release::histograms::{Parts, Profiles};
use crate::release::tally::{AggregateEvidence, Member, ValueDistribution, reach};
use crate::release::{Analyst, Askable, Estimate, Populations};

impl Analyst for Condensed {
    fn attributes(&self) -> Vec<Askable> {
        let drawn = self.drawn.iter().map(|drawn| {
            let kind = if drawn.values.is_empty() { drawn.kind } else { Type::Text };
            Askable { name: drawn.attribute.clone(), kind }
        });
        let sensitive = self.table.sensitive.iter();
        drawn.chain(sensitive.map(|c| Askable { name: c.name.clone(), kind: c.domain.kind() })).collect()
    }

    fn values_of(&self, attribute: usize) -> Result<Vec<Value>> {
        match self.drawn.get(attribute) {
            None => Ok(self.table.sensitive[attribute - self.drawn.len()].domain.values().to_vec()),
            Some(drawn) if !drawn.values.is_empty() => Ok(drawn.values.clone()),
            Some(drawn) => {
                Err(Error::input(format!("{:?} was drawn anew: there are no values to group by", drawn.attribute))
                    .coded(Code::QueryUnsupported)
                    .help("ask for ranges of it in WHERE"))
            }
        }
    }

    fn histograms(&self, populations: &Populations, attribute: usize) -> Result<Vec<Vec<f64>>> {
        let secret = &self.table.sensitive[attribute - self.drawn.len()];
        let parts = Parts {
            columns: self.drawn.iter().map(|drawn| self.codes(drawn).to_vec()).collect(),
            people: vec![1.0; self.table.rows()],
            profile: secret.codes.clone(),
            profiles: Profiles::of_values(secret.domain.len()),
        };
        let weigh = |index: usize, set: &ValueSet| {
            self.inside(&self.drawn[index], set).into_iter().map(|inside| f64::from(u8::from(inside))).collect()
        };
        parts.histograms(populations, secret.domain.len(), weigh)
    }

    /// Counts the drawn records, as if they were the original ones.
    fn count(&self, condition: &[QueryBox]) -> Result<Estimate> {
        let (mut inside, mut certain, mut possible) = (0_u64, 0_u64, vec![false; self.table.rows()]);
        for one in condition {
            let sides = self.sides(one);
            for (row, possible) in possible.iter_mut().enumerate() {
                let by_value = holds(&sides.values, row);
                inside += u64::from(by_value && holds(&sides.drawn, row));
                certain += u64::from(by_value && sides.drawn.is_empty());
                *possible |= by_value;
            }
        }
        // A drawn number says nothing for certain about anybody's.
        let most = possible.iter().filter(|possible| **possible).count();
        Ok(Estimate::within(inside as f64, certain as f64, most as f64))
    }

    /// The values of the drawn records are expected; for certain are sensitive values, of people whoever they are.
    fn tally(&self, attribute: usize, condition: &[QueryBox]) -> Result<AggregateEvidence> {
        let mut tally = AggregateEvidence::default();
        let drawn = self.drawn.get(attribute);
        let column = match drawn {
            Some(drawn) => drawn.columns.first().map(|&at| &self.table.quasi[at]),
            None => self.table.sensitive.get(attribute - self.drawn.len()),
        };
        let Some(column) = column else { return Ok(tally) };
        let numbers = numbers_of(column);
        let laws: Vec<Option<u32>> =
            numbers.iter().map(|x| tally.expected.law(x.map(ValueDistribution::point))).collect();
        let nobody = Member { low: f64::INFINITY, high: f64::NEG_INFINITY, people: 0, sure: false };
        let mut members = vec![nobody; self.table.rows()];
        for one in condition {
            let sides = self.sides(one);
            for (row, member) in members.iter_mut().enumerate().filter(|(row, _)| holds(&sides.values, *row)) {
                let code = column.codes[row] as usize;
                let known = numbers[code].filter(|_| drawn.is_none());
                let (low, high) = known.map_or_else(|| reach(one, attribute), |x| (x, x));
                (member.low, member.high) = (member.low.min(low), member.high.max(high));
                (member.people, member.sure) = (1, member.sure | sides.drawn.is_empty());
                if holds(&sides.drawn, row) {
                    tally.expected.expect(1.0, 1.0, laws[code]);
                }
            }
        }
        members.into_iter().for_each(|member| tally.crowd.add(member));
        tally.crowd.close_independent();
        Ok(tally)
    }
}

/// A box, apart for what was drawn and for what is as it was: codes, and which of them are inside.
struct Sides<'r> {
    drawn: Vec<(&'r [u32], Vec<bool>)>,
    values: Vec<(&'r [u32], Vec<bool>)>,
}

fn holds(sides: &[(&[u32], Vec<bool>)], row: usize) -> bool {
    sides.iter().all(|(codes, inside)| inside[codes[row] as usize])
}

impl Condensed {
    /// What each record has of an attribute that was drawn.
    fn codes<'r>(&'r self, drawn: &'r Drawn) -> &'r [u32] {
        if drawn.values.is_empty() { &self.table.quasi[drawn.columns[0]].codes } else { &drawn.codes }
    }

    /// Which of its codes lie in a set. Numbers that are drawn for whole ones count as what they are rounded to.
    fn inside(&self, drawn: &Drawn, set: &ValueSet) -> Vec<bool> {
        if !drawn.values.is_empty() {
            return drawn.values.iter().map(|value| set.contains(value)).collect();
        }
        let intervals = set.intervals(drawn.kind.is_stepped());
        let within = |x: f64| intervals.iter().any(|&(low, high)| low <= x && x <= high);
        numbers_of(&self.table.quasi[drawn.columns[0]]).into_iter().map(|x| x.is_some_and(within)).collect()
    }

    fn sides(&self, one: &QueryBox) -> Sides<'_> {
        let mut sides = Sides { drawn: Vec::new(), values: Vec::new() };
        for (attribute, set) in &one.sides {
            let Some(drawn) = self.drawn.get(*attribute) else {
                let column = &self.table.sensitive[attribute - self.drawn.len()];
                let inside = column.domain.values().iter().map(|value| set.contains(value)).collect();
                sides.values.push((&column.codes, inside));
                continue;
            };
            if set.holds_all_known() {
                continue;
            }
            sides.drawn.push((self.codes(drawn), self.inside(drawn, set)));
        }
        sides
    }
}
