//! Which columns tell of others: a quasi-identifier that gives a sensitive value away, a column that repeats another one more coarsely.

use rayon::prelude::*;
use serde::Serialize;

use super::partition::RowWeights;
use super::role::{SuggestedHierarchy, Suggestion};
use crate::data::role::Role;
use crate::data::table::Column;
use crate::text::{counted, percent};

/// That the value of one column tells that of another.
#[derive(Clone, Debug, Serialize)]
pub struct Dependency {
    /// The column that tells.
    pub from: String,
    /// The column of which it tells.
    pub to: String,
    /// For how many people it does.
    pub people: u64,
    /// Their share of all.
    pub share: f64,
    /// For how many it does or nearly does: of those who share their value, at least 95 % have one value of the other column.
    pub nearly: u64,
    /// Their share of all.
    pub nearly_share: f64,
    /// What that means and what can be done, in words.
    pub advice: String,
}

/// Pairs of columns that are looked at, in their order: enough for sixty quasi-identifiers.
const MOST_PAIRS: usize = 4000;

/// Pairs of values that are counted at once.
const MOST_CELLS: usize = 1 << 22;

/// Rows for each value, on average, below which a column tells of everything by pointing to its rows.
const ROWS_A_VALUE: usize = 5;

/// The share of people from which on it is worth a line that a sensitive value is given away.
const WORTH_TELLING: f64 = 0.01;

/// From which share on of those who have a value of a column another column's value counts as told by it.
const NEARLY: f64 = 0.95;

/// How unlikely it must be that people with one value of a column have one sensitive value only by chance: its natural logarithm.
const BY_CHANCE: f64 = -13.8;

/// What columns tell of each other. A text or a code whose coarser form stands in another column gets that as its hierarchy.
pub(super) fn find(columns: &[Column], suggestions: &mut [Suggestion], people: RowWeights<'_>) -> Vec<Dependency> {
    let with_role = |role: Role| -> Vec<usize> {
        (0..columns.len()).filter(|&index| suggestions[index].role == role && columns[index].domain.len() > 1).collect()
    };
    let (quasi, sensitive) = (with_role(Role::Quasi), with_role(Role::Sensitive));
    let given_away = sensitive.iter().flat_map(|&to| quasi.iter().map(move |&from| (from, to)));
    let coarser =
        quasi.iter().flat_map(|&from| quasi.iter().map(move |&to| (from, to))).filter(|(from, to)| from != to);
    let pairs: Vec<(usize, usize)> = given_away.chain(coarser).take(MOST_PAIRS).collect();
    let looked_at: Vec<Option<(usize, usize, Told)>> = pairs
        .par_iter()
        .map(|&(from, to)| Told::of(&columns[from], &columns[to], people).map(|told| (from, to, told)))
        .collect();
    let mut found = Vec::new();
    for (from, to, told) in looked_at.into_iter().flatten() {
        let (name, of) = (&columns[from].name, &columns[to].name);
        let is_sensitive = suggestions[to].role == Role::Sensitive;
        let (people, advice) = if is_sensitive {
            if told.share(told.nearly) < WORTH_TELLING {
                continue;
            }
            let advice = format!(
                "who knows {name:?} knows {of:?}; leave one of them out, or a promise about {of:?} is bought by hiding {name:?}"
            );
            (told.given_away, advice)
        } else if told.is_function {
            let (values, groups) = (columns[from].domain.len(), columns[to].domain.len());
            if values == groups {
                if from > to {
                    continue;
                }
                (
                    told.all,
                    "they say the same in other words: one of them is enough, role = \"drop\" for the other".to_owned(),
                )
            } else {
                (
                    told.all,
                    format!(
                        "it is the same more coarsely: hierarchy = {{ columns = [{of:?}] }}, and linked = {name:?} at {of:?}, so that neither tells what the other hides"
                    ),
                )
            }
        } else if told.is_nearly_function() {
            let exceptions = counted(told.exceptions, "row", "rows");
            let advice = format!(
                "{exceptions} disagree: if these are mistakes, correct them, and {of:?} is the same more coarsely; if not, who knows {name:?} nearly knows {of:?}, and one of them may be enough"
            );
            (told.given_away, advice)
        } else {
            continue;
        };
        let nearly = told.nearly.max(people);
        found.push(Dependency {
            from: name.clone(),
            to: of.clone(),
            people,
            share: told.share(people),
            nearly,
            nearly_share: told.share(nearly),
            advice,
        });
        let own = &mut suggestions[from];
        let halves = columns[to].domain.len() * 2 <= columns[from].domain.len();
        // One row that disagrees, and the other column is no hierarchy.
        if !is_sensitive
            && told.is_function
            && halves
            && matches!(own.hierarchy, Some(SuggestedHierarchy::Frequency(_)))
        {
            own.hierarchy = Some(SuggestedHierarchy::Column(of.clone()));
        }
    }
    found.sort_by(|a, b| b.share.total_cmp(&a.share).then(b.nearly.cmp(&a.nearly)));
    found
}

