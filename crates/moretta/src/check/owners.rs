//! Whose each record of an uncertain release is, as the steward's private folder beside it says.

use std::path::Path;

use crate::data::Value;
use crate::error::{Code, Error, Result};
use crate::kind::registry;
use crate::policy::Policy;
use crate::prepare::Prepared;
use crate::progress::Progress;
use crate::release::{Claim, Manifest};

/// Reads the map from `private` beside a release of records that are somebody's; nothing where there is none, or where it speaks of another table.
pub fn owners(folder: &Path, counted: &Prepared, progress: &Progress) -> Result<Option<Claim>> {
    let manifest = Manifest::read(&super::release_storage(folder)?)?;
    if !registry::find(&manifest.kind).is_some_and(|kind| kind.records_have_owners) {
        return Ok(None);
    }
    let beside = if folder.file_name().is_some_and(|name| name == "release") { folder.parent() } else { Some(folder) };
    let Some(private) = beside.map(|folder| folder.join("private")) else { return Ok(None) };
    let names = ["map.csv", "map.parquet"];
    let Some(name) = names.into_iter().find(|name| private.join(name).is_file()) else { return Ok(None) };
    let column = "{ role = \"quasi\", type = \"integer\" }";
    let text = format!("[data]\nsource = \"{name}\"\n[attributes]\nrow = {column}\nrecord = {column}\n");
    let policy = Policy::parse(text, &private.join("map.toml"), &[])?;
    let map = policy.read_table(policy.open_source()?, progress)?.table;
    let number = |column: usize, row: usize| {
        let column = &map.quasi[column];
        let value = column.domain.value(column.codes[row]);
        let number = match value {
            Value::Integer(number) => usize::try_from(*number).ok().filter(|&number| number > 0),
            _ => None,
        };
        number.ok_or_else(|| {
            Error::data(format!("the {} is {value}, and rows are numbered from 1", column.name))
                .coded(Code::ReleaseDamaged)
                .at_file(&private.join(name))
                .help("restore it, or publish again")
        })
    };
    let mut cell_of_source =
        vec![u32::MAX; counted.table.source_rows.iter().max().map_or(0, |&last| last as usize + 1)];
    for (&source, &cell) in counted.table.source_rows.iter().zip(&counted.cells.cell_of_row) {
        cell_of_source[source as usize] = cell;
    }
    let mut owners = vec![u32::MAX; map.rows()];
    for row in 0..map.rows() {
        let (source, record) = (number(0, row)? - 1, number(1, row)? - 1);
        if let (Some(&cell), Some(owner)) = (cell_of_source.get(source), owners.get_mut(record)) {
            *owner = cell;
        }
    }
    Ok(owners.iter().all(|&owner| owner != u32::MAX).then_some(Claim::Owners(owners)))
}
