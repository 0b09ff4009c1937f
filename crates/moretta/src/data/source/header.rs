//! Whether the first line of a CSV file names the columns, or is somebody's row.
//!
//! A person who is taken for the header is published whole, as the names of the released columns. So a first line that fits the columns below
//! it better than names would is refused, until somebody states what it is.

use std::collections::BTreeSet;

use super::sniff::{CsvDialect, csv_reader};
use super::{Input, ReadOptions};
use crate::data::guess::Guess;
use crate::data::value::{Type, Value};
use crate::error::{Code, Error, Result};

/// How much the cell above a column of numbers or days tells, against one above a column of texts.
const TYPED: usize = 3;

/// Rows from which on it tells something that a text does not recur below.
const ENOUGH_ROWS: usize = 5;

/// What the cell above a column is, and how much it tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    /// A value like those below it.
    Value(usize),
    /// A name.
    Name(usize),
    /// Either.
    Unclear,
}

/// Refuses a file whose first line looks like data, unless it is stated what that line is.
pub(super) fn refuse_data(
    sample: &[u8],
    whole: bool,
    dialect: &CsvDialect,
    input: &Input,
    options: &ReadOptions,
) -> Result<()> {
    if options.header.is_some() {
        return Ok(());
    }
    let lines = lines(sample, whole, dialect);
    let Some((first, rows)) = lines.split_first() else { return Ok(()) };
    let Some(telling) = telling_value(first, rows) else { return Ok(()) };
    let message = format!(
        "the first line looks like a row and not like names of columns: {telling:?} in column {} is like the values below it",
        first.iter().position(|cell| cell == telling).map_or(1, |place| place + 1)
    );
    let [no, yes] = [false, true].map(|header| options.place.state("header", &header.to_string()));
    Err(Error::input(message)
        .coded(Code::TableUnreadable)
        .at_file(input.name())
        .at_line(1)
        .help(format!("without names, {no}: columns are then called column1, column2 …; if these are names, {yes}")))
}

fn lines(sample: &[u8], whole: bool, dialect: &CsvDialect) -> Vec<Vec<String>> {
    let mut reader = csv_reader(sample, dialect, true);
    let mut record = csv::ByteRecord::new();
    let mut lines = Vec::new();
    while let Ok(true) = reader.read_byte_record(&mut record) {
        lines.push(record.iter().map(|cell| String::from_utf8_lossy(cell).trim().to_owned()).collect());
    }
    if !whole {
        lines.pop(); // the sample may end within a row
    }
    lines
}

/// The cell of the first line that is most like the values below it, if the line is a row rather than a header.
fn telling_value<'a>(first: &'a [String], rows: &[Vec<String>]) -> Option<&'a String> {
    let signs: Vec<Sign> = first
        .iter()
        .enumerate()
        .map(|(place, cell)| {
            let below: Vec<&str> = rows.iter().filter_map(|row| row.get(place)).map(String::as_str).collect();
            sign(cell, &below)
        })
        .collect();
    let sum = |weight: fn(&Sign) -> usize| signs.iter().map(weight).sum::<usize>();
    let for_row = sum(|sign| if let Sign::Value(weight) = sign { *weight } else { 0 });
    let for_header = sum(|sign| if let Sign::Name(weight) = sign { *weight } else { 0 });
    let most_telling = first.iter().zip(&signs).filter_map(|(cell, sign)| match sign {
        Sign::Value(weight) => Some((cell, *weight)),
        _ => None,
    });
    let most_telling = most_telling.rev().max_by_key(|&(_, weight)| weight).map(|(cell, _)| cell);
    most_telling.filter(|_| for_row > for_header && !are_years(first))
}

fn sign(cell: &str, below: &[&str]) -> Sign {
    let values: Vec<&str> = below.iter().copied().filter(|value| !is_gap(value)).collect();
    if is_gap(cell) || values.is_empty() {
        return Sign::Unclear;
    }
    let mut guess = Guess::default();
    values.iter().for_each(|value| guess.observe(value));
    let kind = guess.kind();
    if kind != Type::Text {
        let lengths = || values.iter().map(|value| value.len());
        let fits = Value::parse(cell, kind, guess.decimal()).is_some();
        let is_as_long = lengths().min() <= Some(cell.len()) && Some(cell.len()) <= lengths().max();
        return match fits {
            // A year above small counts is a name.
            true if is_as_long || kind != Type::Integer => Sign::Value(TYPED),
            true => Sign::Unclear,
            false => Sign::Name(TYPED),
        };
    }
    let distinct: BTreeSet<&str> = values.iter().copied().collect();
    match distinct.contains(cell) {
        true => Sign::Value(1),
        false if values.len() >= ENOUGH_ROWS && distinct.len() * 2 <= values.len() => Sign::Name(1),
        false => Sign::Unclear,
    }
}

/// What may stand for a missing value tells nothing.
fn is_gap(text: &str) -> bool {
    !text.chars().any(char::is_alphanumeric)
        || ["na", "n/a", "nan", "null"].iter().any(|gap| gap.eq_ignore_ascii_case(text))
}

/// Whether the numbers of a line are the years of a table that has a column for each.
fn are_years(first: &[String]) -> bool {
    let numbers: Vec<i64> = first.iter().filter_map(|cell| cell.parse().ok()).collect();
    numbers.len() > 1
        && numbers.iter().all(|number| (1800..2200).contains(number))
        && numbers.windows(2).all(|pair| pair[1] == pair[0] + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::source::sniff::sniff;

    fn error(text: &str, header: Option<bool>) -> Option<String> {
        let input = Input::Memory("t.csv".into(), text.to_owned().into());
        sniff(&input, &ReadOptions { header, ..ReadOptions::detect() }).err().map(|error| error.message().to_owned())
    }

    #[test]
    fn a_person_does_not_become_the_header() {
        for text in [
            "35,m,HIV\n41,f,flu\n29,m,flu\n52,f,HIV\n",
            "1\n2\n3\n",
            "35,astronaut\n41,clerk\n29,clerk\n52,nurse\n33,nurse\n37,clerk\n",
            "?,m,flu\n41,f,flu\n29,m,flu\n",
            "1994-03-07;x\n1995-01-01;y\n",
            "m,flu\nf,gout\nm,flu\nf,gout\n",
            "0.5,true\n0.25,false\n",
        ] {
            assert!(error(text, None).is_some(), "{text:?}");
            assert!(error(text, Some(true)).is_none() && error(text, Some(false)).is_none(), "{text:?}");
        }
        let message = error("35,m,HIV\n41,f,flu\n29,m,flu\n52,f,HIV\n", None).unwrap();
        assert!(message.contains("\"35\" in column 1"), "{message}");
    }

    #[test]
    fn a_header_is_one() {
        for text in [
            "age,sex,disease\n41,f,flu\n29,m,flu\n",
            "a\n1\n",
            "a,b\n",
            "a\nb\nc\n",
            "id,2019,2020\n1,5,7\n2,4,8\n",
            "country,2019,2020\nDE,8312,8315\nFR,6701,6706\n",
            "sex,m\nf,1\nm,0\nf,1\nm,1\nf,1\nf,0\n",
            "1,2\nx,y\nz,w\n",
            "\n",
            "a,b\n,\n,\n",
        ] {
            assert_eq!(error(text, None).filter(|message| message.contains("looks like")), None, "{text:?}");
        }
    }
}