/// What a column tells of another.
struct Told {
    all: u64,
    /// People whose value occurs with one value of the other column only, which is no chance.
    given_away: u64,
    /// The same, and people of whose value nearly all have one value of the other column.
    nearly: u64,
    /// People who have another value of the other column than most with their value.
    exceptions: u64,
    /// The people with the most frequent value of the other column.
    most: u64,
    /// Whether that is so for everybody, by chance or not.
    is_function: bool,
}

impl Told {
    /// Nothing where too few rows stand behind each value, or there are too many pairs to count.
    fn of(from: &Column, to: &Column, people: RowWeights<'_>) -> Option<Self> {
        let (values, others) = (from.domain.len(), to.domain.len());
        let cells = values.checked_mul(others).filter(|&cells| cells <= MOST_CELLS)?;
        if values * ROWS_A_VALUE > from.codes.len() {
            return None;
        }
        let mut counts = vec![0_u64; cells];
        for (row, (&value, &other)) in from.codes.iter().zip(&to.codes).enumerate() {
            counts[value as usize * others + other as usize] += people.of(row as u32);
        }
        let mut totals = vec![0_u64; others];
        counts.chunks(others).for_each(|row| row.iter().zip(&mut totals).for_each(|(count, total)| *total += count));
        let all: u64 = totals.iter().sum();
        let most = totals.iter().copied().max().unwrap_or(0);
        let mut told = Self { all, given_away: 0, nearly: 0, exceptions: 0, most, is_function: true };
        for row in counts.chunks(others) {
            let people: u64 = row.iter().sum();
            let Some((other, &most)) = row.iter().enumerate().max_by_key(|&(_, count)| *count) else { continue };
            if people == 0 {
                continue;
            }
            told.exceptions += people - most;
            told.is_function &= most == people;
            let (part, usual) = (most as f64 / people as f64, totals[other] as f64 / all as f64);
            if part < NEARLY || -(people as f64) * divergence(part, usual) >= BY_CHANCE {
                continue;
            }
            told.nearly += people;
            told.given_away += if most == people { people } else { 0 };
        }
        Some(told)
    }

    /// Whether nearly everybody's value follows, and far more than by guessing the most frequent one.
    fn is_nearly_function(&self) -> bool {
        let guessed_wrong = self.all - self.most;
        self.share(self.nearly) >= NEARLY && self.exceptions * 5 <= guessed_wrong
    }

    fn share(&self, people: u64) -> f64 {
        people as f64 / self.all.max(1) as f64
    }
}

/// How far a share is from the usual one, where it is larger: n times this is minus the logarithm of the chance that n people show it by
/// accident, or less (Chernoff).
fn divergence(part: f64, usual: f64) -> f64 {
    let term = |p: f64, q: f64| if p > 0.0 { p * (p / q).ln() } else { 0.0 };
    if part <= usual { 0.0 } else { term(part, usual) + term(1.0 - part, 1.0 - usual) }
}

