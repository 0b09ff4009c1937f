//! Reading a generalized release.

use std::sync::OnceLock;

use super::{DATA, Detail};
use crate::data::cells::{Cells, count_distinct};
use crate::data::role::Role;
use crate::data::table::{CodedTable, Column};
use crate::data::value::Value;
use crate::error::Result;
use crate::progress::Progress;
use crate::release::{ColumnMeaning, Files, Groups, PartitionTree, Region, regions};
use crate::schema::Attribute;

/// A generalized release.
#[derive(Debug)]
pub struct Generalized {
    /// Its groups.
    pub groups: Groups,
    /// Its table: the published labels of quasi-identifiers, and sensitive values. Where it was read for a proof, rows that publish the
    /// same are one, and weigh as many people as they are.
    pub table: CodedTable,
    pub(super) partition: Option<PartitionTree>,
    pub(super) insensitive: Vec<Column>,
    pub(super) meanings: Vec<ColumnMeaning>,
    pub(super) suppressed: u64,
    /// What each label of each quasi-identifier stands for.
    regions: OnceLock<Vec<Vec<Region>>>,
    /// The distinct rows.
    cells: OnceLock<Cells>,
}

impl Generalized {
    pub(crate) fn read(files: &Files<'_>, progress: &Progress) -> Result<Self> {
        let attributes = files.attributes()?;
        let (table, insensitive) = files.read_folded(DATA, &attributes, progress)?;
        let described: Vec<&Attribute> = attributes.iter().filter(|a| a.role == Role::Sensitive).collect();
        let quasi = files.manifest.columns.iter().filter(|column| column.role == Role::Quasi);
        let mut release =
            Self::of_labels(table, insensitive, quasi.cloned().collect(), &described, files.manifest.suppressed)?;
        let Detail { partition } = files.detail()?;
        release.partition = partition.map(|tree| tree.in_group_order(&release.groups));
        files.compare("people", files.manifest.people, release.groups.whole.people)?;
        files.compare("groups", files.manifest.groups, release.groups.len() as u64)?;
        Ok(release)
    }

    /// A table of labels, of whatever origin: what the labels of each quasi-identifier mean, how the policy describes the
    /// sensitive attributes, and how many people were left out.
    pub fn of_labels(
        table: CodedTable,
        insensitive: Vec<Column>,
        meanings: Vec<ColumnMeaning>,
        described: &[&Attribute],
        suppressed: u64,
    ) -> Result<Self> {
        let groups = Groups::of_table(&table, described)?;
        let (regions, cells) = (OnceLock::new(), OnceLock::new());
        Ok(Self { groups, table, partition: None, insensitive, meanings, suppressed, regions, cells })
    }

    /// What each label of each quasi-identifier stands for.
    pub fn regions(&self) -> &[Vec<Region>] {
        self.regions.get_or_init(|| {
            let of_column = |(meaning, column): (&ColumnMeaning, &Column)| {
                let labels: Vec<String> = column.domain.values().iter().map(Value::to_string).collect();
                let people = column.people_of_values(self.table.weights.as_deref());
                regions(meaning, labels.iter().map(String::as_str).zip(people))
            };
            self.meanings.iter().zip(&self.table.quasi).map(of_column).collect()
        })
    }

    pub(super) fn cells(&self) -> &Cells {
        self.cells.get_or_init(|| {
            let columns = self.table.quasi.iter().chain(&self.table.sensitive).chain(&self.insensitive);
            count_distinct(
                &columns.map(Column::counted).collect::<Vec<_>>(),
                self.table.rows(),
                self.table.weights.as_deref(),
            )
        })
    }
}
