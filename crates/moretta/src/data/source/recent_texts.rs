//! The texts that a column had a moment ago: most columns repeat few values, and comparing is cheaper than hashing.

/// How many texts are remembered; a power of two, and together they fit into the nearest cache.
const SLOTS: usize = 512;

/// Remembers the number of a text until another one takes its place.
pub(super) struct RecentTexts {
    slots: Box<[Slot]>,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    digest: u64,
    /// The length and one, so that an empty slot is no text's.
    length: u32,
    code: u32,
}

impl Default for RecentTexts {
    fn default() -> Self {
        Self { slots: vec![Slot::default(); SLOTS].into_boxed_slice() }
    }
}

impl RecentTexts {
    /// The number of a text, or of one that it can't be told from by its ends and length: whoever asks compares if [`is_long`].
    #[inline]
    pub(super) fn code(&self, text: &str) -> Option<u32> {
        let (digest, length) = (digest(text.as_bytes()), length(text)?);
        let slot = self.slots[place(digest, length)];
        (slot.digest == digest && slot.length == length).then_some(slot.code)
    }

    pub(super) fn remember(&mut self, text: &str, code: u32) {
        if let Some(length) = length(text) {
            let digest = digest(text.as_bytes());
            self.slots[place(digest, length)] = Slot { digest, length, code };
        }
    }
}

/// Whether a text has more than its digest tells.
#[inline]
pub(super) fn is_long(text: &str) -> bool {
    text.len() > 8
}

#[inline]
fn length(text: &str) -> Option<u32> {
    u32::try_from(text.len()).ok()?.checked_add(1)
}

#[inline]
fn place(digest: u64, length: u32) -> usize {
    // Fibonacci hashing: the upper bits depend on all lower ones.
    let spread = (digest ^ u64::from(length)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (spread >> (u64::BITS - SLOTS.ilog2())) as usize
}

/// Of at most eight bytes all, so that texts of one length and one digest are the same; of more the first eight and the last eight, mixed.
#[inline]
fn digest(bytes: &[u8]) -> u64 {
    if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        let (first, last) = (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
        return if bytes.len() == 8 { first } else { first ^ last.rotate_left(29) };
    }
    // The two halves overlap where there are fewer than eight.
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        return u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32;
    }
    match *bytes {
        [] => 0,
        [a] => a.into(),
        [a, b] => u64::from(a) | u64::from(b) << 8,
        [a, b, c, ..] => u64::from(a) | u64::from(b) << 8 | u64::from(c) << 16,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn short_texts_are_told_apart(a in "[ab\u{e9}\0]{0,8}", b in "[ab\u{e9}\0]{0,8}") {
            prop_assume!(!is_long(&a) && !is_long(&b) && a != b);
            let mut recent = RecentTexts::default();
            recent.remember(&a, 7);
            prop_assert_eq!(recent.code(&a), Some(7));
            prop_assert_eq!(recent.code(&b), None);
        }
    }

    #[test]
    fn nothing_is_remembered_at_first() {
        let recent = RecentTexts::default();
        for text in ["", "a", "\0", "\0\0\0\0", "abcdefgh"] {
            assert_eq!(recent.code(text), None);
        }
    }
}
