//! Finding out how a CSV file is written.

use std::io::Read;

use encoding_rs_io::DecodeReaderBytesBuilder;
use flate2::read::MultiGzDecoder;

use super::{Input, ReadOptions, column_name, header, read_up_to, unreadable};
use crate::error::{Code, Error, Result};

/// How the fields of a CSV file are told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CsvDialect {
    pub(super) delimiter: u8,
    pub(super) quote: u8,
    /// Whether lines end in a carriage return and a line feed, as Windows has it.
    pub(super) crlf: bool,
    /// Whether the first line names the columns.
    pub(super) header: bool,
}

/// Enough to see a few hundred lines of a wide table.
const SAMPLE_BYTES: usize = 1 << 16;
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];
const QUOTES: [u8; 2] = [b'"', b'\''];

/// Opens the text of a CSV file: unpacked, in UTF-8, without a byte order mark.
pub(super) fn open_text(input: &Input, options: &ReadOptions) -> Result<Box<dyn Read + Send>> {
    let mut magic = [0; 2];
    let filled = read_up_to(&mut *input.open()?, &mut magic).map_err(|e| unreadable(input, e))?;
    let raw = input.open()?;
    let unpacked: Box<dyn Read + Send> = if filled == 2 && magic == [0x1f, 0x8b] {
        Box::new(MultiGzDecoder::new(std::io::BufReader::with_capacity(1 << 18, raw)))
    } else {
        raw
    };
    // Without a stated encoding UTF-8 passes through untouched, so that we can name a bad byte's place.
    let decoded = DecodeReaderBytesBuilder::new()
        .encoding(options.encoding)
        .utf8_passthru(options.encoding.is_none())
        .strip_bom(true)
        .bom_override(true)
        .build(unpacked);
    Ok(Box::new(decoded))
}

/// The dialect of a CSV file and the names in its header.
pub(super) fn sniff(input: &Input, options: &ReadOptions) -> Result<(CsvDialect, Vec<String>)> {
    let mut sample = vec![0; SAMPLE_BYTES];
    let filled = read_up_to(&mut *open_text(input, options)?, &mut sample).map_err(|e| unreadable(input, e))?;
    sample.truncate(filled);
    let whole = filled < SAMPLE_BYTES;
    refuse_comments(&sample, input)?;
    let delimiters = options.delimiter.map_or(DELIMITERS.to_vec(), |d| vec![d]);
    let crlf = sample.iter().position(|&byte| byte == b'\n').is_some_and(|end| end > 0 && sample[end - 1] == b'\r');
    let has_header = options.header.unwrap_or(true);
    let candidates = delimiters
        .iter()
        .flat_map(|&delimiter| {
            QUOTES.iter().map(move |&quote| CsvDialect { delimiter, quote, crlf, header: has_header })
        })
        .map(|dialect| (score(&sample, whole, &dialect), dialect));
    // On a tie the first candidate wins: a comma and double quotes.
    let mut best: Option<(Score, CsvDialect)> = None;
    for (score, dialect) in candidates {
        if best.as_ref().is_none_or(|(top, _)| score > *top) {
            best = Some((score, dialect));
        }
    }
    let (_, dialect) = best.ok_or_else(|| Error::bug("no CSV dialect to choose from"))?;
    header::refuse_data(&sample, whole, &dialect, input, options)?;
    let names = names(&sample, &dialect, input, options)?;
    Ok((dialect, names))
}

/// Refuses a file that begins with comments: the first of them would be taken for the header.
///
/// A column may be called `#`. So the sign alone is no comment, nor is a line with as many fields as the first line that does not begin with it.
fn refuse_comments(sample: &[u8], input: &Input) -> Result<()> {
    let lines = || sample.split(|&byte| byte == b'\n');
    let comments = lines().take_while(|line| line.starts_with(b"#")).count();
    let fields = |line: &[u8], sign: u8| line.split(|&byte| byte == sign).count();
    let Some((first, table)) = lines().next().zip(lines().nth(comments)) else { return Ok(()) };
    let is_header = DELIMITERS.iter().all(|&sign| fields(first, sign) == fields(table, sign));
    let is_wider = DELIMITERS.iter().any(|&sign| fields(table, sign) > 1);
    if comments == 0 || is_header || !is_wider {
        return Ok(());
    }
    Err(Error::input("the file begins with comments: lines that start with #")
        .coded(Code::TableUnreadable)
        .at_file(input.name())
        .at_line(1)
        .help(format!("leave them out; the table seems to start in line {}", comments + 1)))
}

/// Rows as wide as the header weigh most, then the number of fields, then fields that lose quotes.
type Score = (bool, u32, usize, usize);

