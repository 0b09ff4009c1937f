//! Writing spreadsheets (.xlsx): one sheet, values typed, no author and no date.
//!
//! ECMA-376 asks for five small parts beside the sheet, all in one ZIP archive. What a sheet can't hold exactly is refused and not rounded.

use std::fmt::Write as _;
use std::io::{Error, ErrorKind, Result, Write};

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

use super::{FileFormat, Header, TableWriter, Values};
use crate::data::value::{Decimal, Type, Value, days_of_date};

const MOST_COLUMNS: usize = 16_384;
/// The most characters of a cell.
const MOST_CHARACTERS: usize = 32_767;
/// Spreadsheets know floating-point numbers alone.
const EXACT: u64 = 1 << 53;

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";

/// The parts that are the same in every file; days have the second style.
const PARTS: [(&str, &str); 5] = [
    (
        "[Content_Types].xml",
        "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
         <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
         <Override PartName=\"/xl/workbook.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml\"/>\
         <Override PartName=\"/xl/styles.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml\"/>\
         <Override PartName=\"/xl/worksheets/sheet1.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml\"/>\
         </Types>",
    ),
    (
        "_rels/.rels",
        "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
         <Relationship Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument\" Target=\"xl/workbook.xml\"/>\
         </Relationships>",
    ),
    (
        "xl/workbook.xml",
        "<workbook xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" \
         xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\">\
         <sheets><sheet name=\"data\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>",
    ),
    (
        "xl/_rels/workbook.xml.rels",
        "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
         <Relationship Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet\" Target=\"worksheets/sheet1.xml\"/>\
         <Relationship Id=\"rId2\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles\" Target=\"styles.xml\"/>\
         </Relationships>",
    ),
    (
        "xl/styles.xml",
        "<styleSheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\">\
         <numFmts count=\"1\"><numFmt numFmtId=\"164\" formatCode=\"yyyy\\-mm\\-dd\"/></numFmts>\
         <fonts count=\"1\"><font/></fonts><fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill>\
         <fill><patternFill patternType=\"gray125\"/></fill></fills><borders count=\"1\"><border/></borders>\
         <cellStyleXfs count=\"1\"><xf/></cellStyleXfs>\
         <cellXfs count=\"2\"><xf xfId=\"0\"/><xf xfId=\"0\" numFmtId=\"164\" applyNumberFormat=\"1\"/></cellXfs></styleSheet>",
    ),
];

const SHEET: &str = "xl/worksheets/sheet1.xml";

/// Writes a spreadsheet. The sheet is packed as it comes, and stays in memory until it is whole.
pub(super) struct XlsxWriter<W: Write> {
    sink: W,
    headers: Vec<Header>,
    sheet: Part,
    rows: u64,
    text: String,
}

/// A part of the archive while it is packed.
struct Part {
    packed: DeflateEncoder<Vec<u8>>,
    check: Crc,
}

impl Part {
    fn new() -> Self {
        Self { packed: DeflateEncoder::new(Vec::new(), Compression::new(6)), check: Crc::new() }
    }

    fn push(&mut self, text: &str) -> Result<()> {
        self.check.update(text.as_bytes());
        self.packed.write_all(text.as_bytes())
    }
}

impl<W: Write> XlsxWriter<W> {
    pub(super) fn new(sink: W, headers: &[Header]) -> Result<Self> {
        if headers.len() > MOST_COLUMNS {
            return Err(refused(format!("a sheet holds {MOST_COLUMNS} columns, and there are {}", headers.len())));
        }
        let mut writer = Self { sink, headers: headers.to_vec(), sheet: Part::new(), rows: 0, text: String::new() };
        writer.sheet.push(DECLARATION)?;
        writer
            .sheet
            .push("<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData>")?;
        writer.text.push_str("<row r=\"1\">");
        for (column, header) in headers.iter().enumerate() {
            push_text(&mut writer.text, &header.name, &place(column, 1))?;
        }
        writer.end_row()?;
        Ok(writer)
    }

