//! Whose each record of a release is, or in which group each row stands, as the steward's private folder beside it says.

use crate::data::role::Role;
use crate::data::source::{ReadOptions, Source};
use crate::data::value::{Type, Value};
use crate::error::{Code, Error, Result};
use crate::kind::registry;
use crate::prepare::Prepared;
use crate::progress::Progress;
use crate::release::{Claim, Manifest, Unit, auxiliary_attribute};
use crate::schema::{MissingRule, TableSpec};
use crate::storage::Storage;

/// What a steward's private files say of people that the release does not tell: whose each record is, or in which group each row
/// stands. Nothing where they do not say it, or speak of another table.
pub fn claim(manifest: &Manifest, private: &Storage, counted: &Prepared, progress: &Progress) -> Result<Option<Claim>> {
    match owners(manifest, private, counted, progress)? {
        None => placement(manifest, private, counted, progress),
        owners => Ok(owners),
    }
}

/// Whose each record is, where records are somebody's.
fn owners(manifest: &Manifest, private: &Storage, counted: &Prepared, progress: &Progress) -> Result<Option<Claim>> {
    if !registry::find(&manifest.kind).is_some_and(|kind| kind.records_have_owners) {
        return Ok(None);
    }
    let Some(map) = read_map(private, "record", progress)? else { return Ok(None) };
    let cell_of_source = cell_of_source(counted);
    let mut owners = vec![u32::MAX; map.len()];
    for (source, record) in map {
        if let (Some(&cell), Some(owner)) = (cell_of_source.get(source), owners.get_mut(record)) {
            *owner = cell;
        }
    }
    Ok(owners.iter().all(|&owner| owner != u32::MAX).then_some(Claim::Owners(owners)))
}

/// In which group each row stands, where rows are not people and the files alone do not tell.
pub fn placement(
    manifest: &Manifest,
    private: &Storage,
    counted: &Prepared,
    progress: &Progress,
) -> Result<Option<Claim>> {
    if manifest.unit != Unit::Rows {
        return Ok(None);
    }
    let Some(map) = read_map(private, "group", progress)? else { return Ok(None) };
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

/// The map among a steward's private files: rows of the source and what the second column numbers, both counted from 0.
fn read_map(private: &Storage, numbered: &str, progress: &Progress) -> Result<Option<Vec<(usize, usize)>>> {
    let files = private.files()?;
    let Some(name) =
        ["map.csv", "map.parquet", "map.xlsx"].into_iter().find(|name| files.iter().any(|file| file == name))
    else {
        return Ok(None);
    };
    let source = Source::open(private.input(name)?, ReadOptions { header: Some(true), ..ReadOptions::detect() })?;
    let location = source.input().name().to_path_buf();
    let attributes = ["row", numbered].map(|column| auxiliary_attribute(column, Role::Quasi, Type::Integer));
    let spec = TableSpec { attributes: &attributes, file: &location, missing: MissingRule::Drop, filter: None };
    let map = spec.read(source, progress)?.table;
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
                .at_file(&location)
                .help("restore it, or publish again")
        })
    };
    (0..map.rows()).map(|row| Ok((number(0, row)? - 1, number(1, row)? - 1))).collect::<Result<Vec<_>>>().map(Some)
}
