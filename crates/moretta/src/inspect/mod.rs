//! A first look at a table: what its columns hold, which roles they may have, and how far they tell people apart.
//!
//! [`inspect()`] yields figures and suggestions, [`starter_policy`] writes them down as a policy.
//! Suggestions err on the safe side, each with its reason; the steward decides.

mod check_digits;
mod days;
mod dependency;
mod direct;
mod examined;
mod given_names;
mod hints;
mod markers;
mod partition;
mod profile;
mod raw_text;
mod role;
mod rules;
mod starter;
mod topics;
mod uniqueness;
mod weight;
mod words;

use std::collections::BTreeSet;
use std::sync::Arc;

use fixedbitset::FixedBitSet;
use rayon::prelude::*;
use serde::Serialize;

pub use dependency::Dependency;
pub use examined::Examined;
pub use markers::Marker;
pub use profile::{Frequent, Profile, Range, Repetition};
pub use role::{SuggestedHierarchy, Suggestion};
pub use rules::{RuleInWords, RulesFound, rules};
pub use starter::starter_policy;
pub use uniqueness::{Subset, Uniqueness, UniquenessRisk};

use crate::data::role::Role;
use crate::data::source::{ColumnData, ColumnNeed, Source};
use crate::data::table::Column;
use crate::data::value::Decimal;
use crate::error::{Code, Error, Result};
use crate::progress::Progress;
use partition::RowWeights;
use uniqueness::ComparedTable;

/// What a first look at a table finds.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Inspection {
    /// Rows of the table.
    pub rows: u64,
    /// The people they stand for: as many as rows, unless a column is taken as their weight.
    pub people: u64,
    /// How the table was read.
    pub reading: DetectedReading,
    /// Its columns, in the order of the file.
    pub columns: Vec<InspectedColumn>,
    /// Rows that lack a value in a column that would be published or would decide about it.
    pub incomplete_rows: u64,
    /// How far few suggested quasi-identifiers tell people apart.
    pub uniqueness: Uniqueness,
    /// The risk of publishing the table as it is.
    pub risk: UniquenessRisk,
    /// Which columns tell of others, for most people first.
    pub dependencies: Vec<Dependency>,
    /// What looks wrong in its values and is better mended first, in words.
    pub hints: Vec<String>,
}

/// How a table was read: what was stated, and which texts were taken as missing.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct DetectedReading {
    /// Texts that stand for a missing value: those stated, and those found.
    pub missing_values: Vec<String>,
    /// The sign between fields, if stated.
    pub delimiter: Option<char>,
    /// The character encoding, if stated.
    pub encoding: Option<&'static str>,
    /// The decimal sign, if stated.
    pub decimal: Option<char>,
    /// Whether the first line names the columns, if stated.
    pub header: Option<bool>,
    /// The table of a database, if stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// The statement that gives the rows, if stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// The sheet of a spreadsheet, if stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
}

/// A column: what it holds, and which role it may have.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct InspectedColumn {
    /// What it holds.
    #[serde(flatten)]
    pub profile: Profile,
    /// How it spells its days, if not as 1994-03-07.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Which role it may have, and why.
    pub suggestion: Suggestion,
}

impl Inspection {
    /// The columns for which a role is suggested.
    pub fn with_role(&self, role: Role) -> impl Iterator<Item = &InspectedColumn> {
        self.columns.iter().filter(move |column| column.suggestion.role == role)
    }
}

/// Takes a first look at a table.
///
/// Texts that can only stand for a missing value are taken as missing. All figures are exact. Memory: four bytes
/// for each value of the table, and its distinct values.
pub fn inspect(source: &Source, progress: &Progress) -> Result<Inspection> {
    examine(source, progress).map(|examined| examined.inspection)
}