    fn end_row(&mut self) -> Result<()> {
        self.text.push_str("</row>");
        self.sheet.push(&self.text)?;
        self.text.clear();
        Ok(())
    }
}

impl<W: Write> TableWriter for XlsxWriter<W> {
    fn write(&mut self, columns: &[Values<'_>]) -> Result<()> {
        for row in 0..columns.first().map_or(0, Values::len) {
            self.rows += 1;
            if let Some(most) = FileFormat::Xlsx.most_rows().filter(|&most| self.rows > most) {
                return Err(refused(format!("a sheet holds {most} rows, and there are more")));
            }
            let number = self.rows + 1;
            let _ = write!(self.text, "<row r=\"{number}\">");
            let empty = self.text.len();
            for (column, (values, header)) in columns.iter().zip(&self.headers).enumerate() {
                let text = &mut self.text;
                let at = place(column, number);
                match values {
                    Values::Codes(codes) => match &header.domain {
                        Some(domain) => push_value(text, domain.value(codes[row]), &at)?,
                        None => return Err(Error::other("codes without a domain")),
                    },
                    Values::Integers(integers) => push_value(text, &Value::Integer(integers[row]), &at)?,
                    Values::Texts(texts) => push_value(text, &read(texts[row].as_deref(), header.kind)?, &at)?,
                }
            }
            // Whoever reads a sheet takes such a row for none.
            if self.text.len() == empty {
                return Err(refused("a sheet can't hold a row without any value".to_owned()));
            }
            self.end_row()?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.sheet.push("</sheetData></worksheet>")?;
        let Self { mut sink, sheet, .. } = *self;
        let mut parts = Vec::with_capacity(PARTS.len() + 1);
        for (name, text) in PARTS {
            let mut part = Part::new();
            part.push(DECLARATION)?;
            part.push(text)?;
            parts.push((name, part));
        }
        parts.push((SHEET, sheet));
        write_archive(&mut sink, parts)
    }
}

/// A text as a value of a column's type. Numbers come as their table spells them.
fn read(text: Option<&str>, kind: Type) -> Result<Value> {
    let Some(text) = text else { return Ok(Value::Missing) };
    let read = |decimal| Value::parse(text, kind, decimal);
    read(Decimal::Point)
        .or_else(|| read(Decimal::Comma))
        .ok_or_else(|| Error::other(format!("{text:?} is no {}", kind.name())))
}

fn push_value(text: &mut String, value: &Value, at: &str) -> Result<()> {
    let _ = match value {
        Value::Missing => Ok(()),
        Value::Integer(i) if i.unsigned_abs() > EXACT => {
            return Err(refused(format!("a sheet can't hold the number {i} exactly")));
        }
        Value::Integer(i) => write!(text, "<c r=\"{at}\"><v>{i}</v></c>"),
        Value::Number(x) => write!(text, "<c r=\"{at}\"><v>{x}</v></c>"),
        Value::Boolean(truth) => write!(text, "<c r=\"{at}\" t=\"b\"><v>{}</v></c>", u8::from(*truth)),
        Value::Date(days) => {
            // Days are counted from 1899-12-30; before 1900-03-01 spreadsheets disagree, for the first of them knew a 1900-02-29.
            let first = chrono::NaiveDate::from_ymd_opt(1900, 3, 1).map_or(0, days_of_date);
            if *days < first {
                return Err(refused(format!("a sheet has no day before 1900-03-01, and there is {value}")));
            }
            write!(text, "<c r=\"{at}\" s=\"1\"><v>{}</v></c>", i64::from(*days - first) + 61)
        }
        // As a text: a sheet's own times are numbers of days, which round.
        Value::Timestamp(_) => return push_text(text, &value.to_string(), at),
        Value::Text(cell) => return push_text(text, cell, at),
    };
    Ok(())
}

/// A text, which is never taken for a formula.
fn push_text(text: &mut String, cell: &str, at: &str) -> Result<()> {
    let too_long = cell.encode_utf16().count() > MOST_CHARACTERS;
    let odd = |c: char| (c < ' ' && !matches!(c, '\t' | '\n')) || matches!(c, '\u{fffe}' | '\u{ffff}');
    // Spreadsheets write such characters as _x000D_, and read every text so.
    if too_long || cell.contains(odd) || cell.contains("_x") && holds_escape(cell) {
        let start: String = cell.chars().take(40).collect();
        return Err(refused(format!("a sheet can't hold the text {start:?} as it is")));
    }
    if cell.is_empty() {
        return Ok(());
    }
    let _ = write!(text, "<c r=\"{at}\" t=\"inlineStr\"><is><t xml:space=\"preserve\">");
    for c in cell.chars() {
        match c {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            c => text.push(c),
        }
    }
    text.push_str("</t></is></c>");
    Ok(())
}

fn holds_escape(cell: &str) -> bool {
    let is_escape = |rest: &str| {
        let digits = rest.bytes().take(4).filter(u8::is_ascii_hexdigit).count();
        digits == 4 && rest.as_bytes().get(4) == Some(&b'_')
    };
    cell.match_indices("_x").any(|(index, mark)| is_escape(&cell[index + mark.len()..]))
}

/// The name of a cell: `A1`, `AB12`.
fn place(column: usize, row: u64) -> String {
    let mut letters = Vec::new();
    let mut rest = column + 1;
    while rest > 0 {
        letters.push(char::from(b'A' + ((rest - 1) % 26) as u8));
        rest = (rest - 1) / 26;
    }
    letters.iter().rev().collect::<String>() + &row.to_string()
}

/// The error for what no sheet can hold.
fn refused(what: String) -> Error {
    Error::new(ErrorKind::Unsupported, what)
}

/// The parts as a ZIP archive, all of the first day that such an archive knows.
fn write_archive(sink: &mut impl Write, parts: Vec<(&str, Part)>) -> Result<()> {
    const FIRST_DAY: u16 = 1 << 5 | 1;
    let too_large = |_| refused("a spreadsheet of more than 4 GB".to_owned());
    let (mut directory, mut offset, count) = (Vec::new(), 0_u32, parts.len() as u16);
    for (name, part) in parts {
        let (check, size) = (part.check.sum(), part.packed.total_in());
        let packed = part.packed.finish()?;
        let (size, length) = (u32::try_from(size).map_err(too_large)?, u32::try_from(packed.len()).map_err(too_large)?);
        let mut entry = Vec::new();
        // The version that is needed, no flags, deflated, midnight of the day.
        [20, 0, 8, 0, FIRST_DAY].iter().for_each(|field: &u16| entry.extend(field.to_le_bytes()));
        [check, length, size].iter().for_each(|field| entry.extend(field.to_le_bytes()));
        entry.extend((name.len() as u16).to_le_bytes());
        entry.extend([0; 2]);
        sink.write_all(b"PK\x03\x04")?;
        sink.write_all(&entry)?;
        sink.write_all(name.as_bytes())?;
        sink.write_all(&packed)?;
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&entry);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
        let written = 4 + entry.len() + name.len() + packed.len();
        offset = u32::try_from(u64::from(offset) + written as u64)
            .map_err(|_| refused("a spreadsheet of more than 4 GB".to_owned()))?;
    }
    sink.write_all(&directory)?;
    sink.write_all(b"PK\x05\x06\0\0\0\0")?;
    sink.write_all(&[count.to_le_bytes(), count.to_le_bytes()].concat())?;
    sink.write_all(&(directory.len() as u32).to_le_bytes())?;
    sink.write_all(&offset.to_le_bytes())?;
    sink.write_all(&[0; 2])?;
    sink.flush()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::data::domain::Domain;
    use crate::data::source::{ColumnData, ColumnNeed, Input, ReadOptions, Source};
    use crate::progress::Progress;

    const TEXTS: [&str; 6] = ["=1+1", " a <b> & \"c\"", "two\nlines", "007", "_x", "größer"];

    fn written(rows: usize) -> Result<Vec<u8>> {
        let texts = Domain::labels(TEXTS);
        let days = Domain::from_sorted(Type::Date, vec![Value::Missing, Value::Date(-25_508), Value::Date(8831)]);
        let numbers = Domain::from_sorted(Type::Number, [-0.1, 1e-7, 2.0].map(Value::Number).to_vec());
        let headers = [
            Header::coded("text & more", Arc::new(texts)),
            Header::coded("day", Arc::new(days)),
            Header::coded("number", Arc::new(numbers)),
            Header::plain("count", Type::Integer),
            Header::plain("true", Type::Boolean),
        ];
        let mut bytes = Vec::new();
        let mut writer = Box::new(XlsxWriter::new(&mut bytes, &headers)?);
        let codes = |most: usize| (0..rows).map(|row| (row % most) as u32).collect::<Vec<u32>>();
        let (texts, days, numbers) = (codes(TEXTS.len()), codes(3), codes(3));
        let counts: Vec<i64> = (-2..).take(rows).collect();
        let truths: Vec<Option<Box<str>>> = (0..rows).map(|row| [None, Some("true".into())][row % 2].clone()).collect();
        let columns = [
            Values::Codes(&texts),
            Values::Codes(&days),
            Values::Codes(&numbers),
            Values::Integers(&counts),
            Values::Texts(&truths),
        ];
        writer.write(&columns)?;
        writer.finish()?;
        Ok(bytes)
    }

    #[test]
    fn what_is_written_is_read_back_and_always_the_same_bytes() {
        let bytes = written(6).unwrap();
        assert_eq!(bytes, written(6).unwrap());
        let input = Input::Memory("a.xlsx".into(), bytes.into());
        let source = Source::open(input, ReadOptions { header: Some(true), ..ReadOptions::detect() }).unwrap();
        assert_eq!(source.names(), ["text & more", "day", "number", "count", "true"]);
        let mut rows = Vec::new();
        let all: Vec<usize> = (0..5).collect();
        source
            .stream(&all, &mut |batch| {
                rows.extend((0..batch.rows).map(|row| {
                    batch
                        .columns
                        .iter()
                        .map(|column| column[row].as_deref().unwrap_or("").to_owned())
                        .collect::<Vec<_>>()
                }));
                Ok(())
            })
            .unwrap();
        assert_eq!(rows[0], ["=1+1", "", "-0.1", "-2", ""]);
        assert_eq!(rows[1], [TEXTS[1], "1900-03-01", "0.0000001", "-1", "true"]);
        assert_eq!(rows[2], ["two\nlines", "1994-03-07", "2", "0", ""]);
        assert_eq!(rows[3][0], "007");
        let needs: Vec<(usize, ColumnNeed)> = all.iter().map(|&index| (index, ColumnNeed::Codes)).collect();
        let kinds: Vec<Type> = source
            .encode(&needs, &Progress::default())
            .unwrap()
            .into_iter()
            .map(|data| {
                let ColumnData::Codes(encoded) = data else { panic!("codes") };
                encoded.typed(None, None, None, "x", source.input()).unwrap().0.kind()
            })
            .collect();
        assert_eq!(kinds, [Type::Text, Type::Date, Type::Number, Type::Integer, Type::Boolean]);
    }

    #[test]
    fn what_no_sheet_can_hold_is_refused() {
        let mut text = String::new();
        for value in [
            Value::Integer((1 << 53) + 1),
            Value::Date(-25_509),
            Value::Text("a\u{1}b".into()),
            Value::Text("a\rb".into()),
            Value::Text("_x0041_".into()),
            Value::Text("x".repeat(32_768).into()),
        ] {
            let error = push_value(&mut text, &value, "A1").unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported, "{value:?}");
        }
        assert_eq!(place(0, 1), "A1");
        assert_eq!([place(25, 2), place(26, 2), place(701, 3), place(702, 3)], ["Z2", "AA2", "ZZ3", "AAA3"]);
    }
}
