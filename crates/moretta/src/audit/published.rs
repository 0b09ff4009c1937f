//! The tables of a release field by field, as anybody sees them who opens the files.

use crate::data::role::Role;
use crate::data::source::Source;
use crate::data::table::Column;
use crate::data::value::Type;
use crate::error::Result;
use crate::progress::Progress;
use crate::release::auxiliary_attribute;
use crate::schema::{Attribute, EncodedTable, MissingRule, TableSpec};

/// A released table with every column as texts.
#[derive(Debug)]
pub struct PublishedTable {
    /// Its name.
    pub name: String,
    /// Its columns, in order.
    pub columns: Vec<Column>,
    /// How many rows it has.
    pub rows: usize,
}

impl PublishedTable {
    /// Reads all of a table.
    pub fn read(name: &str, source: Source, progress: &Progress) -> Result<Self> {
        Self::of(name, &EncodedTable::read(source, |_| true, progress)?)
    }

    /// The same of a source all of whose columns were read before.
    pub(super) fn of(name: &str, encoded: &EncodedTable) -> Result<Self> {
        let source = encoded.source();
        let attributes: Vec<Attribute> =
            source.names().iter().map(|column| auxiliary_attribute(column, Role::Quasi, Type::Text)).collect();
        let file = source.input().name();
        let spec = TableSpec { attributes: &attributes, file, missing: MissingRule::Keep, filter: None };
        let table = spec.read_encoded(encoded)?.table;
        Ok(Self { name: name.to_owned(), rows: table.rows(), columns: table.quasi })
    }

    /// A column by its name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}
