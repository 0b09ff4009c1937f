//! Spoiled releases, with hashes and counts mended as a forger would.

use std::path::Path;

use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use crate::dice::Dice;
use crate::naive::files::Release;

/// The ways to spoil a release.
pub const WAYS: [&str; 6] =
    ["move a row", "change a value", "delete a row", "duplicate a row", "change a claim", "swap tables"];

/// Spoils a release in one way; nothing where it can't be.
pub fn spoil(release: &Release, way: &str, dice: &mut Dice) -> Option<Release> {
    let mut spoiled = release.clone();
    let names: Vec<String> = release.tables.keys().cloned().collect();
    let name = dice.pick(&names).clone();
    if way == "change a claim" {
        return sharpen(&mut spoiled.manifest, dice).then_some(spoiled);
    }
    if way == "swap tables" && names.len() > 1 {
        let other = dice.pick(&names).clone();
        let (a, b) = (release.tables[&name].clone(), release.tables[&other].clone());
        spoiled.tables.insert(name, b);
        spoiled.tables.insert(other, a);
        return Some(spoiled);
    }
    let table = spoiled.tables.get_mut(&name)?;
    if table.rows.is_empty() {
        return None;
    }
    let (row, other) = (dice.below(table.rows.len()), dice.below(table.rows.len()));
    match way {
        "move a row" => {
            // Into another group: by its number, or by what the other group publishes.
            let key = table.column("group").or_else(|| table.column("bucket"));
            let sensitive = names_of(&release.manifest, "sensitive");
            let moved = |index: &usize| key.map_or(!sensitive.contains(&table.header[*index]), |key| *index == key);
            let columns: Vec<usize> = (0..table.header.len()).filter(moved).collect();
            for index in columns {
                let value = table.rows[other][index].clone();
                table.rows[row][index] = value;
            }
        }
        "change a value" => {
            let index = dice.below(table.header.len());
            let value = table.rows[other][index].clone();
            table.rows[row][index] = value;
        }
        "delete a row" => {
            table.rows.remove(row);
        }
        "duplicate a row" => {
            let copy = table.rows[row].clone();
            table.rows.insert(row, copy);
        }
        _ => {
            let (a, b) = (dice.below(table.header.len()), dice.below(table.header.len()));
            table.rows.iter_mut().for_each(|row| row.swap(a, b));
        }
    }
    Some(spoiled)
}

fn names_of(manifest: &Json, role: &str) -> Vec<String> {
    let columns = manifest["columns"].as_array().into_iter().flatten().filter(|column| column["role"] == role);
    columns.filter_map(|column| column["name"].as_str().map(str::to_owned)).collect()
}

/// Makes a parameter of a promise stricter than what was promised.
fn sharpen(manifest: &mut Json, dice: &mut Dice) -> bool {
    let Some(promises) = manifest["guarantees"].as_array_mut() else { return false };
    let mut changed = false;
    for promise in promises {
        let Some(parameters) = promise["parameters"].as_object_mut() else { continue };
        for (key, value) in parameters.iter_mut() {
            let Some(number) = value.as_f64() else { continue };
            let stricter = match key.as_str() {
                "k" | "l" | "p" | "n" if value.is_u64() => Json::from(number as u64 + 1 + dice.below(4) as u64),
                "l" => Json::from(number + 1.5),
                "t" | "alpha" | "beta" | "delta" | "c" => Json::from(number / 2.0),
                _ => continue,
            };
            *value = stricter;
            changed = true;
        }
    }
    changed
}

/// Writes a release whose manifest agrees with its tables in hashes, lengths and rows; for kinds whose rows are people also in
/// the number of people and groups, so that what is left to be noticed is the promise.
pub fn write(release: &mut Release, folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let grouping = release.grouping();
    let counted = matches!(release.kind(), "generalized" | "condensed" | "bucketized");
    if let (true, Some(grouping)) = (counted, grouping) {
        release.manifest["people"] = grouping.whole().people.into();
        release.manifest["groups"] = grouping.groups.len().into();
    }
    for entry in release.manifest["tables"].as_array_mut().into_iter().flatten() {
        let Some(table) = entry["name"].as_str().and_then(|name| release.tables.get(name)) else { continue };
        // A forger may write any format that the manifest names.
        let file = entry["file"].as_str().unwrap_or("").replace(".parquet", ".csv");
        (entry["file"], entry["format"]) = (file.clone().into(), "csv".into());
        let bytes = table.to_csv();
        let digest = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        std::fs::write(folder.join(file), &bytes)?;
        entry["sha256"] = digest.into();
        entry["bytes"] = bytes.len().into();
        entry["rows"] = table.rows.len().into();
    }
    // A forger leaves out what would contradict her: the data package is no part of the promise.
    let _ = std::fs::remove_file(folder.join("datapackage.json"));
    std::fs::write(folder.join("manifest.json"), release.manifest.to_string())
}
