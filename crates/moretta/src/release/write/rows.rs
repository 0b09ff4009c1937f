//! Writing a table with a row for each person.
//!
//! Without insensitive attributes the table is written from cells. With them the source is read a second
//! time, batch by batch; rows are sorted aside so that memory does not grow with them. Either way rows
//! come out sorted by what they publish, so that their order tells nothing.

use std::iter::repeat_n;
use std::ops::Range;

use rayon::prelude::*;

use super::{Context, Dealt, MEMORY_LIMIT, Sorter, file_name, pass_over_kept};
use crate::data::cells::count_distinct;
use crate::data::write::{Header, Note, TableWriter, Values, noted_writer};
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::release::TableFile;
use crate::release::plan::Piece;
use crate::storage::Storage;

/// A table that is to be written.
pub(crate) struct RowTable<'a> {
    pub(crate) context: &'a Context<'a>,
    pub(crate) name: &'a str,
    /// Who stands in which of the groups, ordered by group and cell.
    pub(crate) pieces: &'a [Piece],
    pub(crate) groups: usize,
    /// The same, row by row.
    pub(crate) dealt: &'a Dealt,
    /// The columns of the cells that rows keep.
    pub(crate) kept: Range<usize>,
    pub(crate) columns: Vec<(Header, Slot<'a>)>,
    /// What is said of the table.
    pub(crate) notes: Vec<Note>,
}

/// What a column of the table holds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Slot<'a> {
    /// A code for each group.
    OfGroup(&'a [u32]),
    /// The group's number.
    Group,
    /// The code of a column that rows keep, by its index among those.
    Kept(usize),
    /// An insensitive attribute, by its index among those.
    Insensitive(usize),
    /// How many people the row stands for.
    Weight,
}

const BATCH_ROWS: usize = 1 << 16;

impl RowTable<'_> {
    /// Writes the table to a shelf; `spill` is a folder for temporary files.
    pub(crate) fn write(&self, storage: &Storage, spill: Option<&Storage>) -> Result<TableFile> {
        let format = self.context.output;
        let file = file_name(self.name, format);
        let mut sink = storage.create(&file)?;
        let headers: Vec<Header> = self.columns.iter().map(|(header, _)| header.clone()).collect();
        let slots: Vec<Slot<'_>> = self.columns.iter().map(|(_, slot)| *slot).collect();
        let unwritable = |e: std::io::Error| storage.unwritable(&file, e);
        let writer = noted_writer(format, &mut sink, &headers, &self.notes).map_err(unwritable)?;
        let (batch, progress) = (Batch::new(self), self.context.progress);
        let is_weighted = self.context.is_weighted();
        let mut rows =
            Rows { slots: &slots, writer, batch, is_weighted, written: 0, unwritable: &unwritable, progress };
        if self.context.insensitive_types.is_empty() {
            self.rows_from_cells(&mut rows)?;
        } else {
            self.rows_from_source(spill, &mut rows)?;
        }
        let rows = rows.finish()?;
        let print = sink.finish()?;
        Ok(TableFile {
            name: self.name.to_owned(),
            file,
            format,
            rows,
            bytes: print.bytes,
            sha256: print.sha256,
            parts: Vec::new(),
        })
    }

    /// Counts who publishes what: rows that agree in all published values come out once, in order.
    fn rows_from_cells(&self, rows: &mut Rows<'_, '_>) -> Result<()> {
        let groups: Vec<u32> = self.pieces.iter().map(|piece| piece.group).collect();
        let people: Vec<u64> = self.pieces.iter().map(|piece| piece.people).collect();
        let of_piece =
            |column: &Vec<u32>| -> Vec<u32> { self.pieces.iter().map(|piece| column[piece.cell as usize]).collect() };
        let kept: Vec<Vec<u32>> = self.context.cells.columns[self.kept.clone()].iter().map(of_piece).collect();
        let sizes = self.kept.clone().map(|column| self.context.domain(column).len());
        let mut columns: Vec<(&[u32], usize)> = vec![(&groups, self.groups)];
        columns.extend(kept.iter().map(Vec::as_slice).zip(sizes));
        self.context.progress.check()?;
        let distinct = count_distinct(&columns, groups.len(), Some(&people));
        self.context.progress.check()?;
        (0..distinct.len()).try_for_each(|cell| {
            let codes = distinct.columns[1..].iter().map(|column| column[cell]);
            rows.push(distinct.columns[0][cell], &codes, &[], distinct.people[cell])
        })
    }

    fn rows_from_source(&self, spill: Option<&Storage>, rows: &mut Rows<'_, '_>) -> Result<()> {
        let Context { table, cells, .. } = *self.context;
        let (texts, progress) = (self.context.insensitive_types.len(), self.context.progress);
        let folder = spill.and_then(Storage::folder);
        let mut sorter = Sorter::new(folder, progress.memory().for_sorting(MEMORY_LIMIT), progress.token());
        let mut record = Vec::new();
        pass_over_kept(self.context, |batch, kept| {
            for &(row, index) in kept {
                let cell = cells.cell_of_row[row as usize] as usize;
                let mut pushed = Ok(());
                self.dealt.of_row(table, row as usize, |group, people| {
                    record.clear();
                    record.extend_from_slice(&group.to_be_bytes());
                    cells.columns[self.kept.clone()]
                        .iter()
                        .for_each(|column| record.extend_from_slice(&column[cell].to_be_bytes()));
                    batch.columns.iter().for_each(|column| push_text(&mut record, column[index as usize].as_deref()));
                    let result = sorter.push(&record, people);
                    pushed = std::mem::replace(&mut pushed, Ok(())).and(result);
                });
                pushed?;
            }
            Ok(())
        })?;
        let mut codes = vec![0; self.kept.len()];
        let mut spelled: Vec<Option<Box<str>>> = vec![None; texts];
        sorter.finish(|record, people| {
            let mut record = record;
            let group = take_code(&mut record)?;
            codes.iter_mut().try_for_each(|code| take_code(&mut record).map(|taken| *code = taken))?;
            spelled.iter_mut().try_for_each(|text| take_text(&mut record).map(|taken| *text = taken))?;
            if !record.is_empty() {
                return Err(damaged());
            }
            rows.push(group, &codes.iter().copied(), &spelled, people)
        })
    }
}

