//! Open: choose a table of the workspace, or send one.

use std::sync::Arc;

use axum::extract::{Multipart, State};
use maud::{Markup, html};
use moretta::text::grouped;
use moretta::{Error, Result};

use super::form::{Fields, field};
use super::layout::Page;
use super::{Answer, go};
use crate::bench::Bench;
use crate::job::{Task, in_words};
use crate::workspace::{PolicyFile, Upload};

/// The rows that are shown of a table.
const ROWS: usize = 12;

pub(crate) async fn show(State(bench): State<Arc<Bench>>) -> Answer {
    let workspace = &bench.workspace;
    let opened = workspace.policy()?.as_ref().and_then(PolicyFile::source);
    let tables = workspace.tables();
    let main = html! {
        h1 { "Which table?" }
        p.lead { "A table about people, with one row for each. It stays in this folder: nothing is sent anywhere." }
        div.pair {
            section {
                h2 { "In the workspace" }
                @if tables.is_empty() {
                    p.quiet { "There is no table yet. Send one, or copy a CSV or Parquet file into the folder and reload this page." }
                } @else {
                    form method="post" action="/open" {
                        fieldset.choices {
                            legend.unseen { "Tables" }
                            @for (index, table) in tables.iter().enumerate() {
                                @let chosen = opened.as_ref().map_or(index == 0, |opened| *opened == table.name);
                                label.choice {
                                    input type="radio" name="table" value=(table.name) checked[chosen] required;
                                    span { (table.name) } span.quiet { (size(table.bytes)) }
                                }
                            }
                        }
                        button { "Look at it" }
                    }
                }
            }
            section {
                h2 { "From your computer" }
                form method="post" action="/upload" enctype="multipart/form-data" {
                    label for="file" { "CSV (also packed) or Parquet, up to " (size(bench.largest_upload)) }
                    input #file name="file" type="file" accept=".csv,.tsv,.txt,.gz,.zst,.parquet" required;
                    button { "Send it to the workspace" }
                }
                p.quiet { "From a database: write the result of a query as CSV or Parquet into the folder. A direct connection is not there yet." }
            }
        }
        @if let Some(table) = &opened { (preview(&bench, table)) }
    };
    Ok(Page { title: "Open", step: "/", scripts: &[] }.show(&bench, &main))
}

fn preview(bench: &Bench, table: &str) -> Markup {
    let picture = bench.workspace.picture(table);
    let preview = bench.workspace.preview(table, ROWS);
    html! {
        section {
            h2 { "What " code { (table) } " holds" }
            @if let Some(picture) = &picture {
                p { (grouped(picture.rows)) " rows, " (picture.columns.len()) " columns. " a href="/understand" { "Understand it" } "." }
                @if !picture.hints.is_empty() {
                    div.note.is-warn { h3 { "Better mended first" } ul { @for hint in &picture.hints { li { (hint) } } } }
                }
            }
            @match preview {
                Err(error) => p.note.is-bad role="alert" { (in_words(&error)) },
                Ok(preview) => div.wide tabindex="0" role="region" aria-label="First rows" {
                    table.data {
                        caption { "The first rows" @if picture.is_some() { ", and the type that was found for each column" } }
                        thead {
                            tr {
                                @for column in &preview.columns {
                                    th scope="col" {
                                        (column)
                                        @if let Some(found) = picture.as_ref().and_then(|picture| picture.column(column)) { br; span.quiet { (found.kind.name()) } }
                                    }
                                }
                            }
                        }
                        tbody {
                            @for row in &preview.rows {
                                tr { @for value in row { td { @match value { Some(value) => (value), None => span.quiet { "missing" } } } } }
                            }
                        }
                    }
                },
            }
        }
    }
}

/// Bytes for people.
fn size(bytes: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)];
    let unit = UNITS.iter().find(|(_, unit)| bytes >= *unit);
    unit.map_or_else(
        || format!("{bytes} bytes"),
        |(name, unit)| format!("{} {name}", moretta::text::rounded(bytes as f64 / *unit as f64, 1)),
    )
}

pub(crate) async fn choose(State(bench): State<Arc<Bench>>, axum::Form(fields): Fields) -> Answer {
    let table = field(&fields, "table").unwrap_or_default();
    bench.workspace.table(table)?;
    let job = bench.jobs.ask(Task::Inspect { table: table.to_owned() });
    Ok(go(&format!("/jobs/{}", job.id)))
}

pub(crate) async fn upload(State(bench): State<Arc<Bench>>, mut sent: Multipart) -> Answer {
    let broken = |_| Error::input("the file did not come whole").help("send it again");
    while let Some(mut part) = sent.next_field().await.map_err(broken)? {
        let Some(name) = part.file_name().map(str::to_owned) else { continue };
        let mut upload = Upload::begin(&bench.workspace, "tables", &name, bench.largest_upload)?;
        // Written as it comes: memory does not grow with the file.
        while let Some(bytes) = part.chunk().await.map_err(broken)? {
            upload.write(&bytes)?;
        }
        let table = finish(upload).await?;
        let job = bench.jobs.ask(Task::Inspect { table });
        return Ok(go(&format!("/jobs/{}", job.id)));
    }
    Err(Error::input("no file was sent").help("choose one").into())
}

/// The disk may take its time; pages do not wait for it.
async fn finish(upload: Upload) -> Result<String> {
    tokio::task::spawn_blocking(|| upload.finish()).await.map_err(|_| Error::bug("an upload was not finished"))?
}
