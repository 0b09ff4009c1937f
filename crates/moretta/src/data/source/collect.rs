//! What is kept of a column while its file is read.

use std::hash::BuildHasher;

use fixedbitset::FixedBitSet;
use hashbrown::DefaultHashBuilder;

use super::intern::{Distinct, MISSING, TextInterner};
use super::{Input, not_of_type};
use crate::data::domain::Domain;
use crate::data::guess::Guess;
use crate::data::value::{Decimal, Type, Value};
use crate::error::Result;

/// What is needed of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnNeed {
    /// Every row's value, as a code.
    Codes,
    /// Only which rows lack a value, and what type the values have.
    NullMask,
    /// Only whether a value repeats: for identifiers, which need not be kept.
    Fingerprints,
}

/// What was kept of a column.
#[derive(Clone, Debug)]
pub enum ColumnData {
    /// For [`ColumnNeed::Codes`].
    Codes(Encoded),
    /// For [`ColumnNeed::NullMask`].
    NullMask {
        /// The rows without a value.
        missing: FixedBitSet,
        /// The type of the values.
        kind: Type,
    },
    /// For [`ColumnNeed::Fingerprints`]: a fingerprint of each row's value; nothing where it is missing.
    Fingerprints(Vec<Option<u64>>),
}

impl ColumnData {
    /// Only what is needed of a column of which codes were kept; any other as it is.
    #[must_use]
    pub fn narrowed(self, need: ColumnNeed) -> Self {
        match (self, need) {
            (Self::Codes(encoded), ColumnNeed::NullMask) => {
                let rows = (0..encoded.codes.len()).filter(|&row| encoded.codes[row] == MISSING);
                let mut missing = FixedBitSet::with_capacity(encoded.codes.len());
                rows.for_each(|row| missing.insert(row));
                Self::NullMask { missing, kind: encoded.kind() }
            }
            (Self::Codes(encoded), ColumnNeed::Fingerprints) => {
                let fingerprint = |&code: &u32| (code != MISSING).then_some(u64::from(code));
                Self::Fingerprints(encoded.codes.iter().map(fingerprint).collect())
            }
            (kept, _) => kept,
        }
    }
}

/// A column in provisional codes: numbered by appearance, not yet typed or sorted.
#[derive(Clone, Debug)]
pub struct Encoded {
    distinct: Distinct,
    first_line: Vec<u64>,
    codes: Vec<u32>,
}

impl Encoded {
    pub(super) fn new(distinct: Distinct, first_line: Vec<u64>, codes: Vec<u32>) -> Self {
        Self { distinct, first_line, codes }
    }

    /// The distinct values as the file spells them, without the missing one.
    pub fn spellings(&self) -> Vec<String> {
        match &self.distinct {
            Distinct::Texts(texts) => texts.iter().map(|text| text.as_ref().to_owned()).collect(),
            Distinct::Values(values) => values.iter().map(Value::to_string).collect(),
        }
    }

    /// The type that is found out where none is stated.
    fn kind(&self) -> Type {
        match &self.distinct {
            Distinct::Values(values) => type_of(values),
            Distinct::Texts(texts) => {
                let mut guess = Guess::default();
                texts.iter().for_each(|text| guess.observe(text));
                guess.kind()
            }
        }
    }

    /// The sorted domain of a column and its codes in it; the type is `stated` or found out.
    pub fn typed(
        self,
        stated: Option<Type>,
        decimal: Option<Decimal>,
        name: &str,
        input: &Input,
    ) -> Result<(Domain, Vec<u32>)> {
        let (kind, mut values) = match self.distinct {
            Distinct::Values(values) => retype(values, stated, &self.first_line, name, input)?,
            Distinct::Texts(texts) => {
                let mut guess = Guess::default();
                texts.iter().for_each(|text| guess.observe(text));
                let kind = stated.unwrap_or_else(|| guess.kind());
                let decimal = decimal.unwrap_or_else(|| guess.decimal());
                let parsed: Result<Vec<Value>> = texts
                    .iter()
                    .zip(&self.first_line)
                    .map(|(text, &line)| {
                        Value::parse(text, kind, decimal).ok_or_else(|| not_of_type(text, kind, name, line, input))
                    })
                    .collect();
                (kind, parsed?)
            }
        };
        values.push(Value::Missing);
        let (domain, code_of) = Domain::from_unsorted(kind, values);
        let missing_at = code_of.len() - 1;
        let lacks_missing = !self.codes.contains(&MISSING);
        // Missing sorts first; where no row lacks a value it leaves the domain again.
        let (domain, shift) =
            if lacks_missing { (Domain::from_sorted(kind, domain.values()[1..].to_vec()), 1) } else { (domain, 0) };
        let codes = self.codes.into_iter().map(|code| code_of[(code as usize).min(missing_at)] - shift).collect();
        Ok((domain, codes))
    }
}

