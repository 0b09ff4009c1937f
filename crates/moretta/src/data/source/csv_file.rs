//! Reading CSV files: pieces of the text are parsed at the same time, and taken in in order.

use std::io::Read;

use rayon::prelude::*;

use super::collect::{Collector, ColumnData, ColumnNeed, TextCollector};
use super::csv_pieces::{CsvPiece, PIECE, Pieces};
use super::sniff::{CsvDialect, csv_reader, open_text, other_encoding};
use super::{Input, ReadOptions, RowBatch};
use crate::error::{Code, Error, Fault, Result};
use crate::progress::Progress;

/// Pieces that are parsed at the same time, for each thread: more than one, since they take different times.
const PIECES_PER_THREAD: usize = 2;

/// One column of a run of rows: all texts in one buffer.
#[derive(Default)]
struct ChunkColumn {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

/// A run of rows, column by column, with the line on which each row starts.
struct Chunk {
    lines: Vec<u64>,
    columns: Vec<ChunkColumn>,
    /// How far into the text it goes.
    end_byte: u64,
}

pub(super) fn encode(
    input: &Input,
    dialect: &CsvDialect,
    names: &[String],
    options: &ReadOptions,
    needs: &[(usize, ColumnNeed)],
    progress: &Progress,
) -> Result<Vec<ColumnData>> {
    let wanted: Vec<usize> = needs.iter().map(|&(index, _)| index).collect();
    let mut collectors: Vec<TextCollector> = needs
        .iter()
        .map(|&(_, need)| TextCollector::new(need, &options.missing_values, options.number_signs()))
        .collect();
    progress.start("reading", input.stamp()?.0);
    let mut passed = 0;
    scan(input, dialect, names, options, &wanted, &mut |chunk| {
        progress.check()?;
        progress.advance(chunk.end_byte.saturating_sub(passed));
        passed = chunk.end_byte;
        collectors.par_iter_mut().zip(&chunk.columns).zip(&wanted).try_for_each(|((collector, column), &index)| {
            let text = column.text(&chunk.lines, &names[index], input, options)?;
            for (row, &line) in chunk.lines.iter().enumerate() {
                let mark = collector.mark(column.field(text, row), line);
                collector.push(mark);
            }
            collector.ease(progress.memory())
        })
    })?;
    Ok(collectors.into_iter().map(TextCollector::finish).collect())
}

pub(super) fn stream(
    input: &Input,
    dialect: &CsvDialect,
    names: &[String],
    options: &ReadOptions,
    wanted: &[usize],
    sink: &mut dyn FnMut(RowBatch) -> Result<()>,
) -> Result<()> {
    let mut first_row = 0;
    scan(input, dialect, names, options, wanted, &mut |chunk| {
        let columns = chunk.columns.par_iter().zip(wanted).map(|(column, &index)| {
            let text = column.text(&chunk.lines, &names[index], input, options)?;
            let fields = (0..chunk.lines.len()).map(|row| column.field(text, row));
            let present = |field: &&str| !options.missing_values.iter().any(|missing| missing == field);
            Ok(fields.map(|field| Some(field).filter(present).map(Into::into)).collect())
        });
        // Of several columns that are wrong the first is told.
        let columns = columns.collect::<Vec<Result<_>>>().into_iter().collect::<Result<Vec<_>>>()?;
        let rows = chunk.lines.len();
        sink(RowBatch { first_row, rows, columns })?;
        first_row += rows as u64;
        Ok(())
    })
}

/// Passes over the rows in order, one by one, without a copy of their texts.
pub(super) fn each_row(
    input: &Input,
    dialect: &CsvDialect,
    names: &[String],
    options: &ReadOptions,
    wanted: &[usize],
    sink: &mut dyn FnMut(&[Option<&str>]) -> Result<()>,
) -> Result<()> {
    scan(input, dialect, names, options, wanted, &mut |chunk| {
        let texts = chunk.columns.iter().zip(wanted);
        let texts =
            texts.map(|(column, &index)| Ok((column, column.text(&chunk.lines, &names[index], input, options)?)));
        let texts = texts.collect::<Result<Vec<(&ChunkColumn, &str)>>>()?;
        let mut fields = Vec::with_capacity(wanted.len());
        for row in 0..chunk.lines.len() {
            fields.clear();
            fields.extend(texts.iter().map(|(column, text)| {
                let field = column.field(text, row);
                (!options.missing_values.iter().any(|missing| missing == field)).then_some(field)
            }));
            sink(&fields)?;
        }
        Ok(())
    })
}

impl ChunkColumn {
    fn push(&mut self, field: &[u8]) {
        self.bytes.extend_from_slice(field);
        self.ends.push(self.bytes.len());
    }

