//! The text of a CSV file in pieces of whole records, so that several can be parsed at the same time.
//!
//! A record ends with its line, unless the line break stands in quotes. Where no byte of a stretch is a quote, the last line break ends
//! a record; elsewhere every byte is looked at, by the rules of the parser: a quote opens a field only at its beginning, two of them inside
//! are one that is meant, and behind a closing quote the field goes on as if it had none.

use std::io::{self, Read};

use memchr::{memchr, memchr_iter, memrchr2};

/// Bytes of a piece, but for the record that goes beyond them.
pub(super) const PIECE: usize = 1 << 20;

/// Whole records.
pub(super) struct CsvPiece {
    pub(super) text: Vec<u8>,
    /// Line feeds before it.
    pub(super) lines_before: u64,
    /// How far into the text it goes.
    pub(super) end_byte: u64,
}

/// Cuts a text into pieces, in order.
pub(super) struct Pieces<R> {
    text: R,
    size: usize,
    rest: Vec<u8>,
    ends: RecordEnds,
    lines: u64,
    bytes: u64,
    exhausted: bool,
}

impl<R: Read> Pieces<R> {
    pub(super) fn new(text: R, size: usize, delimiter: u8, quote: u8) -> Self {
        let ends = RecordEnds { delimiter, quote, place: Place::FieldStart, scanned: 0, last: 0 };
        Self { text, size: size.max(1), rest: Vec::new(), ends, lines: 0, bytes: 0, exhausted: false }
    }

    /// The next piece; nothing at the end of the text.
    pub(super) fn next(&mut self) -> io::Result<Option<CsvPiece>> {
        while !self.exhausted {
            let read = (&mut self.text).take(self.size as u64).read_to_end(&mut self.rest)?;
            self.exhausted = read < self.size;
            self.ends.scan(&self.rest);
            if self.ends.last > 0 && self.rest.len() >= self.size {
                break;
            }
        }
        let end = if self.exhausted { self.rest.len() } else { self.ends.last };
        if end == 0 {
            return Ok(None);
        }
        let behind = self.rest.split_off(end);
        let text = std::mem::replace(&mut self.rest, behind);
        self.ends.restart();
        let lines_before = self.lines;
        self.lines += memchr_iter(b'\n', &text).count() as u64;
        self.bytes += text.len() as u64;
        Ok(Some(CsvPiece { text, lines_before, end_byte: self.bytes }))
    }
}

/// Where the parser is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    FieldStart,
    Unquoted,
    Quoted,
    /// Behind a quote in a quoted field: it closes the field, or is the first of two.
    BehindQuote,
}

/// Looks for the last end of a record in a text that grows.
struct RecordEnds {
    delimiter: u8,
    quote: u8,
    place: Place,
    scanned: usize,
    /// Bytes up to the last end of a record that was found.
    last: usize,
}

impl RecordEnds {
    /// The text begins with what was behind the last end.
    fn restart(&mut self) {
        (self.place, self.scanned, self.last) = (Place::FieldStart, 0, 0);
    }

    /// Goes on to the end of the text, but for a carriage return there: whether a line feed belongs to it is still to be read.
    fn scan(&mut self, text: &[u8]) {
        let end = text.len() - usize::from(text.last() == Some(&b'\r'));
        let Some(fresh) = text.get(self.scanned..end).filter(|fresh| !fresh.is_empty()) else { return };
        let in_quotes = matches!(self.place, Place::Quoted | Place::BehindQuote);
        if in_quotes || memchr(self.quote, fresh).is_some() {
            (self.scanned..end).for_each(|at| self.step(text, at));
        } else {
            let is_end = |at: &usize| ends_record(text, *at);
            let mut below = fresh.len();
            while let Some(found) = memrchr2(b'\n', b'\r', &fresh[..below]) {
                if is_end(&(self.scanned + found)) {
                    self.last = self.scanned + found + 1;
                    break;
                }
                below = found;
            }
            let at_start = fresh.last().is_some_and(|&byte| byte == self.delimiter || matches!(byte, b'\n' | b'\r'));
            self.place = if at_start { Place::FieldStart } else { Place::Unquoted };
        }
        self.scanned = end;
    }