/// The type of the values of a typed file.
fn type_of(values: &[Value]) -> Type {
    match values.first() {
        Some(Value::Integer(_)) => Type::Integer,
        Some(Value::Number(_)) => Type::Number,
        Some(Value::Date(_)) => Type::Date,
        Some(Value::Boolean(_)) => Type::Boolean,
        Some(Value::Text(_) | Value::Missing) | None => Type::Text,
    }
}

/// Values of a typed file under a type that the policy states.
fn retype(
    values: Vec<Value>,
    stated: Option<Type>,
    lines: &[u64],
    name: &str,
    input: &Input,
) -> Result<(Type, Vec<Value>)> {
    let own = type_of(&values);
    let kind = stated.unwrap_or(own);
    if kind == own {
        return Ok((kind, values));
    }
    let retyped: Result<Vec<Value>> = values
        .iter()
        .zip(lines)
        .map(|(value, &line)| {
            let text = value.to_string();
            Value::parse(&text, kind, Decimal::Point).ok_or_else(|| not_of_type(&text, kind, name, line, input))
        })
        .collect();
    Ok((kind, retyped?))
}

/// Takes in a column of texts, row by row.
pub(super) struct TextCollector {
    missing_values: Vec<String>,
    state: State,
}

enum State {
    Codes { interner: TextInterner, codes: Vec<u32> },
    NullMask { missing: FixedBitSet, rows: usize, guess: Guess },
    Fingerprints { hasher: DefaultHashBuilder, fingerprints: Vec<Option<u64>> },
}

impl TextCollector {
    pub(super) fn new(need: ColumnNeed, missing_values: &[String]) -> Self {
        let state = match need {
            ColumnNeed::Codes => State::Codes { interner: TextInterner::default(), codes: Vec::new() },
            ColumnNeed::NullMask => State::NullMask { missing: FixedBitSet::new(), rows: 0, guess: Guess::default() },
            ColumnNeed::Fingerprints => {
                State::Fingerprints { hasher: DefaultHashBuilder::default(), fingerprints: Vec::new() }
            }
        };
        Self { missing_values: missing_values.to_vec(), state }
    }

    pub(super) fn push(&mut self, text: Option<&str>, line: u64) {
        let text = text.filter(|text| !self.missing_values.iter().any(|missing| missing == text));
        match &mut self.state {
            State::Codes { interner, codes } => {
                codes.push(text.map_or(MISSING, |text| interner.intern(text, line)));
            }
            State::NullMask { missing, rows, guess } => {
                match text {
                    Some(text) => guess.observe(text),
                    None => {
                        missing.grow(*rows + 1);
                        missing.insert(*rows);
                    }
                }
                *rows += 1;
            }
            State::Fingerprints { hasher, fingerprints } => {
                fingerprints.push(text.map(|text| hasher.hash_one(text)));
            }
        }
    }

    /// Takes in a run of rows that come as indices in a list of texts: each text is looked up once.
    pub(super) fn push_coded<'t>(
        &mut self,
        indices: impl Iterator<Item = Option<usize>>,
        texts: usize,
        text_at: impl Fn(usize) -> &'t str,
        line: u64,
    ) {
        const UNKNOWN: u32 = MISSING - 1;
        let State::Codes { interner, codes } = &mut self.state else {
            for (row, index) in (line..).zip(indices) {
                self.push(index.map(&text_at), row);
            }
            return;
        };
        let mut code_of = vec![UNKNOWN; texts];
        for (row, index) in (line..).zip(indices) {
            let Some(index) = index else {
                codes.push(MISSING);
                continue;
            };
            if code_of[index] == UNKNOWN {
                let text = text_at(index);
                let missing = self.missing_values.iter().any(|missing| missing == text);
                code_of[index] = if missing { MISSING } else { interner.intern(text, row) };
            }
            codes.push(code_of[index]);
        }
    }

    pub(super) fn finish(self) -> ColumnData {
        match self.state {
            State::Codes { interner, codes } => {
                let (distinct, first_line) = interner.finish();
                ColumnData::Codes(Encoded::new(distinct, first_line, codes))
            }
            State::NullMask { mut missing, rows, guess } => {
                missing.grow(rows);
                ColumnData::NullMask { missing, kind: guess.kind() }
            }
            State::Fingerprints { fingerprints, .. } => ColumnData::Fingerprints(fingerprints),
        }
    }
}
