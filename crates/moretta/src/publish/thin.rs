//! Leaving people out of a table that as a whole can't keep a promise.
//!
//! Where one value is too frequent among all people, it is so in some group however they are grouped. If the policy allows people to be left out, those who
//! have such values in excess are: each value is cut down to the same number of people, the largest with which the whole keeps
//! the promise. Every cell with the value gives its share.

use crate::data::cells::Cells;
use crate::error::{Code, Error};
use crate::model::{PrivacyModel, Requirement, Scope};
use crate::policy::Policy;
use crate::prepare::Prepared;
use crate::release::TableSummary;

/// What is left of a table.
pub(super) struct Thinned {
    /// The cells that still have people.
    pub(super) cells: Cells,
    /// Which cell of the table each of them is.
    pub(super) cell_of: Vec<u32>,
    pub(super) whole: TableSummary,
    pub(super) left_out: u64,
}

/// The table without the people who are too many, if leaving out at most `may_suppress` lets the whole keep the promises.
pub(super) fn thin(policy: &Policy, prepared: &Prepared, refused: &Error, may_suppress: u64) -> Option<Thinned> {
    let about_people = |model: &dyn PrivacyModel| matches!(model.scope(), Scope::Members(_));
    if refused.code() != Code::PromiseImpossible.as_str() || policy.models.iter().any(|model| about_people(&**model)) {
        return None;
    }
    let mut people = prepared.cells.people.clone();
    let quasi = prepared.table.quasi.len();
    for attribute in 0..prepared.whole.sensitive.len() {
        let whole = summary(prepared, &people);
        if Requirement::prepare(&policy.models, &whole).is_ok() {
            break;
        }
        let counts = &whole.sensitive[attribute].people;
        let capped = |most: u64| cut(&people, &prepared.cells.columns[quasi + attribute], counts, most);
        // The fewer are left of each value, the more alike all are: the largest number that will do, by halving.
        let (mut good, mut bad) = (0, counts.iter().copied().max().unwrap_or(0));
        while bad - good > 1 {
            let middle = u64::midpoint(good, bad);
            let keeps = Requirement::prepare(&policy.models, &summary(prepared, &capped(middle))).is_ok();
            if keeps { good = middle } else { bad = middle }
        }
        if good > 0 {
            people = capped(good);
        }
    }
    let whole = summary(prepared, &people);
    let left_out = prepared.whole.people - whole.people;
    if left_out > may_suppress || Requirement::prepare(&policy.models, &whole).is_err() {
        return None;
    }
    let cell_of: Vec<u32> = (0..).zip(&people).filter(|(_, people)| **people > 0).map(|(cell, _)| cell).collect();
    let keep = |column: &Vec<u32>| cell_of.iter().map(|&cell| column[cell as usize]).collect();
    let cells = Cells {
        columns: prepared.cells.columns.iter().map(keep).collect(),
        people: cell_of.iter().map(|&cell| people[cell as usize]).collect(),
        cell_of_row: Vec::new(),
    };
    Some(Thinned { cells, cell_of, whole, left_out })
}

/// The people of each cell when no value has more than `most`: cells share the loss, and those who lose the largest part of a person lose a whole one, the
/// first of equals first.
fn cut(people: &[u64], codes: &[u32], counts: &[u64], most: u64) -> Vec<u64> {
    let mut left = people.to_vec();
    for (code, &count) in (0_u32..).zip(counts).filter(|(_, count)| **count > most) {
        let cells: Vec<usize> = (0..people.len()).filter(|&cell| codes[cell] == code).collect();
        let share = |cell: usize| u128::from(people[cell]) * u128::from(most);
        let mut short = most;
        for &cell in &cells {
            left[cell] = (share(cell) / u128::from(count)) as u64;
            short -= left[cell];
        }
        let mut by_rest = cells;
        by_rest.sort_by_key(|&cell| std::cmp::Reverse(share(cell) % u128::from(count)));
        by_rest.iter().take(short as usize).for_each(|&cell| left[cell] += 1);
    }
    left
}

/// The whole with so many people in each cell.
fn summary(prepared: &Prepared, people: &[u64]) -> TableSummary {
    let mut whole = prepared.whole.clone();
    whole.people = people.iter().sum();
    for (attribute, codes) in whole.sensitive.iter_mut().zip(&prepared.cells.columns[prepared.table.quasi.len()..]) {
        attribute.people.fill(0);
        codes.iter().zip(people).for_each(|(&code, people)| attribute.people[code as usize] += people);
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::cut;
    use crate::testkit::published::publish;

    #[test]
    fn cells_share_the_loss() {
        let (people, codes) = ([5, 2, 4, 3], [0, 0, 0, 1]);
        assert_eq!(cut(&people, &codes, &[11, 3], 11), people);
        assert_eq!(cut(&people, &codes, &[11, 3], 5), [2, 1, 2, 3]);
        assert_eq!(cut(&people, &codes, &[11, 3], 1), [1, 0, 0, 1]);
        assert_eq!(cut(&people, &codes, &[11, 3], 0), [0, 0, 0, 0]);
    }

    #[test]
    fn who_is_too_many_is_left_out_where_that_is_allowed() {
        let rows: String = (0..8).map(|i| format!("{},{}\n", 20 + i % 3, if i == 4 { "hiv" } else { "flu" })).collect();
        let csv = format!("age,disease\n{rows}");
        let roles = "[attributes]\nage = { role = \"quasi\", hierarchy = { balanced = 2 } }\ndisease = { role = \"sensitive\" }\n";
        let diverse = "[[require]]\nmodel = \"probabilistic-l-diversity\"\nl = 2\n";
        let ambiguous = "[[require]]\nmodel = \"alpha-beta-privacy\"\nalpha = 1\nbeta = 0.5\n";
        for (promise, method) in [
            (diverse, "least-loss"),
            (diverse, "mondrian"),
            (diverse, "full-domain"),
            (diverse, "top-down"),
            (diverse, "clustering"),
            (diverse, "anatomy"),
            (ambiguous, "ambiguity"),
        ] {
            let way = |share: &str| format!("{roles}{promise}[method]\nname = \"{method}\"\nsuppression = {share}\n");
            let published = publish(&csv, &way("0.9"), 1).unwrap_or_else(|error| panic!("{method}: {error}"));
            assert_eq!((published.report.rows_out, published.report.suppressed), (2, 6), "{method}");
            let refused = publish(&csv, &way("0.7"), 1).err().map(|error| error.code());
            assert!(matches!(refused, Some("promise-impossible" | "needs-suppression")), "{method}: {refused:?}");
        }
    }
}
