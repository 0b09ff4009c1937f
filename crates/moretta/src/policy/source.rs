//! The table that a policy names.

use std::path::Path;

use super::{DataSpec, Policy};
use crate::data::source::{Input, ServerPassword, Source};
use crate::data::table::{CodedTable, Column};
use crate::error::{Code, Error, Result};
use crate::hierarchy::{HierarchySpec, Scale};
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
        let importance = |attribute: &Attribute| attribute.limits.importance.unwrap_or(1.0);
        let (sum, count) = self.linkable_attributes().fold((0.0, 0), |(sum, n), a| (sum + importance(a), n + 1));
        let scale = |(attribute, column): (&Attribute, &Column)| {
            let own = grown.iter().find(|(name, _)| *name == attribute.name).map(|(_, spec)| spec);
            let mut scale = Scale::new(own.unwrap_or(&attribute.hierarchy), column.domain.clone(), &column.name)?;
            // Who states a level means the levels of the hierarchy.
            let asks_for_levels = attribute.limits.max_level.is_some() || attribute.limits.suppress_cells;
            if matches!(attribute.hierarchy, HierarchySpec::FrequencyOrSets(_)) && !asks_for_levels {
                scale = scale.without_hierarchy(&column.name)?;
            }
            let weight = importance(attribute) * f64::from(count) / sum;
            scale.limited(&attribute.limits, weight, &column.name).map_err(|error| match error.place().line {
                None => error.at_file(&self.file).at_line(attribute.line),
                Some(_) => error,
            })
        };
        self.linkable_attributes().zip(&table.quasi).map(scale).collect()
    }
}
