//! Whose each record of a release is, or in which group each row stands, as the steward's private folder beside it says.

use std::path::Path;

use crate::data::Value;
use crate::error::{Code, Error, Result};
use crate::kind::registry;
use crate::policy::Policy;
use crate::prepare::Prepared;
use crate::progress::Progress;
use crate::release::{Claim, Manifest, Unit};

/// Reads the map from `private` beside a release of records that are somebody's; nothing where there is none, or where it speaks of another table.
pub fn owners(folder: &Path, counted: &Prepared, progress: &Progress) -> Result<Option<Claim>> {
    let manifest = Manifest::read(&super::release_storage(folder)?)?;
    if !registry::find(&manifest.kind).is_some_and(|kind| kind.records_have_owners) {
        return Ok(None);
    }
    let Some(map) = read_map(folder, "record", progress)? else { return Ok(None) };
    let cell_of_source = cell_of_source(counted);
    let mut owners = vec![u32::MAX; map.len()];
    for (source, record) in map {
        if let (Some(&cell), Some(owner)) = (cell_of_source.get(source), owners.get_mut(record)) {
            *owner = cell;
        }
    }
    Ok(owners.iter().all(|&owner| owner != u32::MAX).then_some(Claim::Owners(owners)))
}

/// Reads the map from `private` beside a release whose rows are not people: in which group each row stands, where the files alone do not tell.
/// Nothing where there is none, or where it speaks of another table.
pub fn placement(folder: &Path, counted: &Prepared, progress: &Progress) -> Result<Option<Claim>> {
    let manifest = Manifest::read(&super::release_storage(folder)?)?;
    if manifest.unit != Unit::Rows {
        return Ok(None);
    }
    let Some(map) = read_map(folder, "group", progress)? else { return Ok(None) };
    let cell_of_source = cell_of_source(counted);
    let cell = |source: usize| cell_of_source.get(source).copied().filter(|&cell| cell != u32::MAX);
    let group = |group: usize| u32::try_from(group).ok();
    let pieces: Option<Vec<(u32, u32, u64)>> =
        map.into_iter().map(|(source, number)| Some((group(number)?, cell(source)?, 1))).collect();
    Ok(pieces.map(Claim::InGroups))
}

/// The cell of each row of the source; `u32::MAX` where the row was left out.
fn cell_of_source(counted: &Prepared) -> Vec<u32> {
    let rows = counted.table.source_rows.iter().max().map_or(0, |&last| last as usize + 1);
    let mut cells = vec![u32::MAX; rows];
    for (&source, &cell) in counted.table.source_rows.iter().zip(&counted.cells.cell_of_row) {
        cells[source as usize] = cell;
    }
    cells
}

/// The map in `private` beside a release: rows of the source and what the second column numbers, both counted from 0.
fn read_map(folder: &Path, numbered: &str, progress: &Progress) -> Result<Option<Vec<(usize, usize)>>> {
    let beside = if folder.file_name().is_some_and(|name| name == "release") { folder.parent() } else { Some(folder) };
    let Some(private) = beside.map(|folder| folder.join("private")) else { return Ok(None) };
    let names = ["map.csv", "map.parquet"];
    let Some(name) = names.into_iter().find(|name| private.join(name).is_file()) else { return Ok(None) };
    let column = "{ role = \"quasi\", type = \"integer\" }";
    let text = format!("[data]\nsource = \"{name}\"\n[attributes]\nrow = {column}\n{numbered} = {column}\n");
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
    (0..map.rows()).map(|row| Ok((number(0, row)? - 1, number(1, row)? - 1))).collect::<Result<Vec<_>>>().map(Some)
}
