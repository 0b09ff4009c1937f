//! Direct identifiers, recognized by the values of a column and not by its name.
//!
//! What a column is called proves nothing: e-mail addresses may stand under `contact`. A set of them is as bad as one of them, so such a
//! column must not be taken for a quasi-identifier.

use std::net::{IpAddr, Ipv4Addr};

use super::check_digits as check;
use super::given_names::COMMON;
use super::profile::{Profile, Repetition};
use crate::data::table::Column;
use crate::data::value::{Type, Value};

/// What direct identifiers a column holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Direct {
    /// What its values are, in the plural.
    pub(super) what: &'static str,
    /// Whether no two people share one, so that rows with the same are one person's.
    pub(super) is_own: bool,
    /// How many different values it takes to be sure.
    fewest: usize,
    is_one: fn(&str) -> bool,
}

/// How many values are looked at, evenly spread over the column's domain.
const LOOKED_AT: usize = 2_000;

/// How many different numbers it takes where only a check digit tells them from others.
const BY_CHECK_DIGIT: usize = 8;

/// What is looked for, the surest first.
const DIRECT: &[Direct] = &[
    direct("e-mail addresses", true, 1, is_email),
    direct("web addresses", false, 1, is_url),
    direct("IP addresses", false, 1, is_ip),
    direct("bank accounts (IBAN)", false, 1, check::is_iban),
    direct("coordinates of places", false, 1, is_coordinates),
    direct("social-security numbers (United States)", true, 1, check::is_us_ssn),
    direct("national insurance numbers (United Kingdom)", true, 3, check::is_nino),
    direct("tax codes (Italy)", true, 1, check::is_codice_fiscale),
    direct("social-security numbers (France)", true, 3, check::is_nir),
    direct("social-security numbers (Switzerland)", true, 3, check::is_ahv),
    direct("identity numbers (Spain)", true, 3, check::is_dni),
    direct("pension insurance numbers (Germany)", true, 3, check::is_german_pension),
    direct("payment cards", true, BY_CHECK_DIGIT, check::is_card),
    direct("tax numbers (Brazil)", true, 5, check::is_cpf),
    direct("identity numbers (Poland)", true, BY_CHECK_DIGIT, check::is_pesel),
    direct("tax numbers (Germany)", true, BY_CHECK_DIGIT, check::is_german_tax),
    direct("identity numbers (Sweden)", true, BY_CHECK_DIGIT, check::is_personnummer),
    direct("patient numbers (United Kingdom)", true, BY_CHECK_DIGIT, check::is_nhs),
    direct("social insurance numbers (Canada)", true, BY_CHECK_DIGIT, check::is_sin),
    direct("citizen numbers (Netherlands)", true, BY_CHECK_DIGIT, check::is_bsn),
    direct("tax numbers (Portugal)", true, BY_CHECK_DIGIT, check::is_nif),
    direct("phone numbers", false, 1, is_phone),
];

const fn direct(what: &'static str, is_own: bool, fewest: usize, is_one: fn(&str) -> bool) -> Direct {
    Direct { what, is_own, fewest, is_one }
}

/// What nine of ten values of a column are, if it is something that points to one person.
pub(super) fn find(column: &Column) -> Option<Direct> {
    if !matches!(column.domain.kind(), Type::Text | Type::Integer) {
        return None;
    }
    let values = sample(column);
    let mostly = |direct: &&Direct| {
        let found = values.iter().filter(|value| (direct.is_one)(value.trim())).count();
        found >= direct.fewest && found * 10 >= values.len() * 9
    };
    DIRECT.iter().find(mostly).copied()
}

/// How many values of a column of texts hold an e-mail address among other words.
pub(super) fn with_email(column: &Column) -> usize {
    let holds = |text: &str| text.contains('@') && text.split([' ', '<', '>', '(', ')', ',', ';', ':']).any(is_email);
    column.domain.values().iter().filter(|value| matches!(value, Value::Text(text) if holds(text))).count()
}