    fn step(&mut self, text: &[u8], at: usize) {
        let byte = text[at];
        self.place = match (self.place, byte) {
            (Place::Quoted, byte) if byte == self.quote => Place::BehindQuote,
            (Place::Quoted, _) => Place::Quoted,
            (Place::FieldStart | Place::BehindQuote, byte) if byte == self.quote => Place::Quoted,
            (_, b'\n' | b'\r') => {
                if ends_record(text, at) {
                    self.last = at + 1;
                }
                Place::FieldStart
            }
            (_, byte) if byte == self.delimiter => Place::FieldStart,
            _ => Place::Unquoted,
        };
    }
}

/// Whether a line break outside of quotes is the last byte of its record: of a carriage return with a line feed, the latter is.
fn ends_record(text: &[u8], at: usize) -> bool {
    text[at] == b'\n' || text.get(at + 1) != Some(&b'\n')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(text: &[u8], size: usize) -> Vec<CsvPiece> {
        let mut pieces = Pieces::new(text, size, b',', b'"');
        std::iter::from_fn(|| pieces.next().unwrap()).collect()
    }

    fn records(text: &[u8]) -> Vec<Vec<Vec<u8>>> {
        let mut reader = csv::ReaderBuilder::new().flexible(true).has_headers(false).from_reader(text);
        reader.byte_records().map(|record| record.unwrap().iter().map(<[u8]>::to_vec).collect()).collect()
    }

    fn texts() -> impl Strategy<Value = Vec<u8>> {
        let byte = prop_oneof![4 => Just(b'x'), 3 => Just(b','), 3 => Just(b'\n'), 1 => Just(b'\r'), 2 => Just(b'"')];
        let plain = prop_oneof![4 => Just(b'x'), 3 => Just(b','), 3 => Just(b'\n'), 1 => Just(b'\r')];
        let windows = proptest::collection::vec(
            prop_oneof![Just(&b"\r\n"[..]), Just(&b"x"[..]), Just(&b"\""[..]), Just(&b","[..])],
            0..60,
        );
        prop_oneof![
            proptest::collection::vec(byte, 0..80),
            proptest::collection::vec(plain, 0..80),
            windows.prop_map(|parts| parts.concat()),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn pieces_hold_the_records_of_the_text(text in texts(), size in 1_usize..20) {
            let pieces = cut(&text, size);
            let mut joined = Vec::new();
            let mut parsed = Vec::new();
            for piece in &pieces {
                prop_assert_eq!(piece.lines_before, memchr_iter(b'\n', &joined).count() as u64);
                joined.extend_from_slice(&piece.text);
                prop_assert_eq!(piece.end_byte, joined.len() as u64);
                parsed.extend(records(&piece.text));
            }
            prop_assert_eq!(&joined, &text);
            prop_assert_eq!(parsed, records(&text));
        }
    }

    #[test]
    fn a_line_break_in_quotes_ends_nothing() {
        let pieces = cut(b"a,b\n\"x\ny\",2\n3,4\n", 5);
        let texts: Vec<_> = pieces.iter().map(|piece| String::from_utf8_lossy(&piece.text).into_owned()).collect();
        assert_eq!(texts, ["a,b\n", "\"x\ny\",2\n", "3,4\n"]);
        assert_eq!(pieces.iter().map(|piece| piece.lines_before).collect::<Vec<_>>(), [0, 1, 3]);
    }

    #[test]
    fn old_files_end_lines_with_carriage_returns() {
        assert_eq!(cut(b"a,b\r1,2\r3,4\r", 4).len(), 3);
    }
}
