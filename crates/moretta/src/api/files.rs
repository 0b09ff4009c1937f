//! Tables, policies and releases in files.

use std::borrow::Cow;
use std::io::Write;
use std::path::Path;

use bytes::Bytes;

use super::publish::{Published, publish_into};
use super::run::Run;
use super::table::{Schema, Table};
use crate::config::Node;
use crate::data::pseudonym::PseudonymKey;
use crate::data::source::{Input, Source};
use crate::error::{Error, Result};
use crate::hierarchy::HierarchySpec;
use crate::policy::Policy;
use crate::publish::check_policy;
use crate::steward;
use crate::storage::{Readers, refuse_existing, write_atomically};

pub use crate::config::Folder;
pub use crate::data::format::{FileFormat, IntervalForm};
pub use crate::data::source::{OptionsPlace, ReadOptions, ServerPassword, encoding};
pub use crate::storage::remove_what_dead_runs_left;

/// Reads a policy file; its paths are relative to its folder. `overrides` are settings such as `require.0.k=10`.
pub fn load_policy(file: impl AsRef<Path>, overrides: &[String]) -> Result<Policy> {
    Policy::load(file.as_ref(), overrides)
}

/// The same policy with the key of its pseudonyms from a file: releases with the same key can be linked.
pub fn with_pseudonym_key(policy: Policy, file: impl AsRef<Path>) -> Result<Policy> {
    Ok(Policy { pseudonym_key: Some(PseudonymKey::read(file.as_ref())?), ..policy })
}

/// The hierarchy that settings state as a policy does, such as `cuts=[0, 18, 65]`; files that they name are relative to the working folder.
///
/// ```
/// let ages = moretta::files::stated_hierarchy(&["top=90".to_owned(), "bottom=18".to_owned()])?;
/// assert_eq!(ages, moretta::HierarchySpec::Ends { bottom: Some(18.0), top: Some(90.0) });
/// # Ok::<(), moretta::Error>(())
/// ```
pub fn stated_hierarchy(settings: &[String]) -> Result<HierarchySpec> {
    let file = Path::new("hierarchy");
    let text = "[attributes]\ncolumn = { role = \"quasi\" }\n";
    let mut tree = Node::parse(text, file)?;
    for setting in settings {
        tree.set(&format!("attributes.column.hierarchy.{}", with_quotes(setting)))?;
    }
    let policy = Policy::from_tree(tree, text.to_owned(), file, settings, &Folder::of(file))?;
    let attribute = policy.attributes.into_iter().next();
    attribute.map(|attribute| attribute.hierarchy).ok_or_else(|| Error::bug("a column without a hierarchy"))
}

/// Words in a list need no quotes on a command line: `dates=[month, year]`.
fn with_quotes(setting: &str) -> String {
    let list = setting.split_once('=').and_then(|(key, value)| {
        let items = value.trim().strip_prefix('[')?.strip_suffix(']')?;
        let items: Vec<&str> = items.split(',').map(str::trim).collect();
        let are_words = items.iter().all(|item| item.starts_with(|c: char| c.is_alphabetic() || c == '_'));
        let quoted: Vec<String> = items.iter().map(|item| format!("{item:?}")).collect();
        are_words.then(|| format!("{key}=[{}]", quoted.join(", ")))
    });
    list.unwrap_or_else(|| setting.to_owned())
}

/// Opens a table: a file (CSV, compressed or not, Parquet, .xlsx, .ods), a folder of parts or a pattern of their names, `-` for standard
/// input, `sqlite:FILE`, `duckdb:FILE`, `postgresql://USER@HOST/DATABASE`.
pub fn open(file: impl AsRef<Path>, options: ReadOptions) -> Result<Source> {
    Source::open(Input::at(file.as_ref())?, options)
}

/// Reads the table that a policy names.
pub fn read_table(policy: &Policy, run: &Run) -> Result<Table> {
    Table::of_source(policy.open_source()?, policy.schema(), run)
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
    publish_into(folder.as_ref(), replace, policy, |_| Ok(table.into()), run)
}

/// The same of the table that the policy names, which is read when nothing is wrong with the policy; in memory where no folder is stated.
pub fn publish_named(policy: &Policy, folder: Option<&Path>, replace: bool, run: &Run) -> Result<Published> {
    check_policy(policy)?;
    match folder {
        None => super::publish(policy, Table::for_publishing(policy, None, run)?, run),
        Some(folder) => {
            refuse_existing(folder, replace)?;
            publish_into(
                folder,
                replace,
                policy,
                |aside| Ok(Cow::Owned(Table::for_publishing(policy, Some(aside), run)?)),
                run,
            )
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
