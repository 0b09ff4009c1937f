//! Asks a release, and for the steward the original beside it.

use maud::{Markup, html};
use moretta::Type;
use moretta::questions::spell_time;
use moretta::text::{grouped, rounded};
use moretta::{Answer, Query, Release, Result, Run, files};

use super::Done;
use super::publish::policy_of;
use crate::bench::Bench;

/// The most rows of an answer that are shown.
const ROWS: usize = 500;

pub(super) fn run(bench: &Bench, name: &str, sql: &str, run: &Run) -> Result<Done> {
    let folder = bench.workspace.release(name)?;
    let release = Release::open(&folder)?;
    let query = Query::parse(sql)?;
    let answer = release.answer(&query, run)?;
    // Who has the table gets the truth beside it. Without it the answer stands alone.
    let truth = if folder.join("private/policy.toml").is_file() {
        Some(release.truth(&query, &files::read_table(&policy_of(bench, &folder)?, run)?, run)?)
    } else {
        None
    };
    let shown = table(&answer, truth.as_ref());
    Ok(Done { go: format!("/releases/{name}"), says: sql.to_owned(), shown: Some(shown) })
}

/// A figure of an answer: large ones need no digits that nobody can use.
fn figure(level: f64) -> String {
    const LARGE: f64 = 100.0;
    let sign = if level < 0.0 { "-" } else { "" };
    match level.abs() {
        #[expect(clippy::cast_sign_loss, reason = "nothing below 0 is rounded")]
        whole if whole.fract() <= 0.0 && whole < 1e15 => format!("{sign}{}", grouped(whole as u64)),
        large if large >= LARGE => format!("{level:.1}"),
        _ => rounded(level, 4),
    }
}

fn table(answer: &Answer, truth: Option<&Answer>) -> Markup {
    let spelled = |level: Option<f64>, time: Option<Type>| match (level, time) {
        (None, _) => "unknown".to_owned(),
        (Some(number), Some(kind)) => spell_time(kind, number).unwrap_or_default(),
        (Some(level), None) => figure(level),
    };
    html! {
        div.wide tabindex="0" role="region" aria-label="Answer" {
            table {
                caption { "The truth can't lie outside of the bounds." @if truth.is_some() { " The exact answer is yours alone: recipients do not get it." } }
                thead { tr {
                    @for key in &answer.group_by { th scope="col" { (key) } }
                    th scope="col" { "asked" }
                    @for head in ["estimate", "at least", "at most"] { th.n scope="col" { (head) } }
                    @if truth.is_some() { th.n scope="col" { "exact" } }
                } }
                tbody {
                    @for (row, found) in answer.rows.iter().enumerate().take(ROWS) {
                        @for (index, selected) in answer.selected.iter().enumerate() {
                            @let (estimate, time) = (&found.estimates[index], answer.times[index]);
                            tr {
                                @for value in &found.key { td { (value.to_string()) } }
                                td { (selected.to_string()) }
                                @for level in [estimate.estimate, estimate.lower, estimate.upper] { td.n { (spelled(level, time)) } }
                                @if let Some(truth) = truth { td.n { (spelled(answer.exact(truth, row, index), time)) } }
                            }
                        }
                    }
                }
            }
        }
        @if answer.rows.len() > ROWS { p.quiet { "and " (grouped((answer.rows.len() - ROWS) as u64)) " rows more; narrow the question to see others" } }
    }
}

#[cfg(test)]
mod tests {
    use super::figure;

    #[test]
    fn figures_are_read_at_a_glance() {
        let figures = [1373.0, 589.0266, -1200.0, 0.01234, 99.5, 0.0, 1e18].map(figure);
        assert_eq!(figures, ["1,373", "589.0", "-1,200", "0.0123", "99.5", "0", "1000000000000000000.0"]);
    }
}