/// Adds a text so that it can be told where it ends.
pub(super) fn push_text(record: &mut Vec<u8>, text: Option<&str>) {
    // One more than the length, so that 0 means missing.
    let length = text.map_or(0, |text| text.len() as u32 + 1);
    record.extend_from_slice(&length.to_be_bytes());
    record.extend_from_slice(text.unwrap_or_default().as_bytes());
}

fn take_code(record: &mut &[u8]) -> Result<u32> {
    let (code, rest) = record.split_first_chunk().ok_or_else(damaged)?;
    *record = rest;
    Ok(u32::from_be_bytes(*code))
}

fn take_text(record: &mut &[u8]) -> Result<Option<Box<str>>> {
    let Some(length) = take_code(record)?.checked_sub(1) else { return Ok(None) };
    let (text, rest) = record.split_at_checked(length as usize).ok_or_else(damaged)?;
    *record = rest;
    std::str::from_utf8(text).map(|text| Some(text.into())).map_err(|_| damaged())
}

/// The error for a row that did not come back from the sorter as it went there.
fn damaged() -> Error {
    Error::bug("a row was damaged while rows were sorted; nothing was published")
}

/// Rows on their way into the file.
struct Rows<'a, 'w> {
    slots: &'a [Slot<'a>],
    writer: Box<dyn TableWriter + 'w>,
    batch: Batch,
    /// Whether people who publish the same stand in one row that says how many they are.
    is_weighted: bool,
    written: u64,
    unwritable: &'a dyn Fn(std::io::Error) -> Error,
    progress: &'a Progress,
}

/// A run of rows, column by column.
struct Batch {
    groups: Vec<u32>,
    kept: Vec<Vec<u32>>,
    insensitive: Vec<Vec<Option<Box<str>>>>,
    weights: Vec<i64>,
}

