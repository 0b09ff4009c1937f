//! Applying a plan: writing the data table of a generalized release.
//!
//! Without insensitive attributes the table is written from cells. With them the source is read a second
//! time, batch by batch; rows are sorted aside so that memory does not grow with them. Either way rows
//! come out sorted by what they publish, so that their order tells nothing.

use std::sync::Arc;

use super::deal::{Dealer, people_of};
use super::sorter::{MEMORY_LIMIT, Sorter};
use crate::data::cells::{Cells, count_distinct};
use crate::data::domain::Domain;
use crate::data::format::FileFormat;
use crate::data::role::Role;
use crate::data::source::Source;
use crate::data::table::Table;
use crate::data::value::Type;
use crate::data::write::{Header, TableWriter, Values, table_writer};
use crate::error::{Error, Fault, Result};
use crate::hierarchy::Scale;
use crate::method::Plan;
use crate::policy::Policy;
use crate::release::{Shelf, TableFile};

/// The table that is to be written.
pub(super) struct DataTable<'a> {
    pub(super) policy: &'a Policy,
    pub(super) plan: &'a Plan,
    pub(super) cells: &'a Cells,
    /// The table's weights and row numbers; its codes are not needed any more.
    pub(super) table: &'a Table,
    pub(super) sensitive: &'a [(String, Arc<Domain>)],
    pub(super) insensitive_types: &'a [Type],
}

/// What a column of the table holds: the place among attributes of its role.
#[derive(Clone, Copy, Debug)]
enum Slot {
    Quasi(usize),
    Sensitive(usize),
    Insensitive(usize),
    Weight,
}

/// The name of the table.
pub(super) const NAME: &str = "data";

const BATCH_ROWS: usize = 1 << 16;