impl Dependency {
    /// In a sentence: `iinjury follows from ideathmon for 43,185 people (42.8 %): …`.
    pub fn in_words(&self) -> String {
        let Self { from, to, advice, .. } = self;
        let people = counted(self.people, "person", "people");
        let exact = format!("{to} follows from {from} for {people} ({})", percent(self.share));
        if self.nearly == self.people {
            return format!("{exact}: {advice}");
        }
        let near = format!("{} ({})", counted(self.nearly, "person", "people"), percent(self.nearly_share));
        match self.people {
            0 => format!("{to} nearly follows from {from}, in 95 of 100 cases or more, for {near}: {advice}"),
            _ => format!("{exact}, and nearly, in 95 of 100 cases or more, for {near}: {advice}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::domain::Domain;
    use crate::data::value::{Type, Value};
    use proptest::prelude::*;
    use std::sync::Arc;

    fn column(name: &str, values: impl Iterator<Item = u32>) -> Column {
        let texts = values.map(|value| Value::Text(format!("v{value}").into())).collect();
        let (domain, codes) = Domain::from_unsorted(Type::Text, texts);
        Column { name: name.to_owned(), domain: Arc::new(domain), codes }
    }

    fn suggestion(role: Role) -> Suggestion {
        let hierarchy = Some(SuggestedHierarchy::Frequency(vec![2]));
        Suggestion { hierarchy, ..Suggestion::by_values(role, "") }
    }

    #[test]
    fn what_gives_a_sensitive_value_away_and_what_repeats_more_coarsely_is_found() {
        // Of 200 people half died: they have a month of death, and their injury is fatal.
        let month = column("month", (0..200).map(|i| if i % 2 == 0 { 0 } else { 1 + i % 6 }));
        let injury = column("injury", (0..200).map(|i| if i % 2 == 0 { i % 10 } else { 11 }));
        let quarter = column("quarter", (0..200).map(|i| if i % 2 == 0 { 0 } else { 1 + (i % 6) / 4 }));
        let columns = [month, injury, quarter];
        let mut suggestions = [Role::Quasi, Role::Sensitive, Role::Quasi].map(suggestion);
        let found = find(&columns, &mut suggestions, RowWeights(None));
        let told: Vec<(&str, &str, u64)> = found.iter().map(|d| (&*d.from, &*d.to, d.people)).collect();
        assert_eq!(told, [("month", "quarter", 200), ("month", "injury", 100), ("quarter", "injury", 100)]);
        assert_eq!(
            suggestions[0].hierarchy,
            Some(SuggestedHierarchy::Frequency(vec![2])),
            "three of four values are no level"
        );
        assert!(found[1].in_words().starts_with("injury follows from month for 100 people (50.0 %): "));
    }

    #[test]
    fn what_nearly_follows_is_told_with_its_exceptions() {
        // The region follows from the town for all but three people, the illness from the town in 97 of 100 cases.
        let town = column("town", (0..800).map(|i| i % 16));
        let region = column("region", (0..800).map(|i| if i < 3 { 9 } else { i % 16 / 4 }));
        let illness = column("illness", (0..800).map(|i| if i % 100 == 7 { 5 } else { i % 16 / 8 }));
        let columns = [town, region, illness];
        let mut suggestions = [Role::Quasi, Role::Quasi, Role::Sensitive].map(suggestion);
        let found = find(&columns, &mut suggestions, RowWeights(None));
        let words: Vec<String> = found.iter().map(Dependency::in_words).collect();
        let near = |from: &str, to: &str| found.iter().find(|d| d.from == from && d.to == to).map(|d| d.nearly);
        assert_eq!(near("town", "region"), Some(800), "{words:?}");
        assert!(words.iter().any(|w| w.contains("region") && w.contains("3 rows disagree")), "{words:?}");
        assert_eq!(near("town", "illness"), Some(800), "{words:?}");
        assert!(
            words.iter().any(|w| w.starts_with("illness follows from town for ")
                && w.contains("in 95 of 100 cases or more, for 800 people (100.0 %)")),
            "{words:?}"
        );
        assert_eq!(
            suggestions[0].hierarchy,
            Some(SuggestedHierarchy::Frequency(vec![2])),
            "what has exceptions is no level"
        );
    }

    #[test]
    fn what_most_people_have_anyway_is_told_by_nothing() {
        let column_of = |name: &str, modulus: u32| column(name, (0..400).map(move |i| i % modulus));
        let rare = column("rare", (0..400).map(|i| u32::from(i % 100 == 0)));
        let mut suggestions = [Role::Quasi, Role::Sensitive].map(suggestion);
        assert!(find(&[column_of("other", 7), rare], &mut suggestions, RowWeights(None)).is_empty());
    }

    proptest! {
        /// By the definition: a function has one value of the other column for each of its own.
        #[test]
        fn functions_are_found_by_their_definition(rows in proptest::collection::vec((0_u32..4, 0_u32..3), 20..60)) {
            let (from, to) = (column("a", rows.iter().map(|r| r.0)), column("b", rows.iter().map(|r| r.1)));
            let told = Told::of(&from, &to, RowWeights(None)).unwrap();
            let slow = rows.iter().all(|a| rows.iter().all(|b| a.0 != b.0 || a.1 == b.1));
            prop_assert_eq!(told.is_function, slow);
            let alone = |a: &(u32, u32)| rows.iter().all(|b| a.0 != b.0 || a.1 == b.1);
            prop_assert!(told.given_away <= rows.iter().filter(|row| alone(row)).count() as u64);
        }
    }
}
