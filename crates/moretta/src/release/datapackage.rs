//! The description of a release that other programs read: a Frictionless data package, beside the manifest.
//!
//! It says nothing that the manifest does not say, so the manifest does not list it: a reader of the release never looks into it. But others do, and a
//! package that names other bytes than the manifest would lead them astray. So whoever opens a release compares the two.

use serde_json::Value as Json;

use super::manifest::Manifest;
use super::table_file::TableFile;

/// The name of the file.
pub const DATAPACKAGE: &str = "datapackage.json";

/// How a package spells the hash of a table.
pub fn hash_of(table: &TableFile) -> String {
    format!("sha256:{}", table.sha256)
}

/// How a package spells where a table stands.
pub fn path_of(table: &TableFile) -> Json {
    if table.parts.is_empty() { table.file.as_str().into() } else { table.files().into() }
}

/// What a package says against the manifest, if it does: its resources must be the tables, each with its file, length and hash.
pub(super) fn contradiction(manifest: &Manifest, package: &[u8]) -> Option<String> {
    let Ok(package) = serde_json::from_slice::<Json>(package) else {
        return Some(format!("{DATAPACKAGE} can't be read"));
    };
    let resources = package["resources"].as_array().map_or(&[][..], Vec::as_slice);
    let same = |(resource, table): (&Json, &TableFile)| {
        resource["path"] == path_of(table)
            && resource["bytes"] == table.bytes
            && (!table.parts.is_empty() || resource["hash"] == hash_of(table).as_str())
    };
    let agrees = resources.len() == manifest.tables.len() && resources.iter().zip(&manifest.tables).all(same);
    (!agrees).then(|| format!("{DATAPACKAGE} describes other files than the manifest"))
}
