//! A release in a database: all its tables with their types, keys and indexes, and tables that say what it is, written in one transaction
//! and proved from what that transaction holds.
//!
//! What identifies a table is the SHA-256 of its rows in canonical form: the bytes of the CSV file that would have been written. A
//! release that is read back from a database is these bytes, rebuilt from its rows; everything that reads files reads them.

mod duckdb;
mod layout;
mod meaning;
mod place;
#[cfg_attr(not(feature = "postgres"), path = "no_postgres.rs")]
mod postgres;
mod rows;
#[cfg_attr(not(feature = "sqlite"), path = "no_sqlite.rs")]
mod sqlite;

use std::io::{BufWriter, Write};
use std::path::Path;

pub use place::Destination;

use self::layout::{RELEASE, ROW, TableLayout};
use self::rows::{EachRow, SHOWN, Sink, each_of, each_row};
use crate::data::source::{DatabaseKind, database_kind};
use crate::data::write::CsvLines;
use crate::error::{Code, Error, Result};
use crate::kind::registry;
use crate::progress::Progress;
use crate::release::{Manifest, TableFile, manifest, source_of};
use crate::storage::{Fingerprint, Storage};

/// A connection to a database, for one release in it.
trait Base: Send {
    /// What the user may do about a release that is there already; nothing where the name is free.
    fn found(&mut self) -> Result<Found>;

    /// Whether the user may write, before long work is done for it.
    fn rehearse(&mut self) -> Result<()>;

    /// Starts the transaction in which everything else happens, to write or only to read.
    fn begin(&mut self, to_write: bool) -> Result<()>;

    /// Makes the schema.
    fn make_schema(&mut self) -> Result<()>;

    /// Removes tables of an earlier release, and its schema, which must then be empty.
    fn remove(&mut self, tables: &[String]) -> Result<()>;

    /// Makes a table, without keys.
    fn create(&mut self, table: &TableLayout) -> Result<()>;

    /// Fills a table, whose rows are numbered as they come.
    fn fill(&mut self, table: &TableLayout, rows: EachRow<'_>) -> Result<()>;

    /// Adds keys and indexes.
    fn index(&mut self, table: &TableLayout) -> Result<()>;

    /// The columns of a table without the number of its row, in order.
    fn columns(&mut self, table: &str) -> Result<Vec<String>>;

    /// Passes over the rows of a table in their published spelling.
    fn read(&mut self, table: &str, order: RowOrder, sink: Sink<'_>) -> Result<()>;

    /// Ends the transaction, so that others see what was written. Until then, dropping the connection takes everything back.
    fn commit(&mut self) -> Result<()>;
}

/// The order in which rows are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowOrder {
    /// That of their numbers.
    Numbered,
    /// That in which the database comes upon them: in a table that was just filled hardly ever another one, and faster.
    Found,
}

/// What stands where a release is to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Nothing,
    Release,
    /// Something that this program did not make.
    Other,
}

/// A database in which there is room for a release.
pub struct FreeSchema {
    base: Box<dyn Base>,
    destination: Destination,
    replace: bool,
}

/// A release that stands in a transaction which only this program sees. Dropped without [`Deposit::commit`], it was never there.
#[must_use]
pub struct Deposit {
    base: Box<dyn Base>,
    destination: Destination,
    manifest: Vec<u8>,
}

impl std::fmt::Debug for FreeSchema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FreeSchema").field("destination", &self.destination).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Deposit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Deposit").field("destination", &self.destination).finish_non_exhaustive()
    }
}

fn connect(destination: &Destination) -> Result<Box<dyn Base>> {
    match database_kind(&destination.address) {
        Some(DatabaseKind::Sqlite(file)) => sqlite::connect(file, destination),
        Some(DatabaseKind::DuckDb(file)) => duckdb::connect(file, destination),
        Some(DatabaseKind::Postgres) | None => postgres::connect(destination),
    }
}

/// Connects to the database, and refuses a schema that is there already unless it holds a release that is to be replaced.
pub fn open(destination: &Destination, replace: bool) -> Result<FreeSchema> {
    let mut base = connect(destination)?;
    let found = base.found()?;
    refuse(found, destination, replace)?;
    if found == Found::Nothing {
        base.rehearse()?;
    }
    Ok(FreeSchema { base, destination: destination.clone(), replace })
}

