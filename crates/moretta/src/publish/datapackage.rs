//! The data package of a release: what the manifest says, in the words of Frictionless.

use serde_json::{Map, Value as Json, json};

use super::usage::PublishedColumns;
use crate::data::format::FileFormat;
use crate::error::{Error, Result};
use crate::release::datapackage::{hash_of, path_of};
use crate::release::{ColumnType, Manifest};

/// The text of the file, from nothing but the manifest and the columns of the tables: the same release has the same bytes.
pub(super) fn text(manifest: &Manifest, tables: &[PublishedColumns]) -> Result<String> {
    let about = &manifest.about;
    let mut package = Map::new();
    package.insert("profile".to_owned(), "data-package".into());
    package.insert("name".to_owned(), "release".into());
    package.extend(about.title.iter().map(|title| ("title".to_owned(), title.as_str().into())));
    let description =
        format!("A {} release, made by {} with the method {}.", manifest.kind, manifest.generator, manifest.method);
    package.insert("description".to_owned(), description.into());
    package.extend(about.licence.iter().map(|licence| ("licenses".to_owned(), json!([licence_of(licence)]))));
    let publisher = |contact: &String| json!([{ "title": contact, "role": "publisher" }]);
    package.extend(about.contact.iter().map(|contact| ("contributors".to_owned(), publisher(contact))));
    package.extend(about.citation.iter().map(|citation| ("citation".to_owned(), citation.as_str().into())));
    let resources = manifest.tables.iter().zip(tables).map(|(table, columns)| {
        let mediatype = match table.format {
            FileFormat::Csv => "text/csv",
            FileFormat::Parquet => "application/vnd.apache.parquet",
            FileFormat::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        };
        let mut resource = json!({
            "profile": "tabular-data-resource",
            "name": resource_name(&table.name),
            "title": table.name,
            "path": path_of(table),
            "format": table.format.name(),
            "mediatype": mediatype,
            "encoding": "utf-8",
            "bytes": table.bytes,
            "hash": hash_of(table),
            "schema": { "fields": columns.columns.iter().map(field).collect::<Vec<_>>(), "missingValues": [""] },
        });
        // A package has one hash for all files of a resource together; the manifest has one for each.
        if let (false, Some(resource)) = (table.parts.is_empty(), resource.as_object_mut()) {
            resource.remove("hash");
        }
        resource
    });
    package.insert("resources".to_owned(), resources.collect());
    let text = serde_json::to_string_pretty(&Json::Object(package)).map_err(|e| Error::bug(e.to_string()))?;
    Ok(text + "\n")
}

fn field((name, held, meaning): &(String, ColumnType, String)) -> Json {
    let kind = match held {
        ColumnType::Whole | ColumnType::Group | ColumnType::Count => "integer",
        ColumnType::Exact | ColumnType::Large | ColumnType::Float => "number",
        ColumnType::Date => "date",
        ColumnType::Timestamp => "datetime",
        ColumnType::Boolean => "boolean",
        ColumnType::Text => "string",
    };
    json!({ "name": name, "type": kind, "description": meaning })
}

/// A licence as packages state it: by its address, or by its name.
fn licence_of(licence: &str) -> Json {
    if licence.contains("://") { json!({ "path": licence }) } else { json!({ "name": licence }) }
}

/// The names of resources are plain: small letters, digits, hyphens, underscores and points.
fn resource_name(table: &str) -> String {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | '.');
    let small = table.to_lowercase();
    small.chars().map(|c| if plain(c) { c } else { '-' }).collect()
}
