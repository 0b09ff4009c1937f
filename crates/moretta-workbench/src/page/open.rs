//! Open: choose a table of the workspace, send one, or name one of a database.

use std::sync::Arc;

use axum::extract::{Multipart, State};
use axum::response::Response;
use maud::{Markup, html};
use moretta::text::grouped;
use moretta::{Error, Result};

use super::form::{Fields, stated};
use super::layout::Page;
use super::{Answer, go};
use crate::bench::Bench;
use crate::job::{Task, in_words};
use crate::workspace::{Picture, TableFile, TableName, Upload};

pub(crate) async fn show(State(bench): State<Arc<Bench>>) -> Answer {
    // Of a server nobody says whether its table has changed: connecting again looks at it anew.
    let served = bench.workspace.named_table()?.filter(|table| table.server().is_some());
    page(&bench, &served.unwrap_or_default(), None)
}

pub(crate) async fn choose(State(bench): State<Arc<Bench>>, axum::Form(fields): Fields) -> Answer {
    let header = match stated(&fields, "header").as_deref() {
        Some("yes") => Some(true),
        Some("no") => Some(false),
        _ => None,
    };
    let source = stated(&fields, "table").unwrap_or_default();
    let known = bench.workspace.tables().into_iter().find(|file| file.name == source);
    let is_database = known.is_some_and(|file| file.is_database);
    let part = stated(&fields, "part");
    let table = TableName {
        source: if is_database { format!("sqlite:{source}") } else { source },
        table: part.clone().filter(|_| is_database),
        sheet: part.filter(|_| !is_database),
        header,
        encoding: stated(&fields, "encoding"),
        ..TableName::default()
    };
    look(&bench, table)
}

/// A table of a database. A password goes into memory and nowhere else.
pub(crate) async fn database(State(bench): State<Arc<Bench>>, axum::Form(fields): Fields) -> Answer {
    let table = TableName {
        source: stated(&fields, "address").unwrap_or_default(),
        table: stated(&fields, "name"),
        query: stated(&fields, "query"),
        ..TableName::default()
    };
    if table.source.contains("://") && table.server().is_none() {
        let scheme = table.source.split(':').next().unwrap_or_default().to_owned();
        let wrong = Error::input(format!("the workbench does not open {scheme}: addresses"));
        return page(&bench, &table, Some(&wrong.help("postgresql://USER@HOST/DATABASE, or sqlite:FILE")));
    }
    // The password is as it was typed, blanks and all.
    let password = fields.iter().find(|(name, _)| name == "password").map_or("", |(_, password)| password.as_str());
    bench.take_password(&table, password);
    match bench.workspace.stamp(&table).and_then(|_| refuse_secret(&table)) {
        Err(error) => page(&bench, &TableName { source: without_secret(&table), ..table }, Some(&error)),
        Ok(()) => look(&bench, table),
    }
}

/// An address is written into the policy, so it must not hold a password; the library says so without repeating it.
fn refuse_secret(table: &TableName) -> Result<()> {
    let text = format!("[data]\nsource = {}\n[attributes]\n", toml_edit::Value::from(table.source.as_str()));
    match moretta::Policy::parse(text) {
        Err(error) if error.message().contains("password") => Err(error),
        _ => Ok(()),
    }
}

/// What of an address may be shown again.
fn without_secret(table: &TableName) -> String {
    if refuse_secret(table).is_err() { String::new() } else { table.source.clone() }
}

fn look(bench: &Arc<Bench>, table: TableName) -> Answer {
    bench.workspace.stamp(&table)?;
    Ok(go(&format!("/jobs/{}", bench.jobs.ask(Task::Inspect { table })?.id)))
}

pub(crate) async fn upload(State(bench): State<Arc<Bench>>, mut sent: Multipart) -> Answer {
    let broken = |_| Error::input("the file did not come whole").help("send it again");
    while let Some(mut part) = sent.next_field().await.map_err(broken)? {
        let Some(name) = part.file_name().map(str::to_owned) else { continue };
        let mut upload = Upload::begin(&bench.workspace, &name, bench.largest_upload)?;
        // Written as it comes: memory does not grow with the file.
        while let Some(bytes) = part.chunk().await.map_err(broken)? {
            upload.write(&bytes)?;
        }
        let name = upload.finish()?;
        let is_database = bench.workspace.tables().iter().any(|file| file.name == name && file.is_database);
        // Which table of it is meant, the page asks.
        return if is_database { Ok(go("/")) } else { look(&bench, TableName::of_file(&name)) };
    }
    Err(Error::input("no file was sent").help("choose one").into())
}