    fn start(&self, row: usize) -> usize {
        if row == 0 { 0 } else { self.ends[row - 1] }
    }

    fn field<'a>(&self, text: &'a str, row: usize) -> &'a str {
        // Field ends are boundaries of characters only if every field is UTF-8 by itself: `text` saw to it.
        &text[self.start(row)..self.ends[row]]
    }

    /// The whole buffer as text, or the index of the first byte that is none.
    fn text(&self, lines: &[u64], name: &str, input: &Input, options: &ReadOptions) -> Result<&str> {
        let text = std::str::from_utf8(&self.bytes);
        let odd = match &text {
            Ok(text) => self.ends.iter().position(|&end| !text.is_char_boundary(end)),
            Err(error) => Some(self.ends.partition_point(|&end| end <= error.valid_up_to())),
        };
        match (text, odd) {
            (Ok(text), None) => Ok(text),
            (_, odd) => {
                let row = odd.unwrap_or(0).min(lines.len().saturating_sub(1));
                let field = &self.bytes[self.start(row)..self.ends[row]];
                let byte = std::str::from_utf8(field).map_or_else(|e| e.valid_up_to(), |_| 0);
                let bad = field.get(byte).copied().unwrap_or_default();
                let message =
                    format!("column {name:?}: byte {} of the value is {bad:#04x}, which is not UTF-8", byte + 1);
                Err(Error::input(message)
                    .coded(Code::TableUnreadable)
                    .at_file(input.name())
                    .at_line(lines[row])
                    .help(other_encoding(options)))
            }
        }
    }
}

fn scan(
    input: &Input,
    dialect: &CsvDialect,
    names: &[String],
    options: &ReadOptions,
    wanted: &[usize],
    sink: &mut dyn FnMut(&Chunk) -> Result<()>,
) -> Result<()> {
    let mut pieces = Pieces::new(open_text(input, options)?, PIECE, dialect.delimiter, dialect.quote);
    let mut header = dialect.header;
    let at_once = PIECES_PER_THREAD * rayon::current_num_threads();
    let mut read = || -> Result<Vec<(CsvPiece, bool)>> {
        let mut some = Vec::with_capacity(at_once);
        while some.len() < at_once
            && let Some(piece) = pieces.next().map_err(|e| broken(input, e.into()))?
        {
            // Blank lines may stand before the header.
            let has_header = header && piece.text.iter().any(|byte| !matches!(byte, b'\n' | b'\r'));
            header &= !has_header;
            some.push((piece, has_header));
        }
        Ok(some)
    };
    let parsed = |(piece, has_header): &(CsvPiece, bool)| parse(piece, *has_header, dialect, names, wanted, input);
    let mut some = read()?;
    while !some.is_empty() {
        let parse_all = || some.par_iter().map(parsed).collect::<Vec<Result<Chunk>>>();
        let (chunks, next) = rayon::join(parse_all, &mut read);
        for chunk in chunks {
            let chunk = chunk?;
            if !chunk.lines.is_empty() {
                sink(&chunk)?;
            }
        }
        some = next?;
    }
    Ok(())
}

