//! The database that a policy's release goes into.

use std::path::Path;

use crate::config::Section;
use crate::data::format::FileFormat;
use crate::data::source::relative_to;
use crate::database::Destination;
use crate::error::{Error, Result};

/// Reads where in a database the release is to stand, if it is to stand in one. A file of a database is relative to `base`.
pub(super) fn destination(section: &mut Section<'_>, base: &Path, format: FileFormat) -> Result<Option<Destination>> {
    let (database, schema) = (section.text("database")?, section.text("schema")?);
    let (database, schema) = match (database, schema) {
        (None, None) => return Ok(None),
        (Some(_), None) => {
            return Err(section.lacks("schema").help("name the release's schema: schema = \"release_2026\""));
        }
        (None, Some(_)) => {
            return Err(section.error_at("schema", "a schema is stated without a database").help(
                "say which: database = \"postgresql://USER@HOST/DATABASE\", \"sqlite:FILE\" or \"duckdb:FILE\"",
            ));
        }
        (Some(database), Some(schema)) => (database, schema),
    };
    if format != FileFormat::Csv {
        return Err(section
            .error_at("format", "a release in a database has no files, and so no format")
            .help("leave out `format`, or `database`"));
    }
    // The place of a setting is the setting itself, and this one may hold a password: the file has to do.
    let of_address = |error: Error| section.refused("database", error.at_file(section.file()));
    let address = relative_to(base, database).map_err(of_address)?;
    Destination::check(&address).map_err(of_address)?;
    Destination::new(address, schema).map(Some).map_err(|error| section.refused("schema", error))
}
