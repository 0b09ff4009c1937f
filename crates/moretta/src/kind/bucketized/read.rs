//! Reading a bucketized release.

use std::sync::Arc;

use super::{COUNT, GROUP, QIT, VALUE, st_name};
use crate::data::cells::count_distinct;
use crate::data::domain::Domain;
use crate::data::role::Role;
use crate::data::table::{CodedTable, Column};
use crate::data::value::Type;
use crate::error::{Error, Result};
use crate::kind::generalized::Detail;
use crate::progress::Progress;
use crate::release::{Files, Groups, PartitionTree, auxiliary_attribute};
use crate::schema::Attribute;

/// A bucketized release.
#[derive(Debug)]
pub struct Bucketized {
    /// Its groups with their sensitive values.
    pub groups: Groups,
    /// The quasi-identifiers of its rows, and their weights.
    pub qit: CodedTable,
    /// The group of each row, as a index among `groups`.
    pub group_of_row: Vec<u32>,
    pub(super) partition: Option<PartitionTree>,
    pub(super) insensitive: Vec<Column>,
    pub(super) suppressed: u64,
}

impl Bucketized {
    pub(crate) fn read(files: &Files<'_>, progress: &Progress) -> Result<Self> {
        let attributes = files.attributes()?;
        let mut columns: Vec<Attribute> = attributes.iter().filter(|a| a.role != Role::Sensitive).cloned().collect();
        columns.push(auxiliary_attribute(GROUP, Role::Group, Type::Integer));
        let (mut qit, insensitive) = files.read_all(QIT, &columns, progress)?;
        let group = qit.group.take().ok_or_else(|| Error::bug("a table was read without its groups"))?;
        let (groups, numbers) = read_groups(files, &attributes, progress)?;
        if numbers.values() != group.domain.values() {
            return Err(files.wrong("the groups of the quasi-identifiers are not those of the sensitive values"));
        }
        let sizes = count_distinct(&[group.counted()], qit.rows(), qit.weights.as_deref()).people;
        if let Some(index) = (0..sizes.len()).find(|&index| sizes[index] != groups.people[index]) {
            return Err(files.wrong(format!(
                "group {} has {} people, but {} sensitive values",
                numbers.value(index as u32),
                sizes[index],
                groups.people[index]
            )));
        }
        files.compare("people", files.manifest.people, groups.whole.people)?;
        files.compare("groups", files.manifest.groups, groups.len() as u64)?;
        let Detail { partition } = files.detail()?;
        let partition = partition.map(|tree| tree.in_group_order(&groups));
        let suppressed = files.manifest.suppressed;
        Ok(Self { groups, qit, partition, insensitive, group_of_row: group.codes, suppressed })
    }
}

/// Reads the tables of sensitive values: groups with their histograms, and the numbers that they publish.
pub(crate) fn read_groups(
    files: &Files<'_>,
    attributes: &[Attribute],
    progress: &Progress,
) -> Result<(Groups, Arc<Domain>)> {
    let mut found: Option<(Groups, Arc<Domain>)> = None;
    for attribute in attributes.iter().filter(|a| a.role == Role::Sensitive) {
        let value = Attribute { name: VALUE.to_owned(), ..attribute.clone() };
        let columns = [
            auxiliary_attribute(GROUP, Role::Group, Type::Integer),
            value,
            auxiliary_attribute(COUNT, Role::Weight, Type::Integer),
        ];
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