fn parse(
    piece: &CsvPiece,
    mut header: bool,
    dialect: &CsvDialect,
    names: &[String],
    wanted: &[usize],
    input: &Input,
) -> Result<Chunk> {
    // The last line may lack its end; with one, every record is passed to its end, and lines are counted alike.
    let end: &[u8] = if dialect.crlf { b"" } else { b"\n" };
    let mut reader = csv_reader(piece.text.chain(end), dialect, true);
    let mut record = csv::ByteRecord::new();
    let mut lines = Vec::new();
    let mut columns: Vec<ChunkColumn> = wanted.iter().map(|_| ChunkColumn::default()).collect();
    while reader.read_byte_record(&mut record).map_err(|e| broken(input, e))? {
        if std::mem::take(&mut header) {
            continue;
        }
        let line = piece.lines_before + line_of(&record, &reader, dialect);
        if record.len() != names.len() {
            return Err(ragged(&record, names.len(), line, input, dialect));
        }
        for (column, &index) in columns.iter_mut().zip(wanted) {
            column.push(&record[index]);
        }
        lines.push(line);
    }
    Ok(Chunk { lines, columns, end_byte: piece.end_byte })
}

/// The line on which the last record that was read starts.
///
/// The parser counts line feeds as it passes them, and passes what stands between two records (blank lines, the line feed after a
/// carriage return) with the second one. So its count is right at the end of a record, from where we go back.
fn line_of<R: Read>(record: &csv::ByteRecord, reader: &csv::Reader<R>, dialect: &CsvDialect) -> u64 {
    // Hardly any record has a line break inside: looking for one is faster than counting bytes.
    let inside = record.as_slice().split(|&byte| byte == b'\n').skip(1).fold(0, |breaks, _| breaks + 1);
    (reader.position().line() - u64::from(!dialect.crlf)).saturating_sub(inside).max(1)
}

fn ragged(record: &csv::ByteRecord, expected: usize, line: u64, input: &Input, dialect: &CsvDialect) -> Error {
    let first = if dialect.header { "header" } else { "first line" };
    let fields = if record.len() == 1 { "field" } else { "fields" };
    Error::input(format!("this line has {} {fields}, the {first} has {expected}", record.len()))
        .coded(Code::TableUnreadable)
        .at_file(input.name())
        .at_line(line)
        .help("a field that holds the delimiter or a line break must stand in quotes")
}

fn broken(input: &Input, error: csv::Error) -> Error {
    match error.into_kind() {
        csv::ErrorKind::Io(e)
            if matches!(
                e.kind(),
                std::io::ErrorKind::InvalidData | std::io::ErrorKind::InvalidInput | std::io::ErrorKind::UnexpectedEof
            ) =>
        {
            Error::input(format!("the file is damaged: {e}")).coded(Code::TableUnreadable).at_file(input.name())
        }
        csv::ErrorKind::Io(e) => Error::machine("read the file", input.name(), e),
        kind => Error::new(Fault::Input, format!("the file can't be read as CSV: {kind:?}"))
            .coded(Code::TableUnreadable)
            .at_file(input.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::source::sniff::sniff;

    fn lines(text: &str) -> Vec<u64> {
        let input = Input::Memory("t.csv".into(), text.to_owned().into());
        let (dialect, names) = sniff(&input, &ReadOptions::detect()).unwrap();
        let mut lines = Vec::new();
        scan(&input, &dialect, &names, &ReadOptions::detect(), &[0], &mut |chunk| {
            lines.extend(&chunk.lines);
            Ok(())
        })
        .unwrap();
        lines
    }

    #[test]
    fn rows_stand_on_the_lines_that_an_editor_shows() {
        for end in ["\n", "\r\n"] {
            let text = |lines: &[&str]| lines.join(end);
            assert_eq!(lines(&text(&["a,b", "1,2", "3,4", ""])), [2, 3], "{end:?}");
            assert_eq!(lines(&text(&["a,b", "1,2", "3,4"])), [2, 3], "{end:?}, no end of the last line");
            assert_eq!(lines(&text(&["a,b", "", "1,2", "", "", "3,4", ""])), [3, 6], "{end:?}, blank lines");
            assert_eq!(lines(&text(&["a,b", "\"x\ny\",2", "3,4", ""])), [2, 4], "{end:?}, a line break in quotes");
        }
    }
}