fn refuse(found: Found, destination: &Destination, replace: bool) -> Result<()> {
    let (what, help) = match found {
        Found::Nothing => return Ok(()),
        Found::Release if replace => return Ok(()),
        Found::Release => {
            ("holds a release already", "choose another schema, or replace the release whole with --force")
        }
        Found::Other => {
            ("was not made by moretta, so it is not replaced", "choose another schema, or remove it yourself")
        }
    };
    Err(Error::input(format!("the schema {:?} {what}", destination.schema))
        .coded(Code::OutputExists)
        .at_file(&destination.shown())
        .help(help))
}

impl FreeSchema {
    /// Writes a release into the database, and puts into the place of its tables' files what the database then holds: whatever is proved
    /// from these files is proved from the database.
    pub fn deposit(mut self, files: &Storage, progress: &Progress) -> Result<Deposit> {
        let stated = Manifest::read(files)?;
        let rows = stated.tables.iter().map(|table| table.rows).fold(0, u64::saturating_add);
        let (base, destination) = (&mut *self.base, &self.destination);
        base.begin(true)?;
        // Somebody may have been faster while the release was planned.
        let found = base.found()?;
        refuse(found, destination, self.replace)?;
        if found == Found::Release {
            let tables = tables_of(base, destination)?;
            base.remove(&tables)?;
        }
        base.make_schema()?;
        progress.start("loading", rows);
        let kind = registry::find(&stated.kind).ok_or_else(|| Error::bug("a release of no kind"))?;
        for file in &stated.tables {
            let source = source_of(files, file)?;
            let table = TableLayout::of_release(&stated, kind, &file.name, &source, destination.dialect(), progress)?;
            base.create(&table)?;
            base.fill(&table, &|sink| each_row(&source, progress, sink))?;
            base.index(&table)?;
        }
        let mut manifest = Vec::new();
        let mut texts = Vec::new();
        for name in files.files()?.into_iter().filter(|name| stated.tables.iter().all(|table| table.file != *name)) {
            let content = files.read(&name)?;
            let text = String::from_utf8(content.to_vec()).map_err(|_| Error::bug(format!("{name} is not UTF-8")))?;
            if name == manifest::FILE {
                manifest = content.to_vec();
            }
            texts.push(vec![Some(name), Some(text)]);
        }
        for (table, rows) in meaning::tables(&stated, kind, files, texts)? {
            base.create(&table)?;
            base.fill(&table, &|sink| each_of(&rows, sink))?;
        }
        progress.start("reading back", rows);
        for table in &stated.tables {
            // Rows in another order have another SHA-256: then they are asked for in order.
            let found = copy_back(base, table, RowOrder::Found, files, progress)?;
            if compare(table, &found, destination).is_err() {
                compare(table, &copy_back(base, table, RowOrder::Numbered, files, progress)?, destination)?;
            }
        }
        Ok(Deposit { base: self.base, destination: self.destination, manifest })
    }
}

impl Deposit {
    /// Lets others see the release.
    pub fn commit(mut self) -> Result<()> {
        let Err(error) = self.base.commit() else { return Ok(()) };
        // A connection that breaks now does not tell whether the database has kept the release: only the database does.
        drop(self.base);
        let mut again = connect(&self.destination).map_err(|_| {
            error.clone().help("whether the release is in the database is not known: look for its schema when the server is back, and remove it")
        })?;
        let is_there = again.found().is_ok_and(|found| found == Found::Release)
            && again.begin(false).is_ok()
            && contents(&mut *again).is_ok_and(|texts| texts.iter().any(|(_, text)| text.as_bytes() == self.manifest));
        if is_there { Ok(()) } else { Err(error) }
    }
}

/// Reads a release from a database into memory, as the files that it would be. What its rows are must be what its manifest says.
pub fn fetch(destination: &Destination, progress: &Progress) -> Result<Storage> {
    let mut base = connect(destination)?;
    let base = &mut *base;
    if base.found()? != Found::Release {
        return Err(Error::input(format!("there is no release {:?} in this database", destination.schema))
            .coded(Code::NoRelease)
            .at_file(&destination.shown())
            .help("name the schema that it was published into: ADDRESS#SCHEMA"));
    }
    base.begin(false)?;
    let files = Storage::memory();
    for (name, text) in contents(base)? {
        refuse_path(&name, destination)?;
        files.write(&name, text.as_bytes())?;
    }
    if !files.files()?.iter().any(|name| name == manifest::FILE) {
        return Err(damaged("its manifest is not there", destination));
    }
    let stated = Manifest::read(&files)?;
    progress.start("reading", stated.tables.iter().map(|table| table.rows).fold(0, u64::saturating_add));
    for table in &stated.tables {
        refuse_path(&table.file, destination)?;
        compare(table, &copy_back(base, table, RowOrder::Numbered, &files, progress)?, destination)?;
    }
    Ok(files)
}

