//! Codes that say by their beginning what they belong to: `E11.65` to `E11`, `DE212` to `DE2`.

use super::build::{path, present};
use super::spec::CodeSystem;
use super::tree::Path;
use crate::data::domain::Domain;
use crate::data::value::Value;
use crate::error::{Code, Error, Result};

/// The chapters of ICD-10, each by its first category and its last.
const CHAPTERS: [(&str, &str); 22] = [
    ("A00", "B99"),
    ("C00", "D49"),
    ("D50", "D90"),
    ("E00", "E90"),
    ("F00", "F99"),
    ("G00", "G99"),
    ("H00", "H59"),
    ("H60", "H95"),
    ("I00", "I99"),
    ("J00", "J99"),
    ("K00", "K93"),
    ("L00", "L99"),
    ("M00", "M99"),
    ("N00", "N99"),
    ("O00", "O99"),
    ("P00", "P96"),
    ("Q00", "Q99"),
    ("R00", "R99"),
    ("S00", "T98"),
    ("U00", "U99"),
    ("V01", "Y98"),
    ("Z00", "Z99"),
];

/// The sections of NACE (Rev. 2), each with its first division and its last.
const SECTIONS: [(char, u32, u32); 21] = [
    ('A', 1, 3),
    ('B', 5, 9),
    ('C', 10, 33),
    ('D', 35, 35),
    ('E', 36, 39),
    ('F', 41, 43),
    ('G', 45, 47),
    ('H', 49, 53),
    ('I', 55, 56),
    ('J', 58, 63),
    ('K', 64, 66),
    ('L', 68, 68),
    ('M', 69, 75),
    ('N', 77, 82),
    ('O', 84, 84),
    ('P', 85, 85),
    ('Q', 86, 88),
    ('R', 90, 93),
    ('S', 94, 96),
    ('T', 97, 98),
    ('U', 99, 99),
];

/// Codes with the same first characters together, for each of these lengths; `E11*` is what begins so.
pub(super) fn prefixes(domain: &Domain, lengths: &[u32]) -> Vec<Path> {
    sorted(domain, |text| lengths.iter().map(|&length| beginning(text, length as usize)).collect())
}

/// Codes by the structure of their classification. All must be codes of it.
pub(super) fn by_structure(domain: &Domain, system: CodeSystem, attribute: &str) -> Result<Vec<Path>> {
    if let Some(other) = present(domain).find(|value| groups(&value.to_string(), system).is_none()) {
        let example = match system {
            CodeSystem::Icd10 => "E11.65 or E1165",
            CodeSystem::Nuts => "DE212",
            CodeSystem::Nace => "01.11 or A01.11",
            CodeSystem::Iso3166 => "DE-BY",
        };
        return Err(Error::input(format!("{attribute:?}: {} is no code of {}", other.to_json(), system.name()))
            .coded(Code::HierarchyWrong)
            .help(format!(
                "codes such as {example}; if the value stands for a missing one, add it to `missing_values`"
            )));
    }
    Ok(sorted(domain, |text| groups(text, system).unwrap_or_default()))
}

/// Paths in the order of the codes, so that siblings are neighbours in rank too.
fn sorted(domain: &Domain, groups: impl Fn(&str) -> Vec<String>) -> Vec<Path> {
    let mut values: Vec<(String, &Value)> = present(domain).map(|value| (value.to_string(), value)).collect();
    values.sort_by(|a, b| a.0.cmp(&b.0));
    values.iter().map(|(text, value)| path(value, groups(text))).collect()
}

/// The first characters of a code and a sign for the rest; a shorter code stays as it is.
fn beginning(text: &str, length: usize) -> String {
    if text.chars().count() < length { text.to_owned() } else { text.chars().take(length).chain(['*']).collect() }
}

/// What a code belongs to, from the narrowest; nothing for what is no code.
fn groups(text: &str, system: CodeSystem) -> Option<Vec<String>> {
    match system {
        CodeSystem::Icd10 => icd10(text),
        CodeSystem::Nuts => nuts(text),
        CodeSystem::Nace => nace(text),
        CodeSystem::Iso3166 => iso3166(text),
    }
}

fn icd10(text: &str) -> Option<Vec<String>> {
    let category = text.get(..3)?;
    let [letter, tens, ones] = *category.as_bytes() else { return None };
    let rest = text.get(3..)?;
    let sound = letter.is_ascii_uppercase()
        && tens.is_ascii_digit()
        && ones.is_ascii_alphanumeric()
        && rest.chars().all(|c| c.is_ascii_alphanumeric() || ".-+!".contains(c));
    if !sound {
        return None;
    }
    // National editions have categories such as O9A, which stand behind the digits.
    let number = if ones.is_ascii_digit() { category.to_owned() } else { format!("{}9", &category[..2]) };
    let chapter = CHAPTERS.iter().find(|(first, last)| *first <= number.as_str() && number.as_str() <= *last);
    let chapter = chapter.map_or_else(|| format!("{}*", char::from(letter)), |(first, last)| format!("{first}-{last}"));
    // The subcategory is one sign after the category, with a point or without.
    let digits = if rest.starts_with('.') { 5 } else { 4 };
    Some(vec![beginning(text, digits), format!("{category}*"), chapter])
}

