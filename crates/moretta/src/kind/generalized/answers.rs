//! Generalized releases: groups that publish the same quasi-identifiers.

use rayon::prelude::*;

use super::Generalized;
use crate::condition::{QueryBox, ValueSet};
use crate::data::cells::Cells;
use crate::data::table::Column;
use crate::data::value::Value;
use crate::error::Result;
use crate::release::histograms::{Parts, Profiles};
use crate::release::shown::{Numbers, Shown, Weight};
use crate::release::tally::{AggregateEvidence, Member};
use crate::release::together::Together;
use crate::release::{Analyst, Askable, Estimate, Populations};

impl Generalized {
    /// A published attribute: quasi-identifiers, then sensitive attributes, then insensitive ones.
    fn shown(&self, attribute: usize) -> Shown<'_> {
        match attribute.checked_sub(self.table.quasi.len()) {
            None => Shown {
                column: &self.table.quasi[attribute],
                kind: self.meanings[attribute].kind,
                regions: Some(&self.regions()[attribute]),
            },
            Some(other) => match other.checked_sub(self.table.sensitive.len()) {
                None => Shown::exact(&self.table.sensitive[other]),
                Some(insensitive) => Shown::exact(&self.insensitive[insensitive]),
            },
        }
    }

    /// A condition, made ready for the distinct rows.
    fn weigh(&self, condition: &[QueryBox]) -> Weighed {
        let side = |(attribute, set): &(usize, ValueSet)| (*attribute, self.shown(*attribute).weigh(set));
        let boxes = condition.iter().map(|one| one.sides.iter().map(side).collect()).collect();
        let together = (condition.len() > 1).then(|| Together::new(condition, |attribute| self.shown(attribute)));
        Weighed { boxes, together }
    }
}

/// How each box weighs on each code of the attributes that it restricts.
struct Weighed {
    boxes: Vec<Vec<(usize, Vec<Weight>)>>,
    /// What boxes hold together, where there are several.
    together: Option<Together>,
}

impl Weighed {
    /// What of a distinct row lies in a box.
    fn of_box(&self, one: usize, cells: &Cells, cell: usize) -> Weight {
        let mut found = Weight { share: 1.0, inside: true, meets: true };
        for (attribute, weights) in &self.boxes[one] {
            let weight = weights[cells.columns[*attribute][cell] as usize];
            found.share *= weight.share;
            found.inside &= weight.inside;
            found.meets &= weight.meets;
        }
        found
    }

    /// What of a distinct row lies in the condition; `visit` sees each box that it meets.
    fn of_cell(&self, cells: &Cells, cell: usize, mut visit: impl FnMut(usize, Weight)) -> Weight {
        let mut found = Weight { share: 0.0, inside: false, meets: false };
        let mut met = 0;
        for one in 0..self.boxes.len() {
            let weight = self.of_box(one, cells, cell);
            if weight.meets {
                visit(one, weight);
                met += 1;
            }
            found.share += weight.share;
            found.inside |= weight.inside;
            found.meets |= weight.meets;
        }
        let code = |attribute: usize| cells.columns[attribute][cell];
        found.inside |= !found.inside && met > 1 && self.together.as_ref().is_some_and(|boxes| boxes.hold(code));
        found
    }
}

/// Distinct rows that are weighed at once.
const ROWS_PER_CHUNK: usize = 1 << 14;

impl Analyst for Generalized {
    fn attributes(&self) -> Vec<Askable> {
        let all = self.table.quasi.len() + self.table.sensitive.len() + self.insensitive.len();
        let askable = |attribute| {
            let shown = self.shown(attribute);
            Askable { name: shown.column.name.clone(), kind: shown.kind }
        };
        (0..all).map(askable).collect()
    }

    fn values_of(&self, attribute: usize) -> Result<Vec<Value>> {
        self.shown(attribute).values()
    }

    fn prepare(&self) {
        self.regions();
        self.cells();
    }

    fn histograms(&self, populations: &Populations, attribute: usize) -> Result<Vec<Vec<f64>>> {
        let sensitive = attribute - self.table.quasi.len();
        let groups = &self.groups;
        let label = |column: &Column| (0..groups.len()).map(|group| column.codes[groups.first_row(group)]).collect();
        let parts = Parts {
            columns: self.table.quasi.iter().map(label).collect(),
            people: groups.people.iter().map(|&people| people as f64).collect(),
            profile: (0..groups.len() as u32).collect(),
            profiles: Profiles::of_groups(groups, sensitive),
        };
        let weigh =
            |index: usize, set: &ValueSet| self.regions()[index].iter().map(|region| region.share(set)).collect();
        parts.histograms(populations, self.table.sensitive[sensitive].domain.len(), weigh)
    }

    /// Inside a group the values that a label stands for are as likely as [`Region::share`](crate::release::Region::share)
    /// says, attribute by attribute.
    fn count(&self, condition: &[QueryBox]) -> Result<Estimate> {
        let (cells, weighed) = (self.cells(), self.weigh(condition));
        let starts: Vec<usize> = (0..cells.len()).step_by(ROWS_PER_CHUNK).collect();
        let count = |&start: &usize| {
            let (mut estimate, mut lower, mut upper) = (0.0, 0_u64, 0_u64);
            for cell in start..(start + ROWS_PER_CHUNK).min(cells.len()) {
                let weight = weighed.of_cell(cells, cell, |_, _| {});
                let people = cells.people[cell];
                estimate += weight.share * people as f64;
                lower += if weight.inside { people } else { 0 };
                upper += if weight.meets { people } else { 0 };
            }
            (estimate, lower, upper)
        };
        let parts: Vec<(f64, u64, u64)> = starts.par_iter().map(count).collect();
        let all = parts.iter().fold((0.0, 0, 0), |all, one| (all.0 + one.0, all.1 + one.1, all.2 + one.2));
        let suppressed = if condition.is_empty() { 0 } else { self.suppressed };
        Ok(Estimate::within(all.0, all.1 as f64, (all.2 + suppressed) as f64))
    }

    /// People do not depend on each other: each has any of the values that its labels stand for.
    fn tally(&self, attribute: usize, condition: &[QueryBox]) -> Result<AggregateEvidence> {
        let (cells, weighed) = (self.cells(), self.weigh(condition));
        let mut tally = AggregateEvidence::default();
        let shown = self.shown(attribute);
        let everything = ValueSet::everything();
        let numbers: Vec<Vec<Option<Numbers>>> = condition
            .iter()
            .map(|one| shown.numbers(one.side(attribute).unwrap_or(&everything), &mut tally.expected))
            .collect();
        for cell in 0..cells.len() {
            let code = cells.columns[attribute][cell] as usize;
            let people = cells.people[cell];
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            let weight = weighed.of_cell(cells, cell, |one, weight| {
                if let Some(numbers) = numbers[one][code] {
                    (low, high) = (low.min(numbers.low), high.max(numbers.high));
                    tally.expected.expect(people as f64, weight.share, numbers.law);
                }
            });
            if low <= high {
                tally.crowd.add(Member { low, high, people, sure: weight.inside });
            }
        }
        tally.crowd.close_independent();
        tally.add_suppressed(self.suppressed, attribute, condition);
        Ok(tally)
    }
}
