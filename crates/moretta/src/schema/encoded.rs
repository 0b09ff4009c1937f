//! A source that was read once, for tables that are made from it under several descriptions.

use crate::data::source::{ColumnData, ColumnNeed, Source};
use crate::error::Result;
use crate::progress::Progress;

/// A source and its columns, not yet typed: nothing in it depends on the roles of attributes.
#[derive(Debug)]
pub struct EncodedTable {
    source: Source,
    columns: Vec<ColumnData>,
}

impl EncodedTable {
    /// Reads a source: the values of every column that is `wanted`, and of the others only where they lack one.
    pub fn read(source: Source, wanted: impl Fn(&str) -> bool, progress: &Progress) -> Result<Self> {
        let need = |name: &String| if wanted(name) { ColumnNeed::Codes } else { ColumnNeed::NullMask };
        let needs: Vec<(usize, ColumnNeed)> = source.names().iter().map(need).enumerate().collect();
        progress.start("reading", 0);
        let columns = source.encode(&needs, progress)?;
        Ok(Self { source, columns })
    }

    /// Where it was read from.
    pub fn source(&self) -> &Source {
        &self.source
    }

    pub(super) fn column(&self, index: usize) -> &ColumnData {
        &self.columns[index]
    }

    /// The distinct values of a column as the source spells them; none of a column that was not wanted or does not exist.
    pub fn spellings(&self, name: &str) -> Vec<String> {
        match self.source.position(name).map(|index| &self.columns[index]) {
            Some(ColumnData::Codes(encoded)) => encoded.spellings(),
            _ => Vec::new(),
        }
    }
}