impl DataTable<'_> {
    /// Writes the table to a shelf; `spill` is a folder for temporary files.
    pub(super) fn write(&self, source: &Source, shelf: &Shelf, spill: Option<&Shelf>) -> Result<TableFile> {
        let format = self.policy.output;
        let file = format!("{NAME}.{}", format.extension());
        let mut sink = shelf.create(&file)?;
        let slots = self.slots();
        let headers = self.headers(&slots);
        let unwritable = |e: &std::io::Error| shelf.unwritable(&file, e);
        let writer = table_writer(format, &mut sink, &headers).map_err(|e| unwritable(&e))?;
        let mut rows = Rows {
            slots: &slots,
            plan: self.plan,
            writer,
            batch: Batch::new(self),
            written: 0,
            unwritable: &unwritable,
        };
        if self.insensitive_types.is_empty() {
            self.rows_from_cells(&mut rows)?;
        } else {
            self.rows_from_source(source, spill, &mut rows)?;
        }
        let rows = rows.finish()?;
        let print = sink.finish()?;
        Ok(TableFile { name: NAME.to_owned(), file, format, rows, bytes: print.bytes, sha256: print.sha256 })
    }

    fn slots(&self) -> Vec<Slot> {
        let (mut quasi, mut sensitive, mut insensitive) = (0.., 0.., 0..);
        let slot = |role| match role {
            Role::Quasi => quasi.next().map(Slot::Quasi),
            Role::Sensitive => sensitive.next().map(Slot::Sensitive),
            Role::Insensitive => insensitive.next().map(Slot::Insensitive),
            Role::Weight => Some(Slot::Weight),
            Role::Identifier | Role::Drop | Role::Group | Role::Unclassified => None,
        };
        self.policy.attributes.iter().map(|attribute| attribute.role).filter_map(slot).collect()
    }

    fn headers(&self, slots: &[Slot]) -> Vec<Header> {
        let insensitive: Vec<&str> = self.policy.with_role(Role::Insensitive).map(|a| a.name.as_str()).collect();
        let weight = self.policy.with_role(Role::Weight).map(|a| a.name.as_str()).next().unwrap_or_default();
        let header = |slot: &Slot| match *slot {
            Slot::Quasi(place) => {
                let planned = &self.plan.attributes[place];
                Header::coded(&planned.name, Arc::new(Domain::labels(planned.labels.iter().map(String::as_str))))
            }
            Slot::Sensitive(place) => {
                let (name, domain) = &self.sensitive[place];
                Header::coded(name, domain.clone())
            }
            Slot::Insensitive(place) => Header::plain(insensitive[place], self.insensitive_types[place]),
            Slot::Weight => Header::plain(weight, Type::Integer),
        };
        slots.iter().map(header).collect()
    }

    fn is_weighted(&self) -> bool {
        self.table.weights.is_some()
    }

    /// Counts who publishes what: rows that agree in all published values come out once, in order.
    fn rows_from_cells(&self, rows: &mut Rows<'_, '_>) -> Result<()> {
        let quasi = self.plan.attributes.len();
        let groups: Vec<u32> = self.plan.pieces.iter().map(|piece| piece.group).collect();
        let people: Vec<u64> = self.plan.pieces.iter().map(|piece| piece.people).collect();
        let of_piece = |column: &Vec<u32>| -> Vec<u32> {
            self.plan.pieces.iter().map(|piece| column[piece.cell as usize]).collect()
        };
        let sensitive: Vec<Vec<u32>> = self.cells.columns[quasi..].iter().map(of_piece).collect();
        let mut columns: Vec<(&[u32], usize)> = vec![(&groups, self.plan.len())];
        columns
            .extend(sensitive.iter().zip(self.sensitive).map(|(codes, (_, domain))| (codes.as_slice(), domain.len())));
        let distinct = count_distinct(&columns, groups.len(), Some(&people));
        let mut codes = vec![0; sensitive.len()];
        for cell in 0..distinct.len() {
            for (code, column) in codes.iter_mut().zip(&distinct.columns[1..]) {
                *code = column[cell];
            }
            let people = distinct.people[cell];
            let (copies, weight) = if self.is_weighted() { (1, people) } else { (people, 1) };
            for _ in 0..copies {
                rows.push(distinct.columns[0][cell], &codes, &[], weight)?;
            }
        }
        Ok(())
    }

    fn rows_from_source(&self, source: &Source, spill: Option<&Shelf>, rows: &mut Rows<'_, '_>) -> Result<()> {
        let quasi = self.plan.attributes.len();
        let wanted = self.policy.with_role(Role::Insensitive).filter_map(|attribute| source.position(&attribute.name));
        let wanted: Vec<usize> = wanted.collect();
        let folder = match spill {
            Some(Shelf::Folder(folder)) => Some(folder.clone()),
            _ => None,
        };
        let mut sorter = Sorter::new(folder, MEMORY_LIMIT);
        let mut dealer = Dealer::new(self.plan, self.cells.len());
        let mut kept = self.table.source_rows.iter().copied().enumerate().peekable();
        let mut record = Vec::new();
        let mut read = 0;
        source.stream(&wanted, &mut |batch| {
            read = batch.first_row + batch.rows as u64;
            while let Some((row, source_row)) = kept.next_if(|&(_, source_row)| u64::from(source_row) < read) {
                let place = (u64::from(source_row) - batch.first_row) as usize;
                let cell = self.cells.cell_of_row[row];
                let mut pushed = Ok(());
                dealer.deal(cell, people_of(self.table, row), |group, people| {
                    record.clear();
                    record.extend_from_slice(&group.to_be_bytes());
                    self.cells.columns[quasi..]
                        .iter()
                        .for_each(|column| record.extend_from_slice(&column[cell as usize].to_be_bytes()));
                    batch.columns.iter().for_each(|column| push_text(&mut record, column[place].as_deref()));
                    let result = sorter.push(&record, people);
                    pushed = std::mem::replace(&mut pushed, Ok(())).and(result);
                });
                pushed?;
            }
            Ok(())
        })?;
        if read != self.table.tally.read {
            return Err(Error::new(Fault::Machine, "the table changed while it was being published")
                .at_file(source.input().name())
                .help("publish again when nobody writes to it"));
        }
        let sensitive = self.sensitive.len();
        sorter.finish(|record, people| {
            let mut record = record;
            let group = take_code(&mut record);
            let codes: Vec<u32> = (0..sensitive).map(|_| take_code(&mut record)).collect();
            let texts: Vec<Option<Box<str>>> = wanted.iter().map(|_| take_text(&mut record)).collect();
            let (copies, weight) = if self.is_weighted() { (1, people) } else { (people, 1) };
            (0..copies).try_for_each(|_| rows.push(group, &codes, &texts, weight))
        })
    }
}