/// Whether the values of a column look like names of people: one to four capitalized words, and many of them common names.
pub(super) fn are_names(column: &Column) -> bool {
    const FEWEST: usize = 5;
    let values = sample(column);
    let shaped = values.iter().filter(|value| is_shaped_like_a_name(value)).count();
    let known = values.iter().filter(|value| words(value).any(is_common_name)).count();
    column.domain.kind() == Type::Text
        && known >= FEWEST
        && shaped * 10 >= values.len() * 9
        && known * 10 >= values.len() * 3
}

/// Whether a column holds sentences and not labels: most values have many words, and they hardly repeat.
pub(super) fn is_free_text(profile: &Profile, column: &Column) -> bool {
    const MANY_WORDS: usize = 5;
    let hardly_repeats = matches!(profile.repetition, Repetition::Unique | Repetition::NearlyUnique);
    if profile.kind != Type::Text || !hardly_repeats {
        return false;
    }
    let values = sample(column);
    let long = values.iter().filter(|value| value.split_whitespace().count() >= MANY_WORDS).count();
    long * 2 > values.len()
}

fn sample(column: &Column) -> Vec<String> {
    let step = column.domain.len().div_ceil(LOOKED_AT).max(1);
    column.domain.values().iter().filter(|value| !value.is_missing()).step_by(step).map(Value::to_string).collect()
}

fn is_email(text: &str) -> bool {
    let text = text.strip_prefix("mailto:").unwrap_or(text).trim_end_matches(['.', ',']);
    let Some((user, host)) = text.split_once('@') else { return false };
    let is_part = |part: &str| !part.is_empty() && part.chars().all(|sign| sign.is_alphanumeric() || sign == '-');
    let user_is_plain = !user.is_empty() && user.chars().all(|sign| sign.is_alphanumeric() || "._%+-'".contains(sign));
    user_is_plain && host.contains('.') && host.split('.').all(is_part)
}

fn is_url(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let rest = ["http://", "https://", "ftp://", "www."].iter().find_map(|start| text.strip_prefix(start));
    rest.is_some_and(|rest| rest.contains('.') && !rest.contains(' '))
}

fn is_ip(text: &str) -> bool {
    match text.parse::<IpAddr>() {
        Ok(IpAddr::V6(_)) => true,
        // Numbers of versions look the same, and begin with small numbers.
        Ok(IpAddr::V4(address)) => address.octets()[0] > 9 || address == Ipv4Addr::LOCALHOST,
        Err(_) => false,
    }
}

/// A latitude and a longitude, with the decimals of a place.
fn is_coordinates(text: &str) -> bool {
    let text = text.trim_start_matches("POINT").trim().trim_matches(['(', ')', '[', ']']);
    let parts: Vec<&str> = text.split([',', ';', ' ']).filter(|part| !part.is_empty()).collect();
    let [a, b] = parts[..] else { return false };
    let degrees = |part: &str| {
        let decimals = part.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        part.parse::<f64>().ok().filter(|_| decimals >= 2).map(f64::abs)
    };
    degrees(a).zip(degrees(b)).is_some_and(|(a, b)| a.max(b) <= 180.0 && a.min(b) <= 90.0)
}

/// A phone number as people write it: from a plus or a zero on, or in the three groups of North America.
fn is_phone(text: &str) -> bool {
    let count = text.bytes().filter(u8::is_ascii_digit).count();
    let groups: Vec<&str> = text.split(|sign: char| !sign.is_ascii_digit()).filter(|part| !part.is_empty()).collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    let signs = text.chars().all(|sign| sign.is_ascii_digit() || "+()-/. \u{a0}".contains(sign));
    let is_day = matches!(lengths[..], [1 | 2, 1 | 2, 2 | 4] | [4, 1 | 2, 1 | 2]);
    let is_zip = lengths == [5, 4];
    let is_grouped = lengths.len() > 1;
    let is_american = matches!(lengths[..], [3, 3, 4] | [1, 3, 3, 4]);
    let starts = text.starts_with('+') || (is_grouped && text.starts_with(['0', '(']));
    signs && (7..=15).contains(&count) && !is_day && !is_zip && (starts || is_american)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|sign: char| !sign.is_alphabetic() && sign != '\'').filter(|word| !word.is_empty())
}

