//! The table that a policy names.

use std::path::Path;

use super::{DataSpec, Policy};
use crate::data::source::{Input, ServerPassword, Source};
use crate::data::table::{CodedTable, Column};
use crate::error::{Code, Error, Result};
use crate::hierarchy::Scale;
use crate::progress::Progress;
use crate::schema::{Attribute, GrownHierarchies, Reading, TableSpec};

impl Policy {
    /// The same where a server that asks for a password gets it from elsewhere than a terminal. No file of a release ever holds it.
    #[must_use]
    pub fn with_password(mut self, password: ServerPassword) -> Self {
        self.data.options.password = password;
        self
    }

    /// Opens the table that the policy names.
    pub fn open_source(&self) -> Result<Source> {
        Source::open(Input::at(self.source()?)?, self.data.options.clone())
    }

    /// The table's file or address, which a policy must name if it is not handed over.
    pub fn source(&self) -> Result<&Path> {
        self.data.source.as_deref().ok_or_else(|| {
            Error::input("[data] lacks `source`")
                .coded(Code::MissingKey)
                .at_file(&self.file)
                .help("say where the table is: source = \"table.csv\"")
        })
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

    /// How the quasi-identifiers of the policy's table generalize; `grown` are the hierarchies that the table itself tells.
    pub fn scales(&self, table: &CodedTable, grown: &GrownHierarchies) -> Result<Vec<Scale>> {
        let scale = |(attribute, column): (&Attribute, &Column)| {
            let own = grown.iter().find(|(name, _)| *name == attribute.name).map(|(_, spec)| spec);
            Scale::new(own.unwrap_or(&attribute.hierarchy), column.domain.clone(), &column.name)
        };
        self.linkable_attributes().zip(&table.quasi).map(scale).collect()
    }
}
