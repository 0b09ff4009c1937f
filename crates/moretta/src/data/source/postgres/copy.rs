//! The binary form of COPY, row by row.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::super::relation::BATCH_ROWS;
use super::connect::interrupted;
use super::server_type::{Filled, ServerType};
use crate::error::{Code, Error, Result};

const SIGNATURE: &[u8] = b"PGCOPY\n\xff\r\n\0";

/// Reads all rows, and hands them over in batches.
pub(super) fn read(
    rows: impl Read,
    address: &Path,
    (held, schema): (&[ServerType], &SchemaRef),
    sink: &mut dyn FnMut(RecordBatch) -> Result<()>,
) -> Result<()> {
    let mut sent = Sent { rows: BufReader::with_capacity(1 << 18, rows), address };
    sent.header()?;
    let mut filled: Vec<Filled> = held.iter().map(|&held| Filled::new(held)).collect();
    let mut value = Vec::new();
    let (mut row, mut in_batch) = (0_u64, 0);
    let mut batch = |filled: &mut Vec<Filled>| {
        let batch = RecordBatch::try_new(schema.clone(), filled.iter_mut().map(Filled::finish).collect());
        sink(batch.map_err(|e| Error::bug(format!("columns of PostgreSQL make no batch: {e}")))?)
    };
    loop {
        match i16::from_be_bytes(sent.exactly()?) {
            -1 => break,
            fields if usize::try_from(fields) == Ok(held.len()) => {}
            fields => return Err(sent.broken(&format!("a row has {fields} fields instead of {}", held.len()))),
        }
        row += 1;
        for (place, (filled, &held)) in filled.iter_mut().zip(held).enumerate() {
            let bytes = sent.value(&mut value)?.then_some(&value[..]);
            filled.push(held, bytes).map_err(|what| bad_value(schema.field(place).name(), row, what, address))?;
        }
        in_batch += 1;
        if in_batch == BATCH_ROWS {
            batch(&mut filled)?;
            in_batch = 0;
        }
    }
    // The server says after the last row whether all went well.
    let mut rest = Vec::new();
    sent.rows.read_to_end(&mut rest).map_err(|e| interrupted(address, e))?;
    if in_batch == 0 { Ok(()) } else { batch(&mut filled) }
}

struct Sent<'a, R> {
    rows: BufReader<R>,
    address: &'a Path,
}

impl<R: Read> Sent<'_, R> {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
        self.rows.read_exact(bytes).map_err(|e| interrupted(self.address, e))
    }

    fn exactly<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn header(&mut self) -> Result<()> {
        if self.exactly::<11>()? != SIGNATURE {
            return Err(self.broken("it does not begin as it must"));
        }
        let [_flags, extension] = [u32::from_be_bytes(self.exactly()?), u32::from_be_bytes(self.exactly()?)];
        for _ in 0..extension {
            self.exactly::<1>()?;
        }
        Ok(())
    }

    /// Reads a value; false if there is none.
    fn value(&mut self, value: &mut Vec<u8>) -> Result<bool> {
        let Ok(length) = usize::try_from(i32::from_be_bytes(self.exactly()?)) else { return Ok(false) };
        value.clear();
        // Nearly always it has come whole.
        if let Some(whole) = self.rows.buffer().get(..length) {
            value.extend_from_slice(whole);
            self.rows.consume(length);
            return Ok(true);
        }
        // As much as comes, and not what a length claims.
        (&mut self.rows).take(length as u64).read_to_end(value).map_err(|e| interrupted(self.address, e))?;
        if value.len() == length { Ok(true) } else { Err(self.broken("it ends within a value")) }
    }

    fn broken(&self, what: &str) -> Error {
        Error::input(format!("what the server sends is no copy of a table: {what}"))
            .coded(Code::TableUnreadable)
            .at_file(self.address)
    }
}

fn bad_value(column: &str, row: u64, what: &str, address: &Path) -> Error {
    Error::input(format!("column {column:?}: the value of row {row} {what}"))
        .coded(Code::TableUnreadable)
        .at_file(address)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;
    use arrow_schema::{Field, Schema};

    use super::*;

    fn sent(rows: &[(i32, Option<&str>)]) -> Vec<u8> {
        let mut bytes = SIGNATURE.to_vec();
        bytes.extend([0; 8]);
        for (number, text) in rows {
            bytes.extend(2_i16.to_be_bytes());
            bytes.extend(4_i32.to_be_bytes());
            bytes.extend(number.to_be_bytes());
            match text {
                None => bytes.extend((-1_i32).to_be_bytes()),
                Some(text) => {
                    bytes.extend(i32::try_from(text.len()).unwrap().to_be_bytes());
                    bytes.extend(text.as_bytes());
                }
            }
        }
        bytes.extend((-1_i16).to_be_bytes());
        bytes
    }

    fn table(bytes: &[u8]) -> Result<Vec<RecordBatch>> {
        let held = [ServerType::Whole4, ServerType::Text];
        let fields = ["a", "b"].iter().zip(held).map(|(name, held)| Field::new(*name, held.data_type(), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let mut batches = Vec::new();
        read(bytes, Path::new("db"), (&held, &schema), &mut |batch| {
            batches.push(batch);
            Ok(())
        })?;
        Ok(batches)
    }

    #[test]
    fn rows_come_as_they_were_sent() {
        let batches = table(&sent(&[(7, Some("x")), (-1, None)])).unwrap();
        let [batch] = &batches[..] else { panic!("one batch") };
        assert_eq!(batch.column(0).as_primitive::<Int64Type>().values(), &[7, -1]);
        assert_eq!((batch.column(1).as_string::<i32>().value(0), batch.column(1).is_null(1)), ("x", true));
        assert!(table(&sent(&[])).unwrap().is_empty());
    }

    #[test]
    fn a_copy_that_ends_early_or_is_none_is_no_table() {
        let whole = sent(&[(7, Some("x"))]);
        for end in 0..whole.len() {
            assert!(table(&whole[..end]).is_err(), "{end}");
        }
        assert!(table(b"HTTP/1.1 400 Bad Request\r\n\r\n").is_err());
        let mut huge = sent(&[]);
        huge.truncate(huge.len() - 2);
        huge.extend([0, 2, 0x7f, 0xff, 0xff, 0xff, 1]);
        assert!(table(&huge).is_err());
    }
}