fn is_shaped_like_a_name(text: &str) -> bool {
    let signs = text.chars().all(|sign| sign.is_alphabetic() || " ,.-'’".contains(sign));
    let small = ["de", "da", "di", "von", "van", "der", "del", "la", "le", "el", "bin", "al", "dos", "zu"];
    let capitalized = |word: &str| word.starts_with(char::is_uppercase) || small.contains(&word);
    signs && (1..=5).contains(&words(text).count()) && words(text).all(capitalized)
}

fn is_common_name(word: &str) -> bool {
    let word = word.to_lowercase();
    COMMON.split_ascii_whitespace().any(|name| name == word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::domain::Domain;
    use std::sync::Arc;

    fn column(values: &[&str]) -> Column {
        let values = values.iter().map(|&text| Value::Text(text.into())).collect();
        let (domain, codes) = Domain::from_unsorted(Type::Text, values);
        Column { name: "x".to_owned(), domain: Arc::new(domain), codes }
    }

    fn what(values: &[&str]) -> Option<&'static str> {
        find(&column(values)).map(|direct| direct.what)
    }

    #[test]
    fn values_tell_what_they_are() {
        for (values, expected) in [
            (&["ann@example.org", "b.o-b+x@mail.example.co.uk"][..], "e-mail addresses"),
            (&["https://example.org/ann", "www.example.org"], "web addresses"),
            (&["192.168.1.7", "2001:db8::1"], "IP addresses"),
            (&["DE89370400440532013000", "GB82 WEST 1234 5698 7654 32"], "bank accounts (IBAN)"),
            (&["52.5200, 13.4050", "(48.8566, 2.3522)"], "coordinates of places"),
            (&["+49 30 500100", "030/123456", "(555) 010-9999"], "phone numbers"),
            (&["555-010-9999", "555.010.1234"], "phone numbers"),
            (&["06 12 34 56 78", "+33612345678"], "phone numbers"),
            (&["078-05-1120", "219-09-9999"], "social-security numbers (United States)"),
            (&["RSSMRA85T10A562S"], "tax codes (Italy)"),
        ] {
            assert_eq!(what(values), Some(expected), "{values:?}");
        }
    }

    #[test]
    fn what_only_looks_alike_is_left_alone() {
        for values in [
            &["02138-1234", "10001-0001"][..],
            &["04.08.2022", "01/02/2023", "2022-08-04"],
            &["1990-1995", "1996-2000"],
            &["2.0.1.4", "1.4.0.0"],
            &["me @ home", "@ann", "flu"],
            &["1.5, 2.5", "high"],
            &["0.5-1.5", "A01.1"],
            &["123456789"],
            &[],
        ] {
            assert_eq!(what(values), None, "{values:?}");
        }
    }

    #[test]
    fn names_of_people_are_told_from_other_words() {
        let people =
            ["Anna Kowalska", "Peter O'Neill", "MÜLLER, Jürgen", "José da Silva", "Maria", "Li Wei", "John F. Smith"];
        assert!(are_names(&column(&people)));
        assert!(!are_names(&column(&[
            "Berlin",
            "Hamburg",
            "Sankt Peter",
            "Köln",
            "Bonn",
            "Ulm",
            "Hof",
            "Trier",
            "Jena"
        ])));
        assert!(!are_names(&column(&["flu", "gout", "maria", "hiv", "anna", "peter", "john", "tom"])));
    }

    #[test]
    fn an_address_within_a_text_is_found() {
        assert_eq!(with_email(&column(&["call (ann@example.org)", "nothing", "Bob <bob@example.org>."])), 2);
        assert_eq!(with_email(&column(&["3 @ 5.00", "a@b"])), 0);
    }
}
