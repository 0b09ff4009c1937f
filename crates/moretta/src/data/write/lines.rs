//! Lines of a CSV file from texts, in the one spelling that released files have.

use std::io::Write;

use super::csv_file::push_field;

/// Writes rows of texts as [`table_writer`](super::table_writer) writes them.
pub(crate) struct CsvLines<W: Write> {
    sink: W,
    line: Vec<u8>,
}

impl<W: Write> CsvLines<W> {
    /// Starts a file with the names of its columns.
    pub(crate) fn new<'a>(sink: W, names: impl ExactSizeIterator<Item = &'a str>) -> std::io::Result<Self> {
        let mut lines = Self { sink, line: Vec::new() };
        lines.put(names)?;
        Ok(lines)
    }

    /// Adds a row; nothing stands for a missing value.
    pub(crate) fn row(&mut self, fields: &[Option<&str>]) -> std::io::Result<()> {
        self.put(fields.iter().map(|field| field.unwrap_or_default()))
    }

    fn put<'a>(&mut self, fields: impl ExactSizeIterator<Item = &'a str>) -> std::io::Result<()> {
        let alone = fields.len() == 1;
        self.line.clear();
        for (index, field) in fields.enumerate() {
            if index > 0 {
                self.line.push(b',');
            }
            push_field(&mut self.line, field, alone);
        }
        self.line.push(b'\n');
        self.sink.write_all(&self.line)
    }

    /// What was written to.
    pub(crate) fn into_inner(self) -> W {
        self.sink
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FileFormat, Header, Values, table_writer};
    use super::*;
    use crate::data::value::Type;

    #[test]
    fn lines_are_those_of_the_writer_of_tables() {
        for columns in [1, 3] {
            let texts: Vec<Option<Box<str>>> =
                ["a,b", "say \"x\"", "", "two\nlines", "plain"].iter().map(|text| Some((*text).into())).collect();
            let names: Vec<String> = (0..columns).map(|place| format!("c,{place}")).collect();
            let headers: Vec<Header> = names.iter().map(|name| Header::plain(name, Type::Text)).collect();
            let mut written = Vec::new();
            let mut writer = table_writer(FileFormat::Csv, &mut written, &headers).unwrap();
            writer.write(&vec![Values::Texts(&texts); columns]).unwrap();
            writer.finish().unwrap();
            let mut lines = CsvLines::new(Vec::new(), names.iter().map(String::as_str)).unwrap();
            texts.iter().for_each(|text| lines.row(&vec![text.as_deref(); columns]).unwrap());
            assert_eq!(lines.into_inner(), written);
        }
    }
}
