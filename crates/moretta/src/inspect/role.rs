//! Which role a column may have, and why.

use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::json;
use toml_writer::{ToTomlValue as _, TomlStringBuilder};

use super::profile::{Profile, Repetition};
use super::raw_text;
use super::topics::POSTAL;
use super::words::{self, Match};
use crate::data::role::Role;
use crate::data::table::Column;
use crate::data::value::Type;
use crate::text::grouped;

/// Values from which a column of numbers counts as continuous.
const CONTINUOUS: u64 = 50;

/// The role that a column may have. It is for the steward to decide.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Suggestion {
    /// The role.
    #[serde(serialize_with = "by_name")]
    pub role: Role,
    /// Why, in words.
    pub reason: String,
    /// The type to read it as: numbers that are but labels are better read as texts.
    #[serde(rename = "type")]
    pub kind: Type,
    /// A hierarchy that needs no file, where one helps.
    pub hierarchy: Option<SuggestedHierarchy>,
    /// Whether the column's name told, and not only its values.
    #[serde(skip)]
    pub(super) by_word: bool,
}

/// A hierarchy that needs no file, as a policy states it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SuggestedHierarchy {
    /// Intervals of these widths.
    Intervals(Vec<i64>),
    /// Characters masked from this side.
    Mask(&'static str),
    /// Sets; and values of few people taken together, until each label stands for so many, level by level, where a method needs a hierarchy.
    Frequency(Vec<u64>),
    /// A tree of this fan-out over the values in order.
    Balanced(u32),
    /// What stands in another column.
    Column(String),
}

/// As a policy states it, in JSON.
impl Serialize for SuggestedHierarchy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let json = match self {
            Self::Intervals(widths) => json!({ "intervals": widths }),
            Self::Mask(side) => json!({ "mask": side }),
            Self::Frequency(people) => json!({ "frequency": people, "sets": true }),
            Self::Balanced(fan) => json!({ "balanced": fan }),
            Self::Column(name) => json!({ "columns": [name] }),
        };
        json.serialize(serializer)
    }
}

/// As a policy states it: `intervals = [5, 10, 20]`.
impl fmt::Display for SuggestedHierarchy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Intervals(widths) => write!(f, "intervals = {widths:?}"),
            Self::Mask(side) => write!(f, "mask = {side:?}"),
            Self::Frequency(people) => write!(f, "frequency = {people:?}, sets = true"),
            Self::Balanced(fan) => write!(f, "balanced = {fan}"),
            Self::Column(name) => {
                write!(f, "columns = [{}]", TomlStringBuilder::new(name).as_basic().to_toml_value())
            }
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn by_name<S: Serializer>(role: &Role, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(role.name())
}

impl Suggestion {
    pub(super) fn by_word(role: Role, reason: impl Into<String>) -> Self {
        Self { role, reason: reason.into(), kind: Type::Text, hierarchy: None, by_word: true }
    }

    pub(super) fn by_values(role: Role, reason: impl Into<String>) -> Self {
        Self { by_word: false, ..Self::by_word(role, reason) }
    }

    /// That a row stands for as many people as the column says.
    pub(super) fn weight() -> Self {
        let reason = "a row seems to stand for that many people; be sure of it, since k counts people";
        Self { kind: Type::Integer, ..Self::by_word(Role::Weight, reason) }
    }
}

