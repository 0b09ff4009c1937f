//! Reading a sliced release back from its files.

use std::sync::{Arc, OnceLock};

use super::math::{Positions, Secret, SlicedIndex};
use super::{BUCKET, Known, SLICED, Sliced};
use crate::data::cells::{Cells, count_distinct};
use crate::data::domain::Domain;
use crate::data::role::Role;
use crate::data::table::{CodedTable, Column};
use crate::data::value::{Type, Value};
use crate::error::{Error, Result};
use crate::kind::sliced::ColumnDetail;
use crate::progress::Progress;
use crate::release::{ColumnMeaning, Files, Groups, auxiliary_attribute};
use crate::schema::Attribute;

impl Sliced {
    pub(super) fn read(files: &Files<'_>, progress: &Progress) -> Result<Self> {
        let mut attributes = files.attributes()?;
        attributes.push(auxiliary_attribute(BUCKET, Role::Group, Type::Integer));
        let (mut table, insensitive) = files.read_all(SLICED, &attributes, progress)?;
        files.compare("people", files.manifest.people, table.rows() as u64)?;
        let bucket = table.group.take().ok_or_else(|| Error::bug("a table was read without its buckets"))?;
        files.compare("groups", files.manifest.groups, bucket.domain.len() as u64)?;

        let quasi: Vec<&ColumnMeaning> = with_role(files, &[Role::Quasi, Role::Unclassified]);
        let sensitive: Vec<&ColumnMeaning> = with_role(files, &[Role::Sensitive]);
        let mut columns: Vec<Vec<usize>> = Vec::new();
        for (index, meaning) in quasi.iter().chain(&sensitive).enumerate() {
            let slice = meaning.detail::<ColumnDetail>().and_then(|detail| detail.slice.checked_sub(1));
            let slice =
                slice.ok_or_else(|| files.wrong(format!("{:?} stands in no column of the slices", meaning.name)))?;
            if columns.len() <= slice as usize {
                columns.resize(slice as usize + 1, Vec::new());
            }
            columns[slice as usize].push(index);
        }
        columns.retain(|column| !column.is_empty());

        let meanings: Vec<ColumnMeaning> = quasi.into_iter().cloned().collect();
        let described: Vec<&Attribute> = attributes.iter().filter(|a| a.role == Role::Sensitive).collect();
        let (known, secrets) = known_columns(&table, &columns);
        let sized: Vec<(&[u32], usize)> =
            known.iter().map(|(_, cells): &(_, Cells)| (cells.cell_of_row.as_slice(), cells.len())).collect();
        let positions = Positions { bucket: &bucket.codes, buckets: bucket.domain.len(), people: None };
        let indexed: Vec<Secret<'_>> = table
            .sensitive
            .iter()
            .zip(&secrets)
            .map(|(column, &known)| Secret { column: known, codes: column.counted() })
            .collect();
        let index = SlicedIndex::new(positions, &sized, &indexed);
        let groups = candidates(&table, &bucket, &sized, &secrets, &described)?;
        let suppressed = files.manifest.suppressed;
        let regions = OnceLock::new();
        Ok(Self { table, columns, insensitive, bucket, known, index, groups, meanings, regions, suppressed })
    }
}

fn with_role<'m>(files: &'m Files<'_>, roles: &[Role]) -> Vec<&'m ColumnMeaning> {
    let columns = files.manifest.columns.iter();
    columns.filter(|column| roles.contains(&column.role)).collect()
}

/// The columns that hold quasi-identifiers, and for each sensitive attribute which of them it stands in.
fn known_columns(table: &CodedTable, columns: &[Vec<usize>]) -> (Vec<Known>, Vec<Option<usize>>) {
    let quasi = table.quasi.len();
    let mut known = Vec::new();
    let mut secrets = vec![None; table.sensitive.len()];
    for column in columns {
        let indices: Vec<usize> = column.iter().copied().filter(|&index| index < quasi).collect();
        if indices.is_empty() {
            continue;
        }
        column.iter().filter(|&&index| index >= quasi).for_each(|index| secrets[index - quasi] = Some(known.len()));
        let sized: Vec<(&[u32], usize)> = indices.iter().map(|&index| table.quasi[index].counted()).collect();
        let cells = count_distinct(&sized, table.rows(), None);
        known.push((indices, cells));
    }
    (known, secrets)
}

/// The groups whose sensitive values are candidates together.
fn candidates(
    table: &CodedTable,
    bucket: &Column,
    known: &[(&[u32], usize)],
    secrets: &[Option<usize>],
    described: &[&Attribute],
) -> Result<Option<Groups>> {
    let Some(&first) = secrets.first() else { return Ok(None) };
    if secrets.iter().any(|&secret| secret != first) {
        return Ok(None);
    }
    let mut sized = vec![bucket.counted()];
    sized.extend(first.map(|column| known[column]));
    let distinct = count_distinct(&sized, table.rows(), None);
    let numbers = (0_i64..).take(distinct.len()).map(Value::Integer).collect();
    let domain = Arc::new(Domain::from_sorted(Type::Integer, numbers));
    let group = Column { name: BUCKET.to_owned(), domain, codes: distinct.cell_of_row };
    let grouped = CodedTable {
        quasi: Vec::new(),
        sensitive: table.sensitive.clone(),
        group: Some(group),
        person: None,
        weights: None,
        source_rows: table.source_rows.clone(),
        tally: table.tally,
    };
    Groups::of_table(&grouped, described).map(Some)
}
