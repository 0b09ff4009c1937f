//! Condensed releases: records drawn from the moments of groups.

use std::sync::Arc;

use super::answers::{Adversary, Answers, Askable, Estimate};
use super::histograms::{Parts, Populations, Profiles, in_set};
use super::{Files, Groups};
use crate::data::domain::Domain;
use crate::data::role::Role;
use crate::data::table::Table;
use crate::data::value::Value;
use crate::error::{Error, Result};
use crate::policy::Attribute;
use crate::progress::Progress;
use crate::query::QueryBox;
use crate::uncertain::space::number_of;
use crate::uncertain::{Points, Tree};

/// A condensed release.
#[derive(Debug)]
pub struct Condensed {
    /// Its groups with their sensitive values.
    pub groups: Groups,
    /// Its records.
    pub table: Table,
}

impl Condensed {
    pub(super) fn read(files: &Files<'_>, progress: &Progress) -> Result<Self> {
        let attributes = files.attributes()?;
        let table = files.read("data", &attributes, progress)?;
        let described: Vec<&Attribute> = attributes.iter().filter(|a| a.role == Role::Sensitive).collect();
        let groups = Groups::of_table(&table, &described)?;
        files.compare("people", files.manifest.people, table.people())?;
        files.compare("groups", files.manifest.groups, groups.len() as u64)?;
        Ok(Self { groups, table })
    }
}

impl Answers for Condensed {
    fn adversary<'r>(&'r self, quasi: &[(String, Arc<Domain>)]) -> Result<Box<dyn Adversary + 'r>> {
        let place = |name: &str| {
            quasi.iter().position(|(own, _)| own == name).ok_or_else(|| {
                Error::input(format!("the original has no quasi-identifier {name:?}, which the release has"))
            })
        };
        // A coordinate of a value (`ATTRIBUTE=VALUE`) is known to nobody but by its attribute.
        let plain: Vec<usize> =
            (0..self.table.quasi.len()).filter(|&at| place(&self.table.quasi[at].name).is_ok()).collect();
        let numbers = |at: &usize| -> Vec<f64> {
            let column = &self.table.quasi[*at];
            let of_code: Vec<f64> = column.domain.values().iter().map(number_of).collect();
            column.codes.iter().map(|&code| of_code[code as usize]).collect()
        };
        let mut points = Points { columns: plain.iter().map(numbers).collect(), people: vec![1; self.table.rows()] };
        let units: Vec<f64> = points.moments().iter().map(|(_, deviation)| deviation.max(1e-9)).collect();
        points.columns.iter_mut().zip(&units).for_each(|(column, unit)| column.iter_mut().for_each(|x| *x /= unit));
        let sources = plain.iter().map(|&at| place(&self.table.quasi[at].name)).collect::<Result<Vec<_>>>()?;
        let domains = sources.iter().map(|&source| (source, quasi[source].1.clone())).collect();
        let group_of_row = match &self.table.group {
            Some(group) => group.codes.as_slice(),
            None => return Err(Error::bug("a condensed release without groups")),
        };
        Ok(Box::new(Reader { release: self, tree: Tree::new(&points), units, domains, group_of_row }))
    }

    fn attributes(&self) -> Vec<Askable> {
        let columns = self.table.quasi.iter().chain(&self.table.sensitive);
        columns.map(|column| Askable { name: column.name.clone(), kind: column.domain.kind() }).collect()
    }

    fn values_of(&self, attribute: usize) -> Result<Vec<Value>> {
        let quasi = self.table.quasi.len();
        match attribute.checked_sub(quasi) {
            Some(sensitive) => Ok(self.table.sensitive[sensitive].domain.values().to_vec()),
            None => Err(Error::input(format!(
                "{:?} was drawn anew: there are no values to group by",
                self.table.quasi[attribute].name
            ))
            .help("ask for ranges of it in WHERE")),
        }
    }

    fn histograms(&self, populations: &Populations, attribute: usize) -> Result<Vec<Vec<f64>>> {
        let secret = &self.table.sensitive[attribute - self.table.quasi.len()];
        let parts = Parts {
            columns: self.table.quasi.iter().map(|column| column.codes.clone()).collect(),
            people: vec![1.0; self.table.rows()],
            profile: secret.codes.clone(),
            profiles: Profiles::of_values(secret.domain.len()),
        };
        let weigh = |place: usize, set: &_| in_set(self.table.quasi[place].domain.values(), set);
        Ok(parts.histograms(populations, secret.domain.len(), weigh))
    }

    /// Counts the drawn records, as if they were the original ones.
    fn count(&self, condition: &[QueryBox]) -> Result<Estimate> {
        let quasi = self.table.quasi.len();
        let columns: Vec<_> = self.table.quasi.iter().chain(&self.table.sensitive).collect();
        let (mut inside, mut certain, mut possible) = (0_u64, 0_u64, vec![false; self.table.rows()]);
        for one in condition {
            let truths: Vec<(usize, Vec<bool>)> = one
                .sides
                .iter()
                .map(|(at, set)| (*at, columns[*at].domain.values().iter().map(|value| set.contains(value)).collect()))
                .collect();
            let drawn = truths.iter().any(|(at, _)| *at < quasi);
            for (row, possible) in possible.iter_mut().enumerate() {
                let holds = |(at, truth): &(usize, Vec<bool>)| truth[columns[*at].codes[row] as usize];
                let by_value = truths.iter().filter(|(at, _)| *at >= quasi).all(holds);
                inside += u64::from(truths.iter().all(holds));
                certain += u64::from(by_value && !drawn);
                *possible |= by_value;
            }
        }
        // A drawn number says nothing for certain about anybody's.
        let most = possible.iter().filter(|possible| **possible).count();
        Ok(Estimate::within(inside as f64, certain as f64, most as f64))
    }
}

/// An adversary who takes the nearest drawn record's group for the person's.
#[derive(Debug)]
struct Reader<'r> {
    release: &'r Condensed,
    tree: Tree,
    units: Vec<f64>,
    domains: Vec<(usize, Arc<Domain>)>,
    group_of_row: &'r [u32],
}

impl Reader<'_> {
    fn group(&self, person: &[u32]) -> Option<usize> {
        let coordinate =
            |((source, domain), unit): (&(usize, Arc<Domain>), &f64)| number_of(domain.value(person[*source])) / unit;
        let place: Vec<f64> = self.domains.iter().zip(&self.units).map(coordinate).collect();
        let mut found = Vec::new();
        self.tree.nearest(&place, 1, &mut found);
        found.first().map(|&(_, at)| self.group_of_row[self.tree.order[at as usize] as usize] as usize)
    }
}

impl Adversary for Reader<'_> {
    fn candidates(&self, person: &[u32]) -> Vec<(u64, f64)> {
        self.group(person).into_iter().map(|group| (group as u64, 1.0)).collect()
    }

    /// Records are nobody's: the release does not tell.
    fn presence(&self, _: &[u32]) -> Option<f64> {
        None
    }

    fn posterior(&self, person: &[u32], attribute: usize) -> Option<Vec<f64>> {
        let groups = &self.release.groups;
        let group = self.group(person)?;
        let mut belief = vec![0.0; groups.whole.sensitive.get(attribute)?.domain.len()];
        let (codes, held) = groups.held(attribute, group);
        codes
            .iter()
            .zip(held)
            .for_each(|(&code, &held)| belief[code as usize] += held as f64 / groups.people[group] as f64);
        Some(belief)
    }
}