fn score(sample: &[u8], whole: bool, dialect: &CsvDialect) -> Score {
    let mut reader = csv_reader(sample, dialect, true);
    let mut record = csv::ByteRecord::new();
    let mut widths = Vec::new();
    let mut bytes = 0;
    while let Ok(true) = reader.read_byte_record(&mut record) {
        widths.push(record.len());
        bytes += record.iter().map(<[u8]>::len).sum::<usize>();
    }
    if !whole && widths.len() > 1 {
        widths.pop(); // the sample may end within a row
    }
    let header = widths.first().copied().unwrap_or(0);
    let even = widths.iter().filter(|&&width| width == header).count();
    let share = (even * 1000 / widths.len().max(1)) as u32;
    let quotes_removed = sample.len().saturating_sub(bytes);
    (header > 1, share, header, quotes_removed)
}

/// The names in the first line, or numbers where it has none.
fn names(sample: &[u8], dialect: &CsvDialect, input: &Input, options: &ReadOptions) -> Result<Vec<String>> {
    let mut reader = csv_reader(sample, dialect, true);
    let mut record = csv::ByteRecord::new();
    let found = reader
        .read_byte_record(&mut record)
        .map_err(|e| Error::input(e.to_string()).coded(Code::TableUnreadable).at_file(input.name()))?;
    if !found {
        return Err(Error::input("the file has no header")
            .coded(Code::TableUnreadable)
            .at_file(input.name())
            .help("a table has a header and rows"));
    }
    if !dialect.header {
        return Ok((0..record.len()).map(column_name).collect());
    }
    record.iter().enumerate().map(|(place, name)| utf8(name, place, input, options)).collect()
}

fn utf8(name: &[u8], place: usize, input: &Input, options: &ReadOptions) -> Result<String> {
    let name = std::str::from_utf8(name).map_err(|e| {
        let byte = e.valid_up_to() + 1;
        Error::input(format!("the name of column {} is not UTF-8, from its byte {byte} on", place + 1))
            .coded(Code::TableUnreadable)
            .at_file(input.name())
            .at_line(1)
            .help(other_encoding(options))
    })?;
    Ok(name.trim().to_owned())
}

/// What to do about bytes that are not UTF-8.
pub(super) fn other_encoding(options: &ReadOptions) -> String {
    format!("{}, or whatever encoding the file has", options.place.state("encoding", "\"windows-1252\""))
}

/// A CSV reader of the dialect. `flexible` takes rows of any width; the strict one names the odd row.
pub(super) fn csv_reader<R: Read>(text: R, dialect: &CsvDialect, flexible: bool) -> csv::Reader<R> {
    csv::ReaderBuilder::new()
        .delimiter(dialect.delimiter)
        .quote(dialect.quote)
        .flexible(flexible)
        .has_headers(false)
        .buffer_capacity(1 << 18)
        .from_reader(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sniffed(text: &str) -> (CsvDialect, Vec<String>) {
        let input = Input::Memory("t.csv".into(), text.to_owned().into());
        sniff(&input, &ReadOptions::detect()).unwrap()
    }

    #[test]
    fn delimiters_and_quotes_are_found() {
        for (text, delimiter, quote) in [
            ("a,b\n1,2\n", b',', b'"'),
            ("a;b\n1,5;2\n3,5;4\n", b';', b'"'),
            ("a\tb\n1\t2\n", b'\t', b'"'),
            ("a|b\n\"x,y\"|2\n", b'|', b'"'),
            ("a,b\n'x,y',2\n'z,w',3\n", b',', b'\''),
            ("a\n1\n2\n", b',', b'"'),
            ("a,b\r\n\"two\nlines\",1\r\n", b',', b'"'),
        ] {
            let (dialect, _) = sniffed(text);
            assert_eq!(dialect, CsvDialect { delimiter, quote, crlf: text.contains("\r\n"), header: true }, "{text:?}");
        }
    }

    #[test]
    fn columns_without_names_are_numbered() {
        let input = Input::Memory("t.csv".into(), "35,m\n41,f\n".into());
        let options = ReadOptions { header: Some(false), ..ReadOptions::detect() };
        let (dialect, names) = sniff(&input, &options).unwrap();
        assert_eq!((dialect.header, names), (false, vec!["column1".to_owned(), "column2".to_owned()]));
    }

    #[test]
    fn comments_before_the_table_are_no_header() {
        let refused = |text: &str| {
            let input = Input::Memory("t.csv".into(), text.to_owned().into());
            sniff(&input, &ReadOptions::detect()).err().map(|error| error.to_string())
        };
        let error = refused("# made on Monday\n# by me, for you\nage,sex\n20,f\n").unwrap();
        assert!(error.contains("the table seems to start in line 3"), "{error}");
        assert_eq!(refused("#,sex\n20,f\n"), None);
        assert_eq!(refused("#\n20\n"), None);
        assert_eq!(refused("# only\n"), None);
    }

    #[test]
    fn byte_order_marks_are_no_part_of_the_first_name() {
        assert_eq!(sniffed("\u{feff}a,b\n1,2\n").1, ["a", "b"]);
    }
}
