//! What a recipient can verify: that the files are whole, and that they keep what the manifest promises.

use std::path::Path;

use serde_json::Value as Json;

use crate::data::role::Role;
use crate::data::source::{ReadOptions, Source};
use crate::data::value::Type;
use crate::error::{Error, Fault, Result};
use crate::hierarchy::HierarchySpec;
use crate::model::{Groups, PartitionTree, PrivacyModel, Requirement, Verdict};
use crate::policy::tree::Node;
use crate::policy::{Attribute, MissingRule, TableSpec, read_model};
use crate::progress::Progress;
use crate::release::{ColumnMeaning, Manifest, Shelf, TableFile, fingerprint, manifest};

/// A release that was read from its files, and judged.
#[derive(Debug)]
pub struct Verified {
    /// What the release says of itself.
    pub manifest: Manifest,
    /// Its groups.
    pub groups: Groups,
    /// The judgement about each promise.
    pub verdicts: Vec<Verdict>,
}

/// Verifies a release in a folder: the folder itself, or the output folder that holds it.
pub fn release_folder(folder: &Path, progress: &Progress) -> Result<Verified> {
    let inner = folder.join("release");
    let folder = if inner.join(manifest::FILE).is_file() { inner } else { folder.to_path_buf() };
    if !folder.join(manifest::FILE).is_file() {
        return Err(Error::input(format!("there is no {} in this folder", manifest::FILE))
            .at_file(&folder)
            .help("name the folder of a release, or a table together with --policy"));
    }
    release(&Shelf::Folder(folder), progress)
}

/// Verifies a release: hashes, structure, counts, and every promise, from its files alone.
pub fn release(shelf: &Shelf, progress: &Progress) -> Result<Verified> {
    progress.start("checking", 0);
    let manifest = Manifest::read(shelf)?;
    for table in &manifest.tables {
        compare_fingerprint(shelf, table)?;
    }
    let place = shelf.input(manifest::FILE)?.name().to_path_buf();
    let attributes = manifest.columns.iter().map(|column| attribute(column, &place)).collect::<Result<Vec<_>>>()?;
    let file = manifest.table("data")?;
    let options = ReadOptions { delimiter: Some(b','), ..ReadOptions::detect() };
    let source = Source::open(shelf.input(&file.file)?, options)?;
    let spec = TableSpec { attributes: &attributes, file: &place, missing: MissingRule::Keep, filter: None };
    let table = spec.read(source, progress)?.table;
    let described: Vec<&Attribute> = attributes.iter().filter(|a| a.role == Role::Sensitive).collect();
    let groups = Groups::of_table(&table, &described)?;
    compare_counts(&manifest, file, table.tally.read, &groups, &place)?;
    let models = models(&manifest, &attributes, &place)?;
    let requirement = Requirement::for_judging(&models, &groups.whole)?;
    let verdicts = match &manifest.partition {
        None => requirement.judge(&groups),
        Some(tree) => requirement.judge_in(&groups, &in_group_order(tree, &groups))?,
    };
    Ok(Verified { manifest, groups, verdicts })
}

/// The manifest counts groups as they first occur in the data; we count them by their values.
fn in_group_order(tree: &PartitionTree, groups: &Groups) -> PartitionTree {
    let mut by_occurrence: Vec<usize> = (0..groups.len()).collect();
    by_occurrence.sort_unstable_by_key(|&group| groups.first_row(group));
    let mut ordered = tree.clone();
    for (&node, &group) in tree.node_of_group.iter().zip(&by_occurrence) {
        ordered.node_of_group[group] = node;
    }
    ordered
}

fn compare_fingerprint(shelf: &Shelf, table: &TableFile) -> Result<()> {
    // What stands in memory was hashed as it was written there.
    let Shelf::Folder(folder) = shelf else { return Ok(()) };
    let name_is_plain = Path::new(&table.file).components().count() == 1 && !table.file.starts_with('.');
    if !name_is_plain {
        return Err(Error::input(format!("the manifest names {:?}, which is no file of this release", table.file)));
    }
    let found = fingerprint(folder, &table.file)?;
    if found.sha256 != table.sha256 || found.bytes != table.bytes {
        let message = if found.bytes == table.bytes {
            "the file is not the one that was published: its SHA-256 differs from the manifest's".to_owned()
        } else {
            format!(
                "the file is not the one that was published: it has {} bytes, the manifest says {}",
                found.bytes, table.bytes
            )
        };
        return Err(Error::new(Fault::Data, message)
            .at_file(&folder.join(&table.file))
            .help("get the release again from whoever published it"));
    }
    Ok(())
}

fn compare_counts(manifest: &Manifest, file: &TableFile, rows: u64, groups: &Groups, place: &Path) -> Result<()> {
    let found = [
        ("rows", file.rows, rows),
        ("people", manifest.people, groups.whole.people),
        ("groups", manifest.groups, groups.len() as u64),
    ];
    match found.iter().find(|(_, stated, found)| stated != found) {
        None => Ok(()),
        Some((what, stated, found)) => {
            let message = format!("the manifest states {stated} {what}, the files hold {found}");
            Err(Error::data(message).at_file(place))
        }
    }
}

/// A published column as an attribute: quasi-identifiers are labels, everything else keeps its type.
fn attribute(column: &ColumnMeaning, place: &Path) -> Result<Attribute> {
    let role = Role::NAMES.iter().find(|(name, _)| *name == column.role).map(|&(_, role)| role);
    let role = role.ok_or_else(|| {
        Error::input(format!("the manifest gives {:?} the unknown role {:?}", column.name, column.role)).at_file(place)
    })?;
    let hierarchy = match column.hierarchy.as_slice() {
        [] => HierarchySpec::Default,
        paths => HierarchySpec::Listed(paths.to_vec()),
    };
    Ok(Attribute {
        name: column.name.clone(),
        role,
        kind: Some(if role == Role::Quasi { Type::Text } else { column.kind }),
        hierarchy,
        categories: Some(column.categories.clone()).filter(|lists| !lists.is_empty()),
        line: None,
    })
}

fn models(manifest: &Manifest, attributes: &[Attribute], place: &Path) -> Result<Vec<Box<dyn PrivacyModel>>> {
    let read = |guarantee: &crate::release::Guarantee| {
        let mut parameters = guarantee.parameters.clone();
        parameters.insert("model".to_owned(), Json::String(guarantee.model.clone()));
        read_model(&Node::from_json(&Json::Object(parameters)), place, attributes)
    };
    manifest.guarantees.iter().map(read).collect()
}