fn page(bench: &Arc<Bench>, tried: &TableName, wrong: Option<&Error>) -> Answer {
    let opened = bench.workspace.named_table()?;
    let main = html! {
        h1 { "Which table?" }
        p.lead { "A table about people, with one row for each. It stays where it is: nothing is sent anywhere." }
        @if let Some(wrong) = wrong { p.note.is-bad role="alert" { (in_words(wrong)) } }
        div.trio {
            section.card { h2 { "In the workspace" } (files(&bench.workspace.tables(), opened.as_ref())) }
            section.card {
                h2 { "From your computer" }
                form method="post" action="/upload" enctype="multipart/form-data" {
                    label for="file" { "CSV (also packed), Parquet, .xlsx, .ods or SQLite, up to " (size(bench.largest_upload)) }
                    input #file name="file" type="file" accept=".csv,.tsv,.txt,.gz,.zst,.parquet,.xlsx,.ods,.sqlite,.sqlite3,.db" required;
                    button { "Send it to the workspace" }
                }
            }
            section.card { h2 { "From a database" } (of_database(tried)) }
        }
        @if let Some(table) = &opened { (preview(bench, table)) }
    };
    Ok(Page { title: "Open", step: "/", scripts: &[] }.show(bench, &main))
}

fn files(tables: &[TableFile], opened: Option<&TableName>) -> Markup {
    if tables.is_empty() {
        return html! { p.quiet { "There is no table yet. Send one, or copy a file into the folder and reload this page." } };
    }
    let known = tables.iter().position(|table| opened.is_some_and(|opened| opened.source.ends_with(&table.name)));
    html! {
        form method="post" action="/open" {
            fieldset.choices {
                legend.unseen { "Tables" }
                @for (index, table) in tables.iter().enumerate() {
                    label.choice {
                        input type="radio" name="table" value=(table.name) checked[index == known.unwrap_or(0)] required;
                        span { (table.name) " " span.quiet { (size(table.bytes)) @if table.is_database { ", a database" } } }
                    }
                }
            }
            details open[tables.iter().any(|table| table.is_database)] {
                summary { "How it is read, where that can't be found out" }
                label for="part" { "Sheet, or table of a database" } input #part name="part" autocomplete="off";
                label for="header" { "First line of a CSV file" }
                select #header name="header" { option value="" { "find out" } option value="yes" { "names the columns" } option value="no" { "is a row already" } }
                label for="encoding" { "Encoding" } input #encoding name="encoding" placeholder="utf-8" autocomplete="off";
            }
            button { "Look at it" }
        }
    }
}

fn of_database(tried: &TableName) -> Markup {
    html! {
        form method="post" action="/open/database" autocomplete="off" {
            label for="address" { "Address" }
            input.mono #address name="address" value=(tried.source) placeholder="postgresql://me@host/clinic" required spellcheck="false";
            label for="name" { "Table" }
            input.mono #name name="name" value=[&tried.table] placeholder="patients" spellcheck="false";
            details open[tried.query.is_some()] {
                summary { "A query instead" }
                label for="query" { "What gives the rows" }
                textarea #query name="query" rows="3" placeholder="SELECT * FROM patients" spellcheck="false" { (tried.query.as_deref().unwrap_or_default()) }
            }
            label for="password" { "Password, where the server asks for one" }
            input #password name="password" type="password" autocomplete="off";
            p.quiet { "It stays in memory until the program ends: no file, policy or message has it. Left empty, it is taken from PGPASSWORD or ~/.pgpass. SQLite in the workspace: " code { "sqlite:clinic.db" } }
            button { "Connect" }
        }
    }
}

fn preview(bench: &Bench, table: &TableName) -> Markup {
    let heading = html! { h2 { "What " code { (table) } " holds" } };
    let Some(picture) = bench.workspace.picture(table) else {
        return html! { section { (heading) p { "It has not been looked at as it is now. " a href="/understand" { "Look at it" } "." } } };
    };
    html! {
        section {
            (heading)
            p { (grouped(picture.rows)) " rows, " (picture.columns.len()) " columns. " a href="/understand" { "Understand it" } "." }
            @if !picture.hints.is_empty() {
                div.note.is-warn { h3 { "Better mended first" } ul { @for hint in &picture.hints { li { (hint) } } } }
            }
            (first_rows(&picture))
        }
    }
}

fn first_rows(picture: &Picture) -> Markup {
    html! {
        div.wide tabindex="0" role="region" aria-label="First rows" {
            table.data {
                caption { "The first rows, and the type that was found for each column" }
                thead { tr { @for column in &picture.columns { th scope="col" { (column.name) br; span.quiet { (column.kind.name()) } } } } }
                tbody {
                    @for row in &picture.first_rows {
                        tr { @for value in row { td { @match value { Some(value) => (value), None => span.quiet { "missing" } } } } }
                    }
                }
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

/// After a job that a server has refused: the same again, with a password.
pub(super) fn password_form(job: u64, table: &TableName) -> Markup {
    html! {
        form method="post" action={ "/jobs/" (job) "/again" } autocomplete="off" {
            label for="password" { "Password for " code { (table.server().unwrap_or_default()) } }
            input #password name="password" type="password" autocomplete="off" required;
            p.quiet { "It stays in memory until the program ends." }
            button { "Try again" }
        }
    }
}

/// Takes the password and asks for the same work again.
pub(super) fn again(bench: &Bench, table: &TableName, task: &Task, password: &str) -> Result<Response> {
    bench.take_password(table, password);
    Ok(go(&format!("/jobs/{}", bench.jobs.ask(task.clone())?.id)))
}
