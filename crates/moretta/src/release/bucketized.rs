//! Bucketized releases: exact quasi-identifiers in one table, the sensitive values of their groups in others.

use std::sync::Arc;

use rayon::prelude::*;

use super::answers::{Adversary, Answers, Askable, Estimate};
use super::files::helper;
use super::histograms::{Parts, Populations, Profiles, in_set};
use super::{Files, Groups};
use crate::data::Type;
use crate::data::cells::{Cells, count_distinct};
use crate::data::domain::Domain;
use crate::data::role::Role;
use crate::data::table::{Column, Table};
use crate::data::value::Value;
use crate::error::{Error, Result};
use crate::policy::Attribute;
use crate::progress::Progress;
use crate::query::QueryBox;

/// The name of the table of quasi-identifiers.
pub const QIT: &str = "qit";

/// The column of group numbers.
pub const GROUP: &str = "group";

/// The name of the table of a sensitive attribute.
pub fn st_name(attribute: &str) -> String {
    format!("st_{attribute}")
}

/// A bucketized release.
#[derive(Debug)]
pub struct Bucketized {
    /// Its groups with their sensitive values.
    pub groups: Groups,
    /// The quasi-identifiers of its rows, and their weights.
    pub qit: Table,
    /// The group of each row, as a place among `groups`.
    pub group_of_row: Vec<u32>,
    suppressed: u64,
}

impl Bucketized {
    pub(super) fn read(files: &Files<'_>, progress: &Progress) -> Result<Self> {
        let attributes = files.attributes()?;
        let mut columns: Vec<Attribute> = attributes.iter().filter(|a| a.role != Role::Sensitive).cloned().collect();
        columns.push(helper(GROUP, Role::Group, Type::Integer));
        let mut qit = files.read(QIT, &columns, progress)?;
        let group = qit.group.take().ok_or_else(|| Error::bug("a table was read without its groups"))?;
        let (groups, numbers) = read_groups(files, &attributes, progress)?;
        if numbers.values() != group.domain.values() {
            return Err(files.wrong("the groups of the quasi-identifiers are not those of the sensitive values"));
        }
        let sizes = count_distinct(&[group.counted()], qit.rows(), qit.weights.as_deref()).people;
        if let Some(place) = (0..sizes.len()).find(|&place| sizes[place] != groups.people[place]) {
            return Err(files.wrong(format!(
                "group {} has {} people, but {} sensitive values",
                numbers.value(place as u32),
                sizes[place],
                groups.people[place]
            )));
        }
        files.compare("people", files.manifest.people, groups.whole.people)?;
        files.compare("groups", files.manifest.groups, groups.len() as u64)?;
        Ok(Self { groups, qit, group_of_row: group.codes, suppressed: files.manifest.suppressed })
    }

    /// How many people of each group have quasi-identifiers in a box.
    fn matching(&self, one: &QueryBox) -> Vec<u64> {
        let truths: Vec<(&[u32], Vec<bool>)> = one
            .sides
            .iter()
            .filter_map(|(attribute, set)| {
                let column = self.qit.quasi.get(*attribute)?;
                let truth = column.domain.values().iter().map(|value| set.contains(value)).collect();
                Some((column.codes.as_slice(), truth))
            })
            .collect();
        if truths.is_empty() {
            return self.groups.people.clone();
        }
        let mut matching = vec![0; self.groups.len()];
        for (row, &group) in self.group_of_row.iter().enumerate() {
            if truths.iter().all(|(codes, truth)| truth[codes[row] as usize]) {
                matching[group as usize] += self.qit.weights.as_ref().map_or(1, |weights| weights[row]);
            }
        }
        matching
    }
}

