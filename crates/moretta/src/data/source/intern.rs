//! Giving each distinct value of a column a number, in order of appearance.

use std::hash::BuildHasher;

use hashbrown::DefaultHashBuilder;
#[expect(clippy::disallowed_types, reason = "texts are found by their hash; nothing walks the table")]
use hashbrown::HashTable;

use crate::data::lookup::HashMap;
use crate::data::value::Value;

/// The number of a row that lacks a value.
pub(super) const MISSING: u32 = u32::MAX;

/// The distinct values of a column in order of appearance, as the file spells them or types them.
#[derive(Clone, Debug)]
pub enum Distinct {
    /// Texts, whose type is still to be found out.
    Texts(Vec<Box<str>>),
    /// Values of a typed file.
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
}

impl TextInterner {
    pub(super) fn intern(&mut self, text: &str, line: u64) -> u32 {
        let Self { table, hasher, arena, ends, first_line } = self;
        let entry = table.entry(
            hasher.hash_one(text),
            |&code| slice(arena, ends, code) == text,
            |&code| hasher.hash_one(slice(arena, ends, code)),
        );
        match entry {
            hashbrown::hash_table::Entry::Occupied(known) => *known.get(),
            hashbrown::hash_table::Entry::Vacant(vacant) => {
                let code = ends.len() as u32;
                vacant.insert(code);
                arena.push_str(text);
                ends.push(arena.len());
                first_line.push(line);
                code
            }
        }
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

/// Numbers distinct values that come as 64 bits: integers, dates, the bits of a float.
#[derive(Default)]
pub(super) struct BitsInterner {
    codes: HashMap<u64, u32>,
    bits: Vec<u64>,
    first_line: Vec<u64>,
    /// The last value and its code: runs are common.
    last: Option<(u64, u32)>,
}

impl BitsInterner {
    pub(super) fn intern(&mut self, bits: u64, line: u64) -> u32 {
        if let Some((last, code)) = self.last
            && last == bits
        {
            return code;
        }
        let next = self.bits.len() as u32;
        let code = *self.codes.entry(bits).or_insert(next);
        if code == next {
            self.bits.push(bits);
            self.first_line.push(line);
        }
        self.last = Some((bits, code));
        code
    }

    pub(super) fn finish(self, value: impl Fn(u64) -> Value) -> (Distinct, Vec<u64>) {
        (Distinct::Values(self.bits.into_iter().map(value).collect()), self.first_line)
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