/// Suggests a role, the name first and then the values.
///
/// What nothing is known about is a quasi-identifier: wrongly taken for one it costs precision,
/// wrongly taken for none it costs somebody's privacy. For the same reason a column is
/// suggested as insensitive only if it tells nobody apart, and never as a weight (see [`may_weigh`]).
pub(super) fn suggest(profile: &Profile, column: &Column) -> Suggestion {
    let words = words::words_of(&profile.name);
    let topic = words::topic_of(&words);
    let by_topic = |Match { topic, word, .. }: Match| {
        let is_one_persons = topic.role == Role::Identifier && words::belongs_to_one(word);
        let role = if is_one_persons && profile.repeats() { Role::Person } else { topic.role };
        Suggestion::by_word(role, format!("\"{word}\": {}", topic.about))
    };
    // A word beside the point does not make a quasi-identifier of what points to one row, as a `ward_id` may.
    let is_unique = profile.repetition == Repetition::Unique && profile.kind != Type::Number;
    let mut suggestion = if profile.repetition == Repetition::Empty {
        Suggestion::by_values(Role::Drop, "it has no value in any row")
    } else if words::points_to_person(&words) {
        points_to_person(profile)
    } else if let Some(direct) = raw_text::by_direct_values(profile, column, topic) {
        direct
    } else if let Some(found) = topic.filter(|found| found.is_head || found.topic.role != Role::Quasi || !is_unique) {
        by_topic(found)
    } else {
        by_values(profile, words::count_of(&words).is_some())
    };
    let is_postal = topic.is_some_and(|found| *found.topic == POSTAL);
    let are_labels = profile.kind == Type::Integer && (is_postal || words::is_nominal(&words, topic));
    suggestion.kind = match are_labels || are_codes(profile, &suggestion) {
        true if is_postal => Type::Text,
        true => Type::Code,
        false => profile.kind,
    };
    if suggestion.role == Role::Quasi {
        let by_order = || Some(SuggestedHierarchy::Balanced(4));
        suggestion.hierarchy = match suggestion.kind {
            Type::Text if is_postal => mask(column).or_else(|| Some(frequency(profile))),
            Type::Text | Type::Code | Type::Boolean => Some(frequency(profile)),
            Type::Integer => intervals(profile).or_else(by_order),
            Type::Number => by_order(),
            Type::Date | Type::Timestamp => None,
        };
    }
    raw_text::refuse_sets(&mut suggestion, profile);
    suggestion
}

/// What points to a person by its name: if it repeats, several rows may be one person's.
fn points_to_person(profile: &Profile) -> Suggestion {
    if profile.repeats() {
        Suggestion::by_word(Role::Person, "by its name it points to a person, and several rows have the same")
    } else {
        Suggestion::by_word(Role::Identifier, "by its name it points to one person")
    }
}

fn by_values(profile: &Profile, named_like_a_weight: bool) -> Suggestion {
    let distinct = grouped(profile.distinct);
    match (profile.repetition, profile.kind) {
        (_, Type::Date | Type::Timestamp) => {
            Suggestion::by_values(Role::Quasi, "dates of events are often known to others")
        }
        (Repetition::Unique, Type::Integer) if numbers_rows(profile) => {
            Suggestion::by_values(Role::Drop, "it only numbers the rows")
        }
        (Repetition::Unique, Type::Text | Type::Integer) => {
            Suggestion::by_values(Role::Identifier, "no value occurs twice: each points to one row")
        }
        (Repetition::NearlyUnique, Type::Text | Type::Integer) => {
            Suggestion::by_values(Role::Identifier, format!("hardly any of its {distinct} values occurs twice"))
        }
        (Repetition::Constant, _) => {
            Suggestion::by_values(Role::Insensitive, "it has the same value in every row, so it tells nobody apart")
        }
        (_, Type::Number) if profile.distinct >= CONTINUOUS => Suggestion::by_values(
            Role::Sensitive,
            "a measurement, which few know beforehand; quasi if another table holds the same figures",
        ),
        _ if named_like_a_weight => {
            Suggestion::by_values(Role::Quasi, "weight if a row stands for that many people, which is not certain")
        }
        (_, _) => {
            let values = if profile.distinct == 1 { "value" } else { "values" };
            let reason = format!("unknown, so the safe side: its {distinct} {values} may help to recognize somebody");
            Suggestion::by_values(Role::Quasi, reason)
        }
    }
}

/// Whether whole numbers count the rows, from 0 or from 1, as the index of a data frame does.
fn numbers_rows(profile: &Profile) -> bool {
    let rows = i64::try_from(profile.distinct).unwrap_or(i64::MAX);
    profile.missing == 0 && [Some((0, rows - 1)), Some((1, rows))].contains(&profile.whole_range())
}