/// Refuses a name by which a file would get outside of the folder that a release is saved into.
fn refuse_path(name: &str, destination: &Destination) -> Result<()> {
    if Path::new(name).components().count() == 1 && !name.starts_with('.') {
        return Ok(());
    }
    Err(damaged(&format!("it names {name:?}, which is no file of a release"), destination))
}

/// The files that stand in the database as texts, by name.
fn contents(base: &mut dyn Base) -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    base.read(RELEASE, RowOrder::Numbered, &mut |fields| {
        if let [Some(name), Some(text)] = fields {
            found.push(((*name).to_owned(), (*text).to_owned()));
        }
        Ok(())
    })?;
    Ok(found)
}

/// The tables of the release that is there.
fn tables_of(base: &mut dyn Base, destination: &Destination) -> Result<Vec<String>> {
    let files = Storage::memory();
    for (name, text) in contents(base)? {
        files.write(&name, text.as_bytes())?;
    }
    let stated = Manifest::read(&files).map_err(|_| damaged("its manifest can't be read", destination))?;
    Ok(stated.tables.into_iter().map(|table| table.name).chain(layout::OWN.map(ToOwned::to_owned)).collect())
}

/// Writes a table's file from the rows that the database holds.
fn copy_back(
    base: &mut dyn Base,
    table: &TableFile,
    order: RowOrder,
    files: &Storage,
    progress: &Progress,
) -> Result<Fingerprint> {
    let columns = base.columns(&table.name)?;
    let mut file = files.create(&table.file)?;
    let unwritable = |e: std::io::Error| files.unwritable(&table.file, e);
    let sink = BufWriter::with_capacity(1 << 18, &mut file);
    let mut lines = CsvLines::new(sink, columns.iter().map(String::as_str)).map_err(unwritable)?;
    let mut passed = 0_u64;
    base.read(&table.name, order, &mut |fields| {
        passed += 1;
        if passed.is_multiple_of(SHOWN) {
            progress.check()?;
            progress.advance(SHOWN);
        }
        lines.row(fields).map_err(unwritable)
    })?;
    lines.into_inner().flush().map_err(unwritable)?;
    file.finish()
}

fn compare(table: &TableFile, found: &Fingerprint, destination: &Destination) -> Result<()> {
    if found.sha256 == table.sha256 && found.bytes == table.bytes {
        return Ok(());
    }
    let what = format!(
        "the rows of {:?} are not those that were published: their SHA-256 differs from the manifest's",
        table.name
    );
    Err(damaged(&what, destination))
}

fn damaged(what: &str, destination: &Destination) -> Error {
    Error::data(what)
        .coded(Code::ReleaseDamaged)
        .at_file(&destination.shown())
        .help("get the release again from its publisher")
}

/// A table whose columns have names that the database, or this program, has a use for.
fn refuse_names(names: &[String], dialect: crate::release::Dialect) -> Result<()> {
    use crate::release::Dialect;
    /// Longer names are cut off by PostgreSQL.
    const LONGEST: usize = 63;
    for (place, name) in names.iter().enumerate() {
        let refused = |what: &str| {
            Err(Error::input(format!("the column {name:?} {what}"))
                .coded(Code::WrongParameter)
                .help("rename the table's column"))
        };
        if name.eq_ignore_ascii_case(ROW) {
            return refused("has the name of the number that each row gets in a database");
        }
        if dialect == Dialect::Postgres && name.len() > LONGEST {
            return refused("has a longer name than PostgreSQL keeps: up to 63 bytes");
        }
        if dialect != Dialect::Postgres && names[..place].iter().any(|other| other.eq_ignore_ascii_case(name)) {
            return refused(
                "differs from another one in small and capital letters alone, which the database does not tell apart",
            );
        }
    }
    Ok(())
}