impl Batch {
    fn new(table: &RowTable<'_>) -> Self {
        Self {
            groups: Vec::with_capacity(BATCH_ROWS),
            kept: table.kept.clone().map(|_| Vec::with_capacity(BATCH_ROWS)).collect(),
            insensitive: table.context.insensitive_types.iter().map(|_| Vec::new()).collect(),
            weights: Vec::with_capacity(BATCH_ROWS),
        }
    }
}

impl Rows<'_, '_> {
    /// Adds people who publish the same.
    fn push(
        &mut self,
        group: u32,
        kept: &(impl Iterator<Item = u32> + Clone),
        texts: &[Option<Box<str>>],
        people: u64,
    ) -> Result<()> {
        let (mut copies, weight) = if self.is_weighted { (1, people) } else { (people, 1) };
        while copies > 0 {
            let Batch { groups, kept: columns, insensitive, weights } = &mut self.batch;
            let some = copies.min((BATCH_ROWS - groups.len()) as u64);
            copies -= some;
            let some = some as usize;
            groups.extend(repeat_n(group, some));
            weights.extend(repeat_n(weight.cast_signed(), some));
            columns.iter_mut().zip(kept.clone()).for_each(|(column, code)| column.extend(repeat_n(code, some)));
            insensitive.iter_mut().zip(texts).for_each(|(column, text)| column.extend(repeat_n(text.clone(), some)));
            if groups.len() == BATCH_ROWS {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.progress.check()?;
        let Batch { groups, kept, insensitive, weights } = &mut self.batch;
        let has_numbers = self.slots.iter().any(|slot| matches!(slot, Slot::Group));
        let numbers: Vec<i64> =
            if has_numbers { groups.iter().map(|&group| i64::from(group) + 1).collect() } else { Vec::new() };
        let of_groups = |slot: &Slot<'_>| match slot {
            Slot::OfGroup(codes) => groups.iter().map(|&group| codes[group as usize]).collect(),
            _ => Vec::new(),
        };
        let of_groups: Vec<Vec<u32>> = self.slots.par_iter().map(of_groups).collect();
        let mut columns: Vec<Values<'_>> = Vec::with_capacity(self.slots.len());
        for (slot, codes) in self.slots.iter().zip(&of_groups) {
            columns.push(match *slot {
                Slot::OfGroup(_) => Values::Codes(codes),
                Slot::Group => Values::Integers(&numbers),
                Slot::Kept(index) => Values::Codes(&kept[index]),
                Slot::Insensitive(index) => Values::Texts(&insensitive[index]),
                Slot::Weight => Values::Integers(weights),
            });
        }
        self.writer.write(&columns).map_err(self.unwritable)?;
        self.progress.advance(groups.len() as u64);
        self.written += groups.len() as u64;
        groups.clear();
        weights.clear();
        kept.iter_mut().for_each(Vec::clear);
        insensitive.iter_mut().for_each(Vec::clear);
        Ok(())
    }

    fn finish(mut self) -> Result<u64> {
        if !self.batch.groups.is_empty() {
            self.flush()?;
        }
        self.writer.finish().map_err(self.unwritable)?;
        Ok(self.written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_as_they_went() {
        let texts = [Some("flu"), None, Some(""), Some("grippe à virus")];
        let mut record = Vec::new();
        texts.iter().for_each(|text| push_text(&mut record, *text));
        let mut rest = record.as_slice();
        let back = texts.map(|_| take_text(&mut rest).unwrap());
        assert_eq!(back.each_ref().map(Option::as_deref), texts);
        assert!(rest.is_empty());
    }

    #[test]
    fn a_damaged_row_is_neither_the_first_group_nor_a_missing_value() {
        assert_eq!(take_code(&mut [0, 0, 1].as_slice()).unwrap_err().code(), "bug");
        let mut record = Vec::new();
        push_text(&mut record, Some("flu"));
        assert_eq!(take_text(&mut &record[..6]).unwrap_err().code(), "bug");
        record[5] = 0xff;
        assert_eq!(take_text(&mut record.as_slice()).unwrap_err().code(), "bug");
    }
}