/// Makes the suggestions fit together where rows may not be people: a repeated identifier would be refused.
///
/// One column says whose a row is. What else names people and repeats, as names and addresses do, is no sign of one person, and is left out.
pub(super) fn settle_repeats(suggestions: &mut [Suggestion], profiles: &[Profile]) {
    // Rows that lack what says whose they are would be left out, so that of several columns the fullest serves.
    let persons = (0..suggestions.len()).filter(|&index| suggestions[index].role == Role::Person);
    let person = persons.min_by_key(|&index| profiles[index].missing);
    for (index, (suggestion, profile)) in suggestions.iter_mut().zip(profiles).enumerate() {
        match (suggestion.role, person) {
            (Role::Person, Some(fullest)) if fullest != index => suggestion.role = Role::Identifier,
            (Role::Identifier, None) if profile.repeats() => {
                suggestion.role = Role::Drop;
                suggestion.reason.push_str("; several rows have the same: \"person\" if it says whose a row is");
            }
            _ => {}
        }
    }
    if let Some(person) = person {
        raw_text::refuse_sets_of_people(suggestions, profiles, person);
    }
}

/// Whether a column may say how many people a row stands for, and whether its name leaves no doubt.
///
/// A wrong weight is the worst mistake of all: a row that stands for seventy people is
/// published as it is, because k counts people. So a name such as `weight` is not enough.
pub(super) fn may_weigh(profile: &Profile) -> Option<bool> {
    let counts = profile.missing == 0 && profile.whole_range().is_some_and(|(low, high)| low >= 0 && high >= 2);
    words::count_of(&words::words_of(&profile.name)).filter(|_| counts)
}

/// Whether whole numbers of which nothing is known may be but signs for categories: there are few of them. As such they are not put in an
/// order that may mean nothing; the steward who knows better states "integer".
fn are_codes(profile: &Profile, suggestion: &Suggestion) -> bool {
    const FEW_VALUES: i64 = 20;
    let is_short = profile.whole_range().is_some_and(|(low, high)| high.saturating_sub(low) < FEW_VALUES);
    is_short && !suggestion.by_word && suggestion.role == Role::Quasi
}

/// Three levels, in which a label stands for at least a hundredth, a twentieth and a quarter of the rows.
fn frequency(profile: &Profile) -> SuggestedHierarchy {
    let rows = profile.present + profile.missing;
    let mut people: Vec<u64> = [100, 20, 4].map(|part| round_number(rows / part).max(2)).to_vec();
    people.dedup();
    SuggestedHierarchy::Frequency(people)
}

/// The largest of 1, 2, 5, 10, 20, 50 … that a number reaches.
fn round_number(x: u64) -> u64 {
    let mut unit = 1;
    while unit <= x / 10 {
        unit *= 10;
    }
    [5, 2, 1].into_iter().map(|step| step * unit).find(|&round| round <= x).unwrap_or(0)
}

/// Masks of postal codes. A value that holds the masking sign would be taken for a mask.
fn mask(column: &Column) -> Option<SuggestedHierarchy> {
    let masked = column.domain.values().iter().any(|value| value.to_string().contains('*'));
    (!masked).then_some(SuggestedHierarchy::Mask("right"))
}

