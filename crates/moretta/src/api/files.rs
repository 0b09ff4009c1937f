//! Tables, policies and releases in files.

use std::borrow::Cow;
use std::io::Write;
use std::path::Path;

use bytes::Bytes;

use super::publish::{Published, publish_into};
use super::run::Run;
use super::table::{Schema, Table};
use crate::data::source::{Input, Source};
use crate::error::{Error, Result};
use crate::policy::Policy;
use crate::publish::check_policy;
use crate::steward;
use crate::storage::{Readers, refuse_existing, write_atomically};

pub use crate::config::Folder;
pub use crate::data::format::FileFormat;
pub use crate::data::source::{ReadOptions, encoding};

/// Reads a policy file; its paths are relative to its folder. `overrides` are settings such as `require.0.k=10`.
pub fn load_policy(file: impl AsRef<Path>, overrides: &[String]) -> Result<Policy> {
    Policy::load(file.as_ref(), overrides)
}

/// Opens a file with a table: CSV, compressed or not, or Parquet.
pub fn open(file: impl AsRef<Path>, options: ReadOptions) -> Result<Source> {
    Source::open(Input::File(file.as_ref().to_path_buf()), options)
}

/// Reads the table that a policy names.
pub fn read_table(policy: &Policy, run: &Run) -> Result<Table> {
    Table::read(&policy.open_source()?, policy.schema(), run)
}

/// A table that is the text of a CSV file.
pub fn csv(text: impl Into<String>) -> Result<Source> {
    Source::open(Input::Memory("table.csv".into(), Bytes::from(text.into())), ReadOptions::detect())
}

/// Reads a table from the text of a CSV file.
pub fn parse_csv(text: impl Into<String>, schema: Schema<'_>) -> Result<Table> {
    Table::read(&csv(text)?, schema, &Run::new())
}

/// Makes a release in a folder: `release/` may be given away, `private/` must not (the policy, the seed, who stands where, a report).
/// Both appear whole or not at all. An existing folder is refused, or replaced whole.
pub fn publish<'t>(
    folder: impl AsRef<Path>,
    replace: bool,
    policy: &Policy,
    table: impl Into<Cow<'t, Table>>,
    run: &Run,
) -> Result<Published> {
    publish_into(folder.as_ref(), replace, policy, table, run)
}

/// The same of the table that the policy names, which is read when nothing is wrong with the policy; in memory where no folder is stated.
pub fn publish_named(policy: &Policy, folder: Option<&Path>, replace: bool, run: &Run) -> Result<Published> {
    check_policy(policy)?;
    match folder {
        None => super::publish(policy, read_table(policy, run)?, run),
        Some(folder) => {
            refuse_existing(folder, replace)?;
            publish_into(folder, replace, policy, read_table(policy, run)?, run)
        }
    }
}

/// Reads the table that a policy names, with what identifies people, which only an audit needs.
pub fn read_original(policy: &Policy, run: &Run) -> Result<Table> {
    Table::with_identifiers(policy, run)
}

/// The file in `private/` that names the people whom attacks hit worst.
pub const FINDINGS: &str = steward::FILE;

/// Writes a text into a file, whole or not at all.
pub fn write(file: impl AsRef<Path>, text: &str) -> Result<()> {
    let file = file.as_ref();
    write_atomically(file, Readers::Usual, |out| out.write_all(text.as_bytes()))
        .map_err(|e| Error::machine("write the output", file, e))
}
