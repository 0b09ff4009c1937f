//! Small changes to bytes.

use crate::dice::Dice;

/// Texts that readers stumble over.
const TOKENS: [&[u8]; 18] = [
    b"\"",
    b"\n",
    b"\r",
    b",",
    b";",
    b"\0",
    b"-1",
    b"0",
    b"18446744073709551616",
    b"1e309",
    b"-9223372036854775808",
    b"NaN",
    b"\xef\xbb\xbf",
    b"\xff",
    b"[[",
    b"{",
    b"'",
    b"*",
];

/// Changes some bytes in one way; `other` is what pieces are taken from.
pub(super) fn mutate(bytes: &mut Vec<u8>, other: &[u8], dice: &mut Dice) {
    let at = dice.below(bytes.len() + 1);
    let end = (at + dice.skewed(64) + 1).min(bytes.len());
    match dice.below(7) {
        0 if at < bytes.len() => bytes[at] ^= 1 << dice.below(8),
        1 if at < end => drop(bytes.drain(at..end)),
        2 if at < end => {
            let piece = bytes[at..end].to_vec();
            let place = dice.below(bytes.len() + 1);
            bytes.splice(place..place, piece);
        }
        3 if !other.is_empty() => {
            let from = dice.below(other.len());
            let to = (from + dice.skewed(64) + 1).min(other.len());
            bytes.splice(at..at, other[from..to].iter().copied());
        }
        4 if at < bytes.len() => bytes[at] = dice.below(256) as u8,
        5 => bytes.truncate(at.max(bytes.len() / 2)),
        _ => {
            let token = *dice.pick(&TOKENS);
            bytes.splice(at..at, token.iter().copied());
        }
    }
}