fn nuts(text: &str) -> Option<Vec<String>> {
    let is_code = (2..=5).contains(&text.len())
        && text.bytes().take(2).all(|b| b.is_ascii_uppercase())
        && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    is_code.then(|| [4, 3, 2].map(|length| beginning(text, length)).to_vec())
}

fn nace(text: &str) -> Option<Vec<String>> {
    let code = text.strip_prefix(|c: char| c.is_ascii_uppercase()).unwrap_or(text);
    let digits: String = code.chars().filter(|&c| c != '.').collect();
    let is_code = (2..=6).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    let division: u32 = digits.get(..2).filter(|_| is_code)?.parse().ok()?;
    let (section, ..) = SECTIONS.iter().find(|(_, first, last)| (*first..=*last).contains(&division))?;
    let group = match digits.get(2..3) {
        Some(sign) => format!("{division:02}.{sign}*"),
        None => text.to_owned(),
    };
    Some(vec![group, format!("{division:02}*"), format!("section {section}")])
}

fn iso3166(text: &str) -> Option<Vec<String>> {
    let (country, rest) = text.split_once('-').unwrap_or((text, ""));
    let is_code = country.len() == 2
        && country.bytes().all(|b| b.is_ascii_uppercase())
        && rest.bytes().all(|b| b.is_ascii_alphanumeric());
    is_code.then(|| vec![format!("{country}*")])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::value::Type;
    use crate::hierarchy::{Hierarchy, HierarchySpec, Scale};
    use std::sync::Arc;

    fn texts(values: &[&str]) -> Domain {
        Domain::from_unsorted(Type::Text, values.iter().map(|&v| Value::Text(v.into())).collect()).0
    }

    fn labels(values: &[&str], system: CodeSystem) -> Vec<String> {
        let paths = by_structure(&texts(values), system, "x").unwrap();
        Hierarchy::from_paths(&paths).unwrap();
        paths.iter().map(|path| path.labels.join(" ")).collect()
    }

    #[test]
    fn codes_climb_by_their_structure() {
        assert_eq!(
            labels(&["E11", "E11.65", "B20", "D50.1"], CodeSystem::Icd10),
            [
                "B20 B20 B20* A00-B99 *",
                "D50.1 D50.1* D50* D50-D90 *",
                "E11 E11 E11* E00-E90 *",
                "E11.65 E11.6* E11* E00-E90 *"
            ]
        );
        assert_eq!(
            labels(&["DE212", "DE21", "FR1"], CodeSystem::Nuts),
            ["DE21 DE21* DE2* DE* *", "DE212 DE21* DE2* DE* *", "FR1 FR1 FR1* FR* *"]
        );
        assert_eq!(
            labels(&["01.11", "62", "A01.2"], CodeSystem::Nace),
            ["01.11 01.1* 01* section A *", "62 62 62* section J *", "A01.2 01.2* 01* section A *"]
        );
        assert_eq!(labels(&["DE-BY", "FR"], CodeSystem::Iso3166), ["DE-BY DE* *", "FR FR* *"]);
    }

    #[test]
    fn what_is_no_code_is_named() {
        for (value, system) in [
            ("diabetes", CodeSystem::Icd10),
            ("e11", CodeSystem::Icd10),
            ("Ü11", CodeSystem::Icd10),
            ("de21", CodeSystem::Nuts),
            ("04.1", CodeSystem::Nace),
            ("Bavaria", CodeSystem::Iso3166),
        ] {
            let error = by_structure(&texts(&[value]), system, "x").unwrap_err();
            assert!(error.message().contains(&format!("{value:?} is no code of {}", system.name())), "{error}");
        }
    }

    #[test]
    fn prefixes_keep_shorter_codes_as_they_are() {
        let scale =
            Scale::new(&HierarchySpec::Prefixes(vec![3, 1]), Arc::new(texts(&["47677", "47602", "4", "9"])), "zip");
        let tree = scale.unwrap().shared_tree().unwrap();
        let level = |level| (0..4).map(|rank| tree.label(tree.at_level(rank, level)).to_owned()).collect::<Vec<_>>();
        assert_eq!(level(1), ["4", "476*", "476*", "9"]);
        assert_eq!(level(2), ["4*", "4*", "4*", "9*"]);
    }
}
