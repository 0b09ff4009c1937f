//! Asks a release, and for the steward the original beside it.

use std::fs;

use maud::{Markup, html};
use moretta::questions::spell_day;
use moretta::text::rounded;
use moretta::{Answer, Policy, Query, Release, Result, Run, files};

use super::Done;
use crate::bench::Bench;

pub(super) fn run(bench: &Bench, name: &str, sql: &str, run: &Run) -> Result<Done> {
    let folder = bench.workspace.release(name)?;
    let release = Release::open(&folder)?;
    let query = Query::parse(sql)?;
    let answer = release.answer(&query, run)?;
    // Who has the table gets the truth beside it. Without it the answer stands alone.
    let truth = fs::read_to_string(folder.join("private/policy.toml")).ok().map(|text| {
        let policy = Policy::in_file(text, &bench.workspace.policy_file(), &[])?;
        release.truth(&query, &files::read_table(&policy, run)?, run)
    });
    let shown = table(&answer, truth.transpose()?.as_ref());
    Ok(Done { go: format!("/releases/{name}"), says: sql.to_owned(), shown: Some(shown) })
}

fn table(answer: &Answer, truth: Option<&Answer>) -> Markup {
    let spelled = |level: Option<f64>, is_day: bool| match level {
        None => "unknown".to_owned(),
        Some(days) if is_day => spell_day(days).unwrap_or_default(),
        Some(level) => rounded(level, 4),
    };
    html! {
        div.wide tabindex="0" role="region" aria-label="Answer" {
            table {
                caption { "The truth can't lie outside of the bounds. The exact answer is yours alone: recipients do not get it." }
                thead { tr {
                    @for key in &answer.group_by { th scope="col" { (key) } }
                    th scope="col" { "asked" }
                    @for head in ["estimate", "at least", "at most", "exact"] { th.n scope="col" { (head) } }
                } }
                tbody {
                    @for (row, found) in answer.rows.iter().enumerate() {
                        @for (index, selected) in answer.selected.iter().enumerate() {
                            @let (estimate, is_day) = (&found.estimates[index], answer.days[index]);
                            tr {
                                @for value in &found.key { td { (value.to_string()) } }
                                td { (selected.to_string()) }
                                @for level in [estimate.estimate, estimate.lower, estimate.upper] { td.n { (spelled(level, is_day)) } }
                                td.n { (truth.map_or(String::new(), |truth| spelled(answer.exact(truth, row, index), is_day))) }
                            }
                        }
                    }
                }
            }
        }
    }
}
