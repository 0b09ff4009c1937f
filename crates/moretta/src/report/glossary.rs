//! Attacks, costs and terms in words: pages that `explain` prints and the report quotes, a section each.

const ATTACKS: &str = include_str!("../../docs/glossary/attacks.md");
const COSTS: &str = include_str!("../../docs/glossary/costs.md");
const TERMS: &str = include_str!("../../docs/glossary/terms.md");

/// A word and what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word.
    pub name: &'static str,
    /// What it means, in a sentence.
    pub summary: &'static str,
    /// The sentence and what more there is to say, as Markdown.
    pub page: &'static str,
}

/// What costs measure, by the names that reports have.
pub fn costs() -> impl Iterator<Item = Word> {
    words(COSTS)
}

/// What a cost measures.
pub fn cost(name: &str) -> Option<Word> {
    costs().find(|word| word.name == name)
}

/// The words of the field.
pub fn terms() -> impl Iterator<Item = Word> {
    words(TERMS)
}

/// What an attack does; nothing for one from elsewhere.
pub fn attack(name: &str) -> Option<Word> {
    words(ATTACKS).find(|word| word.name == name)
}

/// The sections of a page: below each heading a sentence, then more.
fn words(page: &'static str) -> impl Iterator<Item = Word> {
    page.split("\n## ").skip(1).filter_map(|section| {
        let (name, rest) = section.split_once('\n')?;
        let page = rest.trim();
        let summary = page.lines().next()?.trim_end_matches('.');
        Some(Word { name, summary, page })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::costs::Utility;

    #[test]
    fn every_attack_has_a_section_and_every_section_an_attack() {
        let known: Vec<&str> = crate::audit::ATTACKS.iter().map(|attack| attack.name).collect();
        let described: Vec<&str> = words(ATTACKS).map(|word| word.name).collect();
        assert_eq!(known, described);
    }

    #[test]
    fn every_cost_has_a_section_and_every_section_a_cost() {
        let Ok(serde_json::Value::Object(costs)) =
            serde_json::to_value(Utility { weighted_gcp: Some(0.0), ..Utility::default() })
        else {
            panic!()
        };
        for name in costs.keys() {
            assert!(cost(name).is_some(), "{name}");
        }
        for word in super::costs() {
            assert!(costs.contains_key(word.name), "{}", word.name);
        }
    }

    #[test]
    fn every_section_begins_with_one_sentence() {
        for word in words(ATTACKS).chain(super::costs()).chain(terms()) {
            assert!(word.page.lines().next().is_some_and(|line| line.ends_with('.')), "{}", word.name);
            assert!(!word.summary.is_empty() && !word.name.ends_with(' '), "{}", word.name);
        }
    }
}
