//! Columns that must not be published as they are, nor as sets: what points to people by its values, and texts that hardly repeat.

use super::direct;
use super::profile::{Profile, Repetition};
use super::role::{SuggestedHierarchy, Suggestion};
use super::words::Match;
use crate::data::role::Role;
use crate::data::table::Column;
use crate::text::{counted, grouped};

/// People or rows below which it means nothing that texts hardly repeat.
const FEW: u64 = 20;

/// What the values of a column tell against its name; nothing where they tell nothing.
///
/// Sure signs go before any name. Signs that may deceive (words that are names of people, long texts) only count where the name of the
/// column does not say what it holds.
pub(super) fn by_direct_values(profile: &Profile, column: &Column, topic: Option<Match>) -> Option<Suggestion> {
    let is_known = |roles: &[Role]| topic.is_some_and(|found| found.is_head && roles.contains(&found.topic.role));
    if is_known(&[Role::Identifier, Role::Drop]) {
        return None;
    }
    if let Some(found) = direct::find(column) {
        let role = if found.is_own && profile.repeats() { Role::Person } else { Role::Identifier };
        return Some(Suggestion::by_values(role, format!("its values are {}, which point to people", found.what)));
    }
    let with_email = direct::with_email(column);
    if with_email > 0 {
        let hold = if with_email == 1 { "holds an e-mail address" } else { "hold e-mail addresses" };
        let texts = counted(with_email as u64, "text", "texts");
        return Some(Suggestion::by_values(Role::Drop, format!("{texts} of it {hold}, which point to people")));
    }
    if direct::is_free_text(profile, column) {
        return Some(Suggestion::by_values(Role::Drop, "free text, hardly ever the same twice, may name people"));
    }
    let are_names = !is_known(&[Role::Quasi, Role::Sensitive]) && direct::are_names(column);
    are_names.then(|| Suggestion::by_values(Role::Identifier, "its values look like names of people"))
}

/// Takes back the suggestion of a quasi-identifier whose texts hardly repeat: a set of them would publish them as they are.
pub(super) fn refuse_sets(suggestion: &mut Suggestion, profile: &Profile) {
    if !makes_sets(suggestion) {
        return;
    }
    let distinct = grouped(profile.distinct);
    let by_word = suggestion.by_word;
    if matches!(profile.repetition, Repetition::Unique | Repetition::NearlyUnique) {
        let reason = format!(
            "hardly any of its {distinct} texts occurs twice, so that sets would publish them; quasi with a hierarchy"
        );
        *suggestion = Suggestion { by_word, ..Suggestion::by_values(Role::Identifier, reason) };
    } else if !by_word && profile.present >= FEW && profile.distinct * 2 >= profile.present {
        let reason =
            format!("many different texts ({distinct}), so that sets would publish them; quasi with a hierarchy");
        *suggestion = Suggestion { by_word, ..Suggestion::by_values(Role::Drop, reason) };
    }
}

/// The same where rows are not people: texts of which nearly every person has others.
pub(super) fn refuse_sets_of_people(suggestions: &mut [Suggestion], profiles: &[Profile], person: usize) {
    let people = profiles[person].distinct;
    for (suggestion, profile) in suggestions.iter_mut().zip(profiles) {
        if makes_sets(suggestion) && people >= FEW && profile.distinct * 10 >= people * 9 {
            let distinct = grouped(profile.distinct);
            let reason = format!(
                "nearly as many texts ({distinct}) as people, so that sets would publish them; quasi with a hierarchy"
            );
            *suggestion = Suggestion::by_values(Role::Drop, reason);
        }
    }
}

/// Whether texts would be published as sets of themselves.
fn makes_sets(suggestion: &Suggestion) -> bool {
    let is_masked = matches!(suggestion.hierarchy, Some(SuggestedHierarchy::Mask(_)));
    suggestion.role == Role::Quasi && suggestion.kind.is_text() && !is_masked
}