fn push_text(record: &mut Vec<u8>, text: Option<&str>) {
    // One more than the length, so that 0 means missing.
    let length = text.map_or(0, |text| text.len() as u32 + 1);
    record.extend_from_slice(&length.to_be_bytes());
    record.extend_from_slice(text.unwrap_or_default().as_bytes());
}

fn take_code(record: &mut &[u8]) -> u32 {
    let (code, rest) =
        record.split_first_chunk().map_or((0, *record), |(code, rest)| (u32::from_be_bytes(*code), rest));
    *record = rest;
    code
}

fn take_text(record: &mut &[u8]) -> Option<Box<str>> {
    let length = take_code(record).checked_sub(1)? as usize;
    let (text, rest) = record.split_at(length.min(record.len()));
    *record = rest;
    std::str::from_utf8(text).ok().map(Into::into)
}

/// Rows on their way into the file.
struct Rows<'a, 'w> {
    slots: &'a [Slot],
    plan: &'a Plan,
    writer: Box<dyn TableWriter + 'w>,
    batch: Batch,
    written: u64,
    unwritable: &'a dyn Fn(&std::io::Error) -> Error,
}

/// A run of rows, column by column.
struct Batch {
    groups: Vec<u32>,
    sensitive: Vec<Vec<u32>>,
    insensitive: Vec<Vec<Option<Box<str>>>>,
    weights: Vec<i64>,
}

impl Batch {
    fn new(data: &DataTable<'_>) -> Self {
        Self {
            groups: Vec::with_capacity(BATCH_ROWS),
            sensitive: data.sensitive.iter().map(|_| Vec::with_capacity(BATCH_ROWS)).collect(),
            insensitive: data.insensitive_types.iter().map(|_| Vec::new()).collect(),
            weights: Vec::with_capacity(BATCH_ROWS),
        }
    }
}