/// Reads the tables of sensitive values: groups with their histograms, and the numbers that they publish.
pub(super) fn read_groups(
    files: &Files<'_>,
    attributes: &[Attribute],
    progress: &Progress,
) -> Result<(Groups, Arc<Domain>)> {
    let mut found: Option<(Groups, Arc<Domain>)> = None;
    for attribute in attributes.iter().filter(|a| a.role == Role::Sensitive) {
        let value = Attribute { name: "value".to_owned(), ..attribute.clone() };
        let columns = [helper(GROUP, Role::Group, Type::Integer), value, helper("count", Role::Weight, Type::Integer)];
        let mut table = files.read(&st_name(&attribute.name), &columns, progress)?;
        table.sensitive.iter_mut().for_each(|column| column.name.clone_from(&attribute.name));
        let numbers = table.group.as_ref().map(|group| group.domain.clone());
        let numbers = numbers.ok_or_else(|| Error::bug("a table was read without its groups"))?;
        let groups = Groups::of_table(&table, &[attribute])?;
        found = Some(match found {
            None => (groups, numbers),
            Some((known, known_numbers)) => {
                if known_numbers.values() != numbers.values() || known.people != groups.people {
                    return Err(files.wrong("the tables of sensitive values do not have the same groups"));
                }
                (known.with_attributes_of(groups), numbers)
            }
        });
    }
    found.ok_or_else(|| files.wrong("the release has no sensitive attribute"))
}

/// How many people of a group of `size` can be both among `a` and among `b` of its members.
pub(super) fn overlap(size: u64, a: u64, b: u64) -> (u64, u64) {
    ((a + b).saturating_sub(size), a.min(b))
}

impl Answers for Bucketized {
    fn adversary<'r>(&'r self, quasi: &[(String, Arc<Domain>)]) -> Result<Box<dyn Adversary + 'r>> {
        let translation = translate(quasi, &self.qit.quasi)?;
        let mut columns: Vec<(&[u32], usize)> = self.qit.quasi.iter().map(Column::counted).collect();
        columns.push((&self.group_of_row, self.groups.len()));
        let cells = count_distinct(&columns, self.qit.rows(), self.qit.weights.as_deref());
        Ok(Box::new(Reader { release: self, translation, cells }))
    }

    fn attributes(&self) -> Vec<Askable> {
        let columns = self.qit.quasi.iter().map(|c| (&c.name, &c.domain));
        let sensitive = self.groups.whole.sensitive.iter().map(|s| (&s.name, &s.domain));
        columns.chain(sensitive).map(|(name, domain)| Askable { name: name.clone(), kind: domain.kind() }).collect()
    }

    fn values_of(&self, attribute: usize) -> Result<Vec<Value>> {
        let quasi = self.qit.quasi.len();
        let domain = match attribute.checked_sub(quasi) {
            None => &self.qit.quasi[attribute].domain,
            Some(sensitive) => &self.groups.whole.sensitive[sensitive].domain,
        };
        Ok(domain.values().to_vec())
    }

    fn histograms(&self, populations: &Populations, attribute: usize) -> Result<Vec<Vec<f64>>> {
        let sensitive = attribute - self.qit.quasi.len();
        let columns: Vec<(&[u32], usize)> = std::iter::once((self.group_of_row.as_slice(), self.groups.len()))
            .chain(self.qit.quasi.iter().map(Column::counted))
            .collect();
        let mut cells = count_distinct(&columns, self.qit.rows(), self.qit.weights.as_deref());
        let profile = cells.columns.remove(0);
        let people = cells.people.iter().map(|&people| people as f64).collect();
        let profiles = Profiles::of_groups(&self.groups, sensitive);
        let parts = Parts { columns: cells.columns, people, profile, profiles };
        let weigh = |place: usize, set: &_| in_set(self.qit.quasi[place].domain.values(), set);
        Ok(parts.histograms(populations, self.groups.whole.sensitive[sensitive].domain.len(), weigh))
    }

    /// Inside a group sensitive values are taken to be independent of quasi-identifiers, and of each other.
    fn count(&self, condition: &[QueryBox]) -> Result<Estimate> {
        let quasi = self.qit.quasi.len();
        let per_box: Vec<Vec<BoxInGroup>> = condition
            .par_iter()
            .map(|one| {
                let matching = self.matching(one);
                let sensitive: Vec<(usize, Vec<bool>)> = one
                    .sides
                    .iter()
                    .filter_map(|(attribute, set)| {
                        let place = attribute.checked_sub(quasi)?;
                        let values = self.groups.whole.sensitive[place].domain.values().iter();
                        Some((place, values.map(|value| set.contains(value)).collect()))
                    })
                    .collect();
                (0..self.groups.len()).map(|group| self.in_group(group, matching[group], &sensitive)).collect()
            })
            .collect();
        let (mut estimate, mut lower, mut upper) = (0.0, 0, 0);
        for group in 0..self.groups.len() {
            let boxes = || per_box.iter().map(|groups| groups[group]);
            estimate += boxes().map(|found| found.expected).sum::<f64>();
            // Disjoint boxes: what each must hold adds up, and together they hold no more than the group.
            lower += boxes().map(|found| found.least).sum::<u64>();
            upper += boxes().map(|found| found.most).sum::<u64>().min(self.groups.people[group]);
        }
        let suppressed = if condition.is_empty() { 0 } else { self.suppressed };
        Ok(Estimate::within(estimate, lower as f64, (upper + suppressed) as f64))
    }
}

