//! Writing CSV files.

use std::io::{BufWriter, Write};

use super::{Header, TableWriter, Values};

/// Writes CSV: commas, LF, quotes only where a field needs them, an empty field for a missing value.
pub(super) struct CsvWriter<W: Write> {
    sink: BufWriter<W>,
    /// For each coded column, its domain's values as they stand in the file.
    spelled: Vec<Spelled>,
    line: Vec<u8>,
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
        Ok(Self { sink, spelled, line })
    }
}

impl<W: Write> TableWriter for CsvWriter<W> {
    fn write(&mut self, columns: &[Values<'_>]) -> std::io::Result<()> {
        let alone = columns.len() == 1;
        let rows = columns.first().map_or(0, Values::len);
        for row in 0..rows {
            self.line.clear();
            for (index, (values, spelled)) in columns.iter().zip(&self.spelled).enumerate() {
                if index > 0 {
                    self.line.push(b',');
                }
                match values {
                    Values::Codes(codes) => self.line.extend_from_slice(spelled.field(codes[row])),
                    Values::Integers(integers) => write!(self.line, "{}", integers[row])?,
                    Values::Texts(texts) => push_field(&mut self.line, texts[row].as_deref().unwrap_or(""), alone),
                }
            }
            self.line.push(b'\n');
            self.sink.write_all(&self.line)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> std::io::Result<()> {
        self.sink.flush()
    }
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
