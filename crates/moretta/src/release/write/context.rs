//! What the writers of all kinds of release work from.

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value as Json};

use crate::chance::Seed;
use crate::data::cells::Cells;
use crate::data::domain::Domain;
use crate::data::format::{FileFormat, IntervalForm};
use crate::data::pseudonym::Pseudonyms;
use crate::data::role::Role;
use crate::data::source::Source;
use crate::data::table::CodedTable;
use crate::data::value::Type;
use crate::error::{Error, Result};
use crate::hierarchy::Scale;
use crate::progress::Progress;
use crate::release::{Claim, ColumnMeaning, TableFile, Unit};
use crate::schema::Attribute;

/// What a release is written from.
pub struct Context<'a> {
    /// The attributes, in the order of the policy.
    pub(crate) attributes: &'a [Attribute],
    /// The file that describes them.
    pub(crate) file: &'a Path,
    /// The format of the released tables.
    pub(crate) output: FileFormat,
    /// How generalized numbers and days are written.
    pub(crate) intervals: IntervalForm,
    /// The table's domains, weights and row numbers; its codes are not needed any more.
    pub(crate) table: &'a CodedTable,
    /// The distinct rows: a column for each quasi-identifier, then one for each sensitive attribute.
    pub(crate) cells: &'a Cells,
    pub(crate) scales: &'a [Scale],
    pub(crate) insensitive_types: &'a [Type],
    pub(crate) source: &'a Source,
    pub(crate) seed: Seed,
    /// What makes pseudonyms, where an identifier gets some.
    pub(crate) pseudonyms: Option<Pseudonyms>,
    /// Whether a promise is judged by who stands where, which the files alone may not tell.
    pub(crate) claims: bool,
    pub(crate) progress: &'a Progress,
}

/// What was written, for the manifest.
#[derive(Default)]
pub struct WrittenTables {
    pub(crate) columns: Vec<ColumnMeaning>,
    pub(crate) tables: Vec<TableFile>,
    pub(crate) groups: u64,
    /// What else the manifest of this kind says.
    pub(crate) detail: Map<String, Json>,
    /// What the files do not tell of people, and a promise is judged by.
    pub(crate) claim: Option<Claim>,
}

impl Context<'_> {
    /// The domain of a column of the cells.
    pub(crate) fn domain(&self, column: usize) -> &Arc<Domain> {
        let quasi = self.table.quasi.len();
        match column.checked_sub(quasi) {
            None => &self.table.quasi[column].domain,
            Some(sensitive) => &self.table.sensitive[sensitive].domain,
        }
    }

    /// The attributes of a role, in the order of the policy.
    pub(crate) fn with_role(&self, role: Role) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(move |attribute| attribute.role == role)
    }

    /// What is counted as one.
    pub(crate) fn unit(&self) -> Unit {
        if self.table.person.is_some() { Unit::Rows } else { Unit::People }
    }

    pub(crate) fn is_weighted(&self) -> bool {
        self.table.weights.is_some()
    }

    /// The meaning of every published attribute, in the order of the policy; `quasi` describes a quasi-identifier.
    pub(crate) fn describe(&self, mut quasi: impl FnMut(usize, &Attribute) -> ColumnMeaning) -> Vec<ColumnMeaning> {
        let mut indices = 0..;
        let mut insensitive = self.insensitive_types.iter();
        let column = |attribute: &Attribute| match attribute.role {
            Role::Quasi | Role::Unclassified => Some(quasi(indices.next()?, attribute)),
            Role::Sensitive => {
                let column = self.table.sensitive.iter().find(|column| column.name == attribute.name)?;
                Some(super::meaning::sensitive(&column.name, &column.domain, attribute))
            }
            Role::Insensitive | Role::Pseudonym => {
                Some(ColumnMeaning::exact(&attribute.name, attribute.role, *insensitive.next()?))
            }
            Role::Weight => Some(ColumnMeaning::exact(&attribute.name, attribute.role, Type::Integer)),
            Role::Identifier | Role::Person | Role::Drop | Role::Group => None,
        };
        self.attributes.iter().filter_map(column).collect()
    }

    /// The meaning of quasi-identifiers that are published as they are.
    pub(crate) fn exact(&self, index: usize) -> ColumnMeaning {
        let name = &self.table.quasi[index].name;
        match self.attributes.iter().find(|attribute| attribute.name == *name) {
            Some(attribute) => super::meaning::exact(name, &self.scales[index], &attribute.hierarchy),
            None => ColumnMeaning::exact(name, Role::Quasi, self.table.quasi[index].domain.kind()),
        }
    }

    /// Refuses an attribute that has the name of a column which the release adds.
    pub(crate) fn refuse_name(&self, taken: &str) -> Result<()> {
        match self.attributes.iter().find(|a| a.name == taken && a.role != Role::Drop) {
            None => Ok(()),
            Some(attribute) => {
                let message = format!("the release has a column {taken:?} of its own, and the table has one as well");
                Err(Error::input(message).at_file(self.file).at_line(attribute.line).help("rename the table's column"))
            }
        }
    }
}

/// The detail of a kind, as the manifest states it.
pub(crate) fn detail(of_kind: &impl Serialize) -> Result<Map<String, Json>> {
    match serde_json::to_value(of_kind).map_err(|e| Error::bug(e.to_string()))? {
        Json::Object(detail) => Ok(detail),
        other => Err(Error::bug(format!("the detail of a kind is {other}"))),
    }
}
