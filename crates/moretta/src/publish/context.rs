//! What the writers of all kinds of release work from.

use std::sync::Arc;

use crate::chance::Seed;
use crate::data::cells::Cells;
use crate::data::domain::Domain;
use crate::data::role::Role;
use crate::data::source::Source;
use crate::data::table::Table;
use crate::data::value::Type;
use crate::error::{Error, Result};
use crate::hierarchy::Scale;
use crate::policy::{Attribute, Policy};
use crate::release::{ColumnMeaning, PartitionTree, TableFile};
use crate::uncertain::Density;

/// What a release is written from.
pub(super) struct Context<'a> {
    pub(super) policy: &'a Policy,
    /// The table's domains, weights and row numbers; its codes are not needed any more.
    pub(super) table: &'a Table,
    /// The distinct rows: a column for each quasi-identifier, then one for each sensitive attribute.
    pub(super) cells: &'a Cells,
    pub(super) scales: &'a [Scale],
    pub(super) insensitive_types: &'a [Type],
    pub(super) source: &'a Source,
    pub(super) seed: Seed,
}

/// What was written, for the manifest.
#[derive(Default)]
pub(super) struct Written {
    pub(super) columns: Vec<ColumnMeaning>,
    pub(super) tables: Vec<TableFile>,
    pub(super) groups: u64,
    pub(super) partition: Option<PartitionTree>,
    /// How far, at most, effective targets are from those wished for, where there are targets.
    pub(super) distance: Option<f64>,
    pub(super) density: Option<Density>,
    /// Whose each record is, by cell, where records have a place of their own.
    pub(super) owners: Option<Vec<u32>>,
}

impl Context<'_> {
    /// The domain of a column of the cells.
    pub(super) fn domain(&self, column: usize) -> &Arc<Domain> {
        let quasi = self.table.quasi.len();
        match column.checked_sub(quasi) {
            None => &self.table.quasi[column].domain,
            Some(sensitive) => &self.table.sensitive[sensitive].domain,
        }
    }

    pub(super) fn is_weighted(&self) -> bool {
        self.table.weights.is_some()
    }

    /// The meaning of every published attribute, in the order of the policy; `quasi` describes a quasi-identifier.
    pub(super) fn describe(&self, mut quasi: impl FnMut(usize, &Attribute) -> ColumnMeaning) -> Vec<ColumnMeaning> {
        let mut places = 0..;
        let mut insensitive = self.insensitive_types.iter();
        let column = |attribute: &Attribute| match attribute.role {
            Role::Quasi | Role::Unclassified => Some(quasi(places.next()?, attribute)),
            Role::Sensitive => {
                let column = self.table.sensitive.iter().find(|column| column.name == attribute.name)?;
                Some(super::meaning::sensitive(&column.name, &column.domain, attribute))
            }
            Role::Insensitive => Some(ColumnMeaning::exact(&attribute.name, attribute.role, *insensitive.next()?)),
            Role::Weight => Some(ColumnMeaning::exact(&attribute.name, attribute.role, Type::Integer)),
            Role::Identifier | Role::Drop | Role::Group => None,
        };
        self.policy.attributes.iter().filter_map(column).collect()
    }

    /// The meaning of quasi-identifiers that are published as they are.
    pub(super) fn exact(&self, place: usize) -> ColumnMeaning {
        let name = &self.table.quasi[place].name;
        match self.policy.attributes.iter().find(|attribute| attribute.name == *name) {
            Some(attribute) => super::meaning::exact(name, &self.scales[place], &attribute.hierarchy),
            None => ColumnMeaning::exact(name, Role::Quasi, self.table.quasi[place].domain.kind()),
        }
    }

    /// Refuses an attribute that has the name of a column which the release adds.
    pub(super) fn refuse_name(&self, taken: &str) -> Result<()> {
        match self.policy.attributes.iter().find(|a| a.name == taken && a.role != Role::Drop) {
            None => Ok(()),
            Some(attribute) => {
                let message = format!("the release has a column {taken:?} of its own, and the table has one as well");
                Err(Error::input(message)
                    .at_file(&self.policy.file)
                    .at_line(attribute.line)
                    .help("rename the table's column"))
            }
        }
    }
}
