//! How a table is read, as far as somebody states it.

use super::{OptionsPlace, ServerPassword};
use crate::data::thousands::NumberSigns;
use crate::data::value::Decimal;
use crate::error::{Code, Error, Result};

/// How to read a table, as far as a policy states it.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The sign between fields of a CSV file; detected if not stated.
    pub delimiter: Option<u8>,
    /// The character encoding of a CSV file; UTF-8 (or what a byte order mark says) if not stated.
    pub encoding: Option<&'static encoding_rs::Encoding>,
    /// The decimal sign; detected if not stated.
    pub decimal: Option<Decimal>,
    /// The sign between thousands in a CSV file; none if not stated.
    pub thousands: Option<char>,
    /// Texts that stand for a missing value, and in typed columns the values that they spell. A null is always missing.
    pub missing_values: Vec<String>,
    /// What the empty text is called where it is a value, and only a null is missing. If not stated, both are missing.
    pub empty_text: Option<String>,
    /// Whether the first line of a CSV file names the columns. If not stated, it does, and a first line that looks like a row is refused.
    pub header: Option<bool>,
    /// The table of a database, perhaps with its schema: `people`, `public.people`.
    pub table: Option<String>,
    /// Instead of a table: a statement that gives its rows.
    pub query: Option<String>,
    /// The sheet of a spreadsheet; not needed where there is only one.
    pub sheet: Option<String>,
    /// Where all this is stated, for what errors recommend.
    pub place: OptionsPlace,
    /// Where the password of a server comes from.
    pub password: ServerPassword,
}

impl ReadOptions {
    /// What is read when nothing is stated: an empty field is a missing value.
    pub fn detect() -> Self {
        Self { missing_values: vec![String::new()], ..Self::default() }
    }

    /// The signs with which numbers are written.
    pub(crate) fn number_signs(&self) -> NumberSigns {
        NumberSigns { decimal: self.decimal, thousands: self.thousands }
    }
}

/// The character encoding of a name; nothing for UTF-8, which needs no conversion: without one, a bad
/// byte is found and placed.
pub fn encoding(label: &str) -> Result<Option<&'static encoding_rs::Encoding>> {
    let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).ok_or_else(|| {
        Error::input(format!("there is no encoding {label:?}"))
            .coded(Code::WrongParameter)
            .help("for example \"utf-8\", \"windows-1252\", \"iso-8859-15\", \"utf-16le\"")
    })?;
    Ok((encoding != encoding_rs::UTF_8).then_some(encoding))
}
