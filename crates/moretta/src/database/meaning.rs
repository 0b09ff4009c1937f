//! The tables that say what a release is: its manifest and words, what each column means, what labels and levels stand for.

use super::layout::{COLUMNS, LEVELS, NODES, RELEASE, TableLayout};
use crate::data::write::Note;
use crate::error::Result;
use crate::kind::KindEntry;
use crate::release::notes::{ATTRIBUTE, MEANING, ROLE, TYPE};
use crate::release::{Manifest, ValueMeaning, source_of};
use crate::storage::Storage;

type Rows = Vec<Vec<Option<String>>>;

/// These tables with their rows; `texts` are the files beside the release's tables.
pub(super) fn tables(
    manifest: &Manifest,
    kind: &KindEntry,
    files: &Storage,
    texts: Rows,
) -> Result<[(TableLayout, Rows); 4]> {
    Ok([
        (TableLayout::of_texts(RELEASE, &["file", "content"]), texts),
        (
            TableLayout::of_texts(COLUMNS, &["table_name", "column_name", "attribute", "role", "type", "meaning"]),
            columns(manifest, kind, files)?,
        ),
        (TableLayout::of_texts(NODES, &["attribute", "label", "value"]), nodes(manifest)),
        (TableLayout::of_texts(LEVELS, &["attribute", "value", "level", "label"]), levels(manifest)),
    ])
}

/// For each column of each table: the attribute that it speaks of, its role, the type of the original values, and how published values
/// stand for them, by the words of the manifest.
fn columns(manifest: &Manifest, kind: &KindEntry, files: &Storage) -> Result<Rows> {
    let mut rows = Vec::new();
    for table in &manifest.tables {
        for column in source_of(files, table)?.names() {
            let notes = kind.notes_of(&table.name, column, &manifest.columns, manifest.unit);
            let said = |key: &str| notes.iter().find(|(known, _)| *known == key).map(|(_, text): &Note| text.clone());
            let attribute = said(ATTRIBUTE).or_else(|| said(ROLE).map(|_| column.clone()));
            rows.push(vec![
                Some(table.name.clone()),
                Some(column.clone()),
                attribute,
                said(ROLE),
                said(TYPE),
                said(MEANING),
            ]);
        }
    }
    Ok(rows)
}

/// For each label that stands for several values: the values, or the interval in which they lie.
fn nodes(manifest: &Manifest) -> Rows {
    let mut rows = Vec::new();
    for column in &manifest.columns {
        rows.extend(
            column
                .values
                .open()
                .iter()
                .map(|open| [column.name.clone(), open.label.clone(), open.interval.clone()].map(Some).to_vec()),
        );
        let (ValueMeaning::Set { nodes } | ValueMeaning::Hierarchy { nodes }) = &column.values else { continue };
        for node in nodes {
            rows.extend(node.leaves.iter().map(|leaf| {
                vec![
                    Some(column.name.clone()),
                    Some(node.label.clone()),
                    Some(leaf.clone()).filter(|leaf| !leaf.is_empty()),
                ]
            }));
        }
    }
    rows
}

/// For each value of an attribute with a hierarchy of names: what it becomes at each level, from 1 on.
fn levels(manifest: &Manifest) -> Rows {
    let mut rows = Vec::new();
    for column in &manifest.columns {
        for path in &column.hierarchy {
            let Some((leaf, above)) = path.split_first() else { continue };
            rows.extend(above.iter().enumerate().map(|(level, label)| {
                let texts = [column.name.clone(), leaf.clone(), (level + 1).to_string(), label.clone()];
                texts.map(Some).to_vec()
            }));
        }
    }
    rows
}
