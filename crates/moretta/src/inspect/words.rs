//! What the words in a column's name tell about it.

use super::topics::{
    COUNTS, LINKS, NEUTRAL, NOMINAL, NOMINAL_ENDS, PERSONS, POINTERS, PREFIXES, SUFFIXES, TOPICS, Topic, WEAK_POINTERS,
};
use crate::data::role::Role;

/// A topic that a name speaks of, with the word that tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Match {
    pub(super) topic: &'static Topic,
    pub(super) word: &'static str,
    /// Whether it is what the column holds, and not only beside it.
    pub(super) is_head: bool,
}

/// The words of a name in small letters: parts between signs, and of `camelCase`.
pub(super) fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    let mut signs = name.chars().peekable();
    while let Some(sign) = signs.next() {
        let next_is_small = signs.peek().is_some_and(|next| next.is_lowercase());
        let rises = sign.is_uppercase() && (before.is_lowercase() || (before.is_uppercase() && next_is_small));
        let turns = before.is_alphanumeric() && sign.is_numeric() != before.is_numeric();
        if !sign.is_alphanumeric() || rises || turns {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| sign.is_alphanumeric()) {
            word.extend(sign.to_lowercase());
        }
        before = sign;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether a name is that of a person's number or name, as `id`, `patient_no` or `lastName`.
pub(super) fn points_to_person(words: &[String]) -> bool {
    let is_person = |word: &String| is_among(word, PERSONS);
    match words {
        [only] => is_among(only, POINTERS),
        [rest @ .., last] if is_among(last, POINTERS) || is_among(last, WEAK_POINTERS) => {
            rest.iter().all(|word| is_person(word) || is_among(word, POINTERS))
        }
        _ => false,
    }
}

/// Whether a word of a topic is a number or an address that no two people share, so that rows with the same are one person's.
pub(super) fn belongs_to_one(word: &str) -> bool {
    const OWN: &str = "ssn, social security, sin, nino, nhs, mrn, medical record, passport, login, username, user name, email, e mail, imei";
    word.ends_with("id") || OWN.split(", ").any(|own| own == word)
}

/// The topic that a name speaks of.
///
/// The last word that is not [neutral](NEUTRAL) decides, or the last before a [link](LINKS): the date
/// of a diagnosis is a date. Where that one is unknown, any word does, what must be protected first.
pub(super) fn topic_of(words: &[String]) -> Option<Match> {
    plain_topic_of(words).or_else(|| plain_topic_of(&unglued(words)))
}

/// The words of a name without what is glued to them: `istatenum` is a state's number.
fn unglued(words: &[String]) -> Vec<String> {
    let is_known = |word: &str| word.len() >= 3 && all_matches().any(|found| is_same(word, found.word));
    let parts = |word: &String| -> Vec<String> {
        let without_prefix = PREFIXES.split(", ").filter_map(|prefix| word.strip_prefix(prefix));
        for rest in [word.as_str()].into_iter().chain(without_prefix) {
            let without_suffix = SUFFIXES.split(", ").filter_map(|suffix| rest.strip_suffix(suffix));
            if let Some(known) = [rest].into_iter().chain(without_suffix).find(|word| is_known(word)) {
                return vec![known.to_owned()];
            }
            let ends = NEUTRAL.split(", ").filter_map(|end| Some((rest.strip_suffix(end)?, end)));
            if let Some((known, end)) = ends.into_iter().find(|(word, _)| is_known(word)) {
                return vec![known.to_owned(), end.to_owned()];
            }
        }
        vec![word.clone()]
    };
    words.iter().flat_map(parts).collect()
}

fn plain_topic_of(words: &[String]) -> Option<Match> {
    let linked = words.iter().skip(1).position(|word| is_among(word, LINKS)).map_or(words.len(), |place| place + 1);
    let says_nothing = |word: &String| is_among(word, NEUTRAL) || word.chars().all(char::is_numeric);
    let mut end = linked;
    while end > 1 && says_nothing(&words[end - 1]) {
        end -= 1;
    }
    // A pair such as `postal code` may end in a word that is neutral by itself.
    let at_end = all_matches().filter(|found| (end..=linked).any(|end| ends_with(&words[..end], found.word)));
    at_end.max_by_key(|found| found.word.len()).or_else(|| {
        let anywhere = |role| {
            all_matches()
                .filter(move |found| found.topic.role == role)
                .find(|found| (1..=words.len()).any(|end| ends_with(&words[..end], found.word)))
        };
        let found = anywhere(Role::Sensitive).or_else(|| anywhere(Role::Quasi));
        found.map(|found| Match { is_head: false, ..found })
    })
}

/// Whether a name may be that of a weight, and if so whether it can hardly be anything else.
pub(super) fn count_of(words: &[String]) -> Option<bool> {
    let whole = |name: &str| ends_with(words, name) && words.len() == name.split(' ').count();
    COUNTS.iter().find(|(name, _)| whole(name)).map(|&(_, sure)| sure)
}

/// Whether the numbers of a column of this name are but labels.
pub(super) fn is_nominal(words: &[String], found: Option<Match>) -> bool {
    words.last().is_some_and(|last| is_among(last, NOMINAL_ENDS))
        || found.is_some_and(|found| found.is_head && is_among(found.word, NOMINAL))
}

fn all_matches() -> impl Iterator<Item = Match> {
    TOPICS.iter().flat_map(|topic| topic.words.split(", ").map(move |word| Match { topic, word, is_head: true }))
}

fn ends_with(words: &[String], phrase: &str) -> bool {
    let mut before = words.iter().rev();
    phrase.rsplit(' ').all(|part| before.next().is_some_and(|word| is_same(word, part)))
}

fn is_same(word: &str, singular: &str) -> bool {
    let same = |word: &str| word == singular || word.strip_suffix('s') == Some(singular);
    if word.is_ascii() { same(word) } else { same(&without_accents(word)) }
}

/// A word in the letters of the lists.
fn without_accents(word: &str) -> String {
    let mut plain = String::with_capacity(word.len());
    for sign in word.chars() {
        let letter = match sign {
            'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ą' => 'a',
            'ç' | 'ć' | 'č' => 'c',
            'è' | 'é' | 'ê' | 'ë' | 'ę' => 'e',
            'ì' | 'í' | 'î' | 'ï' => 'i',
            'ł' => 'l',
            'ñ' | 'ń' => 'n',
            'ò' | 'ó' | 'ô' | 'õ' | 'ö' => 'o',
            'ś' | 'š' => 's',
            'ù' | 'ú' | 'û' | 'ü' => 'u',
            'ź' | 'ż' | 'ž' => 'z',
            // A mark of its own, as decomposed text has it.
            '\u{300}'..='\u{36f}' => continue,
            'ß' => {
                plain.push('s');
                's'
            }
            _ => sign,
        };
        plain.push(letter);
    }
    plain
}

fn is_among(word: &str, list: &str) -> bool {
    list.split(", ").any(|known| is_same(word, known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fall_into_words() {
        for (name, words) in [
            ("zip_code", &["zip", "code"][..]),
            ("zipCode", &["zip", "code"]),
            ("ZIPCode", &["zip", "code"]),
            ("patientID", &["patient", "id"]),
            ("Marital Status", &["marital", "status"]),
            ("date-of.birth", &["date", "of", "birth"]),
            ("address2", &["address", "2"]),
            ("Größe", &["größe"]),
            ("__", &[]),
        ] {
            assert_eq!(words_of(name), words, "{name}");
        }
    }

    #[test]
    fn the_head_of_a_name_decides() {
        for (name, word, role) in [
            ("age", "age", Role::Quasi),
            ("AgeAtDiagnosis", "age", Role::Quasi),
            ("diagnosis_date", "date", Role::Quasi),
            ("date of birth", "date", Role::Quasi),
            ("diagnosis code", "diagnosis", Role::Sensitive),
            ("salary_class", "salary", Role::Sensitive),
            ("capital_gain", "capital", Role::Sensitive),
            ("work_class", "work", Role::Quasi),
            ("postal code", "postal code", Role::Quasi),
            ("education_num", "education", Role::Quasi),
            ("days_of_stay", "day", Role::Quasi),
            ("phone_number", "phone", Role::Identifier),
            ("email", "email", Role::Identifier),
            ("fnlwgt", "fnlwgt", Role::Drop),
            ("samplingWeight", "sampling weight", Role::Drop),
            ("hospital_name", "hospital", Role::Quasi),
            ("comments", "comment", Role::Drop),
            ("iage", "age", Role::Quasi),
            ("isex", "sex", Role::Quasi),
            ("istatenum", "state", Role::Quasi),
            ("iinjury", "injury", Role::Sensitive),
            ("AGEP", "age", Role::Quasi),
            ("Geschlecht", "geschlecht", Role::Quasi),
            ("Diagnose", "diagnose", Role::Sensitive),
            ("Einkommen", "einkommen", Role::Sensitive),
            ("Straße", "strasse", Role::Identifier),
            ("date_de_naissance", "naissance", Role::Quasi),
            ("código postal", "codigo postal", Role::Quasi),
            ("estado_civil", "estado civil", Role::Quasi),
            ("età", "eta", Role::Quasi),
            ("doença", "doenca", Role::Sensitive),
            ("płeć", "plec", Role::Quasi),
        ] {
            let found = topic_of(&words_of(name)).unwrap_or_else(|| panic!("{name}"));
            assert_eq!((found.word, found.topic.role), (word, role), "{name}");
        }
        for name in ["hours_per_week", "page", "cage", "xray", "vision"] {
            assert_eq!(topic_of(&words_of(name)), None, "{name}");
        }
        assert_eq!(topic_of(&[]), None);
    }

    #[test]
    fn a_pointer_needs_a_person_or_nothing_beside_it() {
        for name in [
            "id",
            "name",
            "patient_id",
            "PatID",
            "Kunden-Nummer",
            "LastName",
            "customer no",
            "first_name",
            "id_number",
            "record key",
        ] {
            assert!(points_to_person(&words_of(name)), "{name}");
        }
        for name in ["ward_id", "country name", "number", "code", "patient_age", "drugName", ""] {
            assert!(!points_to_person(&words_of(name)), "{name}");
        }
    }

    #[test]
    fn every_word_belongs_to_one_topic_and_could_occur_in_a_name() {
        let mut seen: Vec<&str> = Vec::new();
        for found in all_matches() {
            assert_eq!(words_of(found.word).join(" "), found.word, "no name splits into {:?}", found.word);
            assert!(!seen.contains(&found.word), "{:?} is listed twice", found.word);
            seen.push(found.word);
        }
    }

    #[test]
    fn numbers_may_be_labels() {
        let is_nominal = |name| is_nominal(&words_of(name), topic_of(&words_of(name)));
        assert!(["sex", "state_number", "industryCode", "item code"].into_iter().all(is_nominal));
        assert!(!["age", "education_num", "state_age", "persons_at_employer", "foo"].into_iter().any(is_nominal));
    }

    #[test]
    fn only_a_whole_name_is_a_count() {
        assert_eq!(count_of(&words_of("copies")), Some(true));
        assert_eq!(count_of(&words_of("Count")), Some(false));
        assert_eq!(count_of(&words_of("birth_weight")), None);
        assert_eq!(count_of(&words_of("visit count")), None);
    }
}
