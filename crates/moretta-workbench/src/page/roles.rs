//! Roles: what each column means for privacy, and who is alone by those that others know.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use maud::{Markup, html};
use moretta::text::{counted, percent};
use serde_json::json;

use super::form::{Fields, about_table, field, still_about};
use super::layout::Page;
use super::{Answer, go};
use crate::bench::{Bench, Values};
use crate::job::in_words;
use crate::workspace::{AttributeText, PolicyFile};

/// The roles in the order in which they are asked for: name, title, what it means.
const ROLES: [(&str, &str, &str); 9] = [
    ("identifier", "Names a person", "a name, a number of a patient: never published"),
    ("quasi", "Others know it", "age, place, date: may help to recognize somebody, so it is made coarser"),
    ("sensitive", "Must not be learned", "an illness, an income: published, but nobody may learn whose it is"),
    ("insensitive", "Harmless", "published as it is; be sure that nobody is recognized by it"),
    ("drop", "Leave out", "not published"),
    ("person", "Whose row it is", "where several rows may belong to one person: never published"),
    ("weight", "Stands for so many people", "a row counts for that many"),
    ("group", "Forms groups", "rows with the same value form a group"),
    ("unclassified", "Undecided", "for methods that need no such distinction"),
];

/// How many roles are offered at once; the others are rare.
const USUAL: usize = 5;

/// What a role is called on pages.
pub(super) fn title(role: &str) -> &str {
    ROLES.iter().find(|(name, ..)| *name == role).map_or(role, |(_, title, _)| title)
}

pub(crate) async fn show(State(bench): State<Arc<Bench>>) -> Answer {
    page(&bench, None)
}

fn page(bench: &Arc<Bench>, wrong: Option<&moretta::Error>) -> Answer {
    let Some(policy) = bench.workspace.policy()? else { return Ok(go("/")) };
    let picture = bench.workspace.picture(&policy.table().unwrap_or_default());
    let attributes = policy.attributes();
    let main = html! {
        h1 { "What does each column mean?" }
        p.lead { "This is the decision that matters most, and no program can make it: who else knows a column?" }
        @if let Some(wrong) = wrong { p.note.is-bad role="alert" { (in_words(wrong)) } }
        dl.roles { @for (_, title, meaning) in ROLES.iter().take(USUAL) { dt { (title) } dd { (meaning) } } }
        form #roles method="post" action="/roles" data-alone="/roles/alone" {
            (about_table(&policy))
            div.sticky { p.lead #alone role="status" aria-live="polite" { (alone_in_words(bench, &policy)) } @if let Some(job) = reading(bench, &policy) { p.quiet { a href={ "/jobs/" (job) } { "Look at that work" } } } }
            @for (index, attribute) in attributes.iter().enumerate() {
                fieldset.role {
                    legend { (attribute.name) }
                    @if let Some(found) = picture.as_ref().and_then(|picture| picture.column(&attribute.name)) {
                        p.quiet { (moretta::text::capitalized(&found.reason)) "." }
                    }
                    input type="hidden" name={ "column." (index) } value=(attribute.name);
                    (choices(index, attribute))
                }
            }
            p.actions { button { "Save roles" } button.quiet name="next" value="stay" { "Save and count" } }
        }
    };
    Ok(Page { title: "Roles", step: "/roles", scripts: &["roles.js"] }.show(bench, &main))
}

fn choices(index: usize, attribute: &AttributeText) -> Markup {
    let is_rare = ROLES.iter().skip(USUAL).any(|(name, ..)| *name == attribute.role);
    let one = |(name, title, meaning): &(&str, &str, &str)| {
        html! {
            label.chip title=(meaning) {
                input type="radio" name={ "role." (index) } value=(name) checked[attribute.role == *name] required;
                span { (title) }
            }
        }
    };
    html! {
        div.chips { @for role in ROLES.iter().take(USUAL) { (one(role)) } }
        details open[is_rare] { summary { "Rarer roles" span.unseen { " of " (attribute.name) } } div.chips { @for role in ROLES.iter().skip(USUAL) { (one(role)) } } }
    }
}

pub(crate) async fn save(State(bench): State<Arc<Bench>>, axum::Form(fields): Fields) -> Answer {
    let Some(mut policy) = bench.workspace.policy()? else { return Ok(go("/")) };
    let set = still_about(&fields, &policy)
        .and_then(|()| chosen(&fields).into_iter().try_for_each(|(column, role)| policy.set_role(column, role)));
    match set.and_then(|()| bench.workspace.save_policy(&policy.text())) {
        Err(error) => page(&bench, Some(&error)),
        Ok(()) => Ok(go(if field(&fields, "next") == Some("stay") { "/roles" } else { "/hierarchies" })),
    }
}

/// Columns with the roles that a form gives them.
fn chosen(fields: &[(String, String)]) -> Vec<(&str, &str)> {
    let columns = (0..).map_while(|index| fields.iter().find(|(name, _)| *name == format!("column.{index}")));
    columns
        .enumerate()
        .filter_map(|(index, (_, column))| Some((column.as_str(), field(fields, &format!("role.{index}"))?)))
        .collect()
}

/// How many people are alone by the roles of a form that is not saved yet.
pub(crate) async fn alone(State(bench): State<Arc<Bench>>, axum::Form(fields): Fields) -> Answer {
    let Some(mut policy) = bench.workspace.policy()? else { return Ok(go("/")) };
    for (column, role) in chosen(&fields) {
        policy.set_role(column, role)?;
    }
    let words = alone_in_words(&bench, &policy);
    Ok(([(header::CONTENT_TYPE, "application/json")], json!({ "alone": words }).to_string()).into_response())
}

/// The job that reads the table, or has failed to.
fn reading(bench: &Bench, policy: &PolicyFile) -> Option<u64> {
    match bench.values(&policy.table()?).ok()? {
        Values::Here(_) => None,
        Values::Coming(job) | Values::Failed(job) => Some(job.id),
    }
}

/// Who is alone by the columns that others know, in a sentence.
fn alone_in_words(bench: &Bench, policy: &PolicyFile) -> String {
    let (table, attributes) = (policy.table().unwrap_or_default(), policy.attributes());
    let known: Vec<&str> = attributes
        .iter()
        .filter(|attribute| attribute.role == "quasi")
        .map(|attribute| attribute.name.as_str())
        .collect();
    if known.is_empty() {
        return "No column is known to others: publishing needs one.".to_owned();
    }
    let examined = match bench.values(&table) {
        Ok(Values::Here(examined)) => examined,
        Ok(Values::Coming(_)) => {
            return "The table is being read, to count who is alone. Reload the page in a moment.".to_owned();
        }
        Ok(Values::Failed(job)) => return format!("The table could not be read: {}", job.state.borrow().says),
        Err(error) => return in_words(&error),
    };
    match examined.risk(known.iter().copied()) {
        Err(error) => in_words(&error),
        Ok(risk) => {
            let (classes, people) = (&risk.classes, examined.inspection().people);
            format!(
                "By {} together, {} of {} ({}) {} alone; the smallest group has {}.",
                known.join(", "),
                moretta::text::grouped(classes.unique),
                counted(people, "person", "people"),
                percent(classes.unique as f64 / people.max(1) as f64),
                if classes.unique == 1 { "is" } else { "are" },
                counted(classes.smallest, "person", "people")
            )
        }
    }
}
