//! What is kept of a typed column while its table is read.

use std::hash::BuildHasher;

use arrow_buffer::i256;
use hashbrown::DefaultHashBuilder;

use super::arrow_key::ArrowKey;
use super::arrow_type::ArrowType;
use super::collect::{Collector, ColumnData, ColumnNeed, Marks, TextCollector};
use super::intern::{Distinct, KeyInterner};
use crate::data::thousands::NumberSigns;
use crate::error::Result;
use crate::progress::Memory;

/// Takes in a column: texts by their spelling, everything else by its bits.
pub(super) enum ColumnBuilder {
    Texts(TextCollector),
    Bits(KeyCollector<u64>),
    Decimals(KeyCollector<i128>),
    WideDecimals(KeyCollector<i256>),
}

impl ColumnBuilder {
    pub(super) fn new(need: ColumnNeed, meaning: ArrowType, missing_values: &[String]) -> Self {
        match meaning {
            ArrowType::Text | ArrowType::Nothing => {
                Self::Texts(TextCollector::new(need, missing_values, NumberSigns::default()))
            }
            ArrowType::Decimal { wide: false, .. } => Self::Decimals(KeyCollector::new(need, meaning, missing_values)),
            ArrowType::Decimal { wide: true, .. } => {
                Self::WideDecimals(KeyCollector::new(need, meaning, missing_values))
            }
            _ => Self::Bits(KeyCollector::new(need, meaning, missing_values)),
        }
    }

    /// Writes to disk what there is no room for.
    pub(super) fn ease(&mut self, memory: &Memory) -> Result<()> {
        match self {
            Self::Texts(collector) => collector.ease(memory),
            Self::Bits(collector) => collector.marks.ease(memory),
            Self::Decimals(collector) => collector.marks.ease(memory),
            Self::WideDecimals(collector) => collector.marks.ease(memory),
        }
    }

    pub(super) fn finish(self) -> ColumnData {
        match self {
            Self::Texts(collector) => collector.finish(),
            Self::Bits(collector) => collector.finish(),
            Self::Decimals(collector) => collector.finish(),
            Self::WideDecimals(collector) => collector.finish(),
        }
    }
}

/// Takes in a column of values that come as bits.
pub(super) struct KeyCollector<K> {
    need: ColumnNeed,
    meaning: ArrowType,
    /// The values that stand for a missing one.
    missing: Vec<K>,
    interner: KeyInterner<K>,
    hasher: DefaultHashBuilder,
    /// Whether there is any value, one for which a narrower type is too narrow, and one for which a wider type is too.
    any: bool,
    odd: bool,
    far: bool,
    marks: Marks,
}

impl<K: ArrowKey> KeyCollector<K> {
    fn new(need: ColumnNeed, meaning: ArrowType, missing_values: &[String]) -> Self {
        Self {
            need,
            meaning,
            missing: missing_keys(meaning, missing_values),
            interner: KeyInterner::new(),
            hasher: DefaultHashBuilder::default(),
            any: false,
            odd: false,
            far: false,
            marks: Marks::new(need),
        }
    }

    fn finish(self) -> ColumnData {
        let Self { meaning, interner, any, odd, far, marks, .. } = self;
        let distinct = || {
            let (keys, first_line) = interner.finish();
            (distinct(&keys, meaning), first_line)
        };
        marks.finish(distinct, meaning.kind(any, odd, far))
    }
}

impl<K: ArrowKey> Collector<K> for KeyCollector<K> {
    fn mark(&mut self, key: K, line: u64) -> Option<u64> {
        if self.missing.contains(&key) {
            return None;
        }
        Some(match self.need {
            ColumnNeed::Codes => self.interner.intern(key, line).into(),
            ColumnNeed::Fingerprints => self.hasher.hash_one(key),
            ColumnNeed::Presence => 0,
            ColumnNeed::NullMask => {
                self.any = true;
                self.odd = self.odd || key.is_odd(self.meaning);
                self.far = self.far || key.is_far(self.meaning);
                0
            }
        })
    }

    fn push(&mut self, mark: Option<u64>) {
        self.marks.push(mark);
    }
}

/// The values that stand for a missing one, as bits.
pub(super) fn missing_keys<K: ArrowKey>(meaning: ArrowType, missing_values: &[String]) -> Vec<K> {
    missing_values.iter().filter_map(|text| K::of_text(text, meaning)).collect()
}

fn distinct<K: ArrowKey>(keys: &[K], meaning: ArrowType) -> Distinct {
    let values: Option<Vec<_>> = keys.iter().map(|key| key.value(meaning)).collect();
    match values {
        Some(values) => Distinct::Values(values),
        None => {
            let days = !keys.iter().any(|key| key.is_odd(meaning));
            Distinct::Spelled(keys.iter().map(|key| key.spelled(meaning, days).into()).collect())
        }
    }
}
