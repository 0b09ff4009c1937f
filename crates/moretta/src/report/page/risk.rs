//! Risk before and after.

use maud::{Markup, PreEscaped, html};

use super::ReportInput;
use super::spelling::number;
use crate::report::plot::Bars;
use crate::text::grouped;

impl ReportInput<'_> {
    /// How many people hide among how many, before and after.
    pub(super) fn risk(&self) -> Markup {
        let records = self.release.records();
        let after = records.as_ref().ok().map(|records| records.sizes.as_slice());
        let share = |classes: &[u64]| -> Vec<f64> {
            let total = classes.iter().sum::<u64>().max(1) as f64;
            let inside =
                |&(low, high): &(u64, u64)| -> u64 { classes.iter().filter(|&&c| low <= c && c <= high).sum() };
            SIZES.iter().map(|size| 100.0 * inside(size) as f64 / total).collect()
        };
        let mut series: Vec<(String, Vec<f64>)> =
            self.before.classes.iter().map(|classes| ("original".to_owned(), share(classes))).collect();
        series.extend(after.map(|classes| ("release".to_owned(), share(classes))));
        // Groups of the files are groups of rows: where several may be one person's, the promise alone speaks of people.
        let rows = self.persons.is_some();
        let unit = if rows { "rows" } else { "people" };
        let alone = self.before.classes.as_ref().map_or(String::new(), |classes| {
            let unique = classes.iter().filter(|&&size| size == 1).count() as u64;
            let people = grouped(self.before.people);
            format!("In the original, {} of {people} {unit} are unique by their quasi-identifiers.", grouped(unique))
        });
        let smallest = match &records {
            Err(lacks) => format!("The release has no records that could be found to be somebody's: {lacks}."),
            Ok(records) => {
                let alone = records.sizes.iter().filter(|&&size| size == 1).count() as u64;
                let least = records.sizes.iter().copied().min().unwrap_or(0);
                match alone {
                    _ if rows => format!(
                        "In the release no group has fewer than {} rows, of which several may be one person's: the promise says how many people it has.",
                        grouped(least)
                    ),
                    0 => format!("In the release at least {} people share any {}.", grouped(least), records.alike),
                    _ => format!(
                        "In the release {} people are unique by {}: each can be found.",
                        grouped(alone),
                        records.alike
                    ),
                }
            }
        };
        let bars = Bars {
            title: format!("Among how many does a {} hide?", if rows { "row" } else { "person" }),
            description: format!(
                "The share of {unit} by the size of the class of equal quasi-identifiers, in the original and in the release."
            ),
            labels: SIZES.iter().map(label_of_size).collect(),
            y_name: format!("% of {unit}"),
            series,
        };
        html! {
            section aria-labelledby="risk" {
                h2 id="risk" { "Risk before and after" }
                p { (alone) " " (smallest) }
                @if !rows { (self.adversaries(after)) }
                figure { (PreEscaped(bars.to_svg())) }
            }
        }
    }
}

impl ReportInput<'_> {
    /// What three adversaries reach before and after.
    fn adversaries(&self, after: Option<&[u64]>) -> Markup {
        let before = self.before.classes.as_deref();
        let audited = |measure: &str| {
            let found = self.audit?.attacks.iter().find(|attack| attack.finding.measure == measure)?;
            Some(number(found.finding.measured))
        };
        let cell = |risk: Option<f64>| risk.map_or("–".to_owned(), number);
        let journalist = audited("journalist risk");
        html! {
            table {
                caption { "The chance that a record is taken for the right person's" }
                thead {
                    tr {
                        th scope="col" { "adversary" }
                        th scope="col" { "original" }
                        th scope="col" { "release" }
                        th scope="col" { "what it means" }
                    }
                }
                tbody {
                    tr {
                        th scope="row" { "prosecutor" }
                        td.n { (cell(before.and_then(worst))) }
                        td.n { (audited("prosecutor risk").unwrap_or_else(|| cell(after.and_then(worst)))) }
                        td { "She knows that the person is in the data: the worst case of anybody." }
                    }
                    tr {
                        th scope="row" { "journalist" }
                        td.n { "–" }
                        td.n { (journalist.as_deref().unwrap_or("–")) }
                        td {
                            "She looks for anybody in the population the data come from: at most the prosecutor's."
                            @if journalist.is_none() { " Measured by " code { "audit --public TABLE" } "." }
                        }
                    }
                    tr {
                        th scope="row" { "marketer" }
                        td.n { (cell(before.and_then(linked))) }
                        td.n { (audited("marketer risk").unwrap_or_else(|| cell(after.and_then(linked)))) }
                        td { "She links everybody: the share of links that are right." }
                    }
                }
            }
        }
    }
}

/// One by the size of the smallest class.
fn worst(classes: &[u64]) -> Option<f64> {
    classes.iter().min().map(|&least| 1.0 / least as f64)
}

/// The share of right links if everybody is linked: one in each class is.
fn linked(classes: &[u64]) -> Option<f64> {
    let people: u64 = classes.iter().sum();
    (people > 0).then(|| classes.len() as f64 / people as f64)
}

/// Sizes of classes that are shown together.
const SIZES: [(u64, u64); 8] = [(1, 1), (2, 2), (3, 4), (5, 9), (10, 19), (20, 49), (50, 99), (100, u64::MAX)];

fn label_of_size(&(low, high): &(u64, u64)) -> String {
    match high {
        _ if low == high => low.to_string(),
        u64::MAX => format!("{low} or more"),
        _ => format!("{low} – {high}"),
    }
}
