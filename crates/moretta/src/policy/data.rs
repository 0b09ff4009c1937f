//! The `[data]` of a policy: which table, and which of its rows.

use std::path::{Path, PathBuf};

use crate::condition::Predicate;
use crate::config::Section;
use crate::data::source::{ReadOptions, relative_to};
use crate::data::value::Decimal;
use crate::error::{Error, Result};
use crate::schema::MissingRule;

/// Which table, and which of its rows.
#[derive(Clone, Debug)]
pub struct DataSpec {
    /// The file, or the address of a database; nothing in a policy for tables that are handed over.
    pub source: Option<PathBuf>,
    /// How to read it.
    pub options: ReadOptions,
    /// What to do with rows that lack a value.
    pub missing: MissingRule,
    /// The rows to take; all if nothing is stated.
    pub filter: Option<Predicate>,
}

impl DataSpec {
    pub(super) fn read(section: &mut Section<'_>, base: &Path) -> Result<Self> {
        let source = match section.text("source")? {
            None => None,
            Some(source) => {
                // The place of a setting is the setting itself, and this one may hold a password: the file has to do.
                let refused = |error: Error| section.refused("source", error.at_file(section.file()));
                Some(relative_to(base, source).map_err(refused)?)
            }
        };
        let mut options = ReadOptions::detect();
        if let Some(values) = section.texts("missing_values")? {
            // An empty text is missing, or has a name of its own: released tables have no other way to write a missing value.
            options.missing_values.extend(values.into_iter().filter(|value| !value.is_empty()));
        }
        options.empty_text = read_empty_text(section, &options.missing_values)?;
        if options.empty_text.is_some() {
            options.missing_values.retain(|value| !value.is_empty());
        }
        options.delimiter = read_delimiter(section)?;
        options.header = section.flag("header")?;
        options.table = section.text("table")?.map(ToOwned::to_owned);
        options.query = section.text("query")?.map(ToOwned::to_owned);
        options.sheet = section.text("sheet")?.map(ToOwned::to_owned);
        options.encoding = read_encoding(section)?;
        options.decimal = section.choice("decimal", &[(".", Decimal::Point), (",", Decimal::Comma)])?;
        options.thousands = read_thousands(section, &mut options.decimal)?;
        let missing = section.choice("missing", &MissingRule::NAMES)?.unwrap_or_default();
        let filter = match section.text("where")? {
            None => None,
            Some(sql) => Some(Predicate::parse(sql).map_err(|error| section.refused("where", error))?),
        };
        section.refuse_unknown()?;
        Ok(Self { source, options, missing, filter })
    }
}

impl Default for DataSpec {
    /// No table, of which all rows are taken.
    fn default() -> Self {
        Self { source: None, options: ReadOptions::detect(), missing: MissingRule::default(), filter: None }
    }
}

/// What an empty text is called that is not a missing value. Released tables write a missing value so, and need another word for it.
fn read_empty_text(section: &mut Section<'_>, missing: &[String]) -> Result<Option<String>> {
    let Some(word) = section.text("empty_text")? else { return Ok(None) };
    if missing.iter().any(|value| value == word) {
        return Err(section
            .error_at("empty_text", format!("`empty_text` is {word:?}, which means a missing value"))
            .help("a word by which the empty text is published, such as \"(empty)\"; without it the empty text is missing"));
    }
    Ok(Some(word.to_owned()))
}

fn read_delimiter(section: &mut Section<'_>) -> Result<Option<u8>> {
    match section.text("delimiter")? {
        None => Ok(None),
        Some("\\t" | "tab") => Ok(Some(b'\t')),
        Some(sign) if sign.len() == 1 && sign.is_ascii() => Ok(Some(sign.as_bytes()[0])),
        Some(sign) => Err(section
            .error_at("delimiter", format!("`delimiter` is {sign:?}"))
            .help("one character, such as \",\" or \";\" or \"tab\"")),
    }
}

/// The sign between thousands. Where it is a point, the fraction has a comma, and the other way round.
fn read_thousands(section: &mut Section<'_>, decimal: &mut Option<Decimal>) -> Result<Option<char>> {
    let Some(text) = section.text("thousands")? else { return Ok(None) };
    let mut signs = text.chars();
    let (Some(sign @ ('.' | ',' | ' ' | '\'' | '’' | '_' | '\u{a0}' | '\u{202f}')), None) =
        (signs.next(), signs.next())
    else {
        return Err(section
            .error_at("thousands", format!("`thousands` is {text:?}"))
            .help("one of: \".\", \",\", \" \", \"'\", \"_\""));
    };
    let other = match sign {
        '.' => Some(Decimal::Comma),
        ',' => Some(Decimal::Point),
        _ => None,
    };
    match (other, *decimal) {
        (Some(other), Some(stated)) if other != stated => {
            Err(section.error_at("thousands", "`thousands` and `decimal` are the same sign").help("state them apart"))
        }
        (other, stated) => {
            *decimal = stated.or(other);
            Ok(Some(sign))
        }
    }
}

fn read_encoding(section: &mut Section<'_>) -> Result<Option<&'static encoding_rs::Encoding>> {
    let Some(label) = section.text("encoding")? else { return Ok(None) };
    crate::data::source::encoding(label).map_err(|error| section.refused("encoding", error))
}
