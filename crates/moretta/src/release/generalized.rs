//! Generalized releases: groups that publish the same quasi-identifiers.

use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::answers::{Adversary, Answers, Askable, Estimate};
use super::coverage::Coverage;
use super::histograms::{Parts, Populations, Profiles};
use super::region::{Region, regions};
use super::shown::{Numbers, Shown, Weight};
use super::tally::{Member, Tally};
use super::together::Together;
use super::{ColumnMeaning, Files, Groups};
use crate::data::cells::{Cells, count_distinct};
use crate::data::domain::Domain;
use crate::data::role::Role;
use crate::data::table::{Column, Table};
use crate::data::value::Value;
use crate::error::Result;
use crate::policy::Attribute;
use crate::progress::Progress;
use crate::query::{QueryBox, ValueSet};

/// A generalized release.
#[derive(Debug)]
pub struct Generalized {
    /// Its groups.
    pub groups: Groups,
    /// Its table: the published labels of quasi-identifiers, and sensitive values.
    pub table: Table,
    insensitive: Vec<Column>,
    meanings: Vec<ColumnMeaning>,
    suppressed: u64,
    /// What each label of each quasi-identifier stands for.
    regions: OnceLock<Vec<Vec<Region>>>,
    /// The distinct rows.
    cells: OnceLock<Cells>,
}

impl Generalized {
    pub(super) fn read(files: &Files<'_>, progress: &Progress) -> Result<Self> {
        let attributes = files.attributes()?;
        let (table, insensitive) = files.read_all("data", &attributes, progress)?;
        let described: Vec<&Attribute> = attributes.iter().filter(|a| a.role == Role::Sensitive).collect();
        let quasi = files.manifest.columns.iter().filter(|column| column.role == Role::Quasi.name());
        let release =
            Self::of_labels(table, insensitive, quasi.cloned().collect(), &described, files.manifest.suppressed)?;
        files.compare("people", files.manifest.people, release.groups.whole.people)?;
        files.compare("groups", files.manifest.groups, release.groups.len() as u64)?;
        Ok(release)
    }

    /// A table of labels, of whatever origin: what the labels of each quasi-identifier mean, how the policy describes the
    /// sensitive attributes, and how many people were left out.
    pub fn of_labels(
        table: Table,
        insensitive: Vec<Column>,
        meanings: Vec<ColumnMeaning>,
        described: &[&Attribute],
        suppressed: u64,
    ) -> Result<Self> {
        let groups = Groups::of_table(&table, described)?;
        let (regions, cells) = (OnceLock::new(), OnceLock::new());
        Ok(Self { groups, table, insensitive, meanings, suppressed, regions, cells })
    }

    /// What each label of each quasi-identifier stands for.
    pub fn regions(&self) -> &[Vec<Region>] {
        self.regions.get_or_init(|| {
            let of_column = |(meaning, column): (&ColumnMeaning, &Column)| {
                let labels: Vec<String> = column.domain.values().iter().map(Value::to_string).collect();
                regions(meaning, labels.iter().map(String::as_str))
            };
            self.meanings.iter().zip(&self.table.quasi).map(of_column).collect()
        })
    }

    fn cells(&self) -> &Cells {
        self.cells.get_or_init(|| {
            let columns = self.table.quasi.iter().chain(&self.table.sensitive).chain(&self.insensitive);
            count_distinct(
                &columns.map(Column::counted).collect::<Vec<_>>(),
                self.table.rows(),
                self.table.weights.as_deref(),
            )
        })
    }

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
const AT_ONCE: usize = 1 << 14;

impl Answers for Generalized {
    fn adversary<'r>(&'r self, quasi: &[(String, Arc<Domain>)]) -> Result<Box<dyn Adversary + 'r>> {
        let sizes: Vec<usize> = quasi.iter().map(|(_, domain)| domain.len()).collect();
        let domains: Vec<Arc<Domain>> = quasi.iter().map(|(_, domain)| domain.clone()).collect();
        // For each attribute, the groups that publish each label.
        let of_label: Vec<Vec<Vec<u32>>> = self
            .table
            .quasi
            .iter()
            .map(|column| {
                let mut of_label = vec![Vec::new(); column.domain.len()];
                for group in 0..self.groups.len() {
                    of_label[column.codes[self.groups.first_row(group)] as usize].push(group as u32);
                }
                of_label
            })
            .collect();
        let regions = self.regions();
        let coverage = Coverage::new(self.groups.len(), &sizes, move |attribute, code, visit| {
            let value = domains[attribute].value(code);
            for (region, groups) in regions[attribute].iter().zip(&of_label[attribute]) {
                if region.contains(value) {
                    groups.iter().for_each(|&group| visit(group as usize));
                }
            }
        });
        Ok(Box::new(Reader { release: self, coverage }))
    }

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
            |place: usize, set: &ValueSet| self.regions()[place].iter().map(|region| region.share(set)).collect();
        Ok(parts.histograms(populations, self.table.sensitive[sensitive].domain.len(), weigh))
    }

    /// Inside a group all values that a label stands for are taken to be as likely, attribute by attribute.
    fn count(&self, condition: &[QueryBox]) -> Result<Estimate> {
        let (cells, weighed) = (self.cells(), self.weigh(condition));
        let starts: Vec<usize> = (0..cells.len()).step_by(AT_ONCE).collect();
        let count = |&start: &usize| {
            let (mut estimate, mut lower, mut upper) = (0.0, 0_u64, 0_u64);
            for cell in start..(start + AT_ONCE).min(cells.len()) {
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
    fn tally(&self, attribute: usize, condition: &[QueryBox]) -> Result<Tally> {
        let (cells, weighed) = (self.cells(), self.weigh(condition));
        let mut tally = Tally::default();
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

/// An adversary: finds the groups whose labels cover a person.
#[derive(Debug)]
struct Reader<'r> {
    release: &'r Generalized,
    coverage: Coverage<'r>,
}

impl Adversary for Reader<'_> {
    fn candidates(&self, person: &[u32]) -> Vec<(u64, f64)> {
        let covering = self.coverage.of_person(person);
        covering.into_iter().map(|group| (group as u64, self.release.groups.people[group] as f64)).collect()
    }

    /// A person whom no group covers is not in the release; of one who is covered it does not tell.
    fn presence(&self, person: &[u32]) -> Option<f64> {
        self.coverage.of_person(person).is_empty().then_some(0.0)
    }

    fn posterior(&self, person: &[u32], attribute: usize) -> Option<Vec<f64>> {
        let groups = &self.release.groups;
        let covering = self.coverage.of_person(person);
        let people: u64 = covering.iter().map(|&group| groups.people[group]).sum();
        let mut belief = vec![0.0; groups.whole.sensitive.get(attribute)?.domain.len()];
        for group in covering {
            let (codes, held) = groups.held(attribute, group);
            codes.iter().zip(held).for_each(|(&code, &held)| belief[code as usize] += held as f64 / people as f64);
        }
        (people > 0).then_some(belief)
    }
}
