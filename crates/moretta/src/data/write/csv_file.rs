//! Writing CSV files.

use std::io::{BufWriter, Write};
use std::ops::Range;

use rayon::prelude::*;

use super::{Header, TableWriter, Values};

/// Rows that are spelled in one go; others are spelled at the same time.
const ROWS_PER_PIECE: usize = 1 << 12;

/// Writes CSV: commas, LF, quotes only where a field needs them, an empty field for a missing value.
pub(super) struct CsvWriter<W: Write> {
    sink: BufWriter<W>,
    /// For each coded column, its domain's values as they stand in the file.
    spelled: Vec<Spelled>,
}

/// The fields of a domain, joined, so that writing a code copies bytes.
#[derive(Default)]
struct Spelled {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl<W: Write> CsvWriter<W> {
    pub(super) fn new(sink: W, headers: &[Header]) -> std::io::Result<Self> {
        let mut sink = BufWriter::with_capacity(1 << 18, sink);
        let mut line = Vec::new();
        for (index, header) in headers.iter().enumerate() {
            if index > 0 {
                line.push(b',');
            }
            push_field(&mut line, &header.name, headers.len() == 1);
        }
        line.push(b'\n');
        sink.write_all(&line)?;
        let spelled = headers.iter().map(|header| Spelled::new(header, headers.len() == 1)).collect();
        Ok(Self { sink, spelled })
    }
}

impl<W: Write> TableWriter for CsvWriter<W> {
    fn write(&mut self, columns: &[Values<'_>]) -> std::io::Result<()> {
        let rows = columns.first().map_or(0, Values::len);
        let spelled = &self.spelled;
        let piece = |first: usize| spell(columns, spelled, first..rows.min(first + ROWS_PER_PIECE));
        let firsts: Vec<usize> = (0..rows).step_by(ROWS_PER_PIECE).collect();
        let pieces: Vec<Vec<u8>> = firsts.into_par_iter().map(piece).collect();
        pieces.iter().try_for_each(|piece| self.sink.write_all(piece))
    }

    fn finish(mut self: Box<Self>) -> std::io::Result<()> {
        self.sink.flush()
    }
}

/// The lines of some rows.
fn spell(columns: &[Values<'_>], spelled: &[Spelled], rows: Range<usize>) -> Vec<u8> {
    let alone = columns.len() == 1;
    let mut lines = Vec::with_capacity(rows.len() * 8 * columns.len());
    for row in rows {
        for (index, (values, spelled)) in columns.iter().zip(spelled).enumerate() {
            if index > 0 {
                lines.push(b',');
            }
            match values {
                Values::Codes(codes) => lines.extend_from_slice(spelled.field(codes[row])),
                Values::Integers(integers) => push_integer(&mut lines, integers[row]),
                Values::Texts(texts) => push_field(&mut lines, texts[row].as_deref().unwrap_or(""), alone),
            }
        }
        lines.push(b'\n');
    }
    lines
}

/// A whole number in decimal digits.
fn push_integer(line: &mut Vec<u8>, integer: i64) {
    if integer < 0 {
        line.push(b'-');
    }
    let (mut rest, start) = (integer.unsigned_abs(), line.len());
    loop {
        line.push(b'0' + (rest % 10) as u8);
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    line[start..].reverse();
}

impl Spelled {
    fn new(header: &Header, alone: bool) -> Self {
        let mut spelled = Self::default();
        for value in header.domain.iter().flat_map(|domain| domain.values()) {
            push_field(&mut spelled.bytes, &value.to_string(), alone);
            spelled.ends.push(spelled.bytes.len());
        }
        spelled
    }

    fn field(&self, code: u32) -> &[u8] {
        let code = code as usize;
        let start = if code == 0 { 0 } else { self.ends[code - 1] };
        &self.bytes[start..self.ends[code]]
    }
}

/// A field with quotes where it needs them: an empty line would be no row at all.
pub(super) fn push_field(line: &mut Vec<u8>, text: &str, alone: bool) {
    let needs_quotes = text.bytes().any(|b| matches!(b, b',' | b'"' | b'\n' | b'\r')) || (alone && text.is_empty());
    if !needs_quotes {
        line.extend_from_slice(text.as_bytes());
        return;
    }
    line.push(b'"');
    for byte in text.bytes() {
        if byte == b'"' {
            line.push(b'"');
        }
        line.push(byte);
    }
    line.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::domain::Domain;
    use crate::data::value::{Type, Value};

    #[test]
    fn integers_are_spelled_as_everywhere() {
        for integer in [0, 7, -1, 10, 1_000_000, i64::MAX, i64::MIN] {
            let mut line = Vec::new();
            push_integer(&mut line, integer);
            assert_eq!(String::from_utf8(line).unwrap(), integer.to_string());
        }
    }

    #[test]
    fn fields_are_quoted_where_needed_and_missing_values_empty() {
        let domain = Domain::from_sorted(
            Type::Text,
            vec![Value::Missing, Value::Text("a,b".into()), Value::Text("say \"x\"".into())],
        );
        let mut bytes = Vec::new();
        let headers =
            [Header::coded("d", domain.into()), Header::plain("n", Type::Integer), Header::plain("t", Type::Text)];
        let mut writer = Box::new(CsvWriter::new(&mut bytes, &headers).unwrap());
        let texts = [None, Some("two\nlines".into()), Some("plain".into())];
        let columns = [Values::Codes(&[1, 0, 2]), Values::Integers(&[7, -1, 0]), Values::Texts(&texts)];
        writer.write(&columns).unwrap();
        writer.finish().unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert_eq!(text, "d,n,t\n\"a,b\",7,\n,-1,\"two\nlines\"\n\"say \"\"x\"\"\",0,plain\n");
    }
}
