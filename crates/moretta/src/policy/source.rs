//! The table that a policy names.

use super::{DataSpec, Policy};
use crate::data::source::{Input, Source};
use crate::data::table::Table;
use crate::error::Result;
use crate::hierarchy::Scale;
use crate::progress::Progress;
use crate::schema::{Reading, TableSpec};

impl Policy {
    /// Opens the table that the policy names.
    pub fn open_source(&self) -> Result<Source> {
        Source::open(Input::File(self.data.source.clone()), self.data.options.clone())
    }

    /// Reads the table of a source as the policy describes it.
    pub fn read_table(&self, source: Source, progress: &Progress) -> Result<Reading> {
        self.table_spec().read(source, progress)
    }

    /// How the policy describes its table.
    pub fn table_spec(&self) -> TableSpec<'_> {
        let DataSpec { missing, filter, .. } = &self.data;
        TableSpec { attributes: &self.attributes, file: &self.file, missing: *missing, filter: filter.as_ref() }
    }

    /// How the quasi-identifiers of the policy's table generalize.
    pub fn scales(&self, table: &Table) -> Result<Vec<Scale>> {
        let pairs = self.linkable_attributes().zip(&table.quasi);
        pairs.map(|(attribute, column)| Scale::new(&attribute.hierarchy, column.domain.clone(), &column.name)).collect()
    }
}