/// Some twenty intervals over the whole range, and two steps of coarser ones; pairs and pairs of pairs of a short one.
fn intervals(profile: &Profile) -> Option<SuggestedHierarchy> {
    // Larger numbers can't be told from each other in the floating-point widths of a policy.
    const LARGEST: i64 = 1 << 50;
    let (low, high) = profile.whole_range().filter(|&(low, high)| low > -LARGEST && high < LARGEST)?;
    let range = high - low + 1;
    if range < 20 {
        let widths: Vec<i64> = [2, 4, 8].into_iter().filter(|&width| width < range).collect();
        return (!widths.is_empty()).then_some(SuggestedHierarchy::Intervals(widths));
    }
    let mut unit = 1;
    loop {
        let fits = |steps: &&[i64; 3]| steps[0] * unit * 20 >= range;
        if let Some(steps) = [[2, 10, 20], [5, 10, 20], [10, 50, 100]].iter().find(fits) {
            let widths = steps.iter().map(|step| step * unit).filter(|&width| width < range).collect();
            return Some(SuggestedHierarchy::Intervals(widths));
        }
        unit *= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::domain::Domain;
    use crate::data::value::{Decimal, Value};
    use crate::inspect::profile::count_codes;
    use std::sync::Arc;

    fn suggestion(name: &str, kind: Type, values: impl Iterator<Item = String>) -> Suggestion {
        let values = values.map(|text| Value::parse(&text, kind, Decimal::Point).unwrap()).collect();
        let (domain, codes) = Domain::from_unsorted(kind, values);
        let column = Column { name: name.to_owned(), domain: Arc::new(domain), codes };
        let profile = Profile::new(&column, &count_codes(&column), Vec::new());
        suggest(&profile, &column)
    }

    fn integers(name: &str, range: std::ops::Range<i64>) -> Suggestion {
        suggestion(name, Type::Integer, range.clone().chain(range).map(|i| i.to_string()))
    }

    #[test]
    fn the_name_goes_before_the_values() {
        let unique = |name, kind| suggestion(name, kind, (1000..1100).map(|i| i.to_string())).role;
        assert_eq!(unique("zip", Type::Integer), Role::Quasi);
        assert_eq!(unique("salary", Type::Integer), Role::Sensitive);
        assert_eq!(unique("ward_id", Type::Integer), Role::Identifier);
        assert_eq!(unique("foo", Type::Integer), Role::Identifier);
        assert_eq!(unique("foo", Type::Text), Role::Identifier);
        assert_eq!(unique("foo", Type::Number), Role::Sensitive);
        assert_eq!(integers("patient_id", 1..9).role, Role::Person);
        assert_eq!(integers("ssn", 1..9).role, Role::Person);
        assert_eq!(unique("patient_id", Type::Integer), Role::Identifier);
        assert_eq!(integers("ward_id", 1..30).role, Role::Quasi);
    }

    #[test]
    fn what_nothing_is_known_about_is_a_quasi_identifier() {
        let unknown = integers("foo", 0..30);
        assert_eq!(unknown.role, Role::Quasi);
        assert!(unknown.reason.contains("safe side") && unknown.reason.contains("30 values"), "{}", unknown.reason);
        let constant = suggestion("foo", Type::Text, (0..30).map(|_| "x".to_owned()));
        assert_eq!(constant.role, Role::Insensitive);
        let constant = suggestion("diagnosis", Type::Text, (0..30).map(|_| "x".to_owned()));
        assert_eq!(constant.role, Role::Sensitive);
        assert_eq!(suggestion("foo", Type::Text, std::iter::empty()).role, Role::Drop);
        // Among few rows a value that does not repeat, or always does, proves nothing.
        assert_eq!(suggestion("foo", Type::Text, ["x".to_owned()].into_iter()).role, Role::Quasi);
    }

    #[test]
    fn intervals_follow_the_range() {
        let widths = |range| match integers("age", range).hierarchy {
            Some(SuggestedHierarchy::Intervals(widths)) => widths,
            _ => Vec::new(),
        };
        assert_eq!(widths(0..2), [0; 0]);
        assert_eq!(widths(0..19), [2, 4, 8]);
        assert_eq!(widths(0..20), [2, 10]);
        assert_eq!(widths(17..91), [5, 10, 20]);
        assert_eq!(widths(1900..2020), [10, 50, 100]);
        assert_eq!(widths(0..1000), [50, 100, 200]);
        assert_eq!(widths(-3000..1000), [200, 1000, 2000]);
    }

    #[test]
    fn few_whole_numbers_of_which_nothing_is_known_are_codes() {
        let often = |name: &str, range: std::ops::Range<i64>| {
            suggestion(name, Type::Integer, (0..10).flat_map(move |_| range.clone()).map(|i| i.to_string()))
        };
        let kind = |name, range| often(name, range).kind;
        assert_eq!(kind("foo", 0..14), Type::Code);
        assert_eq!(kind("foo", 0..200), Type::Integer);
        assert_eq!(kind("age", 0..14), Type::Integer);
        assert_eq!(kind("race", 0..200), Type::Code);
        assert!(matches!(often("foo", 0..14).hierarchy, Some(SuggestedHierarchy::Frequency(_))));
        assert_eq!([0, 1, 4, 5, 49, 50, 999, 1000].map(round_number), [0, 1, 2, 5, 20, 50, 500, 1000]);
    }

    #[test]
    fn postal_codes_are_masked_unless_they_are_masked_already() {
        let codes = |last: &'static str| {
            let ten_times = (0..10).flat_map(|_| 100..200);
            suggestion("PostCode", Type::Text, ten_times.map(move |i| format!("{i}{last}"))).hierarchy
        };
        assert_eq!(codes("0"), Some(SuggestedHierarchy::Mask("right")));
        assert!(matches!(codes("*"), Some(SuggestedHierarchy::Frequency(_))));
    }
}
