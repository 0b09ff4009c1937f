//! Giving each distinct value of a column a number, in order of appearance.

use std::hash::{BuildHasher, Hash};

use hashbrown::DefaultHashBuilder;
#[expect(clippy::disallowed_types, reason = "texts are found by their hash; nothing walks the table")]
use hashbrown::HashTable;

use super::recent_texts::{RecentTexts, is_long};
use crate::data::lookup::HashMap;
use crate::data::value::Value;

/// The number of a row that lacks a value.
pub(super) const MISSING: u32 = u32::MAX;

/// The distinct values of a column in order of appearance, as the table spells them or types them.
#[derive(Clone, Debug)]
pub enum Distinct {
    /// Texts, whose type and decimal sign are still to be found out.
    Texts(Vec<Box<str>>),
    /// Exact spellings of what a typed table holds and no value of ours does, such as decimals: their type is found out as that of
    /// texts, their decimal sign is a point.
    Spelled(Vec<Box<str>>),
    /// Values of a typed table.
    Values(Vec<Value>),
}

/// Numbers distinct texts. They stand in one arena: no allocation for a text already known.
#[derive(Default)]
pub(super) struct TextInterner {
    #[expect(clippy::disallowed_types, reason = "texts are found by their hash; nothing walks the table")]
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
    arena: String,
    ends: Vec<usize>,
    first_line: Vec<u64>,
    recent: RecentTexts,
}

impl TextInterner {
    /// The number of a text that occurred a moment ago.
    #[inline]
    pub(super) fn recent(&self, text: &str) -> Option<u32> {
        self.recent.code(text).filter(|&code| !is_long(text) || slice(&self.arena, &self.ends, code) == text)
    }

    pub(super) fn intern(&mut self, text: &str, line: u64) -> u32 {
        let Self { table, hasher, arena, ends, first_line, recent } = self;
        let entry = table.entry(
            hasher.hash_one(text),
            |&code| slice(arena, ends, code) == text,
            |&code| hasher.hash_one(slice(arena, ends, code)),
        );
        let code = match entry {
            hashbrown::hash_table::Entry::Occupied(known) => *known.get(),
            hashbrown::hash_table::Entry::Vacant(vacant) => {
                let code = ends.len() as u32;
                vacant.insert(code);
                arena.push_str(text);
                ends.push(arena.len());
                first_line.push(line);
                code
            }
        };
        recent.remember(text, code);
        code
    }

    pub(super) fn finish(self) -> (Distinct, Vec<u64>) {
        let texts = (0..self.ends.len() as u32).map(|code| slice(&self.arena, &self.ends, code).into());
        (Distinct::Texts(texts.collect()), self.first_line)
    }
}

fn slice<'a>(arena: &'a str, ends: &[usize], code: u32) -> &'a str {
    let code = code as usize;
    let start = if code == 0 { 0 } else { ends[code - 1] };
    &arena[start..ends[code]]
}

/// Numbers distinct values that come as bits: integers, days, the bits of a float.
pub(super) struct KeyInterner<K> {
    codes: HashMap<K, u32>,
    keys: Vec<K>,
    first_line: Vec<u64>,
    /// The last value and its code: runs are common.
    last: Option<(K, u32)>,
}

impl<K: Copy + Eq + Hash> KeyInterner<K> {
    pub(super) fn new() -> Self {
        Self { codes: HashMap::new(), keys: Vec::new(), first_line: Vec::new(), last: None }
    }

    pub(super) fn intern(&mut self, key: K, line: u64) -> u32 {
        if let Some((last, code)) = self.last
            && last == key
        {
            return code;
        }
        let next = self.keys.len() as u32;
        let code = *self.codes.entry(key).or_insert(next);
        if code == next {
            self.keys.push(key);
            self.first_line.push(line);
        }
        self.last = Some((key, code));
        code
    }

    /// The distinct keys by appearance, and the line of each.
    pub(super) fn finish(self) -> (Vec<K>, Vec<u64>) {
        (self.keys, self.first_line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_numbered_by_appearance_with_their_first_line() {
        let mut interner = TextInterner::default();
        let codes: Vec<u32> = (2..).zip(["b", "a", "", "b"]).map(|(line, text)| interner.intern(text, line)).collect();
        assert_eq!(codes, [0, 1, 2, 0]);
        let (Distinct::Texts(texts), lines) = interner.finish() else { panic!("texts") };
        assert_eq!(texts.iter().map(AsRef::as_ref).collect::<Vec<_>>(), ["b", "a", ""]);
        assert_eq!(lines, [2, 3, 4]);
    }
}
