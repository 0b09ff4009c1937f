//! The table that a policy names.

use std::path::Path;

use super::{DataSpec, Policy};
use crate::data::source::{Input, Source};
use crate::data::table::CodedTable;
use crate::error::{Code, Error, Result};
use crate::hierarchy::Scale;
use crate::progress::Progress;
use crate::schema::{Reading, TableSpec};

impl Policy {
    /// Opens the table that the policy names.
    pub fn open_source(&self) -> Result<Source> {
        Source::open(Input::File(self.source()?.to_path_buf()), self.data.options.clone())
    }

    /// The table's file, which a policy must name if it is not handed over.
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

    /// How the quasi-identifiers of the policy's table generalize.
    pub fn scales(&self, table: &CodedTable) -> Result<Vec<Scale>> {
        let pairs = self.linkable_attributes().zip(&table.quasi);
        pairs.map(|(attribute, column)| Scale::new(&attribute.hierarchy, column.domain.clone(), &column.name)).collect()
    }
}