/// What is known about the people of a group in a box.
#[derive(Clone, Copy, Debug)]
struct BoxInGroup {
    expected: f64,
    least: u64,
    most: u64,
}

impl Bucketized {
    fn in_group(&self, group: usize, matching: u64, sensitive: &[(usize, Vec<bool>)]) -> BoxInGroup {
        let size = self.groups.people[group];
        let mut found = BoxInGroup { expected: matching as f64, least: matching, most: matching };
        for (attribute, truth) in sensitive {
            let (codes, people) = self.groups.held(*attribute, group);
            let held = codes.iter().zip(people).filter(|(code, _)| truth[**code as usize]).map(|(_, n)| n).sum();
            found.expected *= held as f64 / size as f64;
            found.least = overlap(size, found.least, held).0;
            found.most = overlap(size, found.most, held).1;
        }
        found
    }
}

/// For each attribute, the released code of each code of the original; nothing where it is not released.
pub(in crate::release) fn translate(
    quasi: &[(String, Arc<Domain>)],
    columns: &[Column],
) -> Result<Vec<Vec<Option<u32>>>> {
    let names_agree = quasi.len() == columns.len() && quasi.iter().zip(columns).all(|((name, _), c)| *name == c.name);
    if !names_agree {
        return Err(Error::input("the original does not have the quasi-identifiers of the release")
            .help("use the policy that the release was made with"));
    }
    let of_column = |((_, domain), column): (&(String, Arc<Domain>), &Column)| {
        domain.values().iter().map(|value| column.domain.code(value)).collect()
    };
    Ok(quasi.iter().zip(columns).map(of_column).collect())
}

/// An adversary: finds the rows with a person's values.
#[derive(Debug)]
struct Reader<'r> {
    release: &'r Bucketized,
    translation: Vec<Vec<Option<u32>>>,
    /// Distinct quasi-identifiers and groups, sorted.
    cells: Cells,
}

impl Reader<'_> {
    /// The groups in which rows have the person's values, and how many people those are.
    fn rows(&self, person: &[u32]) -> Vec<(usize, u64)> {
        let known: Option<Vec<u32>> =
            person.iter().zip(&self.translation).map(|(&code, codes)| codes[code as usize]).collect();
        let Some(known) = known else { return Vec::new() };
        let groups = &self.cells.columns[known.len()];
        self.cells.beginning_with(&known).map(|cell| (groups[cell] as usize, self.cells.people[cell])).collect()
    }
}

impl Adversary for Reader<'_> {
    fn candidates(&self, person: &[u32]) -> Vec<(u64, f64)> {
        self.rows(person).into_iter().map(|(group, people)| (group as u64, people as f64)).collect()
    }

    /// Exact values tell who is there.
    fn presence(&self, person: &[u32]) -> Option<f64> {
        Some(if self.rows(person).is_empty() { 0.0 } else { 1.0 })
    }

    fn posterior(&self, person: &[u32], attribute: usize) -> Option<Vec<f64>> {
        let groups = &self.release.groups;
        let rows = self.rows(person);
        let total: u64 = rows.iter().map(|(_, people)| people).sum();
        let mut belief = vec![0.0; groups.whole.sensitive.get(attribute)?.domain.len()];
        for (group, people) in rows {
            let weight = people as f64 / total as f64 / groups.people[group] as f64;
            let (codes, held) = groups.held(attribute, group);
            codes.iter().zip(held).for_each(|(&code, &held)| belief[code as usize] += weight * held as f64);
        }
        (total > 0).then_some(belief)
    }
}
