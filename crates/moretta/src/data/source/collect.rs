//! What is kept of a column while its table is read.

use std::hash::BuildHasher;

use fixedbitset::FixedBitSet;
use hashbrown::DefaultHashBuilder;

use super::codes::Codes;
use super::encoded::Encoded;
use super::intern::{Distinct, MISSING, TextInterner};
use crate::data::guess::Guess;
use crate::data::thousands::NumberSigns;
use crate::data::value::Type;
use crate::error::Result;
use crate::progress::Memory;

/// What is needed of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnNeed {
    /// Every row's value, as a code.
    Codes,
    /// Only which rows lack a value, and what type the values have.
    NullMask,
    /// Only which rows lack a value, whatever the values are: columns of every type can be left out.
    Presence,
    /// Only whether a value repeats: for identifiers, which need not be kept.
    Fingerprints,
}

/// What was kept of a column.
#[derive(Clone, Debug)]
pub enum ColumnData {
    /// For [`ColumnNeed::Codes`].
    Codes(Encoded),
    /// For [`ColumnNeed::NullMask`] and [`ColumnNeed::Presence`].
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
    /// How many rows there are.
    pub fn rows(&self) -> usize {
        match self {
            Self::Codes(encoded) => encoded.codes().len(),
            Self::NullMask { missing, .. } => missing.len(),
            Self::Fingerprints(fingerprints) => fingerprints.len(),
        }
    }

    /// Only what is needed of a column of which codes were kept; any other as it is.
    pub fn narrowed(self, need: ColumnNeed) -> Result<Self> {
        Ok(match (self, need) {
            (Self::Codes(encoded), ColumnNeed::NullMask | ColumnNeed::Presence) => {
                let codes = encoded.codes().to_vec()?;
                let mut missing = FixedBitSet::with_capacity(codes.len());
                (0..codes.len()).filter(|&row| codes[row] == MISSING).for_each(|row| missing.insert(row));
                Self::NullMask { missing, kind: encoded.kind() }
            }
            (Self::Codes(encoded), ColumnNeed::Fingerprints) => {
                let fingerprint = |&code: &u32| (code != MISSING).then_some(u64::from(code));
                Self::Fingerprints(encoded.codes().to_vec()?.iter().map(fingerprint).collect())
            }
            (kept, _) => kept,
        })
    }
}

/// Takes in a column. Rows of one value have one mark, so that it can be had once for many of them.
pub(super) trait Collector<V> {
    /// The mark of a value; nothing where it stands for a missing one.
    fn mark(&mut self, value: V, line: u64) -> Option<u64>;

    /// Takes in a row.
    fn push(&mut self, mark: Option<u64>);
}

/// What is kept of each row.
pub(super) enum Marks {
    Codes(Codes),
    NullMask { missing: FixedBitSet, rows: usize },
    Fingerprints(Vec<Option<u64>>),
}

impl Marks {
    pub(super) fn new(need: ColumnNeed) -> Self {
        match need {
            ColumnNeed::Codes => Self::Codes(Codes::default()),
            ColumnNeed::NullMask | ColumnNeed::Presence => Self::NullMask { missing: FixedBitSet::new(), rows: 0 },
            ColumnNeed::Fingerprints => Self::Fingerprints(Vec::new()),
        }
    }

    pub(super) fn push(&mut self, mark: Option<u64>) {
        match self {
            Self::Codes(codes) => codes.push(mark.map_or(MISSING, |code| code as u32)),
            Self::Fingerprints(fingerprints) => fingerprints.push(mark),
            Self::NullMask { missing, rows } => {
                *rows += 1;
                if mark.is_none() {
                    missing.grow(*rows);
                    missing.insert(*rows - 1);
                }
            }
        }
    }

    /// Writes to disk what there is no room for.
    pub(super) fn ease(&mut self, memory: &Memory) -> Result<()> {
        match self {
            Self::Codes(codes) => codes.ease(memory),
            Self::NullMask { .. } | Self::Fingerprints(_) => Ok(()),
        }
    }

    /// What was kept, with the distinct values of codes and the type of the others.
    pub(super) fn finish(self, distinct: impl FnOnce() -> (Distinct, Vec<u64>), kind: Type) -> ColumnData {
        match self {
            Self::Codes(codes) => {
                let (distinct, first_line) = distinct();
                ColumnData::Codes(Encoded::new(distinct, first_line, codes))
            }
            Self::Fingerprints(fingerprints) => ColumnData::Fingerprints(fingerprints),
            Self::NullMask { mut missing, rows } => {
                missing.grow(rows);
                ColumnData::NullMask { missing, kind }
            }
        }
    }
}

/// Takes in a column of texts.
pub(super) struct TextCollector {
    need: ColumnNeed,
    missing_values: Vec<String>,
    signs: NumberSigns,
    interner: TextInterner,
    guess: Guess,
    hasher: DefaultHashBuilder,
    marks: Marks,
}

impl TextCollector {
    pub(super) fn new(need: ColumnNeed, missing_values: &[String], signs: NumberSigns) -> Self {
        Self {
            need,
            missing_values: missing_values.to_vec(),
            signs,
            interner: TextInterner::default(),
            guess: Guess::with(signs),
            hasher: DefaultHashBuilder::default(),
            marks: Marks::new(need),
        }
    }

    /// Writes to disk what there is no room for.
    pub(super) fn ease(&mut self, memory: &Memory) -> Result<()> {
        self.marks.ease(memory)
    }

    pub(super) fn finish(self) -> ColumnData {
        let Self { interner, guess, marks, signs, .. } = self;
        match marks.finish(|| interner.finish(), guess.kind()) {
            ColumnData::Codes(encoded) => ColumnData::Codes(encoded.with_signs(signs)),
            other => other,
        }
    }
}

impl Collector<&str> for TextCollector {
    fn mark(&mut self, text: &str, line: u64) -> Option<u64> {
        // Only texts that are values have a number.
        if let Some(code) = self.interner.recent(text) {
            return Some(code.into());
        }
        if self.missing_values.iter().any(|missing| missing == text) {
            return None;
        }
        Some(match self.need {
            ColumnNeed::Codes => self.interner.intern(text, line).into(),
            ColumnNeed::Fingerprints => self.hasher.hash_one(text),
            ColumnNeed::Presence => 0,
            ColumnNeed::NullMask => {
                self.guess.observe(text);
                0
            }
        })
    }

    fn push(&mut self, mark: Option<u64>) {
        self.marks.push(mark);
    }
}