/// The same, and keeps the values for further questions.
pub fn examine(source: &Source, progress: &Progress) -> Result<Examined> {
    let columns = read(source, progress)?;
    let rows = columns.first().map_or(0, |column| column.codes.len());
    if rows == 0 {
        return Err(Error::input("the table has a header but no row")
            .coded(Code::TableUnreadable)
            .at_file(source.input().name()));
    }
    u32::try_from(rows).map_err(|_| {
        Error::input(format!("the table has {rows} rows")).help("at most 4,294,967,295 can be read at once")
    })?;

    progress.start("looking at columns", 0);
    let markers: Vec<Vec<Marker>> =
        columns.par_iter().map(|column| markers::suspects(column, &profile::count_codes(column))).collect();
    let reading = DetectedReading::new(source, markers.iter().flatten());
    // A text that is missing in one column is so in all: a policy lists such texts for the whole table.
    let missing: BTreeSet<String> = reading.missing_values.iter().cloned().collect();
    let decimal = source.options().decimal;
    let columns: Vec<Column> =
        columns.into_par_iter().map(|column| markers::without(column, &missing, decimal)).collect();
    let (columns, formats): (Vec<Column>, Vec<_>) = columns.into_par_iter().map(days::recognized).unzip();

    progress.check()?;
    let counts: Vec<Vec<u64>> = columns.par_iter().map(profile::count_codes).collect();
    let profiles: Vec<Profile> = columns
        .iter()
        .zip(&counts)
        .zip(markers)
        .map(|((column, counts), mut markers)| {
            for marker in &mut markers {
                marker.certain |= missing.contains(&marker.text);
            }
            Profile::new(column, counts, markers)
        })
        .collect();
    let mut suggestions: Vec<Suggestion> =
        profiles.par_iter().zip(&columns).map(|(profile, column)| role::suggest(profile, column)).collect();
    progress.check()?;
    role::settle_repeats(&mut suggestions, &profiles);
    // A row that is one person's does not stand for several.
    let has_person = suggestions.iter().any(|suggestion| suggestion.role == Role::Person);
    let weights = if has_person { None } else { weight::find(&columns, &counts, &profiles) };
    let weights = weights.map(|(index, weights)| {
        suggestions[index] = Suggestion::weight();
        weights
    });

    let compared = ComparedTable { rows, people: RowWeights(weights.as_deref()) };
    progress.check()?;
    let risk = compared.risk(&quasi(&columns, &suggestions));
    let uniqueness = compared.uniqueness(&candidates(&columns, &profiles, &suggestions), progress)?;
    progress.check()?;
    let dependencies = dependency::find(&columns, &mut suggestions, RowWeights(weights.as_deref()));
    let incomplete_rows = incomplete_rows(&columns, &suggestions, rows);
    let of_values = profiles.iter().zip(&columns).flat_map(|(profile, column)| hints::of_column(profile, column));
    let of_times =
        columns.iter().zip(&formats).filter_map(|(column, format)| days::read_over(column, format.as_ref()?));
    let hints = of_values.chain(of_times).collect();
    let inspected = profiles.into_iter().zip(suggestions).zip(formats).map(|((profile, suggestion), format)| {
        let format = format.map(|format| format.to_string());
        InspectedColumn { profile, format, suggestion }
    });
    let inspected = inspected.collect();
    let people = weights.as_ref().map_or(rows as u64, |weights| weights.iter().sum());
    let inspection = Inspection {
        rows: rows as u64,
        people,
        reading,
        columns: inspected,
        incomplete_rows,
        uniqueness,
        risk,
        dependencies,
        hints,
    };
    Ok(Examined { inspection, columns, weights })
}

fn read(source: &Source, progress: &Progress) -> Result<Vec<Column>> {
    let needs: Vec<(usize, ColumnNeed)> = (0..source.names().len()).map(|index| (index, ColumnNeed::Codes)).collect();
    let collected = source.encode(&needs, progress)?;
    collected
        .into_par_iter()
        .zip(source.names())
        .map(|(collected, name)| {
            progress.check()?;
            let ColumnData::Codes(encoded) = collected else {
                return Err(Error::bug(format!("the column {name:?} was read without its values")));
            };
            let (domain, codes) = encoded.typed(None, source.options().decimal, None, name, source.input())?;
            Ok(Column { name: name.clone(), domain: Arc::new(domain), codes })
        })
        .collect()
}

impl DetectedReading {
    fn new<'a>(source: &Source, markers: impl Iterator<Item = &'a Marker>) -> Self {
        let options = source.options();
        let mut missing_values = options.missing_values.clone();
        let found: BTreeSet<&String> = markers.filter(|marker| marker.certain).map(|marker| &marker.text).collect();
        missing_values.extend(found.into_iter().filter(|text| !options.missing_values.contains(text)).cloned());
        Self {
            missing_values,
            delimiter: options.delimiter.map(char::from),
            encoding: options.encoding.map(encoding_rs::Encoding::name),
            decimal: options.decimal.map(|decimal| match decimal {
                Decimal::Point => '.',
                Decimal::Comma => ',',
            }),
            header: options.header,
            table: options.table.clone(),
            query: options.query.clone(),
            sheet: options.sheet.clone(),
        }
    }
}

fn quasi<'a>(columns: &'a [Column], suggestions: &[Suggestion]) -> Vec<&'a Column> {
    columns.iter().zip(suggestions).filter(|(_, s)| s.role == Role::Quasi).map(|(column, _)| column).collect()
}

/// The quasi-identifiers worth combining, in column order. Where not all find room, those come last that
/// only their values speak for, and among equals those with few values.
fn candidates<'a>(columns: &'a [Column], profiles: &[Profile], suggestions: &[Suggestion]) -> Vec<&'a Column> {
    let mut indices: Vec<usize> = (0..columns.len())
        .filter(|&index| suggestions[index].role == Role::Quasi && columns[index].domain.len() > 1)
        .collect();
    let room = uniqueness::room(columns.first().map_or(0, |column| column.codes.len()));
    if indices.len() > room {
        indices.sort_by_key(|&index| (!suggestions[index].by_word, std::cmp::Reverse(profiles[index].distinct)));
        indices[..room].sort_unstable();
    }
    indices.into_iter().map(|index| &columns[index]).collect()
}

fn incomplete_rows(columns: &[Column], suggestions: &[Suggestion], rows: usize) -> u64 {
    let mut incomplete = FixedBitSet::with_capacity(rows);
    for (column, suggestion) in columns.iter().zip(suggestions) {
        if let Some(missing) = column.domain.missing().filter(|_| suggestion.role.is_in_use()) {
            let lacking = column.codes.iter().enumerate().filter(|&(_, &code)| code == missing);
            lacking.for_each(|(row, _)| incomplete.insert(row));
        }
    }
    incomplete.count_ones(..) as u64
}

#[cfg(test)]
mod tests;
