//! Understand: what each column holds, who is alone by which, and what it would mean to publish the table as it is.

use std::sync::Arc;

use axum::extract::State;
use maud::{Markup, html};
use moretta::text::{counted, grouped, percent};

use super::layout::Page;
use super::{Answer, go, number, plot};
use crate::bench::Bench;
use crate::job::Task;
use crate::workspace::{ColumnPicture, Picture};

pub(crate) async fn show(State(bench): State<Arc<Bench>>) -> Answer {
    let Some(table) = bench.workspace.named_table()? else { return Ok(go("/")) };
    let Some(picture) = bench.workspace.picture(&table) else {
        // The file has changed since, or was never looked at here.
        return Ok(go(&format!("/jobs/{}", bench.jobs.ask(Task::Inspect { table })?.id)));
    };
    let main = html! {
        h1 { "What is in " code { (picture.stamp.table) } }
        p.lead { (counted(picture.rows, "row", "rows")) ", " (counted(picture.columns.len() as u64, "column", "columns"))
            @if picture.people != picture.rows { ", " (counted(picture.people, "person", "people")) } ". "
            @if picture.incomplete_rows > 0 { (counted(picture.incomplete_rows, "row lacks", "rows lack")) " a value." } @else { "No row lacks a value." } }
        (risk(&picture))
        (alone(&picture))
        section {
            h2 { "Columns" }
            div.cards { @for column in &picture.columns { (card(column)) } }
        }
        p { a.button href="/roles" { "Decide roles" } }
    };
    Ok(Page { title: "Understand", step: "/understand", scripts: &[] }.show(&bench, &main))
}

fn risk(picture: &Picture) -> Markup {
    html! {
        section {
            h2 { "If it were published as it is" }
            @if picture.all.columns.is_empty() {
                p { "No column looks as if others knew it. If one is known to others, say so under " a href="/roles" { "roles" } "." }
            } @else {
                p.figure { strong.huge.is-bad { (percent(picture.all.alone as f64 / picture.people.max(1) as f64)) } " are alone: "
                    (number(picture.all.alone)) " of " (counted(picture.people, "person", "people")) " have a combination of "
                    (picture.all.columns.join(", ")) " that nobody else has." }
                p { "Somebody who knows these columns of a person finds the person's row with a chance of " (percent(picture.mean_risk)) " on average and "
                    (percent(picture.highest_risk)) " at worst." }
            }
        }
    }
}

fn alone(picture: &Picture) -> Markup {
    html! {
        @if !picture.subsets.is_empty() {
            section {
                h2 { "Who is alone by few columns" }
                div.wide tabindex="0" role="region" aria-label="People who are alone" {
                    table {
                        caption { "Columns that others may know, the most telling first" }
                        thead { tr { th scope="col" { "somebody who knows" } th.n scope="col" { "alone" } th scope="col" { "share" } th.n scope="col" { "smallest group" } } }
                        tbody {
                            @for subset in &picture.subsets {
                                tr {
                                    th scope="row" { (subset.columns.join(" + ")) }
                                    td.n { (grouped(subset.alone)) }
                                    td.bar { (plot::share(subset.alone, picture.people)) }
                                    td.n { (grouped(subset.smallest)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn card(column: &ColumnPicture) -> Markup {
    html! {
        article.card {
            h3 { (column.name) }
            p.quiet { (column.kind.name()) ", " (counted(column.distinct, "value", "values"))
                @if column.missing > 0 { ", " (grouped(column.missing)) " missing" } }
            @if column.bins.is_empty() { p.quiet { "It has no value." } } @else { (plot::bars(&column.name, &column.bins)) }
            p { "Suggested: " strong { (super::roles::title(&column.role)) } ". " (moretta::text::capitalized(&column.reason)) "." }
            details {
                summary { "Values" span.unseen { " of " (column.name) } }
                table.small {
                    thead { tr { th scope="col" { "value" } th.n scope="col" { "people" } } }
                    tbody { @for bin in &column.bins { tr { th scope="row" { (bin.label) } td.n { (grouped(bin.people)) } } } }
                }
                @if column.others > 0 { p.quiet { "and " (counted(column.others, "value more", "values more")) } }
            }
        }
    }
}