impl Rows<'_, '_> {
    fn push(&mut self, group: u32, sensitive: &[u32], texts: &[Option<Box<str>>], weight: u64) -> Result<()> {
        self.batch.groups.push(group);
        self.batch.sensitive.iter_mut().zip(sensitive).for_each(|(column, &code)| column.push(code));
        self.batch.insensitive.iter_mut().zip(texts).for_each(|(column, text)| column.push(text.clone()));
        self.batch.weights.push(weight.cast_signed());
        if self.batch.groups.len() == BATCH_ROWS { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        let Batch { groups, sensitive, insensitive, weights } = &mut self.batch;
        let published = |column: &Vec<u32>| groups.iter().map(|&group| column[group as usize]).collect();
        let quasi: Vec<Vec<u32>> = self.plan.groups.iter().map(published).collect();
        let values = |slot: &Slot| match *slot {
            Slot::Quasi(place) => Values::Codes(&quasi[place]),
            Slot::Sensitive(place) => Values::Codes(&sensitive[place]),
            Slot::Insensitive(place) => Values::Texts(&insensitive[place]),
            Slot::Weight => Values::Integers(weights),
        };
        let columns: Vec<Values<'_>> = self.slots.iter().map(values).collect();
        self.writer.write(&columns).map_err(|e| (self.unwritable)(&e))?;
        self.written += groups.len() as u64;
        groups.clear();
        weights.clear();
        sensitive.iter_mut().for_each(Vec::clear);
        insensitive.iter_mut().for_each(Vec::clear);
        Ok(())
    }

    fn finish(mut self) -> Result<u64> {
        if !self.batch.groups.is_empty() {
            self.flush()?;
        }
        self.writer.finish().map_err(|e| (self.unwritable)(&e))?;
        Ok(self.written)
    }
}

/// Writes the private map: for each row of the source that was published, its group.
pub(super) fn write_map(data: &DataTable<'_>, format: FileFormat, shelf: &Shelf) -> Result<()> {
    let file = format!("map.{}", format.extension());
    let mut sink = shelf.create(&file)?;
    let unwritable = |e: std::io::Error| shelf.unwritable(&file, &e);
    let headers = [Header::plain("row", Type::Integer), Header::plain("group", Type::Integer)];
    let mut writer = table_writer(format, &mut sink, &headers).map_err(unwritable)?;
    let mut dealer = Dealer::new(data.plan, data.cells.len());
    let (mut numbers, mut groups) = (Vec::with_capacity(BATCH_ROWS), Vec::with_capacity(BATCH_ROWS));
    for (row, &source_row) in data.table.source_rows.iter().enumerate() {
        dealer.deal(data.cells.cell_of_row[row], people_of(data.table, row), |group, _| {
            numbers.push(i64::from(source_row) + 1);
            groups.push(i64::from(group) + 1);
        });
        if numbers.len() >= BATCH_ROWS {
            writer.write(&[Values::Integers(&numbers), Values::Integers(&groups)]).map_err(unwritable)?;
            numbers.clear();
            groups.clear();
        }
    }
    writer.write(&[Values::Integers(&numbers), Values::Integers(&groups)]).map_err(unwritable)?;
    writer.finish().map_err(unwritable)?;
    sink.finish().map(drop)
}

/// Writes the private mapping: for each quasi-identifier, what each of its values became, and for how many people.
pub(super) fn write_mapping(data: &DataTable<'_>, scales: &[Scale], shelf: &Shelf) -> Result<()> {
    const FILE: &str = "mapping.csv";
    let mut sink = shelf.create(FILE)?;
    let unwritable = |e: std::io::Error| shelf.unwritable(FILE, &e);
    let columns = ["attribute", "value", "became"].map(|name| Header::plain(name, Type::Text));
    let headers: Vec<Header> = columns.into_iter().chain([Header::plain("people", Type::Integer)]).collect();
    let mut writer = table_writer(FileFormat::Csv, &mut sink, &headers).map_err(unwritable)?;
    let people: Vec<u64> = data.plan.pieces.iter().map(|piece| piece.people).collect();
    for ((planned, scale), (codes, became)) in
        data.plan.attributes.iter().zip(scales).zip(data.cells.columns.iter().zip(&data.plan.groups))
    {
        let from: Vec<u32> = data.plan.pieces.iter().map(|piece| codes[piece.cell as usize]).collect();
        let to: Vec<u32> = data.plan.pieces.iter().map(|piece| became[piece.group as usize]).collect();
        let sized = [(from.as_slice(), scale.domain().len()), (to.as_slice(), planned.labels.len())];
        let pairs = count_distinct(&sized, from.len(), Some(&people));
        let text = |text: String| Some(text.into_boxed_str());
        let names: Vec<_> = pairs.people.iter().map(|_| text(planned.name.clone())).collect();
        let values: Vec<_> =
            pairs.columns[0].iter().map(|&code| text(scale.domain().value(code).to_string())).collect();
        let labels: Vec<_> = pairs.columns[1].iter().map(|&code| text(planned.labels[code as usize].clone())).collect();
        let people: Vec<i64> = pairs.people.iter().map(|people| people.cast_signed()).collect();
        let columns =
            [Values::Texts(&names), Values::Texts(&values), Values::Texts(&labels), Values::Integers(&people)];
        writer.write(&columns).map_err(unwritable)?;
    }
    writer.finish().map_err(unwritable)?;
    sink.finish().map(drop)
}
