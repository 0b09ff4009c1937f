//! Generalized releases: groups that publish the same quasi-identifiers.

use std::sync::{Arc, OnceLock};

use super::answers::{Adversary, Answers, Askable, Estimate};
use super::coverage::Coverage;
use super::histograms::{Parts, Populations, Profiles};
use super::region::{Region, regions};
use super::{ColumnMeaning, Files, Groups};
use crate::data::cells::{Cells, count_distinct};
use crate::data::domain::Domain;
use crate::data::role::Role;
use crate::data::table::{Column, Table};
use crate::data::value::Value;
use crate::error::{Error, Result};
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
    meanings: Vec<ColumnMeaning>,
    suppressed: u64,
    /// What each label of each quasi-identifier stands for.
    regions: OnceLock<Vec<Vec<Region>>>,
    /// The distinct rows.
    cells: OnceLock<Cells>,
}

/// An attribute that stands for more values than this is not grouped by.
const MOST_VALUES: usize = 10_000;

impl Generalized {
    pub(super) fn read(files: &Files<'_>, progress: &Progress) -> Result<Self> {
        let attributes = files.attributes()?;
        let table = files.read("data", &attributes, progress)?;
        let described: Vec<&Attribute> = attributes.iter().filter(|a| a.role == Role::Sensitive).collect();
        let quasi = files.manifest.columns.iter().filter(|column| column.role == Role::Quasi.name());
        let release = Self::of_labels(table, quasi.cloned().collect(), &described, files.manifest.suppressed)?;
        files.compare("people", files.manifest.people, release.groups.whole.people)?;
        files.compare("groups", files.manifest.groups, release.groups.len() as u64)?;
        Ok(release)
    }

    /// A table of labels, of whatever origin: what the labels of each quasi-identifier mean, how the policy describes the
    /// sensitive attributes, and how many people were left out.
    pub fn of_labels(
        table: Table,
        meanings: Vec<ColumnMeaning>,
        described: &[&Attribute],
        suppressed: u64,
    ) -> Result<Self> {
        let groups = Groups::of_table(&table, described)?;
        Ok(Self { groups, table, meanings, suppressed, regions: OnceLock::new(), cells: OnceLock::new() })
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
            let columns: Vec<_> = self.table.quasi.iter().chain(&self.table.sensitive).map(Column::counted).collect();
            count_distinct(&columns, self.table.rows(), self.table.weights.as_deref())
        })
    }

    /// How a set weighs on each code of an attribute.
    fn weigh(&self, attribute: usize, set: &ValueSet) -> Vec<Weight> {
        match attribute.checked_sub(self.table.quasi.len()) {
            None => self.regions()[attribute]
                .iter()
                .map(|region| Weight {
                    share: region.share(set),
                    inside: region.lies_in(set),
                    meets: region.meets(set),
                })
                .collect(),
            Some(sensitive) => {
                let values = self.table.sensitive[sensitive].domain.values().iter();
                values.map(|value| Weight::exact(set.contains(value))).collect()
            }
        }
    }
}

/// How a box weighs on each code of the attributes that it restricts.
type Sides = Vec<(usize, Vec<Weight>)>;

/// What of a published value lies in a set.
#[derive(Clone, Copy, Debug)]
struct Weight {
    share: f64,
    inside: bool,
    meets: bool,
}

impl Weight {
    fn exact(inside: bool) -> Self {
        Self { share: f64::from(u8::from(inside)), inside, meets: inside }
    }
}

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
        let quasi = self.meanings.iter().map(|meaning| Askable { name: meaning.name.clone(), kind: meaning.kind });
        let sensitive = self.table.sensitive.iter();
        quasi.chain(sensitive.map(|c| Askable { name: c.name.clone(), kind: c.domain.kind() })).collect()
    }

    fn values_of(&self, attribute: usize) -> Result<Vec<Value>> {
        if let Some(sensitive) = attribute.checked_sub(self.table.quasi.len()) {
            return Ok(self.table.sensitive[sensitive].domain.values().to_vec());
        }
        let too_many = || {
            Error::input(format!("{:?} stands for too many values to group by", self.meanings[attribute].name))
                .help("ask for ranges of it in WHERE instead")
        };
        let mut values = Vec::new();
        for region in &self.regions()[attribute] {
            values.extend(region.values(MOST_VALUES).ok_or_else(too_many)?);
            values.sort_unstable();
            values.dedup();
            if values.len() > MOST_VALUES {
                return Err(too_many());
            }
        }
        Ok(values)
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
        let cells = self.cells();
        let weighed: Vec<Sides> = condition
            .iter()
            .map(|one| one.sides.iter().map(|(attribute, set)| (*attribute, self.weigh(*attribute, set))).collect())
            .collect();
        let discrete = condition.iter().flat_map(|one| &one.sides).all(|(attribute, _)| {
            self.regions().get(*attribute).is_none_or(|regions| regions.iter().all(Region::is_discrete))
        });
        let (mut estimate, mut lower, mut upper) = (0.0, 0_u64, 0_u64);
        for cell in 0..cells.len() {
            let (mut share, mut inside, mut meets) = (0.0, false, false);
            for sides in &weighed {
                let mut box_share = 1.0;
                let (mut box_inside, mut box_meets) = (true, true);
                for (attribute, weights) in sides {
                    let weight = weights[cells.columns[*attribute][cell] as usize];
                    box_share *= weight.share;
                    box_inside &= weight.inside;
                    box_meets &= weight.meets;
                }
                share += box_share;
                inside |= box_inside;
                meets |= box_meets;
            }
            // Boxes that together hold all of a list of values hold everybody, though none does alone.
            inside |= discrete && share > 1.0 - 1e-9;
            let people = cells.people[cell];
            estimate += share * people as f64;
            lower += if inside { people } else { 0 };
            upper += if meets { people } else { 0 };
        }
        let suppressed = if condition.is_empty() { 0 } else { self.suppressed };
        Ok(Estimate::within(estimate, lower as f64, (upper + suppressed) as f64))
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
