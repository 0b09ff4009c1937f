//! What looks wrong in a table's values and is better mended before anything is published: in words.

use std::collections::BTreeSet;

use super::profile::Profile;
use crate::data::table::Column;
use crate::data::value::{Type, Value};
use crate::text::counted;

/// What there is to say about the values of a column.
pub(super) fn of_column(profile: &Profile, column: &Column) -> Vec<String> {
    let doubtful = profile.markers.iter().filter(|marker| !marker.certain).map(|marker| {
        let rows = counted(marker.count, "row", "rows");
        format!("{:?} in {rows} may stand for a missing value; if so, add it to `missing_values`", marker.text)
    });
    let texts: Vec<&str> = column
        .domain
        .values()
        .iter()
        .filter_map(|value| match value {
            Value::Text(text) => Some(&**text),
            _ => None,
        })
        .collect();
    let hints = doubtful.chain(blanks(&texts)).chain(two_forms(&texts)).chain(thousands(&texts, profile.kind));
    let named = hints.map(|hint| format!("{:?}: {hint}", profile.name));
    named.chain(super::days::question(column)).collect()
}

/// Blanks around texts, which make two values of one.
fn blanks(texts: &[&str]) -> Option<String> {
    let padded: Vec<&str> = texts.iter().copied().filter(|text| text.trim() != *text).collect();
    let example = padded.first()?;
    let known: BTreeSet<&str> = texts.iter().copied().collect();
    let twice = padded.iter().filter(|text| known.contains(text.trim())).count();
    let values = counted(padded.len() as u64, "text has blanks around it", "texts have blanks around them");
    let consequence = match twice {
        0 => "which are part of the value".to_owned(),
        _ => format!("so that {example:?} and {:?} are two values", example.trim()),
    };
    Some(format!("{values}, {consequence}; take the blanks away"))
}

/// Accented letters both as one sign and as a letter with a mark, which make two values of what looks the same.
fn two_forms(texts: &[&str]) -> Option<String> {
    let has = |signs: std::ops::RangeInclusive<char>| {
        texts.iter().filter(|text| text.chars().any(|sign| signs.contains(&sign))).count()
    };
    let (marked, whole) = (has('\u{300}'..='\u{36f}'), has('\u{c0}'..='\u{24f}'));
    (marked > 0 && whole > 0).then(|| {
        let texts = counted(marked as u64, "text spells", "texts spell");
        format!(
            "{texts} accents as signs of their own (NFD) and others as part of the letter (NFC), so that what looks the same may be \
             two values; bring the file into one form"
        )
    })
}

/// Numbers that are read as texts for the sign between their thousands.
fn thousands(texts: &[&str], kind: Type) -> Option<String> {
    let present = || texts.iter().filter(|text| !text.trim().is_empty());
    let sign = ['.', ',', ' ', '\'', '\u{a0}', '\u{202f}', '’'].into_iter().find(|&sign| {
        let (grouped, plain) = present().fold((0, 0), |(grouped, plain), text| match form(text.trim(), sign) {
            Some(true) => (grouped + 1, plain),
            Some(false) => (grouped, plain + 1),
            None => (grouped, plain),
        });
        grouped > 0 && (grouped + plain) * 10 >= present().count() * 9
    })?;
    let example = present().find(|text| form(text.trim(), sign) == Some(true))?;
    (kind == Type::Text).then(|| {
        format!(
            "numbers such as {example:?} are read as texts; in a CSV file state `thousands = {:?}` under [data], else take the sign \
             between thousands away, and it is a number",
            sign.to_string()
        )
    })
}

/// Whether a text is a number with a sign between its thousands (true), or one without (false).
fn form(text: &str, sign: char) -> Option<bool> {
    let text = text.trim_start_matches(['-', '+']);
    let fraction = if sign == '.' { ',' } else { '.' };
    let (whole, rest) = text.rsplit_once(fraction).unwrap_or((text, "0"));
    let are_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let groups: Vec<&str> = whole.split(sign).collect();
    let well_formed = are_digits(rest)
        && groups.iter().all(|group| are_digits(group))
        && groups[1..].iter().all(|group| group.len() == 3)
        && (groups.len() == 1 || groups[0].len() <= 3);
    well_formed.then_some(groups.len() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_around_texts_are_told() {
        assert_eq!(
            blanks(&[" flu ", "flu", "gout"]).unwrap(),
            "1 text has blanks around it, so that \" flu \" and \"flu\" are two values; take the blanks away"
        );
        assert!(blanks(&[" a", "b"]).unwrap().contains("which are part of the value"));
        assert_eq!(blanks(&["flu", "two words"]), None);
    }

    #[test]
    fn two_forms_of_a_letter_are_told() {
        assert!(two_forms(&["Ko\u{308}ln", "K\u{f6}ln"]).is_some());
        assert_eq!(two_forms(&["K\u{f6}ln", "Bonn"]), None);
        assert_eq!(two_forms(&["Ko\u{308}ln", "Bonn"]), None);
    }

    #[test]
    fn thousands_are_told_from_other_texts() {
        for texts in [&["1.234,56", "999,10"][..], &["1,234,567", "12"], &["1 234", "-12 345.5"], &["1'000"]] {
            assert!(thousands(texts, Type::Text).is_some(), "{texts:?}");
        }
        for texts in [&["A1.234", "x"][..], &["1.23.4"], &["192.168.1.20"], &["04.08.2022"], &["12 34"], &[]] {
            assert_eq!(thousands(texts, Type::Text), None, "{texts:?}");
        }
    }
}
